"""Every mistake is named with its line and its remedy; every settings file that loads is exact."""

import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bot.contracts.budget import Price, Scope
from bot.settings import SettingsBroken
from bot.settings.reference import reference
from bot.settings.root import Configuration
from bot.settings.section import Section, section_below
from tests.doubles.settings_files import SettingsFiles

FULL = """
agents:
  main:
    workspace: work
    models: [one, two]
models:
  one:
    provider: openai
    model: gpt-x
    base_url: http://127.0.0.1:11434/v1/
    key: ${MY_KEY}
    keys: [sk-2]
    max_output: 4000
    context: 8192
    price: {input: 2.50, output: 10, cached_input: 0.25}
  two: {provider: demo, model: demo}
channels:
  webchat: {}
  telegram:
    type: their.module
    owner: -1001234567890123456789
    token: "${MY_KEY}"
    direct: {policy: pairing, allow: [4711], rank: member}
    rooms:
      policy: allowlist
      allow:
        "-100": {mention: "off", people: [5], roles: [7], rank: member, bots: ignore}
      mention: required
      patterns: ["hey bot"]
      observe: true
      ranks: {7: member}
people:
  ana: {ids: ["telegram:4711"], rank: admin}
http:
  host: "::1"
  port: 0
  public_url: https://chat.example.org
  trusted_proxies: [127.0.0.1]
store: sqlite:///~/db/x.db
tools:
  shell: false
  extra: [their_tools]
  profile: coding
  allow: ["group:files"]
  deny: [edit_file]
  ask: [write_file]
  ranks:
    member: {profile: minimal, allow: ["*"], deny: [read_file], grant: [write_file], ask: [shell]}
  agents: {main: {profile: full, allow: ["*"], deny: [], ask: [], ranks: {guest: {}}}}
  channels: {webchat: {deny: ["*_file"]}}
  conversations: {"webchat:-100123": {profile: minimal}}
approvals:
  approvers: [owner, "telegram:-5"]
  minutes: 3
limits:
  model_calls: 7
  tool_calls: 8
  turns_at_once: 1
  background_at_once: 1
  money:
    {turn: 0.25, day: "1", session: "off", person: 0.1, others: 1, agent: "off", background: 0}
  tokens:
    {turn: 1000, day: "off", session: 10, person: "7", others: 8, agent: 9, background: 0}
queue:
  mode: collect
  debounce_seconds: 1
  longest_wait_seconds: 20
  part_seconds: 1
  cap: 3
  cap_all: 9
  drop: old
  channels: {webchat: {mode: steer, debounce_seconds: 0, cap: 2, drop: new}}
  observed: {keep: true, days: 2}
bindings:
  - match:
      channel: telegram
      account: shop
      conversation: {kind: group, id: -1001234567890123456, thread: 7}
      parent: -5
      space: -6
      roles: [8, 9]
      sender: 1234567890123456789
    agent: main
    sessions: {direct: per-peer}
sessions:
  direct: auto
  links: {ana: [telegram:1, webchat:ana]}
  idle_days: {direct: 1, rooms: 3}
  history_turns: {direct: 2, rooms: 4}
  retention_days: 5
targets:
  standup: {channel: telegram, account: default, conversation: -100, thread: 3}
expect:
  - when:
      channel: telegram
      account: shop
      conversation: {kind: room, id: -1001234567890123456, thread: 7}
      parent: -5
      space: -6
      roles: [8]
      sender: 1234567890123456789
      rank: guest
    agent: main
    session: agent:main:telegram:shop:room:-1001234567890123456:thread:7
"""


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    return SettingsFiles(tmp_path)


def test_without_a_file_everything_has_a_value(files: SettingsFiles) -> None:
    settings = files.read()

    assert settings.agents["main"].workspace == files.home / "workspace"
    assert settings.agents["main"].models == ("demo",)
    assert settings.channels == {"webchat": {}}
    assert (settings.http.host, settings.http.port) == ("127.0.0.1", 7870)
    assert settings.store == f"sqlite://{files.home}/stonechat.db"
    assert settings.tools.shell
    assert (settings.limits.model_calls, settings.limits.tool_calls) == (60, 120)
    assert settings.problem == ""
    assert settings.findings == ()


