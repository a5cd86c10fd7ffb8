"""``stonechat models``: add one by its key, list them, ask them, forget the choice."""

import asyncio
from collections.abc import Iterator, Sequence

import typer

from bot.cli.printable import printable
from bot.cli.remote_setup import reached, told_overview
from bot.cli.secret_line import ask_secret
from bot.cli.start import prepare
from bot.cli.table import show
from bot.clock import SystemClock
from bot.contracts.errors import SetupRefused
from bot.contracts.setup import CheckedModel, KeyOffer, LocalServer, ModelView
from bot.settings import ModelSettings, Settings, home_folder, load_settings
from bot.settings.choice import CHOSEN, NO_CHOICE
from bot.settings.keep import NotKept, keep
from bot.setup.overview import models_of
from bot.setup.trial import answer_one_word, sentence


def add_by_key(
    *, model: str | None, provider: str | None, base_url: str | None, debug: bool
) -> None:
    """Ask for a key, check it live, keep it, and use it from now on.

    Raises:
        SetupRefused: it was not taken.
    """
    settings = prepare(debug=debug, quiet=True)
    key = ask_secret("key")

    async def add() -> tuple[CheckedModel, bool]:
        async with reached(settings) as (setup, live):
            offer = KeyOffer(key=key, provider=provider, model=model, base_url=base_url)
            return await setup.use_key(offer), live

    _tell(settings, *asyncio.run(add()))


def add_local(*, model: str | None, debug: bool) -> None:
    """Use a model of a server on this machine; the only one, or the one called *model*.

    Raises:
        SetupRefused: there is none, or somebody must say which.
    """
    settings = prepare(debug=debug, quiet=True)

    async def add() -> tuple[CheckedModel, bool]:
        async with reached(settings) as (setup, live):
            address, name = chosen_of(await setup.local_servers(), model)
            return await setup.use_local(address, name), live

    _tell(settings, *asyncio.run(add()))


def chosen_of(servers: Sequence[LocalServer], model: str | None) -> tuple[str, str]:
    """Return the address and the model that are meant (pure).

    Raises:
        SetupRefused: there is none, or there are several.
    """
    found = [(server, name) for server in servers for name in server.models]
    meant = [(server, name) for server, name in found if model in {None, name}]
    if len(meant) == 1 or (meant and model is not None):
        server, name = meant[0]
        return server.address, name
    if not servers:
        raise SetupRefused(
            "No Ollama, LM Studio or llama.cpp answers on this machine; start it, and try again."
        )
    if not found:
        raise SetupRefused(
            f"{servers[0].kind} at {servers[0].address} has no chat model that can use tools; get"
            " one, for example with `ollama pull qwen3:8b`."
        )
    names = ", ".join(name for _, name in found)
    raise SetupRefused(f"Say which with --model: {names}.")


def list_models() -> None:
    """Print the models that would be asked, in their order."""
    settings = load_settings(home_folder())
    told = asyncio.run(told_overview(settings))
    models = models_of(settings, {}) if told is None else told.models
    show(("model", "provider", "window", "named by"), map(_row, models), nothing="No model.")


def check_models() -> bool:
    """Ask each model one word with each of its keys; say how it went, and whether all is well."""
    settings = load_settings(home_folder())
    faults = asyncio.run(_asked(settings))
    for model, fault in faults:
        typer.echo(printable(f"✗ {fault}" if fault else f"✓ {model} answered"), err=bool(fault))
    return not any(fault for _, fault in faults)


def forget_choice() -> None:
    """Take the choice out of `.env`, so that the configuration decides again.

    Raises:
        SetupRefused: it cannot be written.
    """
    settings = load_settings(home_folder())
    if CHOSEN not in settings.models:
        typer.echo("No model was chosen; the configuration and the environment decide.")
        return
    try:
        keep(settings.home, NO_CHOICE)
    except NotKept as error:
        raise SetupRefused(sentence(error)) from None
    after = load_settings(home_folder())
    names = ", then ".join(view.model for view in models_of(after, {}))
    typer.echo(f"Forgotten. From the next start: {names}.")


async def _asked(settings: Settings) -> list[tuple[str, str]]:
    async def ask(model: ModelSettings) -> tuple[str, str]:
        try:
            await answer_one_word(model, SystemClock(), seconds=120)
        except SetupRefused as error:
            return model.model, str(error)
        return model.model, ""

    return await asyncio.gather(*map(ask, _each_key(settings)))


def _each_key(settings: Settings) -> Iterator[ModelSettings]:
    for agent in settings.agents.values():
        for name in agent.models:
            yield from settings.models[name].by_key()


def _row(view: ModelView) -> tuple[str, ...]:
    window = "" if view.window is None else f"{view.window:,}"
    return view.model, view.provider, window, view.source


def _tell(settings: Settings, checked: CheckedModel, live: bool) -> None:
    window = "" if checked.window is None else f", with a window of {checked.window:,} tokens"
    typer.echo(printable(f"✓ {checked.model} ({checked.provider}) answered{window}."))
    typer.echo(printable(f"  {checked.note}"))
    when = "the running bot uses it from the next message" if live else "the next start uses it"
    typer.echo(f"  Kept in {settings.home / '.env'}, for you alone; {when}.")
