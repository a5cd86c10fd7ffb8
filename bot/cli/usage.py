"""``stonechat usage``: what models used and cost, added up as asked."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import typer

from bot.cli.ledger import ledger
from bot.cli.table import show
from bot.clock import SystemClock
from bot.contracts.budget import dollars
from bot.contracts.ledger import Spending
from bot.contracts.turn import Usage


def usage(days: int, by: str, *, as_json: bool) -> None:
    """Print what was used in the last *days*, today included, dearest first; by day, in order."""
    today = SystemClock().now().astimezone().date()
    since = today - timedelta(days=days - 1)

    async def read() -> Sequence[Spending]:
        async with ledger() as opened:
            return await opened.spending(since)

    sums = added_up(asyncio.run(read()), by)
    if as_json:
        typer.echo(_as_json(sums, by, since))
        return
    total = sum(sums.values(), Usage())
    rows = [*sums.items(), *([("all", total)] if len(sums) > 1 else [])]
    show(
        (by, "calls", "tokens in", "tokens out", "cost", "at no known price"),
        (
            (
                name,
                f"{used.model_calls:,}",
                f"{used.input_tokens:,}",
                f"{used.output_tokens:,}",
                dollars(used.micro_usd),
                f"{used.unpriced_tokens:,} tokens" if used.unpriced_tokens else "",
            )
            for name, used in rows
        ),
        nothing=f"Nothing was used since {since}.",
    )


def added_up(spending: Sequence[Spending], by: str) -> Mapping[str, Usage]:
    """Add up what has the same *by*: model, agent, person, session or day (pure)."""
    sums: dict[str, Usage] = {}
    for one in spending:
        name = str(
            {
                "model": one.model,
                "agent": one.agent_id,
                "person": one.person,
                "session": one.session_key,
                "day": one.day,
            }[by]
        )
        sums[name] = sums.get(name, Usage()) + one.usage
    if by == "day":
        return sums
    dearest = sorted(
        sums.items(),
        key=lambda item: (-item[1].micro_usd, -item[1].input_tokens - item[1].output_tokens),
    )
    return dict(dearest)


def _as_json(sums: Mapping[str, Usage], by: str, since: date) -> str:
    used = [
        {
            by: name,
            "model_calls": each.model_calls,
            "input_tokens": each.input_tokens,
            "output_tokens": each.output_tokens,
            "cached_tokens": each.cached_tokens,
            "micro_usd": each.micro_usd,
            "unpriced_tokens": each.unpriced_tokens,
        }
        for name, each in sums.items()
    ]
    return json.dumps({"since": since.isoformat(), "by": by, "used": used}, ensure_ascii=False)