def test_a_full_file_is_read_exactly(files: SettingsFiles) -> None:
    settings = files.read(FULL, MY_KEY="sk-canary-1")

    one = settings.models["one"]
    assert settings.agents["main"].workspace == files.home / "work"
    assert settings.agents["main"].models == ("one", "two")
    assert (one.model, one.base_url) == ("gpt-x", "http://127.0.0.1:11434/v1")
    assert [key.reveal() for key in one.keys] == ["sk-canary-1", "sk-2"]
    assert one.max_output == 4000
    assert settings.channels["telegram"]["owner"] == "-1001234567890123456789"
    assert settings.channels["telegram"]["token"] == "sk-canary-1"
    assert settings.store == "sqlite:///people/ana/db/x.db"
    assert not settings.tools.shell
    assert settings.models["one"].price == Price(
        input=2_500_000, output=10_000_000, cached_input=250_000, cache_write=2_500_000
    )
    caps = settings.limits.caps()
    assert (caps.money[Scope.TURN], caps.money[Scope.DAY]) == (250_000, 1_000_000)
    assert Scope.SESSION not in caps.money
    assert (caps.tokens[Scope.TURN], caps.money[Scope.BACKGROUND]) == (1_000, 0)


def test_settings_do_not_print_their_secrets(files: SettingsFiles) -> None:
    settings = files.read(FULL.replace('    token: "${MY_KEY}"\n', ""), MY_KEY="sk-canary-1")

    assert "canary" not in repr(settings)
    assert "canary" not in f"{settings.models['one']}"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("htp: {}", "config.yaml:1: htp: found a key that does not exist, expected one of"),
        ("htp: {}", "(did you mean 'http'?)"),
        ("http:\n  prt: 1", "config.yaml:2: http.prt: found a key that does not exist"),
        ("http: {port: x}", "http.port: found 'x', expected a whole number between 0 and 65535"),
        ("http: {port: 65536}", "http.port: found 65536, expected"),
        ("http: {port: 010}", "http.port: found '010', expected"),
        ("http: {port: [1]}", "http.port: found a list, expected"),
        ("http: {host: 0.0.0.0}", "http.host: found '0.0.0.0', expected a loopback address"),
        ("http: {host: example.org}", "http.host: found 'example.org', expected an IP address"),
        ("limits: {money: {day: two}}", "limits.money.day: found 'two', expected an amount of US"),
        ("limits: {money: {day: -1}}", "found '-1', expected an amount of US dollars such as 0.50"),
        ("limits: {money: {day: 1e3}}", "expected an amount of US dollars such as 0.50, or off"),
        ("limits: {money: {day: $2}}", "expected an amount of US dollars such as 0.50, or off"),
        ("limits: {money: {dya: 2}}", "(did you mean 'day'?)"),
        ("limits: {tokens: {day: 1.5}}", "found '1.5', expected a whole number of tokens up to"),
        (
            "models: {a: {provider: demo, model: d, price: {input: 1}}}",
            "price.output: found nothing",
        ),
        ("tools: {ranks: {membr: {}}}", "expected a rank: owner, admin, member, guest"),
        ("tools: {deny: [read file]}", "found 'read file', expected the name of a tool or group"),
        ("tools: {agents: {mian: {}}}", "tools.agents.mian: found 'mian', expected one of main"),
        ("tools: {channels: {webcat: {}}}", "(did you mean 'webchat'?)"),
        ("tools: {conversations: {C1: {}}}", "expected a channel's name, a colon and a"),
        ("tools: {conversations: {'slak:C1': {}}}", "tools.conversations.slak:C1: found 'slak'"),
        ("http: 7870", "config.yaml:1: http: found '7870', expected a mapping"),
        ("limits: {model_calls: 0}", "limits.model_calls: found 0, expected"),
        ("limits: {model_calls: 1e2}", "limits.model_calls: found '1e2', expected"),
        ("models: []", "models: found a list, expected a mapping"),
        ("models:\n  x: {model: m}", "models.x.provider: found nothing, expected a value"),
        ("models: {x: {provider: ../x, model: m}}", "models.x.provider: found '../x'"),
        (
            "models: {x: {provider: demo, model: ''}}",
            "models.x.model: found '', expected some text",
        ),
        ("models: {x: {provider: openai, model: m, base_url: ftp://h}}", "models.x.base_url"),
        ("agents: {main: {models: [x]}}", "agents.main.models[0]: found 'x', expected one of demo"),
        ("agents: {Other: {}}", "agents.Other: found 'Other', expected an agent's name"),
        ("agents: {a: {model: x}}", "agents.a.model: found a key that does not exist"),
        ("agents: {main: {models: x}}", "agents.main.models: found 'x', expected a list"),
        ("agents: {main: {workspace: ..}}", "which holds the state directory"),
        ("agents: {main: {workspace: ~ben/w}}", "a path that begins with `/` or `~/`"),
        ("channels: [webchat]", "channels: found a list, expected a mapping"),
        (
            "channels: {web-chat: {}}",
            "channels.web-chat: found 'web-chat', expected a channel's name",
        ),
        ("channels: {webchat: yes}", "channels.webchat: found 'yes', expected a mapping"),
        ("store: redis://h", "store: found 'redis://h', expected `sqlite`, or"),
        ("store: sqlite:///", "store: found 'sqlite:///', expected"),
        ("tools: {shell: maybe}", "tools.shell: found 'maybe', expected true or false"),
    ],
)
def test_a_mistake_says_where_it_is_what_was_found_and_what_is_right(
    files: SettingsFiles, written: str, said: str
) -> None:
    [mistake] = files.mistakes(written)

    assert said in mistake
    assert mistake.startswith("config.yaml:")
    assert "\n" not in mistake


