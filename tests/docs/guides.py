"""What a guide says is in its files and what it says to type, made real."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.cli.command_line import SOURCES

__all__ = ["commands", "files", "guide", "ran", "written"]

_FILE = re.compile(r"`([\w./]+\.(?:yaml|csv))`[^`]*:\n\n *```(?:yaml|csv)\n(.*?)```", re.DOTALL)


def guide(name: str) -> str:
    """The text of docs/guides/NAME.md."""
    return (Path(__file__).parents[2] / "docs" / "guides" / f"{name}.md").read_text(encoding="utf-8")


def files(text: str) -> Mapping[str, str]:
    """What the guide says is in each file that it names."""
    return {name: textwrap.dedent(content) for name, content in _FILE.findall(text)}


def written(named: Mapping[str, str], folder: Path) -> Path:
    """The folder, with these files in it."""
    for name, content in named.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def commands(text: str) -> str:
    """The one block of commands of the guide."""
    (shell,) = re.findall(r"```shell\n(.*?)```", text, re.DOTALL)
    return shell


def ran(shell: str, folder: Path, scripts: Path) -> subprocess.CompletedProcess[str]:
    """The commands one after another, with `greenroom` on the PATH from these sources."""
    script = scripts / "greenroom"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m greenroom "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCES)}
    return subprocess.run(
        ["sh", "-e", "-c", shell],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
