"""A new project: a small desk with an agent, a suite, and scripted models that make it run at once, offline."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from greenroom.errors import UsageError

__all__ = ["init_project"]

_NAMES = {"gitignore": ".gitignore"}
"""Files whose name in the package isn't theirs: a real `.gitignore` would hide files of the package."""


def init_project(folder: Path) -> list[Path]:
    """Write the project and tell which files were written, relative to `folder`.

    Raises `UsageError` and writes nothing when one of them is there already, or when the folder can't be written.
    """
    template = dict(_template(files("greenroom.operations") / "template"))
    there = [str(path) for path in template if (folder / path).exists()]
    if there:
        raise UsageError(f"there already: {', '.join(there)}; choose another folder with greenroom init DIR")
    try:
        for path, content in template.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    except OSError as fault:
        raise UsageError(f"{fault.filename or folder}: {fault.strerror}") from None
    return list(template)


def _template(folder: Traversable, inside: Path = Path()) -> Iterator[tuple[Path, bytes]]:
    """Each file's path in the project, and what is in it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = inside / _NAMES.get(entry.name, entry.name)
        if entry.is_dir():
            yield from _template(entry, path)
        else:
            yield path, entry.read_bytes()
