"""A simulated person: a model plays the brief, after the script when there is one (features.md D1, B9, H4).

It opens the conversation unless the agent has greeted, answers what it sees, and ends itself. What it is asked stands
in `simulator_prompt`, what is wrong with an answer in `guards`: such an answer is asked for once more with the reason,
and then the person is at fault. It decides from the messages of both sides alone; nothing here knows of the agent's
prompt, of calls, effects or expectations.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said, words_of
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Given
from greenroom.conversation.people import Person
from greenroom.conversation.reasoning import without_reasoning
from greenroom.conversation.turns import PersonEnd, StopReason, Turn
from greenroom.conversation.usage import Role, Usage
from greenroom.conversation.visible import visible
from greenroom.documents.facts import Facts
from greenroom.documents.simulation import Brief
from greenroom.documents.suite import ScriptLine
from greenroom.errors import CaseFault, ModelFault, ModelMalformed, ScriptAtFault
from greenroom.models.calls import Unreadable, ask_structured
from greenroom.models.json_text import encoded
from greenroom.models.model import AgentSays, ChatMessage, Model, ModelRequest, OutputSchema, UserSays
from greenroom.personas.guards import Exchange, Guarded, fault_in
from greenroom.personas.persons import Next, NextEvent, Stops
from greenroom.personas.script import ScriptPersona, tap_labelled
from greenroom.personas.simulator_prompt import (
    OPENING,
    Answer,
    agent_heard,
    agent_words,
    answer_from,
    answer_schema,
    system_prompt,
)

__all__ = ["Part", "SimulatedPersona"]

_STOPS: Mapping[PersonEnd, StopReason] = {
    PersonEnd.GOAL_MET: StopReason.PERSON_DONE,
    PersonEnd.GAVE_UP: StopReason.PERSON_GAVE_UP,
    PersonEnd.NOTHING_MORE: StopReason.PERSON_DONE,
}
_SHOWN = 160
"""So many characters of a faulty answer are quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The part a model is to play in one conversation."""

    brief: Brief
    """With its templates filled in."""
    facts: Facts
    channel: Channel
    now: str
    """When the conversation begins, spelled out: the day and time that the person goes by."""
    conversation: str
    """Its id, by which scripted models count."""
    max_turns: int
    """The most turns that the person takes, script lines included."""
    line_chars: int = 1000
    person: Person | None = None
    """Whom the conversation starts with."""
    agent_name: str = ""
    script: tuple[ScriptLine, ...] = ()
    history: tuple[Given, ...] = ()


class SimulatedPersona:
    """Plays one part in one conversation."""

    def __init__(self, part: Part, model: Model) -> None:
        self._part = part
        self._model = model
        self._script = ScriptPersona(part.script)
        self._system = system_prompt(part.brief, part.person, part.channel, part.now)
        self._output = OutputSchema(name="next_message", schema=answer_schema(part.channel))
        self._guarded = Guarded(
            brief=part.brief,
            facts=part.facts,
            agent_names=frozenset({part.agent_name.casefold()} if part.agent_name else ()),
            line_chars=part.line_chars,
        )
        self._chat: list[ChatMessage] = []
        """What the model reads: the agent's words as the other side's, the person's as its own answers."""
        self._seen = 0
        self._taken = 0
        self._scripted = False
        """The last line came from the script."""
        self._end: PersonEnd | None = None
        self._usage = Usage()
        for given in part.history:
            self._recall(given)

    @property
    def usage(self) -> Mapping[Role, Usage]:
        """What the model has cost, answers that could not be used included."""
        return {Role.SIMULATOR: self._usage} if self._usage.calls else {}

    async def next(self, turns: Sequence[Turn]) -> Next:
        """The script's next line, else the model's.

        Raises:
            CaseFault: cause `simulator`, when the model could not be asked, or its second answer is at fault as well.
        """
        for turn in turns[self._seen :]:
            self._hear(turn)
        self._seen = len(turns)
        ended = turns[-1].ended if turns else None
        if ended is not None or self._end is not None:
            return Stops(reason=ended or _STOPS[self._end or PersonEnd.NOTHING_MORE])
        if self._taken >= self._part.max_turns:
            return Stops(reason=StopReason.MAX_TURNS)
        line = await self._script.next(turns)
        self._scripted = isinstance(line, NextEvent)
        if isinstance(line, NextEvent):
            self._says(Answer(say=words_of(line.event)))
            return line
        answer = await self._ask()
        self._end = answer.end
        if answer.end is not None and not answer.words:
            return Stops(reason=_STOPS[answer.end])
        self._says(answer)
        return NextEvent(event=self._event(answer, turns))

    def _event(self, answer: Answer, turns: Sequence[Turn]) -> Event:
        """What was said; a tap on what is not there is said in the words of its label."""
        tap = tap_labelled(answer.tap, turns[-1]) if answer.tap and turns else None
        return tap if tap is not None else Said(text=answer.words)

    def _says(self, answer: Answer) -> None:
        self._taken += 1
        self._guarded.person_spoke = True
        self._guarded.exchanges.append(Exchange(said=answer.words, heard="", scripted=self._scripted))
        self._chat_own(answer)

    def _chat_own(self, answer: Answer) -> None:
        if not self._chat:
            self._chat.append(UserSays(text=OPENING))
        tap: dict[str, Json] = {"tap": answer.tap} if answer.tap else {}
        end = None if answer.end is None else answer.end.value
        self._chat.append(AgentSays(text=encoded({"say": answer.say, **tap, "end": end}).decode()))

    def _hear(self, turn: Turn) -> None:
        """The agent's side of a turn; a turn without an event is its own next message, or the greeting."""
        words = agent_words(turn.messages)
        answers = turn.event is not None and turn.index > 0
        if answers and self._guarded.exchanges:
            last = self._guarded.exchanges[-1]
            self._guarded.exchanges[-1] = Exchange(said=last.said, heard=words, scripted=last.scripted)
        if words or answers:
            self._heard(words)
        self._guarded.last = turn.messages

    def _heard(self, words: str) -> None:
        self._chat.append(UserSays(text=agent_heard(words), words=words or None))
        self._guarded.agent_said.append(words)

    def _recall(self, given: Given) -> None:
        if given.person is not None:
            self._guarded.person_spoke = True
            self._chat_own(Answer(say=words_of(given.person)))
        if given.agent is not None:
            self._heard(without_reasoning(given.agent))

    async def _ask(self) -> Answer:
        request = ModelRequest(
            role=Role.SIMULATOR,
            system=self._system,
            messages=_alternating(self._chat),
            output=self._output,
            conversation=self._part.conversation,
        )
        fault, said = "", ""

        def read(given: Json) -> Answer:
            nonlocal fault, said
            fault = ""
            answer = answer_from(given)
            fault = fault_in(answer, self._guarded) or ""
            if fault:
                said = _quoted(answer)
                raise Unreadable(f"{fault}. You are the person, and play your part")
            return answer

        try:
            return (await ask_structured(self._model, request, read, self._spent)).value
        except ModelMalformed as problem:
            why = f"{fault}, after it was asked again. {said}" if fault else str(problem)
            raise _at_fault(why) from problem
        except ScriptAtFault as problem:
            raise CaseFault("test", str(problem), stopped=StopReason.TEST_ERROR) from problem
        except ModelFault as problem:
            raise _at_fault(str(problem)) from problem

    def _spent(self, usage: Usage) -> None:
        self._usage += usage


