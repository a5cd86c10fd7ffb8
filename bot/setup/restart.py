"""What of the settings can be put in force while the bot runs, and what only by a restart."""

from dataclasses import replace

from bot.settings import Settings


def as_running(read: Settings, booted: Settings) -> Settings:
    """Return *read* with all that cannot change while the bot runs as it was *booted* (pure)."""
    agents = {
        name: agent.model_copy(update={"workspace": booted.agents[name].workspace})
        if name in booted.agents
        else agent
        for name, agent in read.agents.items()
    }
    return replace(
        read,
        agents=agents,
        http=booted.http,
        store=booted.store,
        channels=booted.channels,
        sections={
            name: section.model_copy(update={"type": booted.sections[name].type})
            for name, section in {**booted.sections, **read.sections}.items()
            if name in booted.channels and name in booted.sections
        },
    )


def waiting(read: Settings, booted: Settings) -> tuple[str, ...]:
    """Name the keys of *read* that are in force after a restart only (pure)."""
    keys = [name for name in ("http", "store") if getattr(read, name) != getattr(booted, name)]
    names = dict.fromkeys((*booted.channels, *read.channels))
    keys += [f"channels.{name}" for name in names if _door(read, name) != _door(booted, name)]
    if read.queue.cap_all != booted.queue.cap_all:
        keys.append("queue.cap_all")
    if read.queue.observed.days != booted.queue.observed.days:
        keys.append("queue.observed.days")
    if read.sessions.retention != booted.sessions.retention:
        keys.append("sessions.retention_days")
    return (
        *keys,
        *(
            f"agents.{name}.workspace"
            for name, agent in read.agents.items()
            if name in booted.agents and agent.workspace != booted.agents[name].workspace
        ),
    )


def _door(settings: Settings, channel: str) -> object:
    """Return what a channel was opened with; None for one that is not there (pure)."""
    if channel not in settings.channels:
        return None
    return settings.module_of(channel), settings.channels[channel]
