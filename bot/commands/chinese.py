"""The commands' sentences in Chinese."""

from typing import Final

from bot.commands.sentences import CommandSentences, StatusSentences, WhoSentences
from bot.contracts.turn import Rank


def _waiting(waiting: int, busy: bool) -> str:
    words = "没有消息在等" if waiting == 0 else f"{waiting} 条在等"
    return f"{words}，{'正在回答一条' if busy else '空闲'}"


CHINESE: Final = CommandSentences(
    summaries={
        "help": "简短说明",
        "commands": "列出所有命令",
        "status": "我现在的情况",
        "pair": "让等待的人进来",
        "whoami": "你是谁，以及你能做什么",
    },
    ranks={
        Rank.MEMBER: "成员可用",
        Rank.ADMIN: "管理员可用",
        Rank.OWNER: "仅限主人",
    },
    help_opening="照常给我写消息即可。以下面这些开头的消息是给我本身的：",
    commands_opening="所有命令，以及谁可以用：",
    pair_waiting="这些人在等待进入。向他们要配对码，然后写 /pair 加上它：",
    pair_nobody="没有人在等待进入。",
    pair_closed="现在不让任何人进来：我的设置有误。",
    paired=lambda who, name: (
        f"{who}（自称 {name}）可以在私聊中作为访客进来了。请对方再发一次消息。"
    ),
    whoami=WhoSentences(
        account="你的账号",
        name="你的自称",
        rank="你在这里是",
        place="我们在",
        counts="只有账号算数：名字谁都可以用。",
        are={
            Rank.STRANGER: "陌生人",
            Rank.GUEST: "访客：我们可以聊天",
            Rank.MEMBER: "成员：可以聊天，我也为你读共享文件",
            Rank.ADMIN: "管理员：所有工具",
            Rank.OWNER: "主人：所有工具，以及我记得的一切",
        },
    ),
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
)
