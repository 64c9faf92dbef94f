"""Checks on tool calls (features.md E1, C10, C11; field lessons T01, T02, T05, T07, T16).

A call counts whatever was answered, also when it failed. A tool the agent does not have counts as never called.
"""

from collections.abc import Mapping
from difflib import SequenceMatcher
from types import MappingProxyType

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.documents.checks import Called, Check, NotCalled, NoToolCalled
from greenroom.documents.parts import Matcher
from greenroom.documents.steps import StepCall
from greenroom.grading.checks.counts import Bounds, times
from greenroom.grading.checks.endings import ran_in
from greenroom.grading.checks.scope import Decision, Scope, fold_name, listed
from greenroom.grading.checks.written import flow, short_flow
from greenroom.nearest import did_you_mean
from greenroom.world.matching import lookup, mismatch_found

__all__ = [
    "ACTION_LABELS",
    "PROCEDURE",
    "action_names",
    "called_instead",
    "counts_as_tool",
    "decide_called",
    "decide_no_tool_called",
    "decide_not_called",
    "fits_call",
    "forbids",
    "procedure_in",
    "shown_call",
    "why_absent",
]

_NO_TOOLS = frozenset({"send_message", "end_conversation"})
"""Built-in actions that are how an agent speaks and stops, never tools (semantics: the world)."""

ACTION_LABELS: Mapping[str, frozenset[str]] = MappingProxyType({
    "escalate to a person": frozenset({"hand_over", "transfer"}),
    "collect contact details": frozenset({"collect_contact"}),
})
"""Labels of actions, folded, to the names they are called by (documents.md: built-in actions)."""

PROCEDURE = "procedure:"
"""`Procedure: NAME` is called by a turn that runs in the playbook of that name or id."""


def counts_as_tool(call: ToolCall) -> bool:
    """Whether a call is one of a tool at all."""
    return fold_name(call.tool) not in _NO_TOOLS


def action_names(scope: Scope) -> tuple[str, ...]:
    """The tools that were called, each once, in order."""
    return tuple(dict.fromkeys(call.tool for turn in scope.turns for call in turn.calls if counts_as_tool(call)))


def decide_called(check: Called, scope: Scope) -> Decision:
    """So many calls to the tool, with such parameters."""
    bounds = Bounds.of(check)
    absent = why_absent(check.tool, scope)
    if absent:
        return Decision(passed=bounds.holds(0), detail=absent, missing=bounds.low > 0)
    calls = _calls_to(check.tool, scope)
    misfits = [_misfits(call, check.with_, strict=check.strict) for _, call in calls]
    fitting = sum(not reasons for reasons in misfits)
    missing = fitting < bounds.low
    if not bounds.holds(fitting):
        return Decision(passed=False, detail=_count_detail(check, bounds, calls, misfits, scope), missing=missing)
    if check.every and fitting < len(calls):
        number = next(index for index, reasons in enumerate(misfits) if reasons)
        turn, call = calls[number]
        return Decision(
            passed=False,
            detail=f"expected every call to be {_wanted(check)}; got in turn {turn}: {shown_call(call)}"
            f": {'; '.join(misfits[number])}",
        )
    return Decision(passed=True)


def decide_not_called(check: NotCalled, scope: Scope) -> Decision:
    """No call to the tool (with such parameters)."""
    absent = why_absent(check.tool, scope)
    if absent:
        return Decision(passed=True, detail=absent)
    for turn, call in _calls_to(check.tool, scope):
        if not _misfits(call, check.with_):
            return Decision(passed=False, detail=f"it was called in turn {turn}: {shown_call(call)}")
    return Decision(passed=True)


def decide_no_tool_called(check: NoToolCalled, scope: Scope) -> Decision:
    """No call at all but those by which an agent speaks and stops."""
    called = called_instead(scope)
    return Decision(passed=not called, detail=f"expected no tool call; got {called}" if called else "")


def forbids(check: Check, call: ToolCall) -> bool:
    """Whether a check forbids this call, which makes it the agent's failure (features.md C10)."""
    if isinstance(check, NoToolCalled):
        return counts_as_tool(call)
    if isinstance(check, NotCalled):
        return _is_call_to(check.tool, call) and not _misfits(call, check.with_)
    if isinstance(check, Called) and Bounds.of(check).high == 0:
        return _is_call_to(check.tool, call) and not _misfits(call, check.with_, strict=check.strict)
    return False


def fits_call(step: StepCall, call: ToolCall) -> bool:
    """Whether a call is the one that a step of an order rule means."""
    return _is_call_to(step.tool, call) and not _misfits(call, step.with_, strict=step.strict)


def procedure_in(tool: str) -> str | None:
    """The playbook that `Procedure: NAME` names; None for the name of a tool."""
    return _procedure(tool) if fold_name(tool).startswith(PROCEDURE) else None


