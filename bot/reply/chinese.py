"""The bot's own sentences in Chinese."""

from typing import Final

from bot.contracts.budget import LimitMet, Scope, Unit, dollars
from bot.contracts.decision import Decision
from bot.contracts.turn import Failure, Rank
from bot.reply.sentences import QuestionSentences, Sentences

_WHOSE: Final = {
    Scope.TURN: "每条消息",
    Scope.SESSION: "这个会话每天",
    Scope.PERSON: "你每天",
    Scope.OTHERS: "所有成员和访客每天合计",
    Scope.AGENT: "这个助手每天",
    Scope.BACKGROUND: "后台任务每天",
    Scope.DAY: "每天",
}


def _amount(amount: int, unit: Unit) -> str:
    return dollars(amount) if unit is Unit.MONEY else f"{amount:,} 个 token"


def _amounts(met: LimitMet) -> str:
    limit, spent = _amount(met.limit, met.unit), _amount(met.spent, met.unit)
    return f"{_WHOSE[met.scope]}的上限是 {limit}（`{met.setting}`），已用 {spent}"


def _spent(met: LimitMet) -> str:
    if met.until is None:
        return f"下一步的费用可能超出余额，我停下了：{_amounts(met)}。再发一条消息，我就接着做。"
    return (
        f"下一步的费用可能超出余额，我停下了：{_amounts(met)}。"
        f"{met.until:%Y-%m-%d %H:%M} 重新计算；我的主人发送 `/allow` 就能马上继续。"
    )


def _nearly_spent(met: LimitMet) -> str:
    begins = "" if met.until is None else f"{met.until:%Y-%m-%d %H:%M} 重新计算。"
    return f"额度快用完了：{_amounts(met)}。{begins}"


_FOR: Final = {
    Rank.STRANGER: "所有人",
    Rank.GUEST: "我认识的人",
    Rank.MEMBER: "成员",
    Rank.ADMIN: "管理员",
    Rank.OWNER: "主人",
}

CHINESE: Final = Sentences(
    interrupted="已停止。",
    failed=lambda reason: f"这件事没能完成：{reason}。",
    no_answer="没有答案：模型什么也没说。请再问一次。",
    failures={
        Failure.MODEL_CALLS: "这次已用完模型调用的上限，我停下了。再发一条消息，我就接着做。",
        Failure.TOOL_CALLS: "这次已用完工具调用的上限，我停下了。再发一条消息，我就接着做。",
        Failure.REPETITION: "我在原地打转，所以停下了。请换个说法。",
        Failure.EMPTY: "没有答案：模型什么也没说。请再问一次。",
        Failure.NOT_RECORDED: "我无法记录正在做的事（原因见日志），所以停下了。请再发一次。",
        Failure.UNFINISHED: "我没做完就停下了，部分操作可能已经生效。请先检查，再让我重做。",
        Failure.THREE_CRASHES: "这条消息三次使我中断，我不会再试。请换个方式提问。",
        Failure.TOO_LATE: "我离开得太久，这件事没有继续处理。如果仍然需要，请再发一次。",
        Failure.ROLLED_BACK: (
            "处理这件事时，我的记忆被备份恢复过，无法判断已经做了什么。请先检查，再让我重做。"
        ),
        Failure.UNKNOWN_EFFECT: (
            "操作进行中我被打断了，无法判断它是否完成，也没有再次运行。请先检查，再让我重做。"
        ),
        Failure.REFUSED_TWICE: "你两次说不，所以这件事我停下了。请告诉我该怎么做。",
        Failure.AGENT_GONE: (
            "这条消息要找的助手在开始处理之前已从设置中移除。请重新发送，会由另一个助手回答。"
        ),
        Failure.BROKEN: "我内部出了故障，这件事没能完成。日志里有详细信息。",
    },
    spent=_spent,
    nearly_spent=_nearly_spent,
    nearly_spent_by=lambda met, person: f"{_nearly_spent(met)}最近一次使用者是 {person}。",
    queue_full=lambda waiting: (
        f"这条消息没有接收：这里已有 {waiting} 条消息在等待。请稍后再发，或发送 /stop。"
    ),
    nothing_to_stop="没有正在进行的事情可以停止。",
    not_yours_to_stop="正在进行的是别人的事；你只能停止自己发起的。",
    cancelled=lambda waiting, running: (
        f"{'已停止，' if running else ''}取消了 {waiting} 条等待中的消息。"
    ),
    displaced="等待的消息太多，新消息来了，这一条就略过了。如果仍然需要，请再发一次。",
    not_started="还没开始就停止了。",
    not_delivered=lambda reason: f"答案已经有了，但没能送到：{reason}。请再问一次。",
    not_paired=lambda code, command: (
        f"我还不认识你，你写的没有保存。配对码是 {code}。请运行我的人在一小时内执行 "
        f"`{command} {code}`，或对我说 /pair {code}，然后你再发消息。"
    ),
    owner_made="从现在起，你是我在这里的主人。",
    wrong_code="这不是正确的代码。请在终端里要一个新的，十分钟内有效。",
    too_long=lambda most: f"这条消息没有接收：超过 {most} 个字符。请作为文件发送，或分成几段。",
    too_fast="你写得比我读得快。前面的消息我收到了，请稍等一下。",
    gates={
        "room:not-listed": lambda where, setting: (
            f"我不在 {where} 里听消息：它没有列出。要改变这一点，请在 config.yaml 的 "
            f"`{setting}` 下加入它，然后重启我。"
        ),
        "rooms:disabled": lambda where, setting: (
            f"我不在 {where} 里听消息，也不在任何群里听。要改变这一点，请在 config.yaml 中把 "
            f"`{setting}` 设为 allowlist，列出该群，然后重启我。"
        ),
        "room:not-mentioned": lambda where, setting: (
            f"在 {where} 里，只有提到我、回复我或给我命令时我才回答，其余只旁听。要我总是回答，"
            f"请在 config.yaml 的 `{setting}` 下写 `mention: off`，然后重启我。"
        ),
        "direct:disabled": lambda _, setting: (
            f"我在这里的私聊中不回答任何人。要改变这一点，请在 config.yaml 中把 `{setting}` 设为 "
            "pairing，然后重启我。"
        ),
        "message:empty": lambda _, __: "你的消息里没有我能读的内容：没有文字，也没有文件。",
    },
    anew=lambda days: f"这里安静了超过 {days} 天，所以我们重新开始。/resume 可以找回之前的内容。",
    not_permitted=lambda what, least: f"{what} 只有{_FOR[least]}可以用。没有改变任何东西。",
    command_failed=lambda reason: f"没有成功：{reason}。没有改变任何东西。",
    command_broke="我内部出了故障，什么也没做。日志里有详细信息。",
    question=QuestionSentences(
        may_i="可以这样做吗？",
        because=lambda why: f"需要先问，因为 {why}。",
        hidden="«U+…» 代表一个看不见的字符。",
        open_for=lambda who, minutes, until: (
            f"代 {who} 询问。{minutes} 分钟内有效，到 {until} 为止；之后视为不同意。"
        ),
        or_write="或者发送：",
        choices={Decision.ONCE: "一次", Decision.ALWAYS: "总是", Decision.NO: "不"},
        expired=lambda code: f"没有人及时决定 {code}，所以我没有做。",
    ),
)
