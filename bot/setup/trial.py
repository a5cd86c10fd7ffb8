"""A key is tried: its shape tells the provider, its models are listed, one says one word."""

import asyncio
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bot.contracts.clock import Clock
from bot.contracts.errors import ConfigError, ModelError, ModelUnknown, SetupRefused
from bot.contracts.messages import AssistantMessage, UserMessage
from bot.contracts.model import ModelRequest, SystemPrompt, ToolOffer
from bot.contracts.secret import Secret, mask
from bot.contracts.setup import KeyOffer
from bot.models.catalog import PREFERRED, known
from bot.models.listing import ListedModel, list_models
from bot.net.api import Answer, Unanswered
from bot.settings import ModelSettings
from bot.settings.elsewhere import Addresses
from bot.settings.models import read_base_url
from bot.setup.candidates import opened

_OWN: Final = (Addresses().anthropic, Addresses().openai)
_PROVIDERS: Final = ("anthropic", "openai")
_ADMIN: Final = ("sk-ant-admin", "sk-admin-")
"""How keys begin that manage an account (and cannot ask a model anything)."""
_ANSWER_TOKENS: Final = 1024
"""Tokens of the one answer. A word has two, but some models think first and refuse a request in
which they could not finish (https://github.com/nextlevelbuilder/goclaw/issues/245)."""
_SECONDS: Final = 45.0
"""How long a provider may take for a word; slower, and nobody would want to talk with it."""

_WORD: Final = ModelRequest(
    system=SystemPrompt(stable="Answer with the one word: ready"),
    messages=(UserMessage(text="Are you there?"),),
    tools=(
        ToolOffer(
            name="look",
            description="Not needed here.",
            schema={"type": "object", "properties": {}, "additionalProperties": False},
        ),
    ),
    max_output=_ANSWER_TOKENS,
)
"""The smallest request that proves what matters: this key, this model, streaming, with tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A model that answered."""

    model: ModelSettings
    window: int | None


async def try_key(offer: KeyOffer, addresses: Addresses, clock: Clock) -> Tried:
    """Check a key live and return the model that it is good for.

    Raises:
        SetupRefused: it is not; the sentence says what is wrong and what would be right.
    """
    provider = provider_of(offer)
    base_url = _base_url(offer)
    home = {"anthropic": addresses.anthropic, "openai": addresses.openai}[provider]
    at = base_url or home
    answer, models = await _listed(provider, at, offer.key)
    if offer.provider is None and base_url and not _speaks_as(provider, answer, models):
        other_answer, others = await _listed("openai", at, offer.key)
        if others is not None:
            provider, answer, models = "openai", other_answer, others
    name = (offer.model or "").strip() or _pick(provider, base_url, answer, models, at)
    model = ModelSettings(
        provider=provider,
        model=name,
        base_url=base_url or (home if home not in _OWN else None),
        keys=(offer.key,),
    )
    await answer_one_word(model, clock, known_names=[each.name for each in models or ()])
    told = next((each.window for each in models or () if each.name == name), None)
    listed = known(provider, name, base_url=base_url)
    return Tried(model=model, window=told or (listed.window if listed else None))


def provider_of(offer: KeyOffer) -> str:
    """Tell the provider by what was said, else by the shape of the key (pure).

    The shape counts at an address of one's own, too: most often it is a relay of the provider's
    API. A server there that says otherwise is believed (`try_key`).

    Raises:
        SetupRefused: it is no provider that wants a key, or the key is none.
    """
    key = offer.key.reveal()
    if not key or any(not "!" <= each <= "~" or each in "\"'" for each in key):
        raise SetupRefused(
            "A key is one word of letters, digits and signs, without spaces or quotes;"
            " copy it again from the provider's page."
        )
    if offer.provider is not None:
        if offer.provider not in _PROVIDERS:
            raise SetupRefused(
                f"{offer.provider[:40]!r} is no provider that takes a key here; it is"
                f" {' or '.join(_PROVIDERS)}, and a local server needs none."
            )
        return offer.provider
    if key.startswith(_ADMIN):
        raise SetupRefused("This is an admin key, which no model takes; make an API key instead.")
    return "anthropic" if key.startswith("sk-ant-") else "openai"


