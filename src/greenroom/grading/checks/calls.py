"""Checks on tool calls (features.md E1, C10, C11; field lessons T01, T02, T05, T07, T16).

A call counts whatever was answered, also when it failed. A tool the agent does not have counts as never called.
"""

from collections.abc import Mapping
from difflib import SequenceMatcher

from greenroom.conversation.actions import (
    COLLECT_DATA,
    LABELS,
    PROCEDURE,
    SPEAKING,
    Action,
    answers_to,
    label_of,
    named_by,
)
from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind, name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.checks import Called, Check, NotCalled, NoToolCalled
from greenroom.documents.parts import Matcher
from greenroom.documents.steps import StepCall
from greenroom.grading.checks.counts import Bounds, times
from greenroom.grading.checks.endings import ran_in
from greenroom.grading.checks.scope import Decision, Scope, listed
from greenroom.grading.checks.written import flow, short_flow
from greenroom.grading.evidence import Evidence
from greenroom.nearest import did_you_mean
from greenroom.world.matching import lookup, mismatch_found

__all__ = [
    "action_names",
    "called_instead",
    "counts_as_tool",
    "decide_called",
    "decide_no_tool_called",
    "decide_not_called",
    "fits_call",
    "forbids",
    "required_call",
    "shown_call",
    "why_absent",
]


def counts_as_tool(call: ToolCall) -> bool:
    """Whether a call is one of a tool at all."""
    return name_key(call.tool) not in SPEAKING


def action_names(scope: Scope) -> tuple[str, ...]:
    """What was called, each once, in order: tools and actions with the label of each, then the procedures."""
    forms, playbooks = scope.evidence.forms, scope.evidence.playbooks
    called = [_with_label(call, forms) for turn in scope.turns for call in turn.calls if counts_as_tool(call)]
    ran = [turn.playbook for turn in scope.turns if turn.playbook is not None]
    return tuple(dict.fromkeys([*called, *(f"{PROCEDURE} {playbooks.get(one) or one}" for one in ran)]))


def _with_label(call: ToolCall, forms: Mapping[str, str]) -> str:
    form = _form_of(call)
    label = label_of(call.tool) if form is None else f"{COLLECT_DATA} {forms.get(form) or form}"
    return call.tool if label is None else f"{call.tool} ({label})"


def _form_of(call: ToolCall) -> str | None:
    """The id of the form that a call submits."""
    if name_key(call.tool) != Action.SUBMIT_FORM or not isinstance(call.arguments, Mapping):
        return None
    form = call.arguments.get("form")
    return form if isinstance(form, str) else None


def decide_called(check: Called, scope: Scope) -> Decision:
    """So many calls to the tool, with such parameters."""
    bounds = Bounds.of(check)
    absent = why_absent(check.tool, scope)
    if absent:
        passed = bounds.holds(0) or check.only_limits
        return Decision(passed=passed, detail=absent, missing=required_call(check) if not passed else "")
    calls = _calls_to(check.tool, scope)
    misfits = [_misfits(check, call, strict=check.strict) for _, call in calls]
    fitting = sum(not reasons for reasons in misfits)
    missing = "" if fitting else required_call(check)
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


def required_call(check: Called) -> str:
    """The call that a check requires, as a reason names it: `get_weather with {day: Sat}`; empty when it needs none."""
    return _wanted(check) if check.least else ""


def decide_not_called(check: NotCalled, scope: Scope) -> Decision:
    """No call to the tool (with such parameters)."""
    absent = why_absent(check.tool, scope)
    if absent:
        return Decision(passed=True, detail=absent)
    for turn, call in _calls_to(check.tool, scope):
        if not _misfits(check, call):
            return Decision(passed=False, detail=f"it was called in turn {turn}: {shown_call(call)}")
    return Decision(passed=True)


def decide_no_tool_called(check: NoToolCalled, scope: Scope) -> Decision:
    """No call at all but those by which an agent speaks and stops."""
    called = called_instead(scope)
    return Decision(passed=not called, detail=f"expected no tool call; got {called}" if called else "")


