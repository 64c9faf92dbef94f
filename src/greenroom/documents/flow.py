"""A playbook's `flow`: steps that run as they are written, without a model (documents.md; features.md A3, A8, H14).

Steps follow one another; `when` and steps that can fail have branches, which are lists of steps again and go on after
it. There is no way back, so a flow always comes to an end. Running them is `agents.hosted`'s.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Field

from greenroom.conversation.messages import Part
from greenroom.documents.parts import Doc, Id, JsonValue, Matcher, Name, Templated
from greenroom.documents.sizes import CONFIRM_LABELS, MESSAGE_CHARS, NAME_CHARS, NOTES_CHARS

__all__ = [
    "BRANCHES",
    "STEPS",
    "Booked",
    "CallAsked",
    "Flow",
    "FlowActs",
    "FlowAsk",
    "FlowBook",
    "FlowCancel",
    "FlowEnd",
    "FlowHandOver",
    "FlowHttp",
    "FlowLeave",
    "FlowMove",
    "FlowNotify",
    "FlowOption",
    "FlowSay",
    "FlowSet",
    "FlowStep",
    "FlowWhen",
    "GivenAway",
    "Moved",
    "OptionsFrom",
    "Question",
    "Spoken",
    "TakenBack",
    "TimesAsked",
    "branches_of",
    "every_step",
    "flow_hash",
    "word_of",
]


class Spoken(Doc):
    """A message: text, a list of parts, or `{template: NAME}`."""

    parts: tuple[Part, ...] = ()
    """What is shown; texts in it may be templates."""
    template: Id | None = None
    """A prepared message of the agent's `templates`, by its name."""


class FlowOption(Doc):
    """One choice. A plain string in a document is `label`."""

    short: ClassVar[str | None] = "label"
    label: Templated = Field(min_length=1)
    """What the person reads and taps."""
    value: JsonValue = None
    """What the answer is when they choose it. Left out: the label."""


class OptionsFrom(Doc):
    """Choices that are found when the question is asked."""

    from_: Name = Field(alias="from")
    """Where they are: `appointments` are the person's that are to come; else a list in an earlier answer, by its path.

    Such a path is `answer.orders`.
    """
    label: Templated = ""
    """What is shown of each, with `{{item}}` or `{{item.title}}` for it.

    Left out: title and time of an appointment, else the item, or its label, title or name.
    """
    most: int = Field(default=10, ge=1, le=50)
    """How many are shown at most, from the first."""


class TimesAsked(Doc):
    """Which free times are offered. A plain string in a document is `day`."""

    short: ClassVar[str | None] = "day"
    day: Templated = ""
    """Those of one day, 2026-06-06. Left out: the next ones."""
    from_: Templated = Field(default="", alias="from")
    """From when on: a day, or a time such as 2026-06-06T14:00."""
    to: Templated = ""
    """The last day, or before when they begin."""
    representative: Templated = ""
    """With whom: an id of the agent's `representatives`. Left out: the person's own, or anybody who is free."""


class Question(Doc):
    """What is asked, and which answers fit.

    With `options`, `confirm` or `slots` one of them fits, tapped or written; else what the person writes, when it is of
    the type.
    """

    text: Templated = Field(default="", max_length=MESSAGE_CHARS)
    """The question. Left out: what the template shows is the question."""
    template: Id | None = None
    """A prepared message of the agent's `templates` to ask with; its options, and its chips that reply, are choices."""
    options: tuple[FlowOption, ...] | OptionsFrom | None = None
    """The choices: a list of labels or of `{label, value}`, or `{from: …}`."""
    confirm: tuple[Templated, ...] | None = Field(default=None, max_length=CONFIRM_LABELS)
    """Labels of a confirmation, such as `[Yes, No]`; the first means yes and the last no."""
    slots: TimesAsked | None = None
    """Free times to choose from: `{}` for the next ones, a day, or `{from, to, representative}`."""
    field: Name | None = None
    """A field of the person: the answer has to be one that it can hold, and is kept there."""
    type: Literal["string", "number", "integer", "boolean", "date", "email"] | None = None
    """What kind of answer fits, when it is kept in no field. Left out: any text."""
    as_: Name | None = Field(default=None, alias="as")
    """The name that later steps know the answer by. Left out: the field's name."""
    again: Templated = Field(default="", max_length=MESSAGE_CHARS)
    """What is asked after an answer that doesn't fit. Left out: the same once more."""
    tries: int = Field(default=2, ge=1, le=5)
    """How often it is asked before the flow gives up."""


