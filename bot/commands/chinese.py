"""The commands' sentences in Chinese."""

from typing import Final

from bot.commands.sentences import (
    AllowSentences,
    CommandSentences,
    StatusSentences,
    UsageSentences,
)
from bot.contracts.budget import Unit, dollars
from bot.contracts.turn import Rank, Usage


def _waiting(waiting: int, busy: bool) -> str:
    words = "没有消息在等" if waiting == 0 else f"{waiting} 条在等"
    return f"{words}，{'正在回答一条' if busy else '空闲'}"


def _amount(amount: int, unit: Unit) -> str:
    return dollars(amount) if unit is Unit.MONEY else f"{amount:,} 个 token"


def _used(usage: Usage) -> str:
    tokens = f"输入 {usage.input_tokens:,}、输出 {usage.output_tokens:,} 个 token"
    unpriced = f"，其中 {usage.unpriced_tokens:,} 个价格未知"
    return f"{dollars(usage.micro_usd)}，{tokens}{unpriced if usage.unpriced_tokens else ''}"


CHINESE: Final = CommandSentences(
    summaries={
        "help": "简短说明",
        "commands": "列出所有命令",
        "status": "我现在的情况",
        "usage": "用量和花费：上一条消息、这里、今天",
        "allow": "超出花费上限继续，或把今天的上限提高一个数额",
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
        cost="今天的花费",
    ),
    usage=UsageSentences(
        last="上一条消息",
        session="这个会话今天",
        yours="你今天",
        today="所有人今天",
        background="其中后台任务",
        by_model="按模型",
        by_person="按人",
        used=_used,
        of_limit=lambda limit, unit: f"（每天上限 {_amount(limit, unit)}）",
    ),
    allow=AllowSentences(
        usage=(
            "单独发送 /allow，就接着做这里因上限停下的事。/allow 1.50 让今天多用 1.50 美元；"
            "/allow 200000 tokens 多用这么多 token；/allow 0.50 person webchat:anna 和 "
            "/allow 0.50 others 给成员和访客。"
        ),
        nothing_stopped="这里没有因上限停下的事。",
        allowed=lambda allowed: (
            f"今天可以超出 `limits.{allowed.unit}.{allowed.scope}`"
            f"{f'（{allowed.name}）' if allowed.name else ''} 多用"
            f" {_amount(allowed.amount, allowed.unit)}。"
        ),
        go_on="请从停下的地方接着做。",
    ),
)
