"""The control socket's way to see and take back what was allowed for good."""

import json
from collections.abc import Sequence

from aiohttp import web
from pydantic import TypeAdapter

from bot.contracts.approval import Approvals, Rule
from bot.contracts.channel import Mount, RouteSpec


def approval_routes(approvals: Approvals) -> Sequence[RouteSpec]:
    """Return what is to be mounted."""
    written = TypeAdapter(list[Rule])

    def answer(rules: Sequence[Rule]) -> web.Response:
        body = written.dump_json(list(rules))
        return web.Response(body=body, content_type="application/json")

    async def show(_request: web.Request) -> web.Response:
        return answer(await approvals.rules())

    async def revoke(request: web.Request) -> web.Response:
        try:
            number = int(json.loads(await request.text())["number"])
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="the number of a rule is asked for") from None
        rule = await approvals.revoke(number)
        return answer([] if rule is None else [rule])

    return [
        RouteSpec(mount=Mount.CONTROL, method="GET", path="/approvals", handler=show),
        RouteSpec(mount=Mount.CONTROL, method="POST", path="/approvals/revoke", handler=revoke),
    ]
