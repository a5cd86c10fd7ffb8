"""From the settings to the rules of the queue."""

from datetime import timedelta

from bot.contracts.queue import QueueRule
from bot.kernel.queueing import QueueRules
from bot.settings.queue import ChannelQueueSettings, QueueSettings


def queue_rules(settings: QueueSettings) -> QueueRules:
    """Return what *settings* say, with what each channel leaves open filled in (pure)."""
    everywhere = QueueRule(
        mode=settings.mode,
        debounce_seconds=settings.debounce_seconds,
        cap=settings.cap,
        drop=settings.drop,
    )
    return QueueRules(
        everywhere=everywhere,
        channels={name: _over(one, everywhere) for name, one in settings.channels.items()},
        longest_seconds=settings.longest_wait_seconds,
        part_seconds=settings.part_seconds,
        keep_observed=settings.observed.keep,
        keep_observed_for=timedelta(days=settings.observed.days),
    )


def _over(channel: ChannelQueueSettings, everywhere: QueueRule) -> QueueRule:
    quiet = channel.debounce_seconds
    return QueueRule(
        mode=channel.mode or everywhere.mode,
        debounce_seconds=everywhere.debounce_seconds if quiet is None else quiet,
        cap=channel.cap or everywhere.cap,
        drop=channel.drop or everywhere.drop,
    )
