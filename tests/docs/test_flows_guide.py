"""docs/guides/flows.md: its files are a project, and its commands show what it says."""

import re
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import commands, files, guide, ran, written

from greenroom.documents.flow import STEPS

GUIDE = guide("flows")
FILES = files(GUIDE)
(SHOWN,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)


def test_the_projects_of_the_guide_pass_by_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = ran(commands(GUIDE), CommandLine(folder=written(FILES, tmp_path), capsys=capsys))

    assert len(FILES) == GUIDE.count("```yaml")
    assert done.code == 0, done
    assert "no errors, no warnings" in done.err
    assert [line for line in SHOWN.splitlines() if line not in done.out] == []


def test_the_guide_names_every_step() -> None:
    assert [word for word in STEPS if f"`{word}`" not in GUIDE] == []
