"""docs/guides/flows.md: its files are a project, and its commands show what it says."""

import re
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine

from greenroom.documents.flow import STEPS

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "flows.md").read_text(encoding="utf-8")
FILES = re.findall(r"`([\w./]+\.yaml)`[^`]*:\n\n```yaml\n(.*?)```", GUIDE, re.DOTALL)
(COMMANDS,) = re.findall(r"```shell\n(.*?)```", GUIDE, re.DOTALL)
(SHOWN,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)


def test_the_project_of_the_guide_passes_by_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = CommandLine(folder=tmp_path, capsys=capsys)

    screens = [command(*line.split()[1:]) for line in COMMANDS.strip().splitlines()]

    assert len(FILES) == GUIDE.count("```yaml")
    assert [screen.code for screen in screens] == [0, 0, 0], screens
    assert "warning" not in screens[0].out
    for line in SHOWN.splitlines():
        assert line in screens[2].out


def test_the_guide_names_every_step() -> None:
    assert [word for word in STEPS if f"`{word}`" not in GUIDE] == []
