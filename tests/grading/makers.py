"""Small makers of cases, turns and evidence, and a judge that answers from a list."""

import json
from collections.abc import Mapping, Sequence

from greenroom.conversation.appointments import Appointment
from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.outcomes import Given
from greenroom.conversation.people import Person
from greenroom.conversation.turns import Entry, StopReason, Turn
from greenroom.conversation.usage import Usage
from greenroom.conversation.world_state import WorldSeen
from greenroom.documents.checks import Expectation
from greenroom.documents.suite import Calibration, Case, GivenStep, Say, ScriptLine
from greenroom.grading.evidence import Evidence, TurnSeen
from greenroom.models.model import Finish, ModelAnswer, ModelRequest

TOOLS = {
    "get_weather": ToolKind.WEBHOOK,
    "get_order": ToolKind.WEBHOOK,
    "cancel_order": ToolKind.WEBHOOK,
    "hand_over": ToolKind.BUILT_IN,
    "send_message": ToolKind.BUILT_IN,
    "end_conversation": ToolKind.BUILT_IN,
}


def make_case(
    *expect: Expectation,
    script: Sequence[ScriptLine] = (),
    history: Sequence[GivenStep] = (),
    examples: Calibration | None = None,
) -> Case:
    return Case(
        id="books-a-boat",
        suite="booking",
        expect=tuple(expect),
        script=tuple(script),
        history=tuple(history),
        examples=examples or Calibration(),
    )


def line(text: str, *expect: Expectation) -> Say:
    return Say(say=text, expect=tuple(expect))


def call(
    tool: str,
    arguments: Json = None,
    *,
    answered_by: AnsweredBy = AnsweredBy.MOCK,
    result: Json = None,
    error: str | None = None,
    call_id: str = "c1",
) -> ToolCall:
    return ToolCall(
        call_id=call_id,
        tool=tool,
        arguments={} if arguments is None else arguments,
        tool_kind=ToolKind.WEBHOOK,
        answered_by=answered_by,
        result=result,
        error=error,
    )


def effect(kind: EffectKind, summary: str, **data: Json) -> Effect:
    return Effect(effect=kind, summary=summary, data=data)


def turn(index: int, person: str | None, *entries: Entry | str, playbook: str | None = None) -> Turn:
    """A turn; a plain string among the entries is a text message."""
    return Turn(
        index=index,
        event=None if person is None else Said(text=person),
        entries=tuple(text_message(entry) if isinstance(entry, str) else entry for entry in entries),
        playbook=playbook,
    )


def said(*texts: str | Message) -> tuple[Turn, ...]:
    """A conversation in which the agent answers each line of the person with one message."""
    return tuple(turn(index, f"line {index}", text) for index, text in enumerate(texts, start=1))


def evidence(
    *turns: Turn,
    stopped: StopReason = StopReason.SCRIPT_END,
    lines: Mapping[int, int] | None = None,
    channel: Channel = Channel.WEB,
    person: Person | None = None,
    person_seen: str = "",
    appointments: Sequence[Appointment] = (),
    history: Sequence[Given] = (),
    tools: Mapping[str, ToolKind] | None = None,
    playbooks: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
    digest: str = "",
    scenario: str = "",
    tokens: Mapping[int, int] | None = None,
    began: str = "",
    world: WorldSeen | None = None,
    seen_of: Mapping[int, TurnSeen] | None = None,
) -> Evidence:
    """A finished conversation; every turn from 1 on was a script line unless `lines` says otherwise."""
    return Evidence(
        channel=channel,
        turns=turns,
        stopped=stopped,
        lines={each.index: each.index for each in turns if each.index} if lines is None else lines,
        person=person,
        person_seen=person_seen,
        appointments=tuple(appointments),
        history=tuple(history),
        tools=TOOLS if tools is None else tools,
        playbooks=playbooks or {},
        forms=forms or {},
        digest=digest,
        scenario=scenario,
        tokens=tokens or {},
        began=began,
        world=world,
        seen_of=seen_of or {},
    )


def verdict(word: str = "pass", *, reason: str = "It does.", line: str = "", score: Json = None) -> dict[str, Json]:
    given: dict[str, Json] = {"reason": reason, "verdict": word, "line": line}
    return given if score is None else {**given, "score": score}


def answer(*verdicts: Mapping[str, Json]) -> str:
    return json.dumps({"verdicts": list(verdicts)})


class Judge:
    """A model on loopback of nothing: gives the listed answers one after another, and keeps what it was asked."""

    name = "script:judge"
    scripted = True

    def __init__(self, *answers: str | Exception, finish: Finish = Finish.STOP) -> None:
        self._answers = list(answers)
        self._finish = finish
        self.requests: list[ModelRequest] = []

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        if not self._answers:
            raise AssertionError("the judge must not be asked")
        given = self._answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return ModelAnswer(
            text=given, usage=Usage(input_tokens=100, output_tokens=10, calls=1), finish=self._finish, model="judge"
        )
