"""Modules of other packages: what they bring, and the sentence for each way to get it wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from bot.contracts.errors import ConfigError
from bot.contracts.tool import Effect
from bot.extensions import changed_since, load_extensions
from bot.settings import Settings, read_settings
from tests.architecture.pages import page

TOOL = next(page("docs/extensions.md").blocks("python")).code


class Place:
    """A state directory with extensions in it; each module has a name that nothing else has."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.name = f"extra_{uuid4().hex[:8]}"

    def write(self, text: str, folder: str = "extensions") -> Path:
        file = self.home / folder / f"{self.name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def settings(self, *names: str) -> Settings:
        listed = "".join(f"\n    - {name}" for name in names or (self.name,))
        (self.home / "config.yaml").write_text(f"tools:\n  extra:{listed}\n")
        return read_settings(self.home, {"HOME": str(self.home)})


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    before = list(sys.path)
    made = Place(tmp_path)
    yield made
    sys.path[:] = before
    sys.modules.pop(made.name, None)


def complaint(place: Place, text: str) -> str:
    place.write(text)
    with pytest.raises(ConfigError) as error:
        load_extensions(place.settings())
    said = str(error.value)
    assert said.startswith(f"{place.home}/config.yaml:3: tools.extra.0: found '{place.name}', ")
    assert "\n" not in said
    return said


def test_the_example_of_the_docs_is_a_tool_like_any_other(place: Place) -> None:
    place.write(TOOL)

    (tool,) = load_extensions(place.settings()).tools

    assert tool.effect is Effect.PURE
    assert tool.parameters.schema()["type"] == "object"


def test_without_extra_modules_nothing_is_brought(place: Place) -> None:
    extensions = load_extensions(read_settings(place.home, {"HOME": str(place.home)}))

    assert (extensions.tools, extensions.hooks) == ((), ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1 +", "cannot be imported (SyntaxError: invalid syntax"),
        ("raise ValueError('no luck')", "cannot be imported (ValueError: no luck, extra_"),
        ("import a_library_that_is_not_there", "a_library_that_is_not_there"),
        ("", "has neither a TOOL nor HOOKS"),
        ("TOOL = 'shell'", "whose TOOL is of the type str"),
        ("TOOLS = 7", "whose TOOLS is no tuple"),
        (TOOL.replace("effect=Effect.PURE,", ""), "effect"),
        (TOOL.replace("Effect.PURE", "'pure'"), "has the effect 'pure', expected one of Effect."),
        (TOOL.replace('name="count_words"', 'name="shell"'), "has the name of another tool"),
        (TOOL.replace('name="count_words"', 'name="Shell"'), "has the name of another tool"),
        (TOOL.replace('name="count_words"', 'name="count words"'), "that no provider takes"),
        (TOOL + "\nTOOLS = (TOOL,)\n", "has the name of another tool"),
        (TOOL.replace("path: str", "path: Exception"), "has a schema that cannot be made"),
        ("HOOKS = 7", "whose HOOKS is of the type int"),
        (
            "from bot.contracts.extension import ToolHooks\nHOOKS = ToolHooks()",
            "whose HOOKS is empty",
        ),
        (
            "from bot.contracts.extension import ToolHooks as T\nHOOKS = T(before_tool=print)",
            "whose before_tool is no coroutine, expected `async def before_tool",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence_with_its_line(
    place: Place, text: str, told: str
) -> None:
    assert told in complaint(place, text)


def test_a_module_that_is_nowhere_is_told_where_to_be(place: Place) -> None:
    with pytest.raises(ConfigError, match=f"a module that does not exist, expected {place.home}"):
        load_extensions(place.settings())


def test_no_file_of_the_folder_hides_a_module_of_python_or_of_the_bot(place: Place) -> None:
    for name in ("json", "bot.tools"):
        with pytest.raises(ConfigError, match="a name that a module of the bot or of Python has"):
            load_extensions(place.settings(name))


def test_code_that_a_model_could_write_is_not_run(place: Place) -> None:
    marker = place.home / "ran"
    (place.home / "workspace").mkdir()
    file = place.write(f"open({str(marker)!r}, 'w')\n{TOOL}", folder="workspace")
    (place.home / "extensions").symlink_to(file.parent)

    with pytest.raises(ConfigError, match="is in the workspace, where a model may write"):
        load_extensions(place.settings())

    assert not marker.exists()


def test_code_that_has_changed_since_it_was_imported_is_named(place: Place) -> None:
    file = place.write(TOOL)
    extensions = load_extensions(place.settings())
    assert changed_since(extensions) == ()

    file.write_text(f"{TOOL}\n# another one\n")

    assert changed_since(load_extensions(place.settings())) == (place.name,)
