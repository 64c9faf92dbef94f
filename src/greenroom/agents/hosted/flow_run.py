"""Running a flow: step after step without a model, until it asks, ends, or is left (features.md A3, A8).

What it shows and calls stands in the turn and in the chat as if a model had done it, so that one that takes over knows.
A step that can't be done goes into its `otherwise`; without one the flow is left, and the model is told why.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import cast

from greenroom.agents.hosted.calling import CUT_OFF, Answered, Caller, tell
from greenroom.agents.hosted.flow import Course, Place, answer_to, place_from, place_words
from greenroom.agents.hosted.flow_message import asked_parts, choices_of, said_parts
from greenroom.agents.hosted.flow_times import (
    appointments_to_come,
    booking_arguments,
    named_appointment,
    time_choices,
)
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.agents.hosted.render import for_channel
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.events import Event
from greenroom.conversation.flows import FlowChoice, FlowState, FlowWait
from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import escaped
from greenroom.conversation.messages import Message, Part, Text
from greenroom.conversation.people import CONSENT
from greenroom.conversation.records import FlowCame, FlowStepped
from greenroom.conversation.turns import StopReason
from greenroom.documents.answers import AnswerType, FieldAnswers, answer_of_type
from greenroom.documents.flow import (
    Booked,
    CallAsked,
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
    Moved,
    OptionsFrom,
    Question,
    TakenBack,
    branches_of,
    word_of,
)
from greenroom.documents.flow_names import APPOINTMENTS, is_person_field
from greenroom.documents.rich import written_parts
from greenroom.documents.templates import fill_named, filled_value
from greenroom.errors import PatternRefused, PatternTimeout
from greenroom.models.model import AgentSays, RequestedCall, ToolAnswer
from greenroom.patterns import off_loop
from greenroom.world.matching import first_mismatch, uses_pattern

__all__ = ["CHANGED", "FlowRun", "Went", "flow_note"]

_VALUES_CHARS = 2_000
"""What was found out is told to the model up to this length."""
CHANGED = "They were changed in the meantime and can't go on. Go on yourself."
"""The document is another one than when the flow was begun."""
_CUT = "They were cut off because they took too long, so it isn't certain which of them were done. Go on yourself."
_DONE = "They are done; don't begin them anew."
_GO_ON = "They are not done. Go on yourself."
_UNFIT = "What the person answered last is none of the answers that were expected. Go on yourself."


class Went(StrEnum):
    """How a run through a flow ended."""

    WAITS = "waits"
    """It asked, and waits for the answer."""
    ENDED = "ended"
    """The conversation is over."""
    OVER = "over"
    """It came to the end of its steps."""
    LEFT = "left"
    """The model goes on in this playbook."""
    UNFIT = "unfit"
    """What the person said fits no answer: maybe it is about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Came:
    """What came of a step."""

    how: FlowCame = FlowCame.ON
    why: str = ""
    """For the model, when the flow is left."""


_ON = _Came()
_STOPS: Mapping[FlowCame, Went] = MappingProxyType({
    FlowCame.WAITS: Went.WAITS,
    FlowCame.ENDED: Went.ENDED,
    FlowCame.LEFT: Went.LEFT,
    FlowCame.UNFIT: Went.UNFIT,
})


