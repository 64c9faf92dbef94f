"""What of the documents a run plays; only that may keep it from being played (semantics: two levels of lint)."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from greenroom.authoring.lint import lint
from greenroom.authoring.narrowed import narrowed_to
from greenroom.conversation.outcomes import FailOn, RequestedBy
from greenroom.documents.agent import Agent
from greenroom.documents.findings import errors_of
from greenroom.documents.loaded import Broken, DocumentKind, LoadedProject
from greenroom.documents.suite import Case, Suite
from greenroom.errors import (
    DocumentsInvalid,
    NotFound,
    NothingSelected,
    SelectionEmpty,
    UsageError,
)
from greenroom.operations.context import Context
from greenroom.operations.publishing import find_revision
from greenroom.operations.written import left_aside
from greenroom.running.selection import Selected, agent_for, known_agent, may_mean, select_cases
from greenroom.store.definitions import Revision

__all__ = ["Played", "RunRequest", "what_is_played"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a person asks for; None and empty: what the documents say."""

    selectors: tuple[str, ...] = ()
    agent: str | None = None
    revision: Literal["draft", "live"] | int = "draft"
    """What of the agent is played: as the files say it now, or as it is kept (semantics: revisions)."""
    model: str | None = None
    judge: str | None = None
    simulator: str | None = None
    samples: int | None = None
    failed: bool = False
    concurrency: int | None = None
    record: Path | None = None
    fail_fast: bool = False
    fail_on: FailOn = FailOn.ANY
    """Where the gate stands, kept with the run."""
    allow_empty: bool = False
    requested_by: RequestedBy = field(default_factory=lambda: RequestedBy(via="cli"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What is played, without an error in any of it."""

    written: LoadedProject
    """As the files say it now."""
    agent: Agent
    kept: Revision | None
    """None: the agent as it is written now."""
    cases: tuple[Case, ...]
    warnings: tuple[str, ...]
    """What is worth a look in it, a line each; and at most one about the rest of the project."""


async def what_is_played(context: Context, request: RunRequest) -> Played:
    """Raises `DocumentsInvalid` for errors in what is played, `NothingSelected`, `AgentUnclear`, `NotFound`."""
    written = await context.documents()
    selected = await asyncio.to_thread(_selected, written, request, context.folder)
    agent = _agent(written, selected, request)
    loaded, kept = written, None
    if request.revision != "draft":
        kept = await find_revision(context, agent, None if request.revision == "live" else request.revision)
        document = await context.store.definitions.agent(kept.hash)
        loaded = replace(written, agents={**written.agents, agent: document})
    # What is written of an agent that is played as it is kept matters only as long as it is the same.
    as_written = kept is None or loaded.agents[agent] == written.agents.get(agent)
    files = _files_of(written, agent) if as_written else set[str]()
    warnings = await asyncio.to_thread(_checked, loaded, selected, agent, files)
    return Played(
        written=written, agent=loaded.agents[agent], kept=kept, cases=selected.cases, warnings=tuple(warnings)
    )


def _checked(loaded: LoadedProject, selected: Selected, agent: str, files: Collection[str]) -> Sequence[str]:
    """Its warnings. Reads files again for the places of its findings, so it runs in a thread."""
    whole = [case for suite in selected.suites for case in suite.cases.values()]
    findings = lint(narrowed_to(loaded, whole, files=files), agent=agent)
    if errors := errors_of(findings):
        raise DocumentsInvalid((*loaded.misplaced, *errors))
    if len(whole) > len(selected.cases):
        findings = lint(narrowed_to(loaded, selected.cases, files=files), agent=agent)
    aside = left_aside({each.file for each in loaded.broken})
    return [*map(str, findings), *(f"warning: {each}" for each in aside)]


def _selected(loaded: LoadedProject, request: RunRequest, folder: Path) -> Selected:
    if request.agent is not None:
        _known(loaded, request.agent)
    suites = [each for each in loaded.broken if each.kind is DocumentKind.SUITE]
    if missed := [each for each in suites if _may_mean(loaded, each, request, folder)]:
        raise _invalid(loaded, request, folder, missed)
    try:
        return _select(loaded, request, folder)
    except NothingSelected as nothing:
        if isinstance(nothing, SelectionEmpty) and request.allow_empty:
            return Selected(cases=(), suites=())
        # What was meant may stand where it is not read, or can't be.
        meant = any(each.partition("/")[0] not in loaded.suites for each in request.selectors)
        hidden = loaded.findings_in({each.file for each in suites if meant and each.name is None})
        if not loaded.misplaced and not hidden:
            raise
        raise NothingSelected("\n".join(map(str, (nothing, *loaded.misplaced, *hidden)))) from None


def _may_mean(loaded: LoadedProject, suite: Broken, request: RunRequest, folder: Path) -> bool:
    file = (loaded.root / suite.file).resolve()
    return may_mean(request.selectors, suite, file=file, folder=folder, agent=request.agent)


def _select(loaded: LoadedProject, request: RunRequest, folder: Path) -> Selected:
    return select_cases(loaded.suites, request.selectors, files=loaded.suite_files, folder=folder, agent=request.agent)


def _invalid(loaded: LoadedProject, request: RunRequest, folder: Path, missed: Sequence[Broken]) -> DocumentsInvalid:
    """Everything that is wrong with what is asked for, at once; who plays it may not be known yet."""
    fine = tuple[Suite, ...]()
    with suppress(NothingSelected):
        fine = _select(loaded, request, folder).suites
    named = [suite.agents for suite in (*fine, *missed)] if request.agent is None else [(request.agent,)]
    agents = {name for names in named for name in names or ()} if () not in named else set(loaded.agents_seen)
    missed_files = {each.file for each in missed}
    files = missed_files.union(*(_files_of(loaded, name) for name in agents))
    cases = [case for suite in fine for case in suite.cases.values()]
    errors = errors_of(lint(narrowed_to(loaded, cases, files=files), agent=request.agent))
    told = [*loaded.misplaced, *map(str, errors)]
    if {suite.id for suite in fine} - {each.name for each in missed} and {each.file for each in errors} <= missed_files:
        these = ", ".join(sorted(missed_files))
        told.append(f"{these} may hold more of what is selected; until that is mended, name the suites to run")
    return DocumentsInvalid(told)


def _agent(loaded: LoadedProject, selected: Selected, request: RunRequest) -> str:
    """Who plays, also when what is written of them is broken. Raises `AgentUnclear`, `NotFound`, `DocumentsInvalid`."""
    if request.agent is not None:
        return request.agent
    hidden = loaded.findings_in(_hidden(loaded))
    if hidden and selected.cases and not any(suite.agents for suite in selected.suites):
        raise DocumentsInvalid(hidden)
    return agent_for(list(loaded.agents_seen), selected, None)


def _known(loaded: LoadedProject, agent: str) -> None:
    try:
        known_agent(list(loaded.agents_seen), agent)
    except NotFound as nobody:
        hidden = loaded.findings_in(_hidden(loaded))
        if not hidden:
            raise
        raise UsageError("\n".join(map(str, (nobody, *hidden)))) from None


def _hidden(loaded: LoadedProject) -> set[str]:
    """The files of agents of which not even the id can be read."""
    return {each.file for each in loaded.broken if each.kind is DocumentKind.AGENT and each.name is None}


def _files_of(loaded: LoadedProject, agent: str) -> set[str]:
    """Where an agent is written; in two files when one of them took its id."""
    own = {each.file for each in loaded.broken if each.kind is DocumentKind.AGENT and each.name == agent}
    source = loaded.sources.get((DocumentKind.AGENT, agent))
    return own if source is None else {*own, source.file}
