"""docs/guides/people.md: what it shows is read, and what it says to type does something."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine

from greenroom.documents.loading import load_document

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "people.md").read_text(encoding="utf-8")
YAML = re.findall(r"^( *)```yaml\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE)
CSV = re.findall(r"^```csv\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^    greenroom (people.*?)(?:   .*)?$", GUIDE, re.MULTILINE)


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A project with the agent and the segments of the guide."""
    command = CommandLine(folder=tmp_path, capsys=capsys)
    agent, segments = ("".join(line.removeprefix(indent) + "\n" for line in text.splitlines()) for indent, text in YAML)
    (command.folder / "agents").mkdir()
    (command.folder / "x.yaml").write_text("rules: [{reply: Hello.}]", encoding="utf-8")
    (command.folder / "greenroom.yaml").write_text(segments, encoding="utf-8")
    (command.folder / "agents" / "desk.yaml").write_text(
        f"agent: desk\nmodel: script:x.yaml\n{agent}", encoding="utf-8"
    )
    (command.folder / "leads.csv").write_text(*CSV, encoding="utf-8")
    return command


def test_the_documents_of_the_guide_are_sound(project: CommandLine) -> None:
    assert len(YAML) == 2
    assert project("lint").code == 0
    load_document((project.folder / "greenroom.yaml").read_bytes())


def test_the_commands_of_the_guide_do_what_they_say(project: CommandLine) -> None:
    assert len(COMMANDS) == 10
    for asked in COMMANDS:
        screen = project(*shlex.split(asked), at=None)
        about_one = "sms:+15550100" in asked or "PERSON" in asked
        assert screen.code == (2 if about_one else 0), screen
        if about_one:
            assert "there is no person" in screen.err


def test_the_file_of_the_guide_is_imported_once(project: CommandLine) -> None:
    imports = [asked for asked in COMMANDS if "--import" in asked]
    said = [project(*shlex.split(asked), at=None).out.splitlines()[-1] for asked in (*imports, imports[-1])]
    assert said == [
        "Nothing is kept of a dry run; there would be 2 people created, 0 updated, 0 unchanged.",
        "2 people created, 0 updated, 0 unchanged.",
        "0 people created, 0 updated, 2 unchanged.",
    ]
    assert "Ana Ruiz" in project("people", "sms:+15550100").out
    assert "Ben Cole" in project("people", "email:ben@example.com").out
    assert "Ana" in project("people", "--audience", "big-parties").out
