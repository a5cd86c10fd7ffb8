"""News inside one process."""

import asyncio

from bot.bus.local import LocalBus
from bot.contracts.events import MessageMade, WordsCame
from bot.contracts.inbound import ConversationKey
from bot.contracts.turn import TurnId

_HERE = ConversationKey(channel="webchat", account="default", conversation_id="main")
_THERE = ConversationKey(channel="webchat", account="default", conversation_id="terminal")


def words(text: str, conversation: ConversationKey = _HERE) -> WordsCame:
    return WordsCame(conversation=conversation, turn_id=TurnId("t"), text=text)


def made() -> MessageMade:
    return MessageMade(conversation=_HERE, turn_id=TurnId("t"), final=False)


async def test_words_that_nobody_has_heard_yet_are_heard_together() -> None:
    bus = LocalBus()
    other = WordsCame(conversation=_HERE, turn_id=TurnId("other"), text="else")
    with bus.follow(_HERE) as news:
        for event in (words("a"), words("b"), other, words("c"), made(), words("d"), words("e")):
            bus.publish(event)
        heard = [await anext(news) for _ in range(5)]

    assert heard == [words("ab"), other, words("c"), made(), words("de")]


async def test_every_listener_of_a_conversation_hears_it_in_order() -> None:
    bus = LocalBus()
    with bus.follow(_HERE) as one, bus.follow(_HERE) as two, bus.follow(_THERE) as elsewhere:
        bus.publish(words("a"))
        bus.publish(made())
        bus.publish(words("b"))
        bus.publish(words("c", _THERE))

        assert [await anext(one) for _ in range(3)] == [words("a"), made(), words("b")]
        assert await anext(two) == words("a")
        assert await anext(elsewhere) == words("c", _THERE)


async def test_news_is_heard_from_the_moment_one_listens_and_until_one_stops() -> None:
    bus = LocalBus()
    bus.publish(words("before"))
    with bus.follow(_HERE) as news:
        bus.publish(words("now"))
        assert await anext(news) == words("now")
    bus.publish(words("after"))

    assert bus._listeners == {}


async def test_a_waiting_listener_is_woken() -> None:
    bus = LocalBus()
    with bus.follow(_HERE) as news:
        waiting = asyncio.ensure_future(anext(news))
        await asyncio.sleep(0)
        bus.publish(words("now"))

        assert await waiting == words("now")


async def test_a_listener_that_stops_waiting_loses_nothing() -> None:
    bus = LocalBus()
    with bus.follow(_HERE) as news:
        waiting = asyncio.ensure_future(anext(news))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        bus.publish(words("now"))

        assert await anext(news) == words("now")


async def test_a_slow_listener_loses_the_oldest_and_nobody_else_does() -> None:
    bus = LocalBus()
    with bus.follow(_HERE) as slow, bus.follow(_HERE) as quick:
        for number in range(1_005):
            bus.publish(words(f"{number:4096}"))
            await anext(quick)

        assert await anext(slow) == words(f"{5:4096}")
