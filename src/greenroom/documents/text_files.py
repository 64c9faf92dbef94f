"""Files that a document names: relative to the document, inside the project, UTF-8."""

from pathlib import Path, PurePosixPath

from greenroom.documents.reading import Reading, Refused
from greenroom.documents.yaml_faults import checked_utf8
from greenroom.nearest import did_you_mean

__all__ = ["text_of_file"]


def text_of_file(named: str, at: int, reading: Reading) -> str | Refused:
    r"""The text of a file, line ends as `\n`; `REFUSED` after saying at this place why it can't be read."""
    if reading.root is None or reading.folder is None:
        return reading.error(at, f"{named!r} can't be read, for this document belongs to no project")
    if PurePosixPath(named).is_absolute() or "\\" in named or "://" in named or Path(named).is_absolute():
        return reading.error(at, f"{named!r} is not a relative path with forward slashes")
    path = (reading.folder / named).resolve()
    if not path.is_relative_to(reading.root.resolve()):
        return reading.error(at, f"{named!r} lies outside the project; only files inside it are read")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        near = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, near)
        return reading.error(at, f"there is no file {named!r} (paths are relative to {reading.file}){hint}")
    except OSError as error:
        return reading.error(at, f"{named!r} can't be read: {error.strerror}")
    utf8, problem = checked_utf8(data)
    if problem is not None:
        line, column, message = problem
        return reading.error(at, f"{named}:{line}:{column}: {message}")
    return utf8.decode().replace("\r\n", "\n").replace("\r", "\n")
