"""``models:`` who thinks; and what is chosen where nothing is configured."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from bot.contracts.budget import Price
from bot.contracts.secret import Secret
from bot.settings.elsewhere import OLLAMA_HOST, ollama_address
from bot.settings.environment import Environment, Variable
from bot.settings.price import PricePart
from bot.settings.secrets import SecretText
from bot.settings.section import Section, Text, refusal, whole
from bot.settings.shape import matching, numerals
from bot.settings.terminal import command_name

PROVIDER_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")

_ADDRESS: Final = re.compile(
    rf"\s*[Hh][Tt][Tt][Pp][Ss]?://(?:[^\s/?#@:\[\]\\]+|\[[0-9A-Fa-f:.]+\])"
    rf"(?::(?:{numerals(1, 65535)}))?(?:/[^\s?#]*)?\s*"
)
"""A server's address without a login, a query or a fragment."""


def _provider(value: object) -> object:
    if isinstance(value, str) and PROVIDER_NAME.fullmatch(value):
        return value
    raise refusal(value, "a provider's name: anthropic, openai, ollama or demo")


def _base_url(value: object) -> object:
    expected = "a URL such as http://127.0.0.1:11434/v1"
    if not isinstance(value, str):
        raise refusal(value, expected)
    try:
        parts = urlsplit(value.strip())
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise refusal("no such address" if "@" in value else value, expected)
    if parts.username is not None or parts.query or parts.fragment:
        found = "an address with a login, a query or a fragment in it"
        raise PydanticCustomError(
            "refused", "{found}", {"found": found, "expected": f"{expected}, and the key in `key:`"}
        )
    if not _ADDRESS.fullmatch(value):
        raise refusal(value, expected)
    return value.strip().rstrip("/")


Tokens = Annotated[int, BeforeValidator(whole(1, 100_000_000))]


class PriceEntry(Section):
    """What a model costs, in US dollars for a million tokens."""

    input: PricePart
    """Of what it reads."""
    output: PricePart
    """Of what it writes."""
    cached_input: PricePart | None = None
    """Of what it reads and the provider had kept; as `input`, if left out."""

    def price(self) -> Price:
        """Return it in micro-dollars."""
        cached = self.input if self.cached_input is None else self.cached_input
        return Price(
            input=self.input, output=self.output, cached_input=cached, cache_write=self.input
        )


class ModelEntry(Section):
    """One model of one provider, as written in the YAML."""

    provider: Annotated[
        str,
        BeforeValidator(_provider),
        WithJsonSchema(matching(PROVIDER_NAME.pattern, "anthropic", "openai", "ollama", "demo")),
    ]
    """`anthropic`, `openai` (and every server that speaks like it), `ollama` or `demo`."""
    model: Text
    """The provider's own name of the model."""
    base_url: Annotated[
        str | None, BeforeValidator(_base_url), WithJsonSchema(matching(_ADDRESS.pattern))
    ] = None
    """The address of its server, if it is not the provider's own."""
    key: SecretText | None = None
    """The key. Left out, the provider's variable is used if it is set."""
    keys: tuple[SecretText, ...] = ()
    """Several keys, tried in this order."""
    max_output: Tokens = 8192
    """How many tokens one answer may have."""
    price: PriceEntry | None = None
    """What it costs, where that is not known here or is another than the list price. `input: 0`
    and `output: 0` make it free."""
    context: Tokens | None = None
    """Tokens of the window that Ollama makes room for in memory. Left out: the model's own,
    at most 16,384."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """One model, ready to be opened."""

    provider: str
    model: str
    base_url: str | None = None
    """None means the provider's own server."""
    keys: tuple[Secret, ...] = ()
    max_output: int = 8192
    context: int | None = None
    """None leaves the size of the window to the model."""
    price: Price | None = None
    """As it is written; None leaves it to what is known of the model."""
    source: str = ""
    """Where it, or its key, was named; for eyes, before anything is spent."""

    def by_key(self) -> "Iterator[ModelSettings]":
        """Give it once with each of its keys: a key and a model are asked together."""
        for key in self.keys or (None,):
            yield replace(self, keys=() if key is None else (key,))

    def __str__(self) -> str:
        """The model and its source in one line."""
        return f"{self.model} ({self.source})" if self.source else self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    """A provider's variables, as its own SDK names them, and the model taken if none is named."""

    key: str
    base_url: str
    model: str
    model_if_unnamed: str
    """A current one of middle price, among those that its SDK lists."""