def _is_call_to(tool: str, call: ToolCall) -> bool:
    wanted, called = fold_name(tool), fold_name(call.tool)
    return (called == wanted or called in ACTION_LABELS.get(wanted, ())) and called not in _NO_TOOLS


def _calls_to(tool: str, scope: Scope) -> list[tuple[int, ToolCall]]:
    """Calls to a tool with the turns they were made in."""
    if fold_name(tool).startswith(PROCEDURE):
        procedure = ToolCall(
            call_id="", tool=tool, arguments={}, tool_kind=ToolKind.BUILT_IN, answered_by=AnsweredBy.BUILT_IN
        )
        return [(turn.index, procedure) for turn in scope.turns if ran_in(_procedure(tool), turn, scope.evidence)]
    return [(turn.index, call) for turn in scope.turns for call in turn.calls if _is_call_to(tool, call)]


def _procedure(tool: str) -> str:
    return tool.split(":", 1)[1]


def why_absent(tool: str, scope: Scope) -> str:
    """Why the agent can't call this tool; empty when it can (features.md C11)."""
    wanted = fold_name(tool)
    if wanted in _NO_TOOLS:
        return f"{wanted} is how an agent speaks or stops and never counts as a tool"
    evidence = scope.evidence
    if wanted.startswith(PROCEDURE):
        known = {fold_name(name) for pair in evidence.playbooks.items() for name in pair}
        if fold_name(_procedure(tool)) in known:
            return ""
        names = [name or playbook for playbook, name in evidence.playbooks.items()]
        return f"{_procedure(tool).strip()} is not on the agent{did_you_mean(_procedure(tool).strip(), names)}"
    names = ACTION_LABELS.get(wanted, frozenset({wanted}))
    if any(fold_name(name) in names for name in evidence.tools):
        return ""
    # A call that somebody answered shows that the agent has the tool, whatever was known of it.
    if any(call.answered_by is not AnsweredBy.REFUSED for _, call in _calls_to(tool, scope)):
        return ""
    return f"{tool} is not on the agent{did_you_mean(tool, evidence.tools)}"


def _misfits(call: ToolCall, wanted: Mapping[str, Matcher], *, strict: bool = False) -> list[str]:
    """Why the call's arguments are not those wanted, a reason for each parameter; empty when they are."""
    arguments = call.arguments
    if not isinstance(arguments, Mapping):
        return [f"the arguments are no JSON object: {short_flow(arguments)}"] if wanted or strict else []
    reasons = [
        f"{path}: {why}"
        for path, matcher in wanted.items()
        if (why := mismatch_found(matcher, lookup(arguments, path))) is not None
    ]
    if strict:
        more = [name for name in arguments if not _names(name, wanted)]
        if more:
            reasons.append(f"further parameters: {', '.join(more)}")
    return reasons


def _names(parameter: str, wanted: Mapping[str, Matcher]) -> bool:
    return any(path == parameter or path.startswith(f"{parameter}.") for path in wanted)


def _count_detail(
    check: Called, bounds: Bounds, calls: list[tuple[int, ToolCall]], misfits: list[list[str]], scope: Scope
) -> str:
    expected = f"expected {_wanted(check)} {bounds}"
    fitting = [turn for (turn, _), reasons in zip(calls, misfits, strict=True) if not reasons]
    if not calls:
        instead = called_instead(scope)
        return f"{expected}; it was not called; " + (f"called were {instead}" if instead else "no tool was called")
    got = f"got {times(len(fitting))}" if fitting else "got no such call"
    where = f" (turn {listed([str(turn) for turn in fitting])})" if fitting else ""
    if len(fitting) >= bounds.low or not any(misfits):
        return f"{expected}; {got}{where}"
    nearest = min(
        (index for index, reasons in enumerate(misfits) if reasons),
        key=lambda index: (len(misfits[index]), -_likeness(check.with_, calls[index][1].arguments)),
    )
    turn, call = calls[nearest]
    return f"{expected}; {got}{where}; nearest in turn {turn}: {shown_call(call)}: {'; '.join(misfits[nearest])}"


def _likeness(wanted: Json, arguments: Json) -> float:
    return SequenceMatcher(None, short_flow(wanted), short_flow(arguments), autojunk=False).ratio()


def _wanted(check: Called) -> str:
    only = " and nothing else" if check.strict else ""
    return f"{check.tool} with {flow(check.with_)}{only}" if check.with_ or check.strict else check.tool


def shown_call(call: ToolCall) -> str:
    """A call on one line, cut when its arguments are long."""
    arguments: Json = call.arguments
    return f"{call.tool} {short_flow(arguments)}"


def called_instead(scope: Scope) -> str:
    """The calls that were made, for a sentence; empty when there were none."""
    return listed([
        f"{call.tool} (turn {turn.index})" for turn in scope.turns for call in turn.calls if counts_as_tool(call)
    ])
