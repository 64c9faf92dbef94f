"""The command line as a person meets it: what is asked, what is printed, and the exit code."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from greenroom.cli.app import main
from greenroom.cli.setting import Setting

__all__ = ["AT", "LAKESIDE", "SOURCES", "CommandLine", "Screen", "as_process"]

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
LAKESIDE = Path(__file__).parent.parent.parent / "examples" / "lakeside"
SOURCES = Path(__file__).parent.parent.parent / "src"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What came of one command; the folder it was called in reads HERE."""

    asked: str
    code: int
    out: str
    err: str

    def __str__(self) -> str:
        """The whole screen, for golden files."""
        parts = [f"$ greenroom {self.asked}"]
        for name, text in (("standard output", self.out), ("standard error", self.err)):
            if text:
                lines = "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))
                parts.append(f"--- {name}\n{lines}")
        return "\n".join([*parts, f"--- exit code {self.code}"])


@dataclass(frozen=True, kw_only=True)
class CommandLine:
    """Calls commands in this process, in one folder, at a time that stands still."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, *arguments: str, at: datetime | None = AT) -> Screen:
        setting = Setting(environment=self.environment, folder=self.folder, frozen_at=at)
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(arguments, setting)
        printed = self.capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        out, err = (text.replace(str(self.folder.resolve()), "HERE") for text in printed)
        return Screen(asked=" ".join(arguments), code=code, out=out, err=err)


def as_process(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """`python -m greenroom …` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "greenroom", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "COLUMNS": "100", **(environment or {})},
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
