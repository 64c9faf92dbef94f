"""docs/guides/outreach.md: its documents are sound, and its suite passes as it stands."""

import re
from pathlib import Path

import orjson
import pytest
from tests.cli.command_line import CommandLine

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "outreach.md").read_text(encoding="utf-8")
AGENT, SUITE = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.requirement("A8", "A10")
def test_the_guides_suite_passes_and_its_outreach_can_be_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = CommandLine(folder=tmp_path, capsys=capsys)
    for name, text in {
        "greenroom.yaml": "workspace: lakeside\n",
        "agents/lakeside.yaml": AGENT,
        "suites/season.yaml": SUITE,
        "models/desk.yaml": orjson.dumps({"rules": [{"reply": "Which day?"}]}).decode(),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    lint, run = command("lint"), command("run")
    assert (lint.code, run.code) == (0, 0), f"{lint}\n{run}"
    asked = re.findall(r"^    greenroom (outreach .*)$", GUIDE, re.MULTILINE)
    assert [command(*one.split()).code for one in asked] == [0, 0]
