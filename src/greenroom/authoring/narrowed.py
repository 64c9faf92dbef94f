"""A project as far as a run has to do with it: what is to be said of the rest of it is for `lint` to say."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from greenroom.documents.findings import Finding
from greenroom.documents.loaded import DocumentKind, LoadedProject, Source
from greenroom.documents.parts import Unread
from greenroom.documents.suite import Case, Suite
from greenroom.documents.yaml12 import Written, YamlMap

__all__ = ["narrowed_to"]


def narrowed_to(project: LoadedProject, cases: Iterable[Case], *, files: Collection[str]) -> LoadedProject:
    """The cases that are played, in suites of nothing else; findings of documents are those about them.

    Args:
        project: The documents.
        cases: What is played, of suites that could be read.
        files: The files whose documents are needed too: of the agent, and of suites that are broken.
    """
    played: dict[str, dict[str, Case]] = {}
    for case in cases:
        played.setdefault(case.suite, {})[case.id] = case
    suites = {name: project.suites[name].model_copy(update={"cases": whole}) for name, whole in played.items()}
    homes = {name: project.sources[DocumentKind.SUITE, name] for name in played}
    needed = {*files, *(source.file for source in homes.values())}
    aside = {source.file for (kind, _), source in project.sources.items() if kind is not DocumentKind.PROJECT}
    aside = (aside | {each.file for each in project.broken}) - needed
    findings = [each for each in project.findings if each.file not in aside]
    for name, source in homes.items():
        findings = [*_about(findings, source, played[name], project.suites[name])]
    return replace(
        project,
        suites=suites,
        # An agent that is left aside is one all the same, so that whoever names it is not wrong.
        partly={
            key: document
            for key, document in project.partly.items()
            if key[0] is not DocumentKind.SUITE or project.sources[key].file in needed
        },
        findings=tuple(findings),
        errors=tuple(each for each in project.errors if each.file not in aside),
        cases_aside=_number(project.suites_seen) - _number(suites),
    )


def _number(suites: Mapping[str, Suite]) -> int:
    number = 0
    for suite in suites.values():
        with suppress(Unread):
            number += len(suite.cases)
    return number


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
