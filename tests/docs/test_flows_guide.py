"""docs/guides/flows.md: its files are a project, and its commands show what it says."""

import re
from pathlib import Path

from tests.docs.guides import commands, files, guide, ran, written

from greenroom.documents.flow import STEPS

GUIDE = guide("flows")
FILES = files(GUIDE)
(SHOWN,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)


def test_the_projects_of_the_guide_pass_by_its_commands(tmp_path: Path) -> None:
    done = ran(commands(GUIDE), written(FILES, tmp_path / "lakeside"), tmp_path)

    assert len(FILES) == GUIDE.count("```yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no errors, no warnings" in done.stderr
    assert [line for line in SHOWN.splitlines() if line not in done.stdout] == []


def test_the_guide_names_every_step() -> None:
    assert [word for word in STEPS if f"`{word}`" not in GUIDE] == []