class CallAsked(Doc):
    """A call to one of the agent's tools."""

    tool: Name
    """Which one."""
    with_: dict[Name, JsonValue] = Field(default_factory=dict[Name, JsonValue], alias="with")
    """Its parameters; texts in them may be templates."""
    as_: Name | None = Field(default=None, alias="as")
    """The name that later steps know the answer by."""


class GivenAway(Doc):
    """Why the conversation is given to the team. A plain string in a document is `reason`."""

    short: ClassVar[str | None] = "reason"
    reason: Templated = Field(min_length=1)
    """Why, in a few words."""
    to: Templated = ""
    """Whom a phone call is transferred to."""


class FlowSay(Doc):
    """Shows the person a message, and goes on."""

    say: Spoken
    """Text, a list of message parts, or `{template: NAME}`."""


class FlowAsk(Doc):
    """Asks the person, and waits for an answer."""

    ask: Question
    """What is asked: `{text, options, as}` and the like."""
    if_none: "Flow" = ()
    """What is done when `from` finds nothing to choose from. Left out: as `otherwise`."""
    otherwise: "Flow" = ()
    """What is done when no answer fits. Left out: the flow is left to the model."""


class FlowSet(Doc):
    """Keeps values, in fields of the person or under names of the flow."""

    set: dict[Name, JsonValue] = Field(min_length=1)
    """Values by name: a field that every person has or that the agent declares, else a name for later steps."""
    otherwise: "Flow" = ()
    """What is done when a field can't hold its value. Left out: the flow is left to the model."""


class FlowHttp(Doc):
    """Calls one of the agent's tools."""

    http: CallAsked
    """The tool: `{tool, with, as}`."""
    otherwise: "Flow" = ()
    """What is done when the call fails. Left out: the flow is left to the model."""


class FlowWhen(Doc):
    """Does something when all conditions hold."""

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({"then": "do", "else": "otherwise"})

    when: dict[Name, Matcher] = Field(min_length=1)
    """Conditions, by the path of what is looked at: `sure`, `answer.status` or `person.status`."""
    do: "Flow" = ()
    """What is done when they hold."""
    otherwise: "Flow" = ()
    """What is done when one of them doesn't."""


class Booked(Doc):
    """An appointment to be made."""

    title: Templated = Field(min_length=1, max_length=NAME_CHARS)
    """What it is for, in a few words."""
    start: Templated = Field(min_length=1)
    """When it begins: `{{slot}}` for one of the times that `slots` offered, which also says with whom, or a time."""
    representative: Templated = ""
    """With whom, when the time doesn't say it."""
    notes: Templated = Field(default="", max_length=NOTES_CHARS)
    """What whoever has the appointment should know."""
    as_: Name | None = Field(default=None, alias="as")
    """The name that later steps know the appointment by."""


class Moved(Doc):
    """Another time for an appointment."""

    appointment: Templated = ""
    """Which one, by its id: `{{booking.id}}`. Left out: the only one that is to come."""
    start: Templated = Field(min_length=1)
    """When it begins now: `{{slot}}`, or a time."""
    representative: Templated = ""
    """With whom now, when the time doesn't say it. Left out: with whom it was."""
    as_: Name | None = Field(default=None, alias="as")
    """The name that later steps know the appointment by."""


class TakenBack(Doc):
    """An appointment to be cancelled. A plain string in a document is `appointment`."""

    short: ClassVar[str | None] = "appointment"
    appointment: Templated = ""
    """Which one, by its id: `{{booking.id}}`. Left out: the only one that is to come."""
    as_: Name | None = Field(default=None, alias="as")
    """The name that later steps know the appointment by."""


class FlowBook(Doc):
    """Books an appointment."""

    book: Booked
    """What for and when: `{title, start}`."""
    otherwise: "Flow" = ()
    """What is done when the time is taken or can't be booked. Left out: the flow is left to the model."""


