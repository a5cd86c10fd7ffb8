"""A key is told by its shape, tried with the provider, and refused in one sentence."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from bot.contracts.errors import SetupRefused
from bot.contracts.secret import Secret
from bot.contracts.setup import KeyOffer
from bot.settings.elsewhere import Addresses
from bot.setup.trial import Tried, answer_one_word, provider_of, try_key
from tests.doubles.fake_anthropic import FakeAnthropic
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.model_server import Answer, ModelServer, Raw
from tests.models.rig import StillClock

GPT = {"id": "gpt-5.5"}
OFFER = KeyOffer(key=Secret(ModelServer.key))
NOWHERE = Addresses(anthropic="http://127.0.0.1:1", openai="http://127.0.0.1:1")


def openai(
    *answers: Answer | Raw, listed: Sequence[Mapping[str, object]] | None = (GPT,)
) -> FakeOpenAI:
    return FakeOpenAI(answers or [Answer(text="ready")], listed=listed)


async def tried(server: ModelServer, offer: KeyOffer = OFFER) -> Tried:
    addresses = Addresses(anthropic=server.origin, openai=f"{server.origin}/v1")
    return await try_key(offer, addresses, StillClock())


async def refusal(server: ModelServer, offer: KeyOffer = OFFER) -> str:
    with pytest.raises(SetupRefused) as caught:
        await tried(server, offer)
    said = str(caught.value)
    assert offer.key.reveal() not in said
    assert "\n" not in said
    assert said.endswith((".", "…"))
    return said


@pytest.mark.parametrize(
    ("key", "provider"),
    [
        ("sk-ant-api03-abc", "anthropic"),
        ("sk-proj-abc", "openai"),
        ("sk-abc", "openai"),
        ("gsk_abc", "openai"),
    ],
)
def test_a_provider_is_told_by_the_shape_of_its_key(key: str, provider: str) -> None:
    assert provider_of(KeyOffer(key=Secret(key))) == provider


@pytest.mark.parametrize("base_url", [None, "http://127.0.0.1:4000", "https://relay.example/v1"])
def test_what_somebody_says_counts_before_the_shape_and_the_shape_at_any_address(
    base_url: str | None,
) -> None:
    offer = KeyOffer(key=Secret("sk-ant-abc"), base_url=base_url)

    assert provider_of(offer) == "anthropic"
    assert provider_of(replace(offer, provider="openai")) == "openai"
    assert provider_of(replace(offer, key=Secret("sk-abc"))) == "openai"


ANT = KeyOffer(key=Secret("sk-ant-api03-test"))


def keyed(server: ModelServer) -> ModelServer:
    """Let it take the key of a test that is about its shape."""
    server.key = ANT.key.reveal()
    return server


async def test_anthropics_key_at_a_relay_of_its_api_speaks_it() -> None:
    rows = [{"id": "claude-haiku-4-5", "max_input_tokens": 200_000}]
    async with FakeAnthropic([Answer(text="ready")], listed=rows) as server:
        offer = replace(ANT, base_url=keyed(server).origin)
        found = await try_key(offer, NOWHERE, StillClock())

    assert (found.model.provider, found.model.base_url) == ("anthropic", server.origin)


@pytest.mark.parametrize("ending", ["/v1", "/v1/"])
async def test_anthropics_key_at_a_server_that_says_to_be_openais_speaks_that(ending: str) -> None:
    async with openai(listed=({"id": "claude-haiku-4-5"},)) as server:
        offer = replace(ANT, base_url=f"{keyed(server).origin}{ending}")
        found = await try_key(offer, NOWHERE, StillClock())

    assert (found.model.provider, found.model.model) == ("openai", "claude-haiku-4-5")


async def test_anthropics_key_at_an_address_that_lists_nothing_is_told_how_one_looks() -> None:
    async with FakeAnthropic([Answer(text="ready")], listed=None) as server:
        offer = replace(ANT, base_url=f"{keyed(server).origin}/nowhere")
        said = await refusal(server, offer)

    assert "before /v1/messages" in said


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        (KeyOffer(key=Secret("two words")), "one word"),
        (KeyOffer(key=Secret("")), "one word"),
        (KeyOffer(key=Secret("naïve")), "one word"),
        (KeyOffer(key=Secret("'quoted'")), "without spaces or quotes"),
        (KeyOffer(key=Secret("sk-ant-admin01-abc")), "admin key"),
        (KeyOffer(key=Secret("sk-admin-abc")), "admin key"),
        (KeyOffer(key=Secret("k"), provider="opneai"), "anthropic or openai"),
        (KeyOffer(key=Secret("k"), provider="demo"), "anthropic or openai"),
    ],
)
def test_what_is_no_key_is_refused_before_anybody_is_asked(offer: KeyOffer, said: str) -> None:
    with pytest.raises(SetupRefused, match=said):
        provider_of(offer)


async def test_a_good_key_is_good_for_a_model_that_streams_with_tools() -> None:
    async with openai(listed=({"id": "text-embedding-3"}, {"id": "gpt-5.4"}, GPT)) as server:
        found = await tried(server)

        assert (found.model.provider, found.model.model) == ("openai", "gpt-5.5")
        (asked,) = server.requests
        assert asked.tools == ("look",)
        assert asked.body["max_tokens"] == 1024
        assert asked.body["stream"] is True


async def test_anthropic_tells_the_window_of_its_model() -> None:
    rows = [
        {"id": "claude-opus-9", "max_input_tokens": 5},
        {"id": "claude-haiku-4-5", "max_input_tokens": 200_000},
    ]
    async with FakeAnthropic([Answer(text="ready")], listed=rows) as server:
        found = await tried(server, replace(OFFER, provider="anthropic"))

    assert (found.model.model, found.window) == ("claude-haiku-4-5", 200_000)


async def test_of_models_that_nobody_knows_here_anthropics_newest_is_taken() -> None:
    rows = [{"id": "claude-next-9"}, {"id": "claude-next-8"}]
    async with FakeAnthropic([Answer(text="ready")], listed=rows) as server:
        found = await tried(server, replace(OFFER, provider="anthropic"))

    assert (found.model.model, found.window) == ("claude-next-9", None)


async def test_a_cut_word_proves_as_much_as_a_whole_one() -> None:
    async with openai(Answer(thinking="Hm", stop="length")) as server:
        assert (await tried(server)).model.model == "gpt-5.5"


async def test_a_key_that_may_not_list_models_may_still_ask_one() -> None:
    async with openai(listed=None) as server:
        assert (await tried(server)).model.model == "gpt-5.5"


async def test_a_server_of_ones_own_with_one_model_needs_no_name() -> None:
    row = {"id": "qwen", "owned_by": "vllm", "max_model_len": 32_768}
    async with openai(listed=(row,)) as server:
        offer = replace(OFFER, base_url=f"{server.base_url}/")
        found = await try_key(offer, NOWHERE, StillClock())

        assert (found.model.model, found.window) == ("qwen", 32_768)
        assert found.model.base_url == server.base_url


async def test_the_price_and_window_of_a_name_count_at_its_own_provider_only() -> None:
    async with openai() as server:
        offer = replace(OFFER, base_url=server.base_url)

        assert (await try_key(offer, NOWHERE, StillClock())).window is None


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_wrong_key_is_called_one(provider: str) -> None:
    double = FakeOpenAI if provider == "openai" else FakeAnthropic
    async with double([], listed=({"id": "gpt-5.5"},)) as server:
        offer = KeyOffer(key=Secret("sk-canary-1234567890"), provider=provider)

        assert "refused the key (401)" in await refusal(server, offer)


def failure(status: int, **error: str) -> Raw:
    return Raw(status=status, body=json.dumps({"error": error}))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failure(429, code="insufficient_quota", message="You exceeded your quota"), "no money"),
        (failure(400, message="Your credit balance is too low"), "no money"),
        (failure(403, message="Project does not have access to model"), "refused the key (403)"),
        (failure(404, code="model_not_found", message="no"), "knows no model 'gpt-5.5'"),
        (failure(429, message="Slow down"), "asks this key to wait (429)"),
        (failure(503, message="busy"), "overloaded or down (503)"),
        (failure(400, message="tools are not supported"), "tools are not supported"),
        (Raw(body="<html>Log in to the hotel</html>", kind="text/html"), "web page instead"),
        (Raw(body='{"id": "x"}'), "instead of a stream"),
    ],
)
async def test_every_failure_is_one_sentence(answer: Raw, said: str) -> None:
    async with openai(answer) as server:
        assert said in await refusal(server)


async def test_a_name_that_is_not_listed_comes_with_those_that_are_like_it() -> None:
    wrong = failure(404, code="model_not_found", message="no")
    async with openai(wrong, listed=({"id": "whisper"}, {"id": "gpt-5.4-mini"})) as server:
        said = await refusal(server, replace(OFFER, model="gpt-5.4-mni"))

    assert "It lists gpt-5.4-mini." in said


async def test_of_several_models_somebody_must_name_one() -> None:
    rows = [{"id": f"m{n}"} for n in range(10)]
    async with openai(listed=rows) as server:
        said = await refusal(server, replace(OFFER, base_url=server.base_url))

    assert "Name the model, too" in said
    assert "m7 and 2 more" in said


async def test_an_address_that_lists_nothing_is_told_how_one_looks() -> None:
    async with openai(listed=None) as server:
        assert "often ends in /v1" in await refusal(
            server, replace(OFFER, base_url=server.base_url)
        )


async def test_a_server_with_embeddings_only_has_nobody_to_talk_to() -> None:
    async with openai(listed=({"id": "nomic", "type": "embeddings"},)) as server:
        assert "lists no model" in await refusal(server, replace(OFFER, base_url=server.base_url))


async def test_a_page_in_between_is_no_api() -> None:
    page = Raw(body="<html>", kind="text/html")
    async with FakeOpenAI([page], listed=None) as server:
        addresses = Addresses(openai=f"{server.origin}/v1/chat/completions")

        with pytest.raises(SetupRefused):
            await try_key(OFFER, addresses, StillClock())


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("http://127.0.0.1:1/v1", "nothing listens there"),
        ("http://models.localhost.invalid/v1", "no host of that name"),
        ("ftp://x", "expected a URL"),
        ("http://user:secret@host/v1", "with a login"),
    ],
)
async def test_an_address_where_nobody_is(base_url: str, said: str) -> None:
    with pytest.raises(SetupRefused) as caught:
        await try_key(replace(OFFER, base_url=base_url, model="m"), NOWHERE, StillClock())

    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_an_answer_without_end_is_not_waited_for() -> None:
    async with openai(Answer(text="never", stall=True, after=0)) as server:
        model = (await _model_of(server)).model
        with pytest.raises(SetupRefused, match="did not answer one word within"):
            await answer_one_word(model, StillClock(), seconds=0.1)


async def _model_of(server: ModelServer) -> Tried:
    async with openai() as other:
        found = await tried(other)
    address = f"{server.origin}/v1"
    return replace(found, model=replace(found.model, base_url=address))
