"""What a guide says is in its files and what it says to type, made real."""

import re
import shlex
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.cli.command_line import CommandLine, Screen

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


def ran(shell: str, command: CommandLine) -> Screen:
    """The commands one after another until one fails; what all of them said, and how the last one ended."""
    screens = list[Screen]()
    for line in shell.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "greenroom", line
        screens.append(command(*arguments, at=None))
        if screens[-1].code:
            break
    out, err = ("".join(told) for told in zip(*((each.out, each.err) for each in screens), strict=True))
    return Screen(asked=shell, code=screens[-1].code, out=out, err=err)
