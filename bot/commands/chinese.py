"""The commands' sentences in Chinese."""

from typing import Final

from bot.commands.sentences import CommandSentences, StatusSentences, TraceSentences
from bot.contracts.turn import Rank


def _waiting(waiting: int, busy: bool) -> str:
    words = "没有消息在等" if waiting == 0 else f"{waiting} 条在等"
    return f"{words}，{'正在回答一条' if busy else '空闲'}"


CHINESE: Final = CommandSentences(
    summaries={
        "help": "简短说明",
        "commands": "列出所有命令",
        "status": "我现在的情况",
        "trace": "你的上一条消息怎么样了，为什么没有回复",
    },
    ranks={
        Rank.MEMBER: "成员可用",
        Rank.ADMIN: "管理员可用",
        Rank.OWNER: "仅限主人",
    },
    help_opening="照常给我写消息即可。以下面这些开头的消息是给我本身的：",
    commands_opening="所有命令，以及谁可以用：",
    status=StatusSentences(
        version="版本",
        model="模型",
        session="会话",
        chosen="此处已选",
        queue="队列",
        waiting=_waiting,
        sandbox="程序",
        tools="工具",
        tokens="此处已用",
        spent=lambda given, got, calls: f"输入 {given:,} 词元，输出 {got:,}，调用模型 {calls:,} 次",
        by_default="没有，全部按配置",
        messages="模式",
    ),
    trace=TraceSentences(
        what_to_do="怎么办：",
        only_direct="请在私聊里问我：这只与你有关。",
        no_such="我找不到你可以查看的这条消息。单独发送 /trace 会说明你的上一条消息。",
        nothing_yet="现在还没有可以说明的。",
    ),
)