_PROVIDERS: Final = {
    "anthropic": _Provider(
        key="ANTHROPIC_API_KEY",
        base_url="ANTHROPIC_BASE_URL",
        model="ANTHROPIC_MODEL",
        model_if_unnamed="claude-sonnet-5-5",
    ),
    "openai": _Provider(
        key="OPENAI_API_KEY",
        base_url="OPENAI_BASE_URL",
        model="OPENAI_MODEL",
        model_if_unnamed="gpt-5.5",
    ),
}


class ModelUnusable(Exception):
    """A model lacks something; `setting` is the key below the model's own."""

    def __init__(self, setting: str, found: str, expected: str) -> None:
        super().__init__(found)
        self.setting = setting
        self.found = found
        self.expected = expected


def chosen(environment: Environment) -> tuple[str, ModelSettings]:
    """Choose a model where none is configured: a key that is there, else the demo.

    Raises:
        ModelUnusable: the address in the environment is none.
    """
    for name, provider in _PROVIDERS.items():
        key = environment.get(provider.key)
        address = environment.get(provider.base_url) if name == "openai" or key else None
        if key is None and address is None:
            continue
        model = environment.get(provider.model)
        reasons = [f"key from {key.source}" if key else "no key"]
        if address is not None:
            reasons.append(f"server {address.value.strip()} from {address.source}")
        if model is None and address is not None:
            reasons.append(f"set {provider.model} if that server calls its model otherwise")
        return name, ModelSettings(
            provider=name,
            model=model.value.strip() if model else provider.model_if_unnamed,
            base_url=checked(provider.base_url, address),
            keys=(Secret(key.value.strip()),) if key else (),
            source=", ".join(reasons),
        )
    return "demo", ModelSettings(
        provider="demo",
        model="demo",
        source=f"no language model; type a key into the page, run {command_name()} models add,"
        f" or set {' or '.join(p.key for p in _PROVIDERS.values())}",
    )


def completed(entry: ModelEntry, where: str, environment: Environment) -> ModelSettings:
    """Add to a written model what the environment knows of it (pure).

    A key of the environment goes only to the server the environment names, or to the
    provider's own, never to one that the YAML names.

    Raises:
        ModelUnusable: it needs a key and has none, or the address in the environment is none.
    """
    keys = ((entry.key,) if entry.key is not None else ()) + entry.keys
    base_url, source = entry.base_url, where
    provider = _PROVIDERS.get(entry.provider)
    if entry.provider == "ollama" and base_url is None:
        host = environment.get(OLLAMA_HOST)
        base_url = ollama_address(host.value) if host else None
    if provider is not None and not keys and base_url is None:
        key = environment.get(provider.key)
        address = environment.get(provider.base_url)
        base_url = checked(provider.base_url, address)
        if key is not None:
            keys = (Secret(key.value.strip()),)
            source = f"{where}, key from {key.source}"
        elif base_url is None:
            raise ModelUnusable(
                "key", "nothing", f"a key here, or {provider.key} in the environment"
            )
    return ModelSettings(
        provider=entry.provider,
        model=entry.model,
        base_url=base_url,
        keys=keys,
        max_output=entry.max_output,
        context=entry.context,
        price=entry.price.price() if entry.price else None,
        source=source,
    )


def read_base_url(written: str) -> str:
    """Read the address of an API (pure).

    Raises:
        ValueError: it is none; the sentence says what was found and expected.
    """
    try:
        return str(_base_url(written))
    except PydanticCustomError as error:
        details: Mapping[str, str] = error.context or {}
        raise ValueError(f"{details['found']}, expected {details['expected']}") from None


def named_besides(environment: Environment, *, written: bool) -> tuple[str, ...]:
    """Say where models are named that a choice makes idle (pure); *written*: in the YAML."""
    names = [name for each in _PROVIDERS.values() for name in (each.key, each.base_url)]
    found = tuple(found.source for name in names if (found := environment.get(name)))
    return (("`models:` of config.yaml",) if written else ()) + found


def checked(name: str, address: Variable | None) -> str | None:
    """Return the address in the variable called *name* (pure).

    Raises:
        ModelUnusable: it is none.
    """
    if address is None:
        return None
    try:
        return str(_base_url(address.value))
    except PydanticCustomError as error:
        details: Mapping[str, str] = error.context or {}
        raise ModelUnusable(
            "base_url",
            f"{details['found']} as {address.source}",
            f"{details['expected']} in {name}",
        ) from None
