"""A check as a person would write it, on one line: YAML in flow style, which reads back as the same check."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from greenroom.conversation.json_values import Json
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
from greenroom.documents.matchers import is_matcher
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, Step, StepCall, StepEffect

__all__ = ["as_written", "flow", "short_flow", "step_as_written"]

_C = TypeVar("_C", bound=WrittenCheck)

# Plain scalars that no YAML reader takes for anything but text, inside braces too; all else is quoted.
_PLAIN = re.compile(r"[A-Za-z_$^(/.+][\w $^()/.+*\\@%'-]*(?<! )", re.ASCII)
_NO_TEXT = re.compile(
    r"true|false|yes|no|on|off|y|n|null|[-+.]?[\d.]?(?:inf|nan)|[-+.\d][-+._\dex]*", re.ASCII | re.IGNORECASE
)

_UNSEEN = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML takes for a line end or refuses, besides what JSON escapes."""


def flow(value: Json) -> str:
    """A JSON value as YAML in flow style."""
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and not _NO_TEXT.fullmatch(value)
        return value if plain else _UNSEEN.sub(_escaped, json.dumps(value, ensure_ascii=False))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return json.dumps(value)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


def short_flow(value: Json, *, most: int = 300) -> str:
    """`flow`, cut at so many characters."""
    text = flow(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


def as_written(check: Check) -> str:
    """The check on one line, such as `called: {tool: get_weather, at_most: 1}`."""
    return f"{check.word}: {_BODIES[type(check)](check)}"


def _called(check: Called) -> str:
    parts: dict[str, Json] = {"tool": check.tool}
    if check.with_:
        parts["with"] = check.with_
    if check.exactly is not None:
        parts["exactly"] = check.exactly
    else:
        parts.update(_range(check.at_least, check.at_most))
    parts.update({word: True for word, on in (("strict", check.strict), ("every", check.every)) if on})
    return flow(parts)


def _range(at_least: int | None, at_most: int | None) -> dict[str, Json]:
    written: dict[str, Json] = {}
    if at_least is not None:
        written["at_least"] = at_least
    if at_most is not None:
        written["at_most"] = at_most
    return written


def _not_called(check: NotCalled) -> str:
    return flow({"tool": check.tool, "with": check.with_}) if check.with_ else flow(check.tool)


def _reply(check: Reply) -> str:
    parts: dict[str, Json] = {}
    if isinstance(check.text, Mapping) and is_matcher(check.text):
        parts.update(check.text)
    elif check.text is not None:
        parts["contains" if isinstance(check.text, str) else "equals"] = check.text
    if check.shape is not None:
        parts["shape"] = check.shape.value
    if check.not_shape is not None:
        parts["shape"] = {"not": check.not_shape.value}
    if check.turn != "last":
        parts["turn"] = check.turn
    return flow(parts)


def _appointment(check: AppointmentIs) -> str:
    return flow({**check.conditions, **_count(check)})


def _count(check: AppointmentIs | EffectIs) -> dict[str, Json]:
    if check.exactly is not None:
        return {"exactly": check.exactly}
    return _range(None if check.at_least == 1 else check.at_least, check.at_most)


def _effect(check: EffectIs) -> str:
    parts: dict[str, Json] = {"kind": check.kind}
    if check.summary is not None:
        parts["summary"] = check.summary
    if check.data:
        parts["data"] = check.data
    return flow({**parts, **_count(check)})


def _state(check: StateIs) -> str:
    parts: dict[str, Json] = dict(check.holds)
    for word, part in (("created", check.created), ("deleted", check.deleted), ("unchanged", check.unchanged)):
        if part is not None:
            parts[word] = part
    return flow(parts)


def step_as_written(step: Step) -> Mapping[str, Json]:
    """A step of an order rule as the mapping it is written as."""
    match step:
        case CalledStep():
            return {"called": _step_called(step.called)}
        case EffectStep():
            return {"effect": _step_effect(step.effect)}
        case AgentStep():
            return {"agent": step.agent}
        case PersonStep():
            return {"person": step.person}


def _step_called(step: StepCall) -> Json:
    parts: dict[str, Json] = {"tool": step.tool}
    if step.with_:
        parts["with"] = step.with_
    if step.strict:
        parts["strict"] = True
    return parts if len(parts) > 1 else step.tool


def _step_effect(step: StepEffect) -> Json:
    parts: dict[str, Json] = {"kind": step.kind}
    if step.summary is not None:
        parts["summary"] = step.summary
    if step.data:
        parts["data"] = step.data
    return parts if len(parts) > 1 else step.kind


def _pair(**steps: Step) -> str:
    return flow({word: step_as_written(step) for word, step in steps.items()})


def _max(check: Max) -> str:
    figures = {"seconds": check.seconds, "tokens": check.tokens, "turns": check.turns, "tool_calls": check.tool_calls}
    return flow({word: figure for word, figure in figures.items() if figure is not None})


def _body(written: type[_C], body: Callable[[_C], str]) -> tuple[type[WrittenCheck], Callable[[Any], str]]:
    return written, body


_BODIES: Mapping[type[WrittenCheck], Callable[[Any], str]] = MappingProxyType(
    dict([
        _body(Called, _called),
        _body(NotCalled, _not_called),
        _body(NoToolCalled, lambda _: "true"),
        _body(Reply, _reply),
        _body(NeverSays, lambda check: flow(check.text)),
        _body(Mentions, lambda check: flow(check.values)),
        _body(PlaybookUsed, lambda check: flow(check.playbook)),
        _body(EndedByIs, lambda check: check.who),
        _body(StoppedBy, lambda check: flow(check.reason)),
        _body(AppointmentIs, _appointment),
        _body(PersonIs, lambda check: flow(check.fields)),
        _body(StateIs, _state),
        _body(EffectIs, _effect),
        _body(Order, lambda check: flow([step_as_written(step) for step in check.steps])),
        _body(Before, lambda check: _pair(first=check.first, then=check.then)),
        _body(NeverAfter, lambda check: _pair(after=check.after, never=check.never)),
        _body(Max, _max),
    ])
)