def test_several_mistakes_are_all_named(files: SettingsFiles) -> None:
    files.write("http: {port: x}\nlimits: {model_calls: y}\nstore: z\n")

    with pytest.raises(SettingsBroken) as caught:
        files.read()

    assert len(caught.value.mistakes) == 3
    assert "(and 2 more; `stonechat check` lists all)" in str(caught.value)


def test_an_unknown_key_hides_no_other_mistake(files: SettingsFiles) -> None:
    mistakes = files.mistakes(
        "modles: {}\nstroe: x\nhttp: {prot: 1, port: x}\n"
        "tools: {shall: true}\nlimits: {model_calls: y}\n"
    )

    assert [line.split(": ")[1] for line in mistakes] == [
        "modles", "stroe", "http.prot", "http.port", "tools.shall", "limits.model_calls",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        pytest.param(
            "models:\n  x:\n    max_outptu: 1\n    max_output: y\n",
            ["models.x.provider", "models.x.model", "models.x.max_outptu", "models.x.max_output"],
            id="needed keys that are missing",
        ),
        pytest.param(
            "models:\n  x:\n", ["models.x.provider", "models.x.model"], id="all that is needed"
        ),
        pytest.param(
            "agents: {main: {models: [y, x]}}\nmodels:\n  x: {provider: demo, model: m}\n"
            "http: {port: x}\n",
            ["agents.main.models[0]", "http.port"],
            id="a name beside a wrong value",
        ),
        pytest.param(
            "models:\n  x: {provider: openai, model: m}\n  y: {provider: anthropic, model: m}\n",
            ["models.x.key", "models.y.key"],
            id="two models without a key",
        ),
        pytest.param(
            "models:\n  x: {provider: openai, model: ''}\n  y: {provider: anthropic, model: m}\n",
            ["models.x.model", "models.y.key"],
            id="a model without a key beside one that is wrong",
        ),
        pytest.param(
            "agents: {main: {models: [x, z]}}\nmodels:\n  x: {provider: ':', model: m}\n",
            ["agents.main.models[1]", "models.x.provider"],
            id="the name of a wrong model is a name all the same",
        ),
        pytest.param(
            "agents: {main: {workspace: '..'}}\nlimits: {model_calls: 0}\n",
            ["agents.main.workspace", "limits.model_calls"],
            id="a workspace beside a wrong value",
        ),
        pytest.param(
            "http: {port: '${MISSING}', prot: '${MISSING}'}\nstore: x\n",
            ["http.port", "http.prot", "store"],
            id="a variable that is not set",
        ),
        pytest.param(
            "channels: {x-y: {}, x: 1, y: {token: {file: nowhere}}}",
            ["channels.x-y", "channels.x", "channels.y.token"],
            id="several channels",
        ),
        pytest.param("htp:\nhttp: {prot: }\n", ["htp", "http.prot"], id="misspelt, and nothing"),
        pytest.param(
            "agents: {main: {models: [{}, x]}}\n", ["agents.main.models[0]"], id="a wrong list"
        ),
    ],
)
def test_no_mistake_hides_another(files: SettingsFiles, written: str, settings: list[str]) -> None:
    assert [line.split(": ")[1] for line in files.mistakes(written)] == settings


def _flags(section: type[Section], above: str = "") -> Iterator[str]:
    """Name every key that is true or false."""
    for name, field in section.model_fields.items():
        inner, many = section_below(field)
        if inner is not None:
            yield from _flags(inner, f"{above}{name}.{'x.' if many else ''}")
        elif field.annotation is bool:
            yield f"{above}{name}"


FLAGS = [*_flags(Configuration)]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "0", "1", "True", "FALSE", "y", "{}"])
@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_no_flag_takes_a_word_for_true_or_false(
    files: SettingsFiles, flag: str, word: str, quote: str
) -> None:
    *sections, last = flag.split(".")
    above = "".join(f"{'  ' * depth}{name}:\n" for depth, name in enumerate(sections))

    [mistake] = files.mistakes(f"{above}{'  ' * len(sections)}{last}: {quote}{word}{quote}\n")

    assert mistake.startswith(f"config.yaml:{len(sections) + 1}: {flag}: found ")
    assert mistake.endswith("expected true or false")


def test_there_are_flags_to_try() -> None:
    assert "tools.shell" in FLAGS


