"""What `/queue` and `/stop` say, in every language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.contracts.turn import QueueMode
from bot.reply.notices import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSentences:
    """The sentences in one language."""

    modes: Mapping[QueueMode, str]
    """What a message does, in each mode."""
    state: Callable[[QueueMode, str, bool], str]
    """The mode that holds, what it does, and whether it was chosen here."""
    waits: Callable[[float], str]
    """How many seconds a text waits for more; 0 is: not at all."""
    now: str
    """From now on."""
    cleared: str
    """The choice was taken back."""
    not_understood: Callable[[str], str]
    """A word that is none of the command's."""
    not_here: Callable[[str], str]
    """A setting that holds for all, and where it stands."""


def _waits(seconds: float) -> str:
    if seconds == 0:
        return "A text does not wait for more."
    return f"A text waits {seconds:g} s for more from the same sender."


def _waits_chinese(seconds: float) -> str:
    return "消息不等待后续。" if seconds == 0 else f"消息等待同一发送者的后续 {seconds:g} 秒。"


ENGLISH: Final = QueueSentences(
    modes={
        QueueMode.STEER: "what you write while I work joins in at the next step",
        QueueMode.FOLLOWUP: "what you write while I work waits for a turn of its own",
        QueueMode.COLLECT: "what you write while I work is answered together afterwards",
        QueueMode.INTERRUPT: "what you write while I work ends that work",
    },
    state=lambda mode, does, chosen: (
        f"Queue: {mode} ({'chosen here' if chosen else 'as configured'}): {does}."
    ),
    waits=_waits,
    now="From now on.",
    cleared="Back to what is configured.",
    not_understood=lambda word: (
        f"I do not know {word!r}. Write /queue steer, followup, collect or interrupt,"
        " /queue debounce:2s, or /queue default."
    ),
    not_here=lambda name: f"{name} is a setting of the whole bot: queue.{name} in config.yaml.",
)

CHINESE: Final = QueueSentences(
    modes={
        QueueMode.STEER: "我工作时你写的内容会在下一步加入",
        QueueMode.FOLLOWUP: "我工作时你写的内容会排队单独处理",
        QueueMode.COLLECT: "我工作时你写的内容会在之后一起回答",
        QueueMode.INTERRUPT: "我工作时你写的内容会中断当前工作",
    },
    state=lambda mode, does, chosen: (
        f"队列：{mode}（{'此处已选' if chosen else '按配置'}）：{does}。"
    ),
    waits=_waits_chinese,
    now="从现在起生效。",
    cleared="已恢复为配置的方式。",
    not_understood=lambda word: (
        f"不认识 {word!r}。请写 /queue steer、followup、collect 或 interrupt，"
        "/queue debounce:2s，或 /queue default。"
    ),
    not_here=lambda name: f"{name} 对整个机器人有效：请改 config.yaml 里的 queue.{name}。",
)

SENTENCES: Final = {Language.EN: ENGLISH, Language.ZH: CHINESE}