class FlowRun:
    """One flow within one turn. Afterwards `turn.flow` is where it stands."""

    def __init__(
        self, *, playbook: str, course: Course, caller: Caller, turn: TurnInProgress, values: Mapping[str, Json]
    ) -> None:
        self._playbook = playbook
        self._course = course
        self._caller = caller
        self._agent = caller.scene.agent
        self._turn = turn
        self._values = dict(values)
        self._person = dict(cast("Mapping[str, Json]", caller.scene.values["person"]))
        self._consent = dict(caller.scene.consent)
        self._calls = 0

    async def start(self) -> Went:
        """From its first step."""
        return await self._through(self._course.first)

    async def go_on(self, waits: FlowWait, event: Event | None) -> Went:
        """From the question that waits, with what the person did now."""
        place = place_from(waits.at)
        step = self._course.step(place)
        if not isinstance(step, FlowAsk):
            return self._stands(Went.LEFT, CHANGED)
        answer = None if event is None else answer_to(step.ask, waits, event, self._agent)
        if answer is not None:
            return await self._through(place, await self._answered(step, answer))
        if waits.asked < step.ask.tries:
            return await self._through(place, self._waits(step, replace(waits, asked=waits.asked + 1)))
        return await self._through(place, _branch(step, "otherwise") or _Came(how=FlowCame.UNFIT, why=_UNFIT))

    async def _through(self, place: Place | None, came: _Came | None = None) -> Went:
        """Step after step; `came` is what came of the first of them, when it is done already."""
        if came is None:
            self._stands(Went.LEFT, _CUT)
        while place is not None:
            step = self._course.step(place)
            if step is None:
                return self._stands(Went.LEFT, CHANGED)
            came = came or await self._do(step, place)
            self._turn.path.append(FlowStepped(at=place_words(place), step=word_of(step), came=came.how, why=came.why))
            if (went := _STOPS.get(came.how)) is not None:
                return went if went is Went.WAITS else self._stands(went, came.why)
            place = self._course.after(place) if came.how is FlowCame.ON else self._course.into(place, came.how)
            came = None
        return self._stands(Went.OVER, _DONE)

    def _stands(self, went: Went, why: str, waits: FlowWait | None = None) -> Went:
        """Keep where the flow stands now."""
        note = "" if waits is not None else flow_note(why, self._values)
        self._turn.flow = FlowState(
            playbook=self._playbook, flow=self._course.hash, values=dict(self._values), waits=waits, note=note
        )
        return went

    @property
    def _known(self) -> Mapping[str, Json]:
        """Everything that a name may stand for."""
        return {**self._caller.scene.values, "person": self._person, **self._values}

    async def _do(self, step: FlowStep, place: Place) -> _Came:
        match step:
            case FlowSay():
                self._show(said_parts(step.say, self._agent, self._known))
                return _ON
            case FlowAsk():
                return await self._ask(step, place)
            case FlowWhen():
                return await self._when(step)
            case FlowSet():
                return await self._set(step)
            case FlowEnd():
                self._turn.ended = StopReason(step.end)
                return _Came(how=FlowCame.ENDED)
            case FlowLeave():
                return _Came(how=FlowCame.LEFT, why=fill_named(step.leave, self._known) or _GO_ON)
            case _:
                return await self._act(step)

    async def _act(self, step: FlowActs) -> _Came:
        match step:
            case FlowHttp():
                return await self._call_tool(step)
            case FlowBook():
                return await self._appoint(step, Action.BOOK_APPOINTMENT, step.book)
            case FlowMove():
                return await self._appoint(step, Action.MOVE_APPOINTMENT, step.move)
            case FlowCancel():
                return await self._appoint(step, Action.CANCEL_APPOINTMENT, step.cancel)
            case FlowNotify():
                arguments = {"text": fill_named(step.notify, self._known)}
                return _went(step, await self._call(Action.NOTIFY_TEAM, arguments))
            case FlowHandOver():
                return await self._hand_over(step)

    async def _ask(self, step: FlowAsk, place: Place) -> _Came:
        """Ask for the first time."""
        choices = await self._choices(step.ask)
        if isinstance(choices, str):
            return _failed(step, choices)
        if choices is not None and not choices:
            return _branch(step, "if_none") or _failed(step, "there was nothing to choose from")
        return self._waits(step, FlowWait(at=place_words(place), choices=choices or ()))

    def _waits(self, step: FlowAsk, waiting: FlowWait) -> _Came:
        """Show the question, and wait."""
        again = waiting.asked > 1
        parts = asked_parts(step.ask, waiting.choices, self._agent, self._known, again=again)
        if not self._show(parts):
            return _failed(step, "there was nothing to ask with")
        self._stands(Went.WAITS, "", waiting)
        return _Came(how=FlowCame.WAITS)

    async def _choices(self, asked: Question) -> tuple[FlowChoice, ...] | str | None:
        """The answers that are offered; None when the answer is free, and why when none can be looked for."""
        scene = self._caller.scene
        if asked.slots is not None:
            return await time_choices(asked.slots, scene, self._known)
        of_person = isinstance(asked.options, OptionsFrom) and asked.options.from_ == APPOINTMENTS
        appointments = await appointments_to_come(scene) if of_person else ()
        return choices_of(asked, self._agent, self._known, appointments)

    async def _answered(self, step: FlowAsk, answer: Json) -> _Came:
        """Keep an answer that fits, under its name and in its field."""
        self._stands(Went.LEFT, _CUT)
        name = step.ask.as_ or step.ask.field
        if name is not None and not name.startswith(CONSENT):
            self._values[name] = answer
        return _ON if step.ask.field is None else await self._write(step, {step.ask.field: answer})

    async def _set(self, step: FlowSet) -> _Came:
        fields: dict[str, Json] = {}
        for name, written in step.set.items():
            value = filled_value(written, self._known)
            if not is_person_field(name, self._agent):
                self._values[name] = value
                continue
            kept = FieldAnswers.of(name, self._agent).of_text(value) if isinstance(value, str) else value
            if kept is None:
                return _failed(step, f"the person's {name!r} can't hold {value!r}")
            fields[name] = kept
        return await self._write(step, fields) if fields else _ON

    async def _write(self, step: FlowStep, fields: Mapping[str, Json]) -> _Came:
        consent = {name.removeprefix(CONSENT): given for name, given in fields.items() if name.startswith(CONSENT)}
        plain = {name: value for name, value in fields.items() if not name.startswith(CONSENT)}
        call = await self._call(Action.UPDATE_PERSON, {**plain, "consent": consent} if consent else plain)
        if call.error is None:
            of_person = cast("Mapping[str, Json]", self._person.get("fields") or {})
            self._person |= {**plain, "fields": {**of_person, **plain}}
            self._consent |= {kind: given is True for kind, given in consent.items()}
        return _went(step, call)

    async def _call_tool(self, step: FlowHttp) -> _Came:
        asked = step.http
        schema = self._agent.tools[asked.tool].parameters if asked.tool in self._agent.tools else {}
        call = await self._call(asked.tool, _arguments(asked, schema, self._known))
        if asked.as_ is not None:
            self._values[asked.as_] = call.result
        return _went(step, call)

    async def _appoint(self, step: FlowStep, action: Action, asked: Booked | Moved | TakenBack) -> _Came:
        call = await self._call(action, booking_arguments(asked, self._known))
        if asked.as_ is not None:
            self._values[asked.as_] = await named_appointment(call.result, self._caller.scene)
        return _went(step, call)

    async def _when(self, step: FlowWhen) -> _Came:
        known = {**self._known, "person": {**self._person, "consent": self._consent}}
        try:
            if any(uses_pattern(matcher) for matcher in step.when.values()):
                unlike = await off_loop(first_mismatch, step.when, known)
            else:
                unlike = first_mismatch(step.when, known)
        except (PatternTimeout, PatternRefused) as fault:
            return _Came(how=FlowCame.LEFT, why=_stuck(str(fault)))
        return _Came(how=FlowCame.OTHERWISE if unlike is not None else FlowCame.DO)

    async def _hand_over(self, step: FlowHandOver) -> _Came:
        """A call can be transferred; any other conversation is handed over."""
        reason, to = fill_named(step.hand_over.reason, self._known), fill_named(step.hand_over.to, self._known)
        transfers = self._caller.scene.abilities.transfers
        arguments = {"reason": reason, **({"to": to} if transfers and to else {})}
        call = await self._call(Action.TRANSFER if transfers else Action.HAND_OVER, arguments)
        return _went(step, call) if self._turn.ended is None else _Came(how=FlowCame.ENDED)

    async def _call(self, tool: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call as a model would, and be told of it as a model is."""
        self._calls += 1
        call = RequestedCall(call_id=f"flow-{self._turn.index}-{self._calls}", tool=str(tool), arguments=arguments)
        self._turn.chat.append(AgentSays(calls=(call,)))
        answered: Answered | None = None
        try:
            answered = await self._caller.call(call)
            return answered.call
        finally:
            tell(answered or self._caller.refused(call, CUT_OFF), self._turn)

    def _show(self, parts: Sequence[Part]) -> bool:
        """Show a message; whether there was anything to show."""
        if not parts:
            return False
        message = for_channel(Message(parts=tuple(parts)), self._caller.scene.abilities)
        words = [part.text for part in message.parts if isinstance(part, Text)]
        plain = len(words) == len(message.parts)
        if plain and not "".join(words).strip():
            return False
        if plain:
            self._turn.chat.append(AgentSays(text="\n\n".join(words)))
        else:
            self._calls += 1
            call_id = f"flow-{self._turn.index}-{self._calls}"
            tool, written = str(Action.SEND_MESSAGE), written_parts(message.parts)
            requested = RequestedCall(call_id=call_id, tool=tool, arguments={"parts": written})
            self._turn.chat.append(AgentSays(calls=(requested,)))
            self._turn.chat.append(ToolAnswer(call_id=call_id, tool=tool, text="sent"))
        self._turn.add(message)
        return True


def _branch(step: FlowStep, key: str) -> _Came | None:
    return _Came(how=FlowCame(key)) if key in branches_of(step) else None


def _failed(step: FlowStep, why: str) -> _Came:
    return _branch(step, "otherwise") or _Came(how=FlowCame.LEFT, why=_stuck(why))


def _went(step: FlowStep, call: ToolCall) -> _Came:
    return _ON if call.error is None else _failed(step, f"{call.tool} failed: {call.error}")


def _stuck(why: str) -> str:
    return f"They could not go on: {why}. Go on yourself."


def flow_note(why: str, values: Mapping[str, Json]) -> str:
    """What a model is told that takes over from a flow."""
    note = f"Prepared steps led this part of the conversation; what they said and did stands in it. {why}"
    if not values:
        return note
    listed = escaped(json.dumps(values, ensure_ascii=False, default=str))
    cut = listed if len(listed) <= _VALUES_CHARS else f"{listed[:_VALUES_CHARS]}…"
    return f"{note}\nWhat they found out, by name: {cut}"


def _arguments(asked: CallAsked, schema: Mapping[str, Json], values: Mapping[str, Json]) -> Mapping[str, Json]:
    """The call's parameters as their types want them; what isn't known is left out."""
    properties = schema.get("properties")
    declared: Mapping[str, Json] = properties if isinstance(properties, Mapping) else {}
    filled = {name: filled_value(value, values) for name, value in asked.with_.items()}
    return {
        name: _typed(value, declared.get(name)) for name, value in filled.items() if value is not None and value != ""
    }


def _typed(value: Json, declared: Json) -> Json:
    kind = declared.get("type") if isinstance(declared, Mapping) else None
    if isinstance(value, str) and kind in {"number", "integer", "boolean"}:
        typed = answer_of_type(value, cast("AnswerType", kind), alone=True)
        return value if typed is None else typed
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "string" and isinstance(value, Mapping) and isinstance(value.get("label"), str):
        return value["label"]
    return value
