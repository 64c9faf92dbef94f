"""Every check with the pure function that decides it, and the deciding of a whole case (features.md E1, C10, H1).

Nothing here waits, and nothing reads a clock or a model. A regular expression may take its half second: `has_patterns`
says when a case is to be decided away from the event loop.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CheckOutcome, CheckStatus
from greenroom.conversation.transcript import turn_text
from greenroom.conversation.turns import Turn
from greenroom.documents.checks import (
    AppointmentIs,
    Before,
    Called,
    Check,
    EffectIs,
    EndedByIs,
    Max,
    Mentions,
    NeverAfter,
    NeverSays,
    NotCalled,
    NoToolCalled,
    Order,
    PersonIs,
    PlaybookUsed,
    Reply,
    StateIs,
    StoppedBy,
    WrittenCheck,
)
from greenroom.documents.state import matchers_of_state
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, Step
from greenroom.documents.suite import Case
from greenroom.errors import GreenroomError, PatternTimeout
from greenroom.grading.checks.appointments import decide_appointment
from greenroom.grading.checks.budgets import decide_max
from greenroom.grading.checks.calls import (
    decide_called,
    decide_no_tool_called,
    decide_not_called,
    forbids,
    required_call,
)
from greenroom.grading.checks.effects import decide_effect
from greenroom.grading.checks.endings import decide_ended_by, decide_playbook, decide_stopped
from greenroom.grading.checks.order import calls_never_after, decide_before, decide_never_after, decide_order
from greenroom.grading.checks.people import decide_person
from greenroom.grading.checks.replies import decide_mentions, decide_never_says, decide_reply
from greenroom.grading.checks.scope import Decision, Scope
from greenroom.grading.checks.state import decide_state
from greenroom.grading.checks.written import as_written
from greenroom.grading.evidence import Evidence
from greenroom.grading.expectations import Expected, expected_of, is_check
from greenroom.world.matching import uses_pattern

__all__ = ["DECIDERS", "ChecksDecided", "decide", "decide_checks", "has_patterns"]

_C = TypeVar("_C", bound=WrittenCheck)
_Decider = Callable[[Any, Scope], Decision]


def _decides(written: type[_C], decider: Callable[[_C, Scope], Decision]) -> tuple[type[WrittenCheck], _Decider]:
    return written, decider


DECIDERS: Mapping[type[WrittenCheck], _Decider] = MappingProxyType(
    dict([
        _decides(Called, decide_called),
        _decides(NotCalled, decide_not_called),
        _decides(NoToolCalled, decide_no_tool_called),
        _decides(Reply, decide_reply),
        _decides(NeverSays, decide_never_says),
        _decides(Mentions, decide_mentions),
        _decides(PlaybookUsed, decide_playbook),
        _decides(EndedByIs, decide_ended_by),
        _decides(StoppedBy, decide_stopped),
        _decides(PersonIs, decide_person),
        _decides(AppointmentIs, decide_appointment),
        _decides(StateIs, decide_state),
        _decides(EffectIs, decide_effect),
        _decides(Order, decide_order),
        _decides(Before, decide_before),
        _decides(NeverAfter, decide_never_after),
        _decides(Max, decide_max),
    ])
)
"""Each written check, and who decides it."""

_READS_TEXT = (Reply, NeverSays, Mentions)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksDecided:
    """What code found in a conversation."""

    checks: tuple[CheckOutcome, ...]
    """The case's own in order, then each script line's."""
    missing: tuple[str, ...] = ()
    """Actions that `called` requires and that were not called at all, as a reason names them (features.md E3)."""
    unanswered: tuple[ToolCall, ...] = ()
    """Calls that nothing was prepared to answer, without those to tools that the case forbids (features.md C10)."""
    forbidden: tuple[ToolCall, ...] = ()
    """Those: the agent's failure, not the test's."""
    ran_away: str = ""
    """The first check whose pattern ran over its bound, and what to do; the sample is an error of the test (C12)."""


def decide_checks(case: Case, evidence: Evidence) -> tuple[CheckOutcome, ...]:
    """Every check of the case, decided; one that can't be decided is an error and the others still are (P05)."""
    return decide(case, evidence).checks


