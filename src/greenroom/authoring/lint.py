"""Lint: cases against the agents they are for (features.md B3; semantics: two levels of lint).

That each document is readable was decided when it was loaded; here is what needs two of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from greenroom.authoring.case_rules import case_notes
from greenroom.authoring.clock_rules import clock_notes
from greenroom.authoring.live_test_rules import live_test_notes, past_notes
from greenroom.authoring.never_rules import unreached_turn_notes
from greenroom.authoring.notes import Note, Path, Target
from greenroom.authoring.opening_rules import opening_notes
from greenroom.authoring.scheduling_rules import scheduling_notes
from greenroom.authoring.simulation_rules import simulation_notes
from greenroom.authoring.template_rules import template_notes
from greenroom.authoring.world_rules import suite_notes, world_notes
from greenroom.documents.channels import on_channel
from greenroom.documents.findings import Finding, Severity, sorted_findings
from greenroom.documents.loaded import DocumentKind, LoadedProject
from greenroom.documents.parts import Unread, as_far_as_read
from greenroom.documents.people_values import path_fault
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case, Suite
from greenroom.nearest import did_you_mean

__all__ = ["lint"]


def lint(project: LoadedProject, *, agent: str | None = None, now: datetime | None = None) -> tuple[Finding, ...]:
    """Everything there is to say of a project, in the order of its files; errors stop a run, warnings never do.

    What could be read is looked at although other documents, or other parts of the same one, could not. Nothing is said
    of what would follow from what could not be read.

    Args:
        project: The documents.
        agent: The one agent that suites are held against, whoever else they are for; left out, those that each names,
            and where it names none the project's only agent, if it has just one.
        now: What time it is; left out, nothing is said of what was right before and is wrong by now.
    """
    limits = _limits(project)
    targets = {name: Target(document, limits=limits, now=now) for name, document in project.agents_seen.items()}
    # An agent whose id can't be read is not one that isn't there.
    all_known = not project.hides_agents
    findings = [*project.errors, *project.findings, *as_far_as_read(_too_many_tests(project))]
    findings += as_far_as_read(_segments(project)) if all_known else ()
    only = (agent,) if agent else tuple(targets) if len(targets) == 1 and all_known else ()
    for suite_id, suite in project.suites_seen.items():
        notes = [*as_far_as_read(_unknown_agents(suite, targets))] if all_known else []
        notes += as_far_as_read(_notes(suite, targets, only, whoever=agent is not None))
        if notes:
            source = project.sources[DocumentKind.SUITE, suite_id]
            tree = source.tree()
            findings += [source.finding(tree, note.path, note.message, note.severity) for note in notes]
    return sorted_findings(findings)


def _limits(project: LoadedProject) -> Limits | None:
    with suppress(Unread):
        return project.project.limits
    return None


def _notes(suite: Suite, targets: Mapping[str, Target], only: Sequence[str], *, whoever: bool) -> Iterator[Note]:
    """`only` is whom suites are for that name nobody; with `whoever` also those that do."""
    names = only if whoever else suite.agents or only
    for name in dict.fromkeys(names):
        if name in targets:
            yield from _suite_notes(suite, targets[name], named=len(names) > 1)


def _too_many_tests(project: LoadedProject) -> Iterator[Finding]:
    """More cases than the limit lets a project have (features.md B11)."""
    most = project.project.limits.tests
    count = sum(len(suite.cases) for suite in project.suites_seen.values()) + project.cases_aside
    if most is not None and count > most:
        source = project.sources[DocumentKind.PROJECT, ""]
        message = f"the project has {count} cases; the limit `tests` is {most}"
        yield source.finding(source.tree(), ("limits",), message, Severity.ERROR)


def _segments(project: LoadedProject) -> Iterator[Finding]:
    """Paths that no person has something at; declared fields are those of all agents."""
    declared = dict.fromkeys(name for document in project.agents_seen.values() for name in document.people.fields)
    faults = [
        (("segments", segment, path), fault)
        for segment, conditions in project.project.segments.items()
        for path in conditions
        if (fault := path_fault(path, declared)) is not None
    ]
    if faults:
        source = project.sources[DocumentKind.PROJECT, ""]
        tree = source.tree()
        yield from (source.finding(tree, where, fault, Severity.ERROR) for where, fault in faults)


def _unknown_agents(suite: Suite, targets: Mapping[str, Target]) -> Iterator[Note]:
    for index, name in enumerate(suite.agents):
        if name not in targets:
            near = did_you_mean(name, targets) or (f"; agents are {', '.join(targets)}" if targets else "")
            path: Path = ("agents", index)
            yield Note(path=path, message=f"there is no agent {name!r}{near}", severity=Severity.ERROR)


def _suite_notes(suite: Suite, target: Target, *, named: bool) -> Iterator[Note]:
    """The notes of all cases, with paths from the suite; of several agents, each note names its own."""
    for path, note in _all_notes(suite, target):
        message = f"{note.message} (agent {target.agent.id})" if named else note.message
        yield Note(path=(*path, *note.path), message=message, severity=note.severity)


def _all_notes(suite: Suite, target: Target) -> Iterator[tuple[Path, Note]]:
    whole = suite.model_copy(update={"cases": {key: case for key, case in suite.cases.items() if case.is_whole}})
    for rule in (suite_notes, live_test_notes):
        yield from (((), note) for note in as_far_as_read(rule(whole, target)))
    for case_id, case in suite.cases.items():
        yield from ((("cases", case_id), note) for note in as_far_as_read(_case_notes(case, target)))


def _case_notes(case: Case, target: Target) -> Iterator[Note]:
    here = on_channel(case, target.agent)
    for rule in _OF_A_CASE:
        yield from as_far_as_read(rule(here, target))


_OF_A_CASE = (
    case_notes,
    unreached_turn_notes,
    opening_notes,
    world_notes,
    clock_notes,
    past_notes,
    simulation_notes,
    scheduling_notes,
    template_notes,
)
