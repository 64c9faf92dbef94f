"""docs/guides/flows.md: its files are a project, and its commands show what it says."""

import re
from pathlib import Path

from tests.docs.test_guides import commands, files, ran

from greenroom.documents.flow import STEPS

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "flows.md").read_text(encoding="utf-8")
FILES = files(GUIDE)
(SHOWN,) = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)


def test_the_projects_of_the_guide_pass_by_its_commands(tmp_path: Path) -> None:
    folder = tmp_path / "lakeside"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    done = ran(commands(GUIDE), folder, tmp_path)

    assert len(FILES) == GUIDE.count("```yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no errors, no warnings" in done.stderr
    assert [line for line in SHOWN.splitlines() if line not in done.stdout] == []


def test_the_guide_names_every_step() -> None:
    assert [word for word in STEPS if f"`{word}`" not in GUIDE] == []
