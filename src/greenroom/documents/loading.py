"""Files to documents: finds the project, reads all of it, and tells everything that is wrong at once."""

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from greenroom.documents.agent import Agent
from greenroom.documents.customer import Customer
from greenroom.documents.document_forms import AGENT, CUSTOMER, PROJECT, SUITE
from greenroom.documents.findings import Finding, Severity, errors_of, sorted_findings, warnings_of
from greenroom.documents.loaded import Broken, DocumentKind, LoadedProject, Source
from greenroom.documents.misplaced import misplaced_documents
from greenroom.documents.model_forms import ModelForm
from greenroom.documents.parts import Doc, Unread, partly_read
from greenroom.documents.project import Limits, Project
from greenroom.documents.reading import Reading, shown
from greenroom.documents.suite import Suite
from greenroom.documents.suite_forms import CaseTaker, SuiteForm
from greenroom.documents.yaml12 import Written, YamlMap, read_yaml
from greenroom.documents.zones import known_zone, unknown_zone
from greenroom.errors import DocumentsInvalid, UsageError

__all__ = [
    "PROJECT_FILE",
    "WHERE_DOCUMENTS_STAND",
    "DocumentKind",
    "LoadedProject",
    "Source",
    "document_files",
    "find_project",
    "kind_of",
    "load_document",
    "load_project",
    "load_settings",
    "read_document",
    "read_project",
]

PROJECT_FILE = "greenroom.yaml"
_SUFFIXES = frozenset({".yaml", ".yml"})


_FORMS: Mapping[DocumentKind, ModelForm | SuiteForm] = {
    DocumentKind.PROJECT: PROJECT,
    DocumentKind.AGENT: AGENT,
    DocumentKind.SUITE: SUITE,
    DocumentKind.CUSTOMER: CUSTOMER,
}
_FOLDERS: Mapping[str, DocumentKind] = {
    "agents": DocumentKind.AGENT,
    "suites": DocumentKind.SUITE,
    "customers": DocumentKind.CUSTOMER,
}


WHERE_DOCUMENTS_STAND = (
    f"documents are {PROJECT_FILE} and what stands in {', '.join(f'{each}/*.yaml' for each in _FOLDERS)}"
)


def find_project(start: Path) -> Path:
    """The nearest folder upward that holds `greenroom.yaml`. Raises `UsageError` that says what to do."""
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / PROJECT_FILE).is_file():
            return candidate
    raise UsageError(
        f"there is no {PROJECT_FILE} in {folder} or above it; "
        "go to a project, name one with --project DIR, or make one with `greenroom init`"
    )


@dataclass(slots=True)
class _Shelf:
    """What has been read so far."""

    root: Path
    environment: Mapping[str, str]
    limits: Limits = field(default_factory=Limits)
    time_zone: str = "UTC"
    documents: dict[tuple[DocumentKind, str], Doc] = field(default_factory=dict[tuple[DocumentKind, str], Doc])
    partly: dict[tuple[DocumentKind, str], Doc] = field(default_factory=dict[tuple[DocumentKind, str], Doc])
    broken: list[Broken] = field(default_factory=list[Broken])
    sources: dict[tuple[DocumentKind, str], Source] = field(default_factory=dict[tuple[DocumentKind, str], Source])
    findings: list[Finding] = field(default_factory=list[Finding])
    unfilled: list[Finding] = field(default_factory=list[Finding])

    def read(self, path: Path, kind: DocumentKind) -> Doc | None:
        """Read one file, and put its document on the shelf; give it back as far as it can be read."""
        source = Source(file=path.relative_to(self.root).as_posix(), path=path)
        try:
            data = path.read_bytes()
        except OSError as error:
            message = f"can't be read: {error.strerror}"
            self.findings.append(Finding(file=source.file, line=1, column=1, message=message))
            self.broken.append(Broken(kind=kind, file=source.file, document=None))
            return None
        reading = Reading(
            file=source.file,
            limits=self.limits,
            time_zone=self.time_zone,
            root=self.root,
            folder=path.parent,
            environment=self.environment,
        )
        document = read_document(data, kind, reading)
        self.findings += reading.findings
        self.unfilled += reading.unfilled
        if document is not None:
            if not self._place(document, kind, source, self.documents):
                self.broken.append(Broken(kind=kind, file=source.file, document=document))
            return document
        partly = reading.partly or _named(data, kind)
        self.broken.append(Broken(kind=kind, file=source.file, document=partly))
        if partly is not None and _name_of(partly, source) is not None:
            self._place(partly, kind, source, self.partly)
        return partly

    def _place(
        self, document: Doc, kind: DocumentKind, source: Source, shelf: dict[tuple[DocumentKind, str], Doc]
    ) -> bool:
        """Whether its id was free; else a finding says where it is taken."""
        name = _name_of(document, source) or ""
        twin = self.sources.get((kind, name))
        if twin is not None:
            tree = source.tree()
            message = f"the {kind} {name!r} is already in {twin.file}; ids are unique"
            self.findings.append(source.finding(tree, [kind.value], message, Severity.ERROR))
            return False
        shelf[kind, name] = document
        self.sources[kind, name] = source
        return True


