"""Documents where nobody reads them: in subfolders of the folders that hold documents."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from greenroom.documents.findings import Finding, Severity

__all__ = ["misplaced_documents"]

_KIND = re.compile(rb"^(?:\xef\xbb\xbf)?(agent|suite|customer)[ \t]*:", re.MULTILINE)
"""The key that names a document. Other YAML below the folders, such as a scripted model, is read by its name."""
_NAMES = re.compile(r"[^.].*\.ya?ml", re.IGNORECASE | re.DOTALL)
_LOOKED_AT_BYTES = 65_536


def misplaced_documents(root: Path, folders: Iterable[str]) -> Iterator[Finding]:
    """A warning for each file below a subfolder that is a document by its first key."""
    for folder in folders:
        for path in _below(root / folder):
            found = None
            with suppress(OSError), path.open("rb") as file:
                found = _KIND.search(file.read(_LOOKED_AT_BYTES))
            if found is not None:
                kind = found[1].decode()
                message = (
                    f"this file is not read: {kind}s stand in {kind}s/ itself and in no folder below; "
                    f"move it to {kind}s/{path.name}"
                )
                name = path.relative_to(root).as_posix()
                yield Finding(file=name, line=1, column=1, message=message, severity=Severity.WARNING)


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        if Path(place) != folder:
            yield from (Path(place) / name for name in sorted(files) if _NAMES.fullmatch(name))
