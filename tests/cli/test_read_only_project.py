"""A project that may not be written to can be looked at (features.md F14)."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from shutil import rmtree, which

import pytest
from tests.cli.command_line import SOURCES, CommandLine

WITHOUT_RIGHTS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
"""The super-user may write anywhere, unless that right is taken away."""
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or bool(WITHOUT_RIGHTS and which("setpriv") is None),
    reason="rights of files can't be tried here",
)


def asked(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that may write only where the rights of files say so."""
    return subprocess.run(
        [*WITHOUT_RIGHTS, sys.executable, "-m", "greenroom", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": os.environ["PATH"], "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def folder(desk: CommandLine) -> Generator[Path]:
    """A project that was run; whatever becomes of its rights, it can be cleared away."""
    assert desk("run", at=None).code == 0
    yield desk.folder
    for each in (desk.folder, desk.folder / ".greenroom"):
        if each.is_dir():
            each.chmod(0o755)


def locked(folder: Path) -> None:
    for each in (folder / ".greenroom").iterdir():
        each.chmod(0o444)
    for each in (folder / ".greenroom", folder):
        each.chmod(0o555)


@pytest.mark.requirement("F14")
def test_runs_can_be_looked_at_where_nothing_may_be_written(folder: Path) -> None:
    """R1 S16."""
    locked(folder)
    listed = asked(folder, "runs")
    shown = asked(folder, "show", "last")
    ran = asked(folder, "run")

    assert (listed.returncode, "  100 %  " in listed.stdout) == (0, True), listed.stderr
    assert shown.stdout.splitlines()[-1].startswith("Exit code 0"), shown.stderr
    assert ran.returncode == 3
    assert "may not be written to" in ran.stderr


def test_without_a_database_one_is_told_where_it_could_be(folder: Path) -> None:
    rmtree(folder / ".greenroom")
    folder.chmod(0o555)
    listed = asked(folder, "runs")

    assert listed.returncode == 3
    assert "name another place as `database` in greenroom.yaml" in listed.stderr
