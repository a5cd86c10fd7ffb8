"""What the environment says of the person at the terminal."""

import pytest

from bot.settings.terminal import command_name, tunnel, wants_colours


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "0"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours(environ: dict[str, str], wanted: bool) -> None:
    assert wants_colours(environ) is wanted


def test_a_command_can_be_pasted() -> None:
    assert command_name({}) == "stonechat"
    assert command_name({"STONECHAT_COMMAND": "script/run"}) == "script/run"
    assert command_name({"STONECHAT_COMMAND": "/a b/script/run"}) == "'/a b/script/run'"


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        ({}, None),
        ({"SSH_CONNECTION": "garbage"}, None),
        (
            {"SSH_CONNECTION": "10.0.0.9 50001 10.0.0.2 22", "USER": "ana"},
            "ssh -N -L 7870:127.0.0.1:7870 ana@10.0.0.2",
        ),
        (
            {"SSH_CONNECTION": "10.0.0.9 50001 10.0.0.2 2222"},
            "ssh -N -L 7870:127.0.0.1:7870 -p 2222 10.0.0.2",
        ),
    ],
)
def test_under_ssh_the_page_is_reached_through_a_tunnel(
    environ: dict[str, str], line: str | None
) -> None:
    assert tunnel(7870, environ) == line
