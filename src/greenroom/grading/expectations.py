"""What a case expects, each with the turns it looks at (semantics: checks and matchers).

Expectations of the case look at the whole conversation; a script line's own look at that line's turn, and when there
is no such turn they say why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeGuard

from greenroom.conversation.turns import StopReason, Turn
from greenroom.documents.checks import (
    AppointmentIs,
    Before,
    Called,
    Check,
    Criterion,
    Expectation,
    Judged,
    NeverAfter,
    NotCalled,
    NoToolCalled,
    Order,
    PersonIs,
    Says,
    Scored,
    StateIs,
)
from greenroom.documents.steps import CalledStep
from greenroom.documents.suite import Case
from greenroom.grading.evidence import Evidence

__all__ = [
    "BROKE_OFF",
    "Expected",
    "expected_of",
    "is_check",
    "is_criterion",
    "is_tool_test",
    "lines_that_look",
    "looks_at_the_world",
]

_CRITERIA = (Judged, Scored, Says)
_OF_WHAT_IS_KEPT = (PersonIs, AppointmentIs, StateIs)
_ABOUT_CALLS = (Called, NotCalled, NoToolCalled)

BROKE_OFF: frozenset[StopReason] = frozenset({
    StopReason.REPLY_TIMEOUT,
    StopReason.RUN_TIMEOUT,
    StopReason.AGENT_ERROR,
    StopReason.SIMULATOR_ERROR,
    StopReason.PLATFORM_ERROR,
    StopReason.TEST_ERROR,
    StopReason.UNIT_LIMIT,
    StopReason.CANCELLED,
})
"""A conversation that stopped so has no end of its own, and is never judged (features.md E6)."""

_STOPPED: Mapping[StopReason, str] = MappingProxyType({
    StopReason.PERSON_DONE: "the person was done",
    StopReason.PERSON_GAVE_UP: "the person gave up",
    StopReason.SCRIPT_END: "the script ended",
    StopReason.AGENT_ENDED: "the agent ended the conversation",
    StopReason.HANDED_OVER: "handed over",
    StopReason.TRANSFERRED: "transferred",
    StopReason.RESOLVED: "resolved",
    StopReason.MAX_TURNS: "the limit on turns was reached",
    StopReason.REPLY_TIMEOUT: "the agent did not reply in time",
    StopReason.RUN_TIMEOUT: "the time for the run was over",
    StopReason.AGENT_ERROR: "the agent broke off",
    StopReason.SIMULATOR_ERROR: "the simulated person broke off",
    StopReason.PLATFORM_ERROR: "the platform broke off",
    StopReason.TEST_ERROR: "what the test prepared could not be decided",
    StopReason.UNIT_LIMIT: "the limit on units was reached",
    StopReason.CANCELLED: "cancelled",
})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One entry of `expect`, with what it looks at."""

    entry: Expectation
    line: int | None = None
    """The script line it stands under, counted from 1; None for one of the case."""
    turn: Turn | None = None
    """That line's turn."""
    unsent: str = ""
    """Why that line has no turn."""


def is_check(entry: Expectation) -> TypeGuard[Check]:
    """Whether code decides it; the judge decides the rest."""
    return not isinstance(entry, _CRITERIA)


def is_criterion(entry: Expectation) -> TypeGuard[Criterion]:
    """Whether the judge decides it."""
    return isinstance(entry, _CRITERIA)


def looks_at_the_world(case: Case) -> bool:
    """Whether a check of the case wants to know what the world held before and after the conversation."""
    return any(isinstance(entry, StateIs) for entry in case.expect)


def lines_that_look(case: Case) -> frozenset[int]:
    """The script lines, counted from 1, with a check of what was persisted around their turn."""
    return frozenset(
        number
        for number, line in enumerate(case.script, start=1)
        if any(isinstance(entry, _OF_WHAT_IS_KEPT) for entry in line.expect)
    )


def is_tool_test(case: Case) -> bool:
    """History alone and nothing expected but calls: an unanswered call is shown but does not fail such a case."""
    alone = bool(case.history) and not case.script and case.simulate is None
    return alone and all(map(_is_about_calls, case.expect))


def _is_about_calls(entry: Expectation) -> bool:
    match entry:
        case Order():
            return all(isinstance(step, CalledStep) for step in entry.steps)
        case Before():
            return isinstance(entry.first, CalledStep) and isinstance(entry.then, CalledStep)
        case NeverAfter():
            return isinstance(entry.after, CalledStep) and isinstance(entry.never, CalledStep)
        case _:
            return isinstance(entry, _ABOUT_CALLS)


def expected_of(case: Case, evidence: Evidence) -> tuple[Expected, ...]:
    """The case's own in order, then each script line's."""
    own = [Expected(entry=entry) for entry in case.expect]
    for number, line in enumerate(case.script, start=1):
        if line.expect:
            turn = _turn_of(number, evidence)
            unsent = "" if turn is not None else _why_unsent(number, evidence)
            own += [Expected(entry=entry, line=number, turn=turn, unsent=unsent) for entry in line.expect]
    return tuple(own)


def _turn_of(line: int, evidence: Evidence) -> Turn | None:
    index = evidence.lines.get(line)
    return next((turn for turn in evidence.turns if turn.index == index), None)


def _why_unsent(line: int, evidence: Evidence) -> str:
    why = _STOPPED[evidence.stopped]
    last = max(evidence.lines, default=0)
    if evidence.stopped in BROKE_OFF:
        missing = f"not answered: {why}" if line <= last + 1 else f"not sent: {why} at line {last + 1}"
    else:
        missing = f"not sent: {why} at line {last}" if last else f"not sent: {why} before line 1"
    return f"line {line} was {missing}"
