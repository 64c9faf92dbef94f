"""Files to documents: finds the project, reads all of it, and tells everything that is wrong at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from greenroom.documents.agent import Agent
from greenroom.documents.customer import Customer
from greenroom.documents.document_forms import AGENT, CUSTOMER, PROJECT, SUITE
from greenroom.documents.findings import Finding, Severity, errors_of, sorted_findings, warnings_of
from greenroom.documents.forms import Form
from greenroom.documents.model_forms import value_of
from greenroom.documents.parts import Doc
from greenroom.documents.project import Limits, Project
from greenroom.documents.reading import Reading, key_at, shown
from greenroom.documents.suite import Suite
from greenroom.documents.suite_forms import CaseTaker, merged
from greenroom.documents.yaml12 import Written, YamlMap, read_yaml
from greenroom.documents.zones import known_zone, unknown_zone
from greenroom.errors import DocumentsInvalid, UsageError

__all__ = [
    "PROJECT_FILE",
    "DocumentKind",
    "LoadedProject",
    "Source",
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


class DocumentKind(StrEnum):
    """The four documents; the value is the key that names one, `project` aside."""

    PROJECT = "project"
    AGENT = "agent"
    SUITE = "suite"
    CUSTOMER = "customer"


_FORMS: Mapping[DocumentKind, Form] = {
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document's file: where a finding of a later check stands. The file is read again only for that."""

    file: str
    """Relative to the project, with forward slashes."""
    path: Path

    def tree(self) -> Written:
        """The document with its places; nothing when the file has gone meanwhile."""
        try:
            data = self.path.read_bytes()
        except OSError:
            data = b""
        return read_yaml(data).root or Written(None, 0)

    def finding(self, tree: Written, path: Sequence[str | int], message: str, severity: Severity) -> Finding:
        """A finding at the value that a path leads to, or as near to it as there is something written."""
        place = _in_case(tree, path)
        return Finding(file=self.file, line=place.line, column=place.column, message=message, severity=severity)


def _in_case(tree: Written, path: Sequence[str | int]) -> Written:
    """Walks a path; what a suite's defaults give a case is found where the defaults write it."""
    if len(path) > 1 and path[0] == "cases":
        case_id, cases = str(path[1]), tree.walk(["cases"])
        own = value_of(cases, case_id)
        whole = merged(value_of(tree, "defaults"), own)._replace(at=key_at(cases, case_id))
        return whole.walk(path[2:])
    return tree.walk(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedProject:
    """A project with every document that could be read. `${NAME}` stands in them as written."""

    root: Path
    project: Project
    agents: Mapping[str, Agent]
    suites: Mapping[str, Suite]
    customers: Mapping[str, Customer]
    sources: Mapping[tuple[DocumentKind, str], Source] = field(repr=False)
    """Every document's file, by kind and id; the project's id is empty."""
    findings: tuple[Finding, ...] = ()
    """Warnings of the documents themselves, and errors that stop a run but not a look at the project:
    variables of the environment that are not set."""
    errors: tuple[Finding, ...] = ()
    """What kept documents from being read. `load_project` gives no project that has any."""
    unread: frozenset[DocumentKind] = frozenset()
    """Of which kinds there are documents that could not be read."""

    @property
    def suite_files(self) -> Mapping[str, str]:
        """Each suite's file (absolute) with the suite's id."""
        return {
            str((self.root / source.file).resolve()): name
            for (kind, name), source in self.sources.items()
            if kind is DocumentKind.SUITE
        }


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
    sources: dict[tuple[DocumentKind, str], Source] = field(default_factory=dict[tuple[DocumentKind, str], Source])
    findings: list[Finding] = field(default_factory=list[Finding])
    unfilled: list[Finding] = field(default_factory=list[Finding])

    def read(self, path: Path, kind: DocumentKind) -> Doc | None:
        """Read one file, and put its document on the shelf when there is one."""
        file = path.relative_to(self.root).as_posix()
        try:
            data = path.read_bytes()
        except OSError as error:
            self.findings.append(Finding(file=file, line=1, column=1, message=f"can't be read: {error.strerror}"))
            return None
        reading = Reading(
            file=file,
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
            self._place(document, kind, Source(file=file, path=path))
        return document

    def _place(self, document: Doc, kind: DocumentKind, source: Source) -> None:
        name = document.id if isinstance(document, (Agent, Suite, Customer)) else ""
        twin = self.sources.get((kind, name))
        if twin is not None:
            tree = source.tree()
            message = f"the {kind} {name!r} is already in {twin.file}; ids are unique"
            self.findings.append(source.finding(tree, [kind.value], message, Severity.ERROR))
            return
        self.documents[kind, name] = document
        self.sources[kind, name] = source


def load_project(root: Path, *, environment: Mapping[str, str]) -> LoadedProject:
    """Read a whole project. Raises `DocumentsInvalid` with the findings of all its files, warnings included.

    Args:
        root: The folder that holds `greenroom.yaml`.
        environment: Where `${NAME}` will be looked up later; only asked which names there are.
    """
    loaded = read_project(root, environment=environment)
    if loaded.errors:
        warnings = [finding for finding in loaded.findings if finding.severity is Severity.WARNING]
        raise DocumentsInvalid(sorted_findings((*loaded.errors, *warnings)))
    return loaded


def read_project(root: Path, *, environment: Mapping[str, str]) -> LoadedProject:
    """As much of a project as can be read, with what kept the rest from it, so that all of it can be told at once."""
    shelf = _Shelf(root, environment)
    project = shelf.read(root / PROJECT_FILE, DocumentKind.PROJECT)
    if isinstance(project, Project):
        shelf.limits, shelf.time_zone = project.limits, project.time_zone
    unread = {DocumentKind.PROJECT} if project is None else set[DocumentKind]()
    for folder, kind in _FOLDERS.items():
        for path in _files_in(root / folder):
            if shelf.read(path, kind) is None:
                unread.add(kind)
    return LoadedProject(
        root=root,
        project=project if isinstance(project, Project) else Project(),
        agents=_of_kind(shelf, Agent),
        suites=_of_kind(shelf, Suite),
        customers=_of_kind(shelf, Customer),
        sources=shelf.sources,
        findings=sorted_findings((*warnings_of(shelf.findings), *shelf.unfilled)),
        errors=errors_of(shelf.findings),
        unread=frozenset(unread),
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
    document = _FORMS[kind].read(root, reading)
    if isinstance(document, Project) and not known_zone(document.time_zone):
        reading.error(root.walk(["time_zone"]).at, unknown_zone(document.time_zone))
        return None
    if isinstance(document, Project):
        document = document.model_copy(update={"limits": document.limits.settled()})
    if isinstance(document, Agent) and "time_zone" not in document.model_fields_set and reading.time_zone != "UTC":
        # It behaves so from here on, wherever it is kept: what it says depends on the clock it goes by.
        document = document.model_copy(update={"time_zone": reading.time_zone})
    return document if isinstance(document, Doc) and not text.problems else None


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
