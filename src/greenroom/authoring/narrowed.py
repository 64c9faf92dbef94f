"""A project as far as a run has to do with it: what is worth a look in the rest of it is for `lint` to say."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from greenroom.documents.findings import Finding
from greenroom.documents.loaded import DocumentKind, LoadedProject, Source
from greenroom.documents.suite import Case, Suite
from greenroom.documents.yaml12 import Written, YamlMap

__all__ = ["narrowed_to"]


def narrowed_to(project: LoadedProject, cases: Sequence[Case], agent: str) -> LoadedProject:
    """The cases that are played, against the one agent that plays; findings of documents are those about them."""
    played: dict[str, dict[str, Case]] = {}
    for case in cases:
        played.setdefault(case.suite, {})[case.id] = case
    suites = {name: _only(project.suites[name], whole, agent) for name, whole in played.items()}
    findings = list(project.findings)
    for (kind, name), source in project.sources.items():
        if kind is DocumentKind.SUITE and name in played:
            findings = [*_about(findings, source, played[name], project.suites[name])]
        elif (kind is DocumentKind.SUITE) or (kind is DocumentKind.AGENT and name != agent):
            findings = [each for each in findings if each.file != source.file]
    return replace(project, suites=suites, findings=tuple(findings))


def _only(suite: Suite, cases: dict[str, Case], agent: str) -> Suite:
    return suite.model_copy(update={"cases": cases, "agents": (agent,)})


def _about(findings: Sequence[Finding], source: Source, played: Collection[str], suite: Suite) -> Iterator[Finding]:
    """All but those that stand in a case of the suite's file which isn't played."""
    if len(played) == len(suite.cases) or all(each.file != source.file for each in findings):
        yield from findings
        return
    marks = sorted(_marks(source.tree()))
    for each in findings:
        above = [case for line, column, case in marks if (line, column) <= (each.line, each.column)]
        if each.file != source.file or not above or not above[-1] or above[-1] in played:
            yield each


def _marks(tree: Written) -> Iterator[tuple[int, int, str]]:
    """Where each key of a suite and each of its cases begins, with the case's id."""
    for mapping, are_cases in ((tree, False), (tree.walk(["cases"]), True)):
        for key, at, _ in mapping.value.entries() if isinstance(mapping.value, YamlMap) else ():
            place = Written(None, at)
            yield place.line, place.column, key if are_cases else ""