def test_the_full_file_has_every_key_there_is(files: SettingsFiles) -> None:
    del files
    rows = re.findall(r"^\| `([\w.<>\[\]]+)`", reference(), re.MULTILINE)
    keys = {row for row in rows if re.split(r"[.\[]", row)[0] in Configuration.model_fields}
    written = _keys(yaml.safe_load(FULL))

    assert keys - {_NAMED.sub(r"\1.<name>", key) for key in written} == set()


_NAMED = re.compile(
    r"\b(models|channels|people|ranks|agents|conversations|targets|(?<=rooms\.)allow"
    r"|(?<=sessions\.)links)\.[\w:-]+"
)


def _keys(tree: object, above: str = "") -> Iterator[str]:
    for key, below in tree.items() if isinstance(tree, dict) else ():
        many = isinstance(below, list) and any(isinstance(item, dict) for item in below)
        here = f"{above}{key}[]" if many else f"{above}{key}"
        yield here
        for item in below if isinstance(below, list) else [below]:
            yield from _keys(item, f"{here}.")


def test_a_quoted_false_is_false(files: SettingsFiles) -> None:
    assert not files.read("tools: {shell: 'false'}").tools.shell


def _with_each_node_nothing(tree: dict[str, object]) -> Iterator[dict[str, object]]:
    for key, value in tree.items():
        yield {**copy.deepcopy(tree), key: None}
        if isinstance(value, dict):
            for inner in _with_each_node_nothing(value):
                yield {**copy.deepcopy(tree), key: inner}


@pytest.mark.parametrize("tree", [*_with_each_node_nothing(yaml.safe_load(FULL))])
def test_a_key_with_nothing_after_it_is_a_default_or_one_clear_mistake(
    files: SettingsFiles, tree: dict[str, object]
) -> None:
    mistakes = files.mistakes(yaml.safe_dump(tree), MY_KEY="sk-canary-1")

    settings = [mistake.split(": ")[1] for mistake in mistakes]
    assert len(settings) == len(set(settings))
    assert all(
        re.search(
            r"found nothing|found '(?:one|two)', expected one of demo"
            r"|(?:bindings|expect|targets|sessions)\S+: found '\S+', expected .*one of",
            mistake,
        )
        for mistake in mistakes
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "models:\n  x: {provider: demo, model: m, key: [sk-canary]}",
            "models.x.key: found a list",
        ),
        ("models:\n  x: {provider: demo, model: m, key: {fil: sk-canary}}", "found a mapping"),
        ("http: {port: '${MY_KEY}'}", "found a value that is not shown"),
        ("store: ${MY_KEY}", "found a value that is not shown"),
        ("models:\n  x: {provider: demo, model: m, base_url: 'http://u:sk-canary@h'}", "a login"),
        ("models:\n  x: {provider: demo, model: m, base_url: 'u:sk-canary@h'}", "no such address"),
    ],
)
def test_a_mistake_shows_no_secret(files: SettingsFiles, written: str, said: str) -> None:
    [mistake] = files.mistakes(written, MY_KEY="sk-canary-1")

    assert said in mistake
    assert "canary" not in mistake


def test_a_variable_that_is_not_set_is_named_where_it_is_used(files: SettingsFiles) -> None:
    [mistake] = files.mistakes("models:\n  x: {provider: demo, model: m, key: '${MISSING}'}")

    assert mistake == (
        "config.yaml:2: models.x.key: found ${MISSING}, which is not set,"
        " expected MISSING in the environment or in .env"
    )


def test_a_variable_in_a_model_nobody_uses_stops_nothing(files: SettingsFiles) -> None:
    settings = files.read("""
        models:
          used: {provider: demo, model: m}
          spare:
            provider: openai
            model: m
            key: ${MISSING}
        agents: {main: {models: [used]}}
    """)

    assert set(settings.models) == {"used"}
    assert "models.spare was left out" in settings.findings[0]
    assert "MISSING" in settings.findings[0]


def test_a_default_stands_in_for_a_variable(files: SettingsFiles) -> None:
    assert files.read("http: {port: '${PORT:-8080}'}").http.port == 8080
    assert files.read("http: {port: '${PORT:-8080}'}", PORT="9").http.port == 9


def test_what_comes_from_a_variable_is_not_read_as_yaml(files: SettingsFiles) -> None:
    settings = files.read("channels: {x: {name: '${NAME}'}}", NAME="a: [1] # ${NAME}\n- 'b'")

    assert settings.channels["x"] == {"name": "a: [1] # ${NAME}\n- 'b'"}


def test_a_home_that_is_not_known_is_needed_only_by_a_path_that_asks_for_it(
    files: SettingsFiles,
) -> None:
    assert files.read("http: {port: 1}", HOME="").http.port == 1
    [mistake] = files.mistakes("agents: {main: {workspace: ~/w}}", HOME="")

    assert "HOME is not set" in mistake
