"""The commands' sentences in Chinese."""

from typing import Final

from bot.commands.sentences import (
    AllowSentences,
    ApproveSentences,
    CommandSentences,
    ExportSentences,
    HistorySentences,
    ModelSentences,
    ResumeSentences,
    StatusSentences,
    ThinkSentences,
    TraceSentences,
    UsageSentences,
    VerboseSentences,
    WhoSentences,
)
from bot.contracts.budget import Unit, dollars
from bot.contracts.decision import Decision
from bot.contracts.turn import Rank, Usage, Verbosity


def _waiting(waiting: int, busy: bool) -> str:
    words = "没有消息在等" if waiting == 0 else f"{waiting} 条在等"
    return f"{words}，{'正在回答一条' if busy else '空闲'}"


def _amount(amount: int, unit: Unit) -> str:
    return dollars(amount) if unit is Unit.MONEY else f"{amount:,} 个 token"


def _used(usage: Usage) -> str:
    tokens = f"输入 {usage.input_tokens:,}、输出 {usage.output_tokens:,} 个 token"
    unpriced = f"，其中 {usage.unpriced_tokens:,} 个价格未知"
    return f"{dollars(usage.micro_usd)}，{tokens}{unpriced if usage.unpriced_tokens else ''}"


def _set_to(first: str, others: str) -> str:
    return f"从现在起，这里先问 {first}" + (f"，然后问 {others}。" if others else "。")


CHINESE: Final = CommandSentences(
    summaries={
        "approve": "决定我请求做的事",
        "trace": "你的上一条消息怎么样了，为什么没有回复",
        "pair": "让等待的人进来",
        "whoami": "你是谁，以及你能做什么",
        "help": "可以让我做什么",
        "commands": "列出所有命令，以及谁可以用",
        "status": "我和这个会话现在的情况",
        "stop": "停止正在做的和等待的",
        "queue": "我工作时收到消息怎么办",
        "new": "重新开始，之前的内容会保留",
        "resume": "回到 /new 之前",
        "model": "先问哪个模型",
        "think": "模型思考多久",
        "verbose": "是否显示我中途做了什么",
        "history": "模型能看到多少过去的内容",
        "export": "把这个会话写成文件",
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
    approve=ApproveSentences(
        nothing="这里没有等待决定的事。",
        waiting="这些在等待决定。发送 /approve、它的名字，再加 once、always 或 no：",
        unknown=lambda code: f"没有叫 {code!r} 的问题。",
        how=lambda code: f"请发送 /approve {code}，再加 once、always 或 no。",
        not_yours=lambda code: f"这不由你决定。{code} 仍在等待。",
        expired=lambda code: f"{code} 已过期：没有人及时决定，视为不同意。",
        refused_before=lambda code, who: f"{code} 已被 {who} 拒绝。",
        approved_before=lambda code, who: f"{code} 已由 {who} 批准。",
        withdrawn=lambda code: f"{code} 已撤回：提出它的事已经结束。",
        too_late=lambda code: f"就在你之前，已经有人决定了 {code}。",
        done={
            Decision.ONCE: lambda code: f"已批准 {code}，仅此一次。",
            Decision.ALWAYS: lambda code: (
                f"已批准 {code}。完全相同的操作以后不再问（stonechat approvals revoke 可收回）。"
            ),
            Decision.NO: lambda code: f"已拒绝 {code}。",
        },
    ),
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
        mode="模式",
        waiting=_waiting,
        sandbox="程序运行于",
        tools="工具",
        tokens="此处已用",
        spent=lambda given, got, calls: f"输入 {given:,} 词元，输出 {got:,}，调用模型 {calls:,} 次",
        cost="今天的花费",
        nothing_chosen="没有，全部按配置",
        since="开始于",
        began=lambda day, times: f"{day}，重新开始过 {times} 次" if times else day,
    ),
    new="我们重新开始。之前的内容还在：/resume 可以找回。",
    resume=ResumeSentences(
        nothing="没有可以回去的会话。",
        listed="之前的会话，最近的在前。发送 /resume 加编号即可回到其中一个：",
        no_such=lambda said: f"没有“{said}”。之前的会话，最近的在前：",
        back=lambda opening: f"我们接着之前的会话，它的开头是：{opening}",
    ),
    model=ModelSentences(
        by_default="此处没有选择模型。我按这个顺序询问：",
        chosen="带标记的是此处选择的模型，先问它，再依次问其他的：",
        back_to_default=lambda chain: f"此处不再选择模型。我会询问 {chain}。",
        no_such=lambda said: f"没有“{said}”这个模型，什么也没有改变。有这些：",
        set_to=_set_to,
    ),
    think=ThinkSentences(
        by_default=lambda levels: f"此处没有选择级别，由模型决定。可选：{levels}。",
        chosen=lambda now, levels: f"此处的级别是 {now}。可选：{levels} 和 default。",
        back_to_default="此处不再选择级别，由模型决定。",
        no_such=lambda said, levels: (
            f"没有“{said}”这个级别，什么也没有改变。可选：{levels} 和 default。"
        ),
        set_to=lambda level: f"从现在起，此处的级别是 {level}。",
        falls=lambda level, can, model: (
            f"从现在起，此处的级别是 {level}。{model} 没有这个级别，会用 {can}。"
        ),
        deaf=lambda level, model: (
            f"从现在起，此处的级别是 {level}，对能接受的模型有效。我没有办法告诉 {model}。"
        ),
    ),
    verbose=VerboseSentences(
        now=lambda now, levels: f"此处是 {now}。可选：{levels}。",
        no_such=lambda said, levels: f"没有“{said}”，什么也没有改变。可选：{levels}。",
        set_to={
            Verbosity.OFF: "从现在起，这里只显示答案。",
            Verbosity.ON: "从现在起，这里会在答案前显示我做了什么。",
            Verbosity.FULL: "从现在起，这里会显示我做了什么，以及结果如何。",
        },
    ),
    history=HistorySentences(
        by_default="此处没有选择数目，模型看到的轮数按配置。",
        now=lambda turns: f"模型在这里看到最近 {turns} 轮。",
        back_to_default="模型在这里看到的轮数按配置。",
        no_such=lambda said, most: f"“{said}”不是轮数，什么也没有改变。可以是 1 到 {most}。",
    ),
    export=ExportSentences(
        nothing="这里还没有可以导出的内容。",
        written=lambda where, turns: f"{turns} 轮对话已写入 {where}。",
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
    trace=TraceSentences(
        what_to_do="怎么办：",
        only_direct="请在私聊里问我：这只与你有关。",
        no_such="我找不到你可以查看的这条消息。单独发送 /trace 会说明你的上一条消息。",
        nothing_yet="现在还没有可以说明的。",
    ),
)