async def answer_one_word(
    model: ModelSettings,
    clock: Clock,
    *,
    known_names: Sequence[str] = (),
    seconds: float = _SECONDS,
) -> None:
    """Ask *model* for one word, with a tool offered, and hear it to its end.

    Raises:
        SetupRefused: it did not answer.
    """
    try:
        asked = opened(model, clock)
    except ConfigError as error:
        raise SetupRefused(sentence(error)) from None
    try:
        async with asyncio.timeout(seconds):
            said = [event async for event in asked.stream(_WORD)]
    except TimeoutError:
        raise SetupRefused(
            f"{model.model} did not answer one word within {seconds:g} seconds; try again later,"
            " or choose another model."
        ) from None
    except ModelUnknown as error:
        raise SetupRefused(sentence(error) + _instead(model.model, known_names)) from None
    except ModelError as error:
        raise SetupRefused(sentence(error)) from None
    finally:
        await asked.close()
    if not said or not isinstance(said[-1], AssistantMessage):
        raise SetupRefused(f"{model.model} said nothing at all; choose another model.")


def sentence(error: Exception) -> str:
    """Write an error as a sentence for a person, without any secret (pure)."""
    said = mask(str(error)).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


async def _listed(
    provider: str, at: str, key: Secret
) -> tuple[Answer, tuple[ListedModel, ...] | None]:
    try:
        return await list_models(provider, at, key)
    except Unanswered as error:
        host = urlsplit(at).netloc
        if at in _OWN:
            check = "most likely it is this machine's network; see that it is online, and whether"
            check += " it needs a proxy."
        else:
            check = "check the network and the address."
        raise SetupRefused(f"Cannot reach {host}: {error}; {check}") from None


def _speaks_as(provider: str, answer: Answer, models: tuple[ListedModel, ...] | None) -> bool:
    """Whether the list of models is one of *provider*'s API (pure).

    Anthropic's has no ``object`` (https://docs.anthropic.com/en/api/models-list); OpenAI's says
    that it is a ``list``, and many servers give it under the same path.
    """
    return provider != "anthropic" or (models is not None and "object" not in answer.fields)


def _pick(
    provider: str,
    base_url: str | None,
    answer: Answer,
    models: tuple[ListedModel, ...] | None,
    at: str,
) -> str:
    """Choose a model where nobody named one.

    Raises:
        SetupRefused: somebody must name it.
    """
    preferred = PREFERRED[provider] if base_url is None else ()
    if models is None:
        return _unlisted(provider, answer, preferred, at)
    names = [each.name for each in models]
    for name in preferred:
        if name in names:
            return name
    if provider == "anthropic" and names:
        return names[0]  # the newest is listed first
    if len(names) == 1:
        return names[0]
    if not names:
        raise SetupRefused(
            f"{urlsplit(at).netloc} lists no model that could answer; load one there."
        )
    raise SetupRefused(f"Name the model, too; this key may use {_few(names)}.")


def _unlisted(provider: str, answer: Answer, preferred: Sequence[str], at: str) -> str:
    host = urlsplit(at).netloc
    match answer.status:
        case 200 | 404 | 405 if not preferred:
            ends = "ends in /v1" if provider == "openai" else "ends before /v1/messages"
            raise SetupRefused(
                f"{host} answered, but not as an API that lists models; check the address: it often"
                f" {ends}. If it lists none, name the model, too."
            )
        case 200 if answer.body is None:
            raise SetupRefused(
                f"{host} answered with something that is no API; check the network for a login"
                " page or a proxy in between."
            )
        case _ if preferred:
            return preferred[0]  # a restricted key may be unable to list, and able to ask
        case 401 | 403:
            raise SetupRefused(f"{host} refused the key ({answer.status}); check that it is whole.")
        case _:
            raise SetupRefused(
                f"{host} answered with {answer.status} when it was asked for its models; name the"
                " model, or try again later."
            )


def _base_url(offer: KeyOffer) -> str | None:
    if offer.base_url is None or not offer.base_url.strip():
        return None
    try:
        return read_base_url(offer.base_url)
    except ValueError as error:
        raise SetupRefused(f"The address is {error}.") from None


def _instead(name: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f" It lists {_few(close or names)}."


def _few(names: Iterable[str]) -> str:
    shown = list(names)
    rest = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
    return ", ".join(name[:60] for name in shown[:8]) + rest
