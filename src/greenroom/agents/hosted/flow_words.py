"""A flow in words, a line a step, for who judges the agent (features.md E4)."""

from collections.abc import Iterator, Mapping, Sequence

from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import json_bytes
from greenroom.conversation.messages import Message
from greenroom.conversation.transcript import render_message
from greenroom.documents.flow import (
    FlowActs,
    FlowAsk,
    FlowBook,
    FlowCancel,
    FlowEnd,
    FlowHandOver,
    FlowHttp,
    FlowLeave,
    FlowMove,
    FlowNotify,
    FlowSay,
    FlowSet,
    FlowStep,
    FlowWhen,
    OptionsFrom,
    Question,
    Spoken,
    branches_of,
)

__all__ = ["flow_words"]

_BRANCHES = {"do": "Then:", "if_none": "If there is nothing to choose from:", "otherwise": "Otherwise:"}


def flow_words(flow: Sequence[FlowStep], indent: str = "") -> Iterator[str]:
    """The steps, numbered, those of branches indented under theirs."""
    for number, step in enumerate(flow, start=1):
        first, *more = _words(step).split("\n")
        yield f"{indent}{number}. {first}"
        yield from (f"{indent}   {line}" for line in more)
        for key, steps in branches_of(step).items():
            yield f"{indent}   {_BRANCHES[key]}"
            yield from flow_words(steps, f"{indent}   ")


def _words(step: FlowStep) -> str:
    match step:
        case FlowSay():
            return f"Say: {_said(step.say)}"
        case FlowAsk():
            return _asked(step.ask)
        case FlowSet():
            return f"Keep {_listed(step.set)}."
        case FlowWhen():
            return f"When {_listed(step.when)}:"
        case FlowEnd():
            return "End the conversation, resolved." if step.end == "resolved" else "End the conversation."
        case FlowLeave():
            return f"Leave these steps. {step.leave}".strip()
        case _:
            return _acts(step)


def _acts(step: FlowActs) -> str:
    match step:
        case FlowHttp():
            return f"Call {step.http.tool}{f' with {_listed(step.http.with_)}' if step.http.with_ else ''}."
        case FlowBook():
            return f"Book {step.book.title} at {step.book.start}."
        case FlowMove():
            return f"Move the appointment {step.move.appointment}".rstrip() + f" to {step.move.start}."
        case FlowCancel():
            return f"Cancel the appointment {step.cancel.appointment}".rstrip() + "."
        case FlowNotify():
            return f"Tell the team: {step.notify}"
        case FlowHandOver():
            return f"Give the conversation to the team: {step.hand_over.reason}"


def _said(spoken: Spoken) -> str:
    return f"the prepared message {spoken.template}" if spoken.template else render_message(Message(parts=spoken.parts))


def _asked(asked: Question) -> str:
    words = " ".join(
        part for part in (asked.text, f"(with the prepared message {asked.template})" if asked.template else "") if part
    )
    return f"Ask: {words}{_answers(asked)}"


def _answers(asked: Question) -> str:
    if asked.slots is not None:
        return " Answers: free times."
    if isinstance(asked.options, OptionsFrom):
        return f" Answers: those in {asked.options.from_}."
    labels = asked.confirm or tuple(option.label for option in asked.options or ())
    return f" Answers: {', '.join(labels)}." if labels else ""


def _listed(values: Mapping[str, Json]) -> str:
    return ", ".join(f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in values.items())


def _json(value: Json) -> str:
    return json_bytes(value).decode()