def _quoted(answer: Answer) -> str:
    """What an answer did, on one line, so that a reader can tell a false alarm from a fault."""
    line = " ".join(visible(answer.words).split())
    shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
    did = [f"{'tapped' if answer.tap else 'said'} {json.dumps(shown, ensure_ascii=False)}"] if line else []
    ended = [] if answer.end is None else [f"ended with {answer.end.value}"]
    return f"It {' and '.join(did + ended)}"


def _at_fault(why: str) -> CaseFault:
    return CaseFault("simulator", f"The simulated person was at fault: {why}", stopped=StopReason.SIMULATOR_ERROR)


def _together(one: UserSays, other: UserSays) -> UserSays:
    said = (each.text if each.words is None else each.words for each in (one, other))
    return UserSays(text=f"{one.text}\n\n{other.text}", words="\n\n".join(said))


def _alternating(chat: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """The chat as every provider takes it: it begins with the other side, and no side speaks twice in a row."""
    messages: list[ChatMessage] = []
    for message in chat or [UserSays(text=OPENING)]:
        before = messages[-1] if messages else None
        if isinstance(before, UserSays) and isinstance(message, UserSays):
            messages[-1] = _together(before, message)
        elif isinstance(before, AgentSays) and isinstance(message, AgentSays):
            messages += [UserSays(text="The agent sent no message."), message]
        else:
            messages.append(message)
    return tuple(messages)