def load_project(
    root: Path, *, environment: Mapping[str, str], whole: Collection[DocumentKind] = frozenset(DocumentKind)
) -> LoadedProject:
    """Read a project. Raises `DocumentsInvalid` with all findings of broken documents that must be whole.

    Args:
        root: The folder that holds `greenroom.yaml`.
        environment: Where `${NAME}` will be looked up later; only asked which names there are.
        whole: The kinds of documents that must be without errors.
    """
    loaded = read_project(root, environment=environment)
    if files := {each.file for each in loaded.broken if each.kind in whole}:
        raise DocumentsInvalid(loaded.findings_in(files))
    return loaded


def read_project(root: Path, *, environment: Mapping[str, str]) -> LoadedProject:
    """As much of a project as can be read, with what kept the rest from it, so that all of it can be told at once."""
    shelf = _Shelf(root, environment)
    project = shelf.read(root / PROJECT_FILE, DocumentKind.PROJECT)
    shelf.limits, shelf.time_zone = _settings_for_all(project)
    for kind, path in _documents_in(root):
        shelf.read(path, kind)
    misplaced = tuple(misplaced_documents(root, _FOLDERS))
    return LoadedProject(
        root=root,
        project=project if isinstance(project, Project) else Project(),
        agents=_of_kind(shelf, Agent),
        suites=_of_kind(shelf, Suite),
        customers=_of_kind(shelf, Customer),
        sources=shelf.sources,
        findings=sorted_findings((*warnings_of(shelf.findings), *shelf.unfilled, *misplaced)),
        misplaced=misplaced,
        errors=errors_of(shelf.findings),
        partly=shelf.partly,
        broken=tuple(shelf.broken),
    )


def load_settings(root: Path, *, environment: Mapping[str, str] | None = None) -> Project:
    """Read `greenroom.yaml` alone. Raises `DocumentsInvalid` with its findings.

    Args:
        root: The folder that holds it.
        environment: What every `${NAME}` in it must be set in; left out, names are not looked up.
    """
    shelf = _Shelf(root, environment or {})
    project = shelf.read(root / PROJECT_FILE, DocumentKind.PROJECT)
    unfilled = shelf.unfilled if environment is not None else []
    if errors_of(shelf.findings) or unfilled or not isinstance(project, Project):
        raise DocumentsInvalid(sorted_findings((*shelf.findings, *unfilled)))
    return project


_Kind = TypeVar("_Kind", bound=Doc)


def _of_kind(shelf: _Shelf, model: type[_Kind]) -> dict[str, _Kind]:
    return {name: document for (_, name), document in shelf.documents.items() if isinstance(document, model)}


def document_files(root: Path) -> Iterator[Path]:
    """The files that a project's documents are read from."""
    yield root / PROJECT_FILE
    yield from (path for _, path in _documents_in(root))


def _documents_in(root: Path) -> Iterator[tuple[DocumentKind, Path]]:
    for folder, kind in _FOLDERS.items():
        yield from ((kind, path) for path in _files_in(root / folder))


