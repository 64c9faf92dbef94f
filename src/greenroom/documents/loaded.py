"""What was read of a project: its documents, their files, and what is wrong with them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from greenroom.documents.agent import Agent
from greenroom.documents.customer import Customer
from greenroom.documents.findings import Finding, Severity, sorted_findings, warnings_of
from greenroom.documents.model_forms import value_of
from greenroom.documents.parts import Doc, Unread
from greenroom.documents.project import Project
from greenroom.documents.reading import key_at
from greenroom.documents.suite import Suite
from greenroom.documents.suite_forms import merged
from greenroom.documents.yaml12 import Written, read_yaml

__all__ = ["Broken", "DocumentKind", "LoadedProject", "Source"]

_Kind = TypeVar("_Kind", bound=Doc)


class DocumentKind(StrEnum):
    """The four documents; the value is the key that names one, `project` aside."""

    PROJECT = "project"
    AGENT = "agent"
    SUITE = "suite"
    CUSTOMER = "customer"


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
class Broken:
    """A file with errors, as far as can be told what it is."""

    kind: DocumentKind
    file: str
    """Relative to the project, with forward slashes."""
    document: Doc | None
    """As far as it could be read."""

    @property
    def name(self) -> str | None:
        """Its id; None: it can't be told."""
        try:
            return self.document.id if isinstance(self.document, (Agent, Suite, Customer)) else None
        except Unread:
            return None

    @property
    def agents(self) -> tuple[str, ...] | None:
        """Of a suite: whom it is for, empty for everybody; None: it can't be told."""
        try:
            return self.document.agents if isinstance(self.document, Suite) else None
        except Unread:
            return None


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
    misplaced: tuple[Finding, ...] = ()
    """Warnings of documents that are not read, since they stand in a subfolder; they are among the findings too."""
    errors: tuple[Finding, ...] = ()
    """What kept documents from being read. `load_project` gives no project that has any."""
    partly: Mapping[tuple[DocumentKind, str], Doc] = field(default_factory=dict[tuple[DocumentKind, str], Doc])
    """Agents and suites with errors, as far as they could be read; the `project` is such a one itself then.

    Of the rest one gets `Unread`.
    """
    broken: tuple[Broken, ...] = ()
    """Every file that has errors."""
    cases_aside: int = 0
    """Cases that were taken out of the suites; a limit of the whole project counts them."""

    def findings_in(self, files: Collection[str]) -> tuple[Finding, ...]:
        """What keeps these files from being read, and what is worth a look in them, in their order."""
        found = (*self.errors, *warnings_of(self.findings))
        return sorted_findings(each for each in found if each.file in files)

    @property
    def hides_agents(self) -> bool:
        """Whether there are agents of which not even the id could be read."""
        return any(each.kind is DocumentKind.AGENT and each.name is None for each in self.broken)

    @property
    def agents_seen(self) -> Mapping[str, Agent]:
        """Every agent, those with errors too."""
        return {**self._partly_of(Agent), **self.agents}

    @property
    def suites_seen(self) -> Mapping[str, Suite]:
        """Every suite, those with errors too."""
        return {**self._partly_of(Suite), **self.suites}

    def _partly_of(self, model: type[_Kind]) -> dict[str, _Kind]:
        return {name: document for (_, name), document in self.partly.items() if isinstance(document, model)}

    @property
    def suite_files(self) -> Mapping[str, str]:
        """The file (absolute) of each suite that could be read with the suite's id."""
        return {
            str((self.root / source.file).resolve()): name
            for (kind, name), source in self.sources.items()
            if kind is DocumentKind.SUITE and name in self.suites
        }
