"""The bot's own sentences in Chinese."""

from datetime import timedelta
from typing import Final

from bot.reply.sentences import Cap, Sentences

_CAPS: Final = {
    Cap.MODEL_CALLS: "次模型调用",
    Cap.TOOL_CALLS: "次工具调用",
    Cap.SECONDS: "秒",
}


def _lasting(span: timedelta) -> str:
    """A span of time in its largest fitting unit, never zero."""
    minutes = max(1, round(span.total_seconds() / 60))
    if minutes < 60:
        return f"{minutes} 分钟"
    hours = round(minutes / 60)
    return f"{hours} 小时" if hours < 48 else f"{round(hours / 24)} 天"


CHINESE: Final = Sentences(
    interrupted="已停止。",
    failed=lambda reason: f"这件事没能完成：{reason}。",
    no_answer="没有答案：模型什么也没说。请再问一次。",
    unfinished="我没做完就停下了，部分操作可能已经生效。请先检查，再让我重做。",
    three_crashes="这条消息三次使我中断，我不会再试。请换个方式提问。",
    budget=lambda cap, limit: (
        f"这次已用完上限（{limit} {_CAPS[cap]}），我停下了。再发一条消息，我就接着做。"
    ),
    unknown_effect=lambda what, at: (
        f"运行 {what} 时被中断（UTC {at:%H:%M}）。我无法判断它是否完成，也没有再次运行。"
        "请先检查，再让我重做。"
    ),
    queue_full=lambda waiting: (
        f"这条消息没有接收：这里已有 {waiting} 条消息在等待。请稍后再发，或发送 /stop。"
    ),
    nothing_to_stop="没有正在进行的事情可以停止。",
    not_started="还没开始就停止了。",
    too_old=lambda late: (
        f"我晚了 {_lasting(late)}才看到这条消息，所以没有处理。如果仍然需要，请再发一次。"
    ),
    was_offline=lambda away: f"我离线了 {_lasting(away)}。",
    not_delivered=lambda reason: f"答案已经有了，但没能送到：{reason}。请再问一次。",
    stranger="我只和主人允许的人交谈。请联系我的主人。",
)
