"""``stonechat channels``: add a platform by its token, and see which there are."""

import asyncio

import typer

from bot.cli.printable import printable
from bot.cli.remote_setup import reached, told_overview
from bot.cli.secret_line import ask_secret
from bot.cli.start import prepare
from bot.cli.table import show
from bot.contracts.setup import CheckedChannel
from bot.settings import home_folder, load_settings
from bot.setup.overview import channels_of


def add_channel(channel: str, *, debug: bool) -> None:
    """Ask for the token of *channel*, check it with the platform, and keep it.

    Raises:
        SetupRefused: it was not taken.
    """
    if channel != "telegram":
        raise typer.BadParameter(f"{channel!r} cannot be added by a token; telegram can")
    settings = prepare(debug=debug, quiet=True)
    token = ask_secret("token")

    async def add() -> CheckedChannel:
        async with reached(settings) as (setup, _):
            return await setup.add_channel(channel, token)

    added = asyncio.run(add())
    typer.echo(printable(f"✓ The token belongs to {added.identity}."))
    typer.echo(printable(f"  {added.note}"))
    typer.echo(f"  Kept in {settings.home / '.env'}, for you alone.")


def list_channels() -> None:
    """Print the doors to the platforms."""
    settings = load_settings(home_folder())
    told = asyncio.run(told_overview(settings))
    channels = tuple(channels_of(settings)) if told is None else told.channels
    show(
        ("channel", "listening", "what"),
        (
            (each.channel, "yes" if told is not None and each.listening else "no", each.detail)
            for each in channels
        ),
        nothing="No channel.",
    )