def _files_in(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(
            path
            for path in folder.iterdir()
            if path.suffix.lower() in _SUFFIXES and path.is_file() and not path.name.startswith(".")
        )


def read_document(data: bytes | str, kind: DocumentKind | None, reading: Reading) -> Doc | None:
    """One document's text to its value; None when there are errors, which stand in the reading.

    Without a kind, the document's first key says which it is.
    """
    taker = CaseTaker(SUITE, reading, "defaults" in data if isinstance(data, str) else b"defaults" in data)
    text = read_yaml(data, taker if kind in {DocumentKind.SUITE, None} else None)
    for problem in text.problems:
        reading.error(problem.at, problem.message)
    if text.root is None:
        return None
    root = Written(YamlMap(), 0) if text.root.value is None else text.root
    kind = kind or _kind_by_key(root)
    if not _is_of_kind(root, kind, reading):
        return None
    document, fine = _FORMS[kind].read_partly(root, reading)
    if isinstance(document, Project):
        document, fine = _settled(document, root, reading, fine=fine)
    if isinstance(document, Agent) and reading.time_zone != "UTC" and document.is_left_out("time_zone"):
        # It behaves so from here on, wherever it is kept: what it says depends on the clock it goes by.
        document = document.model_copy(update={"time_zone": reading.time_zone})
    if fine and not text.problems:
        return document
    # A key that stands twice may hold what others name; what is wrong with a case is wrong either way.
    reading.partly = None if text.problems and kind is DocumentKind.AGENT else document
    return None


def _settled(project: Project, root: Written, reading: Reading, *, fine: bool) -> tuple[Project, bool]:
    """The project with its profile's limits, and whether all is well."""
    with suppress(Unread):
        if not known_zone(project.time_zone):
            reading.error(root.walk(["time_zone"]).at, unknown_zone(project.time_zone))
            fine = False
    with suppress(Unread):
        return project.model_copy(update={"limits": project.limits.settled()}), fine
    return project, fine


def _settings_for_all(project: Doc | None) -> tuple[Limits, str]:
    """What a project says of its other documents; where that can't be read, nothing that they could break."""
    limits, zone = _NO_LIMITS, "UTC"
    if isinstance(project, Project):
        with suppress(Unread):
            limits = project.limits
        with suppress(Unread):
            zone = project.time_zone if known_zone(project.time_zone) else zone
    return limits, zone


_NO_LIMITS = Limits().model_copy(
    update={name: sys.maxsize for name, info in Limits.model_fields.items() if isinstance(info.default, int)}
)


def _name_of(document: Doc, source: Source) -> str | None:
    """Its id; of a suite whose id can't be read its file, since nobody refers to it."""
    try:
        return document.id if isinstance(document, (Agent, Suite, Customer)) else ""
    except Unread:
        return source.file if isinstance(document, Suite) else None


_ID = rb"^%s:[ \t]*[\"']?([a-z0-9]+(?:-[a-z0-9]+)*)[\"']?[ \t]*(?:#.*)?\r?$"


def _named(data: bytes, kind: DocumentKind) -> Doc | None:
    """An agent or a suite of whose document only the id can be told, so that whoever names it is not wrong."""
    model = _NAMED.get(kind)
    found = None if model is None else re.search(_ID % kind.value.encode(), data, re.MULTILINE)
    if model is None or found is None:
        return None
    return partly_read(model, {"id": found[1].decode()}, model.model_fields.keys() - {"id"})


_NAMED: Mapping[DocumentKind, type[Doc]] = {DocumentKind.AGENT: Agent, DocumentKind.SUITE: Suite}


def _kind_by_key(root: Written) -> DocumentKind:
    keys = root.value if isinstance(root.value, YamlMap) else ()
    return next((kind for kind in _FOLDERS.values() if kind.value in keys), DocumentKind.PROJECT)


def _is_of_kind(root: Written, kind: DocumentKind, reading: Reading) -> bool:
    """Whether a document is what it is taken for; else one finding in place of a dozen."""
    if not isinstance(root.value, YamlMap):
        reading.error(root.at, f"{_A[kind]} is a mapping of keys to values, not {shown(root)}")
        return False
    if kind is DocumentKind.PROJECT or kind.value in root.value:
        return True
    if not root.value:
        reading.error(root.at, f"this file is empty; {_A[kind]} begins with `{kind.value}: ID`")
        return False
    other = _kind_by_key(root)
    if other is not DocumentKind.PROJECT:
        reading.error(root.value.key_at(other.value), f"this is {_A[other]}; put it into the folder {other.value}s")
        return False
    return True


_A = {
    DocumentKind.PROJECT: "a project",
    DocumentKind.AGENT: "an agent",
    DocumentKind.SUITE: "a suite",
    DocumentKind.CUSTOMER: "a customer",
}


def kind_of(path: Path) -> DocumentKind | None:
    """What a file holds, by its name and folder; None: its first key says."""
    if path.name == PROJECT_FILE:
        return DocumentKind.PROJECT
    return _FOLDERS.get(path.parent.name)


def load_document(
    text: bytes | str,
    *,
    kind: DocumentKind | None = None,
    file: str = "document.yaml",
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Doc:
    """One document alone, from its text. Raises `DocumentsInvalid` with all findings.

    Args:
        text: The document.
        kind: What it is; left out, its first key says.
        file: How findings name it.
        limits: The project's; left out, the defaults.
        environment: What `${NAME}` is looked up in; left out, names are not looked up.
        folder: What paths in it are relative to, and must lie in; without one it names no files.
    """
    reading = Reading(file=file, limits=limits or Limits(), root=folder, folder=folder, environment=environment or {})
    document = read_document(text, kind, reading)
    unfilled = reading.unfilled if environment is not None else []
    if document is None or errors_of(reading.findings) or unfilled:
        raise DocumentsInvalid(sorted_findings((*reading.findings, *unfilled)))
    return document
