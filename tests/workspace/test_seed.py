import re
import stat
from pathlib import Path

from bot.workspace.files import ALWAYS, PRIVATE
from bot.workspace.seed import seed, template_folder


def a_template(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_a_new_workspace_gets_every_file_of_the_template(tmp_path: Path) -> None:
    template = a_template(tmp_path / "template", SOUL="calm", notes__meeting="three things")

    given = seed(tmp_path / "home" / "workspace", template)

    assert given == ("SOUL", "notes/meeting")
    assert (tmp_path / "home/workspace/SOUL").read_text() == "calm"
    assert (tmp_path / "home/workspace/notes/meeting").read_text() == "three things"


def test_only_its_owner_may_look_into_a_new_workspace(tmp_path: Path) -> None:
    target = tmp_path / "workspace"

    seed(target, a_template(tmp_path / "template", notes__meeting="private"))

    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert stat.S_IMODE((target / "notes").stat().st_mode) == 0o700


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    template = a_template(tmp_path / "template", SOUL="template", USER="template")
    target = a_template(tmp_path / "workspace", SOUL="mine")

    assert seed(target, template) == ("USER",)
    assert (target / "SOUL").read_text() == "mine"


def test_a_link_that_leads_nowhere_is_left_alone(tmp_path: Path) -> None:
    target = a_template(tmp_path / "workspace", other="x")
    (target / "SOUL").symlink_to(tmp_path / "nowhere")

    assert seed(target, a_template(tmp_path / "template", SOUL="template")) == ()
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_was_deleted_does_not_come_back(tmp_path: Path) -> None:
    template = a_template(tmp_path / "template", BOOTSTRAP="hello", SOUL="calm")
    target = tmp_path / "workspace"
    seed(target, template)
    (target / "BOOTSTRAP").unlink()

    assert seed(target, template) == ()
    assert not (target / "BOOTSTRAP").exists()


def test_a_file_that_is_new_in_the_template_reaches_an_old_workspace_once(tmp_path: Path) -> None:
    template = a_template(tmp_path / "template", SOUL="calm")
    target = tmp_path / "workspace"
    seed(target, template)
    a_template(template, TOOLS="new")

    assert seed(target, template) == ("TOOLS",)
    (target / "TOOLS").unlink()
    assert seed(target, template) == ()


def test_a_seeding_that_was_cut_off_is_finished_by_the_next(tmp_path: Path) -> None:
    template = a_template(tmp_path / "template", AGENTS="rules", SOUL="calm")
    target = a_template(tmp_path / "workspace", AGENTS="rules", **{".SOUL.seeding": "ca"})

    assert seed(target, template) == ("SOUL",)
    assert (target / "SOUL").read_text() == "calm"
    assert not (target / ".SOUL.seeding").exists()


def test_the_template_holds_every_prompt_file_and_the_meeting() -> None:
    names = {p.relative_to(template_folder()).as_posix() for p in template_folder().rglob("*.md")}

    assert names == {*ALWAYS, *PRIVATE, "HEARTBEAT.md", "notes/meeting.md"}


def test_the_prompt_files_of_the_template_are_short() -> None:
    sizes = [(template_folder() / name).stat().st_size for name in (*ALWAYS, *PRIVATE)]

    assert sum(sizes) < 2_500


def test_the_template_names_no_machine_and_no_address() -> None:
    for path in template_folder().rglob("*.md"):
        assert not re.search(r"https?://|(?<!\w)/(?:root|home|tmp|work)\b", path.read_text("utf-8"))
