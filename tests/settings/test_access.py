"""Who may speak: what the settings take, and that no mistake in them opens a door."""

from pathlib import Path

import pytest

from bot.contracts.turn import Rank
from bot.settings.access import DirectPolicy, RoomsPolicy
from tests.doubles.settings_files import SettingsFiles


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


FULL = """\
channels:
  square:
    type: their.module
    token: t
    direct:
      policy: allowlist
      allow: [4711, "4712", -1001234567890123456, 9007199254740993]
      rank: admin
    rooms:
      allow:
        -1001234567890123456:
        "-1001234567890123457": {mention: off, people: [5], roles: ["7"], rank: member, bots: allow}
        T1/C1: {}
        T1/*:
      patterns: ['\\bhey bot\\b']
      observe: false
      ranks: {9007199254740995: admin}
people:
  ana: {ids: ["square:-5", other:U1], rank: admin}
"""


def test_ids_are_the_digits_that_were_written_quoted_or_not(files: SettingsFiles) -> None:
    settings = files.read(FULL)
    section = settings.sections["square"]

    assert section.direct.allow == ("4711", "4712", "-1001234567890123456", "9007199254740993")
    assert list(section.rooms.allow) == [
        "-1001234567890123456",
        "-1001234567890123457",
        "T1/C1",
        "T1/*",
    ]
    assert section.rooms.allow["-1001234567890123457"].people == ("5",)
    assert list(section.rooms.ranks) == ["9007199254740995"]
    assert settings.people["ana"].ids == ("square:-5", "other:U1")
    assert settings.people["ana"].rank.rank is Rank.ADMIN
    assert settings.module_of("square") == "their.module"
    assert settings.channels["square"] == {"token": "t"}


def test_what_is_not_said_is_closed(files: SettingsFiles) -> None:
    section = files.read("channels: {square: {type: their.module}}").sections["square"]

    assert section.direct.policy is DirectPolicy.PAIRING
    assert section.rooms.policy is RoomsPolicy.ALLOWLIST
    assert (section.direct.allow, dict(section.rooms.allow)) == ((), {})


@pytest.mark.parametrize("empty", ["", "~", "{}"])
def test_an_empty_block_is_closed_like_none(files: SettingsFiles, empty: str) -> None:
    section = files.read(f"channels:\n  square:\n    direct: {empty}\n    rooms: {empty}\n")

    assert section.sections["square"].direct.policy is DirectPolicy.PAIRING
    assert section.sections["square"].rooms.policy is RoomsPolicy.ALLOWLIST


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("direct: {policy: opne}", "direct.policy: found 'opne', expected one of allowlist,"),
        ("direct: {policy: opne}", "(did you mean 'open'?)"),
        ("direct: {policy: [open]}", "direct.policy: found a list, expected one of"),
        ("direct: {polcy: open}", "direct.polcy: found a key that does not exist"),
        ("direct: {policy: allowlist}", "direct.allow: found nobody, with `policy: allowlist`"),
        ("direct: {allow: ['@ana']}", "direct.allow[0]: found '@ana', expected the platform's"),
        ("direct: {allow: [Ana Bell]}", "direct.allow[0]: found 'Ana Bell', expected"),
        ("direct: {allow: ['*']}", "for everybody, write `policy: open`"),
        ("direct: {allow: [{}]}", "direct.allow[0]: found a mapping, expected"),
        ("direct: {allow: 4711}", "direct.allow: found '4711', expected a list"),
        ("direct: {rank: owner}", "owners are made by `stonechat owner`"),
        ("direct: open", "direct: found 'open', expected a mapping"),
        ("rooms: {policy: all}", "rooms.policy: found 'all', expected one of"),
        ("rooms: {allow: ['-100']}", "rooms.allow: found a list, expected a mapping"),
        ("rooms: {allow: {'#general': {}}}", "found '#general', expected the platform's own id"),
        ("rooms: {allow: {'-100': {mentoin: off}}}", "-100.mentoin: found a key that does not"),
        ("rooms: {allow: {'-100': {mention: false}}}", "found 'false', expected one of off,"),
        ("rooms: {allow: {'-100': {bots: yes}}}", "found 'yes', expected one of allow, ignore"),
        ("rooms: {mention: no}", "rooms.mention: found 'no', expected one of off, required"),
        ("rooms: {patterns: ['(a+)+']}", "expected one without a repetition of what varies"),
        ("rooms: {observe: 1}", "rooms.observe: found '1', expected true or false"),
        ("rooms: {ranks: {'7': owner}}", "owners are made by `stonechat owner`"),
        ("direkt: {policy: open}", "direkt: found a key that does not exist"),
        ("room: {policy: open}", "room: found a key that does not exist"),
        ("type: ../evil", "type: found '../evil', expected the name of a module"),
    ],
)
def test_a_mistake_is_never_open(files: SettingsFiles, written: str, said: str) -> None:
    [mistake] = files.mistakes(f"channels:\n  square:\n    {written}\n")

    assert mistake.startswith("config.yaml:3: channels.square.")
    assert said in mistake


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("ana: {ids: [ana]}", "people.ana.ids[0]: found 'ana', expected a channel and an id"),
        ("ana: {ids: ['square:@ana']}", "and not a name, which anybody can take"),
        ("ana: {ids: ['square:1'], rank: god}", "people.ana.rank: found 'god', expected one of"),
        ("ana: {rank: admin}", "people.ana.ids: found nothing, expected a value"),
        (
            "ana: {ids: ['s:1']}\n  bo: {ids: ['s:2', 's:1']}",
            "people.bo.ids[1]: found 's:1', which ana has already",
        ),
    ],
)
def test_whom_the_settings_name_is_checked(files: SettingsFiles, written: str, said: str) -> None:
    [mistake] = files.mistakes(f"people:\n  {written}\n")

    assert said in mistake
