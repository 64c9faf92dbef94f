"""docs/reference/commands.md is what the commands say of themselves."""

from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.golden import assert_golden

from greenroom.cli.app import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


def test_the_reference_of_commands_is_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`WRITE_GOLDEN=1 make docs` writes it anew."""
    monkeypatch.setenv("COLUMNS", "100")
    command = CommandLine(folder=tmp_path, capsys=capsys)
    names = [each.callback.__name__ for each in app.registered_commands if each.callback is not None]
    page = ["# Commands", "", "Written by the commands themselves; `WRITE_GOLDEN=1 make docs` writes it anew."]
    for asked in ("", *names):
        lines = [line.rstrip() for line in command(*asked.split(), "--help").out.strip("\n").split("\n")]
        page += ["", f"## greenroom {asked}".rstrip(), "", "```text", *lines, "```"]
    assert_golden("\n".join(page), PAGE)