class FlowMove(Doc):
    """Moves an appointment of the person's."""

    move: Moved
    """Which one and to when: `{appointment, start}`."""
    otherwise: "Flow" = ()
    """What is done when the time is taken or can't be booked. Left out: the flow is left to the model."""


class FlowCancel(Doc):
    """Cancels an appointment of the person's."""

    cancel: TakenBack
    """Which one, by its id."""
    otherwise: "Flow" = ()
    """What is done when that fails. Left out: the flow is left to the model."""


class FlowNotify(Doc):
    """Tells the team."""

    notify: Templated = Field(min_length=1, max_length=MESSAGE_CHARS)
    """What the team is told."""
    otherwise: "Flow" = ()
    """What is done when that fails. Left out: the flow is left to the model."""


class FlowHandOver(Doc):
    """Gives the conversation to the team, which ends it; a phone call is transferred."""

    hand_over: GivenAway
    """Why, or `{reason, to}`."""
    otherwise: "Flow" = ()
    """What is done when that fails. Left out: the flow is left to the model."""


class FlowEnd(Doc):
    """Ends the conversation."""

    end: Literal["resolved", "agent_ended"]
    """`resolved` when the person got what they came for, else `agent_ended`."""


class FlowLeave(Doc):
    """Leaves the flow: the model goes on, and answers at once."""

    leave: Templated
    """What the model is told of it, if anything."""


FlowActs: TypeAlias = FlowHttp | FlowBook | FlowMove | FlowCancel | FlowNotify | FlowHandOver
"""Steps that reach out of the conversation, by a tool or a built-in action."""
FlowStep: TypeAlias = FlowSay | FlowAsk | FlowSet | FlowWhen | FlowEnd | FlowLeave | FlowActs

_KINDS: tuple[type[FlowStep], ...] = (
    FlowSay,
    FlowAsk,
    FlowSet,
    FlowHttp,
    FlowWhen,
    FlowBook,
    FlowMove,
    FlowCancel,
    FlowNotify,
    FlowHandOver,
    FlowEnd,
    FlowLeave,
)
STEPS: Mapping[str, type[FlowStep]] = MappingProxyType({next(iter(kind.model_fields)): kind for kind in _KINDS})
"""Every step, by the word that makes a mapping this step."""
BRANCHES = ("do", "if_none", "otherwise")
"""The keys under which a step has steps."""


def _by_their_words(stored: object) -> object:
    """Stored steps as what their word says, so that nobody tries each of them as every kind there is."""
    if not isinstance(stored, list | tuple):
        return stored
    return [_by_its_word(step) for step in cast("Sequence[object]", stored)]


def _by_its_word(stored: object) -> object:
    if not isinstance(stored, dict):
        return stored
    step = cast("dict[str, object]", stored)
    kind = next((kind for word, kind in STEPS.items() if word in step), None)
    return step if kind is None else kind.model_validate(step)


Flow: TypeAlias = Annotated[tuple[FlowStep, ...], BeforeValidator(_by_their_words)]
"""Steps, one after another."""

for _kind in _KINDS:
    _kind.model_rebuild()


def word_of(step: FlowStep) -> str:
    """The word that a step begins with."""
    return next(iter(type(step).model_fields))


def branches_of(step: FlowStep) -> Mapping[str, tuple[FlowStep, ...]]:
    """The steps in a step, by the key that they stand under; keys that are not written are not there."""
    return {key: steps for key in BRANCHES if (steps := getattr(step, key, ()))}


def every_step(
    flow: Sequence[FlowStep], path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], FlowStep]]:
    """Each step with the path to it, as they are read from top to bottom."""
    for index, step in enumerate(flow):
        here = (*path, index)
        yield here, step
        for key, steps in branches_of(step).items():
            yield from every_step(steps, (*here, key))


def flow_hash(flow: Sequence[FlowStep]) -> str:
    """What identifies the steps of a flow; what stands at its default doesn't count."""
    written = [step.model_dump(mode="json", by_alias=True, exclude_defaults=True) for step in flow]
    return sha256(json.dumps(written).encode()).hexdigest()