def decide(case: Case, evidence: Evidence) -> ChecksDecided:
    """Every check of the case decided, with the actions that are missing and the calls that went unanswered."""
    checks = [(each, each.entry) for each in expected_of(case, evidence) if is_check(each.entry)]
    texts = _texts(evidence.turns) if any(isinstance(check, _READS_TEXT) for _, check in checks) else {}
    whole = Scope(evidence=evidence, turns=evidence.turns, texts=texts)
    outcomes: list[CheckOutcome] = []
    missing: list[str] = []
    ran_away = ""
    scopes: list[tuple[Check, Scope]] = []
    for expected, check in checks:
        scope = _scope_of(expected, whole)
        status, decision = _unsent(expected, check) if scope is None else _decided(check, scope)
        if scope is not None:
            scopes.append((check, scope))
        ran_away = ran_away or (f"`{as_written(check)}`: {decision.detail}" if decision.ran_away else "")
        if decision.missing:
            missing.append(decision.missing)
        outcomes.append(
            CheckOutcome(
                check=as_written(check),
                status=status,
                detail=decision.detail,
                turn=None if expected.turn is None else expected.turn.index,
            )
        )
    open_calls = [(turn, call) for turn in evidence.turns for call in turn.calls if call.unanswered]
    forbidden = tuple(call for turn, call in open_calls if _is_forbidden(turn, call, scopes))
    return ChecksDecided(
        checks=tuple(outcomes),
        missing=tuple(dict.fromkeys(missing)),
        unanswered=tuple(call for _, call in open_calls if call not in forbidden),
        forbidden=forbidden,
        ran_away=ran_away,
    )


def has_patterns(case: Case) -> bool:
    """Whether a check holds a regular expression, so that deciding may take long."""
    entries = [*case.expect, *(entry for line in case.script for entry in line.expect)]
    return any(uses_pattern(matcher) for entry in entries for matcher in _matchers(entry))


def _texts(turns: Iterable[Turn]) -> dict[int, str]:
    return {turn.index: turn_text(turn) for turn in turns}


def _scope_of(expected: Expected, whole: Scope) -> Scope | None:
    if expected.line is None:
        return whole
    if expected.turn is None:
        return None
    return Scope(evidence=whole.evidence, turns=(expected.turn,), texts=whole.texts, line=expected.line)


def _unsent(expected: Expected, check: Check) -> tuple[CheckStatus, Decision]:
    required = required_call(check) if isinstance(check, Called) else ""
    return CheckStatus.FAILED, Decision(passed=False, detail=expected.unsent, missing=required)


def _decided(check: Check, scope: Scope) -> tuple[CheckStatus, Decision]:
    try:
        decision = DECIDERS[type(check)](check, scope)
    except GreenroomError as fault:
        ran_away = isinstance(fault, PatternTimeout)
        return CheckStatus.ERROR, Decision(passed=False, detail=str(fault), ran_away=ran_away)
    # The edge of a check: a fault in one must cost neither the case nor the other checks (P05, T10).
    except Exception as fault:  # noqa: BLE001
        why = f"this check could not be decided: {type(fault).__name__}: {fault}"
        return CheckStatus.ERROR, Decision(passed=False, detail=why)
    if decision.undecided:
        return CheckStatus.ERROR, decision
    return CheckStatus.PASSED if decision.passed else CheckStatus.FAILED, decision


def _is_forbidden(turn: Turn, call: ToolCall, scopes: Sequence[tuple[Check, Scope]]) -> bool:
    return any(turn in scope.turns and _forbids(check, call, scope) for check, scope in scopes)


def _forbids(check: Check, call: ToolCall, scope: Scope) -> bool:
    try:
        if isinstance(check, NeverAfter):
            return call in calls_never_after(check, scope)
        return forbids(check, call, scope.evidence)
    except GreenroomError:
        # The check itself is an error already; the call stays listed.
        return False


def _matchers(entry: WrittenCheck) -> Iterable[Json]:
    match entry:
        case Called() | NotCalled():
            return entry.with_.values()
        case Reply() | NeverSays():
            return (entry.text,)
        case PersonIs():
            return entry.fields.values()
        case AppointmentIs():
            return entry.conditions.values()
        case StateIs():
            return matchers_of_state(entry)
        case EffectIs():
            return (entry.summary, *entry.data.values())
        case Order():
            return _in_steps(*entry.steps)
        case Before():
            return _in_steps(entry.first, entry.then)
        case NeverAfter():
            return _in_steps(entry.after, entry.never)
        case _:
            return ()


def _in_steps(*steps: Step) -> Iterator[Json]:
    for step in steps:
        match step:
            case CalledStep():
                yield from step.called.with_.values()
            case EffectStep():
                yield from (step.effect.summary, *step.effect.data.values())
            case AgentStep():
                yield step.agent
            case PersonStep():
                yield step.person
