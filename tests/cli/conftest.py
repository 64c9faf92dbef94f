"""A command line in an empty folder, or in a project of one's own."""

import shutil
from pathlib import Path

import pytest
from tests.cli.command_line import LAKESIDE, CommandLine


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Commands in an empty folder, on a screen of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "here"
    folder.mkdir()
    return CommandLine(folder=folder, capsys=capsys)


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """Commands in the project that `init` writes."""
    assert command("init").code == 0
    return command


@pytest.fixture
def lakeside(command: CommandLine) -> CommandLine:
    """Commands in a copy of the example project."""
    shutil.copytree(LAKESIDE, command.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".greenroom"))
    return command
