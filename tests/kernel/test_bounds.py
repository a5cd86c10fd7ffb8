from dataclasses import replace
from pathlib import Path

from bot.contracts.inbound import Sender
from bot.kernel.bounds import LONGEST_TEXT, beginning, bounded, is_too_long, without_words
from tests.doubles.arrivals import A_FILE, an_inbound
from tests.doubles.rig import a_rig
from tests.doubles.scripted_model import words


async def test_ten_megabytes_are_refused_with_a_sentence_and_not_kept(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("never said")) as rig:
        accepted = await rig.say("canary " * 1_500_000)
        record = await rig.outcome(accepted.turn_id)
        told = await rig.said_to(accepted.turn_id)

    assert record.turn.arrival.admission.reason == "message:too-long"
    assert len(record.turn.arrival.inbound.text) == 200
    assert "longer than 200,000 characters" in told[0]
    assert rig.model.requests == []


async def test_the_longest_text_is_taken(tmp_path: Path) -> None:
    async with a_rig(tmp_path / "home", words("Read.")) as rig:
        assert await rig.answered("a" * LONGEST_TEXT) == "Read."


def test_names_and_lists_end_somewhere() -> None:
    endless = replace(
        an_inbound("hi"),
        sender=Sender(id="1", display_name="x" * 10**6, role_ids=("7",) * 10**5),
        attachments=(A_FILE,) * 1_000,
    )
    endless = replace(
        endless, conversation=replace(endless.conversation, title="t" * 10**6), text="hi"
    )

    cut = bounded(endless)

    assert len(cut.sender.display_name) == 200
    assert len(cut.sender.role_ids) == 500
    assert len(cut.conversation.title or "") == 200
    assert len(cut.attachments) == 50
    assert (cut.sender.id, cut.conversation.id, cut.text) == ("1", "alice", "hi")


def test_what_is_within_bounds_is_left_alone() -> None:
    inbound = replace(an_inbound("hi"), attachments=(A_FILE,))

    assert bounded(inbound) is inbound
    assert not is_too_long(inbound)


def test_what_is_kept_of_words_nobody_may_keep_is_nothing() -> None:
    inbound = replace(an_inbound("canary " * 100), attachments=(A_FILE,))

    assert without_words(inbound).text == ""
    assert without_words(inbound).attachments == ()
    assert len(beginning(inbound).text) == 200