def forbids(check: Check, call: ToolCall, evidence: Evidence) -> bool:
    """Whether a check forbids this call, which makes it the agent's failure (features.md C10)."""
    if isinstance(check, NoToolCalled):
        return counts_as_tool(call)
    if isinstance(check, NotCalled):
        return _is_call_to(check.tool, call, evidence) and not _misfits(check, call)
    if isinstance(check, Called) and Bounds.of(check).high == 0:
        return _is_call_to(check.tool, call, evidence) and not _misfits(check, call, strict=check.strict)
    return False


def fits_call(step: StepCall, call: ToolCall, evidence: Evidence) -> bool:
    """Whether a call is the one that a step of an order rule means."""
    return _is_call_to(step.tool, call, evidence) and not _misfits(step, call, strict=step.strict)


def _is_call_to(tool: str, call: ToolCall, evidence: Evidence) -> bool:
    wanted, called, data = name_key(tool), name_key(call.tool), named_by(tool, COLLECT_DATA)
    if data is not None:
        form = _form_of(call)
        return form is not None and answers_to(data, form, evidence.forms.get(form, ""))
    return (called == wanted or called in LABELS.get(wanted, ())) and called not in SPEAKING


def _calls_to(tool: str, scope: Scope) -> list[tuple[int, ToolCall]]:
    """Calls to a tool with the turns they were made in."""
    evidence, playbook = scope.evidence, named_by(tool, PROCEDURE)
    if playbook is not None:
        procedure = ToolCall(
            call_id="", tool=tool, arguments={}, tool_kind=ToolKind.BUILT_IN, answered_by=AnsweredBy.BUILT_IN
        )
        return [(turn.index, procedure) for turn in scope.turns if ran_in(playbook, turn, evidence)]
    return [(turn.index, call) for turn in scope.turns for call in turn.calls if _is_call_to(tool, call, evidence)]


def why_absent(tool: str, scope: Scope) -> str:
    """Why the agent can't call this tool; empty when it can (features.md C11)."""
    wanted, evidence = name_key(tool), scope.evidence
    if wanted in SPEAKING:
        return f"{wanted} is how an agent speaks or stops and never counts as a tool"
    for prefix, known in ((PROCEDURE, evidence.playbooks), (COLLECT_DATA, evidence.forms)):
        name = named_by(tool, prefix)
        if name is not None and any(answers_to(name, *pair) for pair in known.items()):
            return ""
        if name is not None:
            names = [title or key for key, title in known.items()]
            return f"{name} is not on the agent{did_you_mean(name, names)}"
    names = LABELS.get(wanted, frozenset({wanted}))
    if any(name_key(name) in names for name in evidence.tools):
        return ""
    # A call that somebody answered shows that the agent has the tool, whatever was known of it.
    if any(call.answered_by is not AnsweredBy.REFUSED for _, call in _calls_to(tool, scope)):
        return ""
    label = label_of(wanted) or ""
    instead = next((name for name in evidence.tools if name_key(name) in LABELS.get(name_key(label), ())), None)
    if instead is not None:
        near = f"; {instead} takes its place on this channel, and the label {label!r} stands for both"
    else:
        near = did_you_mean(tool, [*evidence.tools, *_labels(evidence)])
    return f"{tool} is not on the agent{near}"


def _labels(evidence: Evidence) -> list[str]:
    labels = {label for name in evidence.tools if (label := label_of(name)) is not None}
    return sorted(labels)


def _misfits(check: Called | NotCalled | StepCall, call: ToolCall, *, strict: bool = False) -> list[str]:
    """Why the call's arguments are not those wanted, a reason for each parameter; empty when they are."""
    wanted, arguments = check.with_, _parameters_of(check, call)
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


def _parameters_of(check: Called | NotCalled | StepCall, call: ToolCall) -> Json:
    """What `with` looks at: the arguments, and of `Collect data: NAME` the values of the form."""
    if named_by(check.tool, COLLECT_DATA) is not None and isinstance(call.arguments, Mapping):
        return call.arguments.get("values")
    return call.arguments


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
    forms = scope.evidence.forms
    return listed([
        f"{_with_label(call, forms)} (turn {turn.index})"
        for turn in scope.turns
        for call in turn.calls
        if counts_as_tool(call)
    ])
