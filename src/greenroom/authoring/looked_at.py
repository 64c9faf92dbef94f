"""Which findings are meant by the files and folders that somebody names."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from greenroom.authoring.model_rules import script_files
from greenroom.documents.findings import Finding
from greenroom.documents.loaded import LoadedProject
from greenroom.documents.loading import WHERE_DOCUMENTS_STAND, document_files
from greenroom.errors import UsageError
from greenroom.nearest import nearest

__all__ = ["findings_about"]


def findings_about(
    project: LoadedProject, findings: Iterable[Finding], paths: Sequence[str], folder: Path
) -> tuple[Finding, ...]:
    """Those about the files that `paths` name, or that stand in the folders they name.

    Args:
        project: The documents.
        findings: All there is to say of them.
        paths: As somebody writes them.
        folder: Where relative ones begin.

    Raises:
        UsageError: One names nothing, or no document of the project: silence about it would read as praise.
    """
    listed = [*document_files(project.root), *script_files(project)]
    known = {path.resolve(): path for path in listed}
    wanted = [_wanted(written, known, folder) for written in paths]
    return tuple(f for f in findings if any((project.root / f.file).resolve().is_relative_to(path) for path in wanted))


def _wanted(written: str, known: Mapping[Path, Path], folder: Path) -> Path:
    path = (folder / written).resolve()
    if any(each.is_relative_to(path) for each in known):
        return path
    if path.is_dir():
        raise UsageError(f"{written!r} holds no document of this project; {WHERE_DOCUMENTS_STAND}")
    if path.exists():
        raise UsageError(f"{written!r} is no document of this project; {WHERE_DOCUMENTS_STAND}")
    names = {_as_written(each, folder): each.stem for each in known}
    by_stem = next((name for name, stem in names.items() if stem == Path(written).name), None)
    near = by_stem or nearest(written, names)
    raise UsageError(
        f"there is no file {written!r}" + (f"; did you mean {near!r}?" if near else f"; {WHERE_DOCUMENTS_STAND}")
    )


def _as_written(path: Path, folder: Path) -> str:
    """A path as it would be typed in the folder."""
    here = folder.resolve()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)
