"""The conversation service: what the gateway calls after it has verified a signature, and what a case calls (A1).

There is no other way to a hosted agent, live or in a test; what differs is the world it is handed. Each event runs
through compose, route, offer, model, render and record. Events of one conversation are served in the order in which
they arrive, other conversations meanwhile; an event that arrives a second time changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.agents.hosted.render import in_words
from greenroom.agents.hosted.scene import Scene
from greenroom.agents.hosted.steering import Steering
from greenroom.agents.hosted.turn import ToolLoop
from greenroom.agents.in_order import InOrder
from greenroom.agents.opt_outs import answer_to_opt_out
from greenroom.agents.own_messages import said_message
from greenroom.clock import Clock
from greenroom.conversation.appointments import Appointment, upcoming
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.events import Event, Inbound, Opened, words_of
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.opt_outs import consent_in
from greenroom.conversation.own_messages import OwnMessage, OwnMessageKind
from greenroom.conversation.people import CONSENT, CONSENT_TO_MESSAGES, Person
from greenroom.conversation.records import Route, RouteBy, TurnRecord
from greenroom.conversation.turns import StopReason, Turn
from greenroom.documents.project import Limits
from greenroom.documents.template_values import template_values
from greenroom.documents.templates import fill
from greenroom.errors import CaseFault
from greenroom.models.model import AgentSays, Model, UserSays
from greenroom.models.time_limits import TimeLimit, Waits
from greenroom.world.ports import ConversationState, World

__all__ = ["ConversationService", "Delivered"]

_SEEN_IDS = 200
"""Message ids that a conversation remembers; a channel repeats a delivery within minutes."""
_LINE_SHOWN = 200
"""A message about a line quotes no more of it than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What came of an event."""

    turn: Turn
    record: TurnRecord
    kept: bool = False
    """The turn is kept; not that of an event that was served before, or came after the end."""
    repeated: bool = False
    """The event had been served before, or opens what is open; the turn is empty and nothing was done."""


class ConversationService:
    """Serves the conversations of one agent in one world.

    `clock` measures durations and is real; the time that the agent reads is the world's.
    """

    def __init__(
        self,
        agent: HostedAgent,
        *,
        world: World,
        model: Model,
        router: Model,
        limits: Limits,
        clock: Clock,
        waits: Waits | None = None,
    ) -> None:
        """With `waits` a turn's time stands still while a provider's rate limit holds its model back."""
        self._agent = agent
        self._world = world
        self._model = model
        self._router = router
        self._limits = limits
        self._clock = clock
        self._waits = waits
        self._order = InOrder()

    async def deliver(self, inbound: Inbound, turn: TurnInProgress | None = None) -> Delivered:
        """Serve one event; `turn` is for who wants to see it while it goes on.

        Raises `CaseFault` (see `AgentSession`), with what there was of the turn in `turn`. The event then counts as
        not served, so that the channel may deliver it again.
        """
        turn = turn or TurnInProgress(self._clock)
        async with self._order.alone(inbound.conversation):
            state = await self._world.conversations.load(inbound.conversation) or ConversationState(
                conversation=inbound.conversation, channel=inbound.channel, identity=inbound.identity
            )
            opened = isinstance(inbound.event, Opened)
            turn.begin(0 if opened else state.turns + 1, inbound.event)
            # A conversation is opened once: a window that is opened again finds it as it is.
            if inbound.message_id in state.seen or (opened and state.seen):
                return Delivered(turn=turn.turn(), record=turn.record(), repeated=True)
            state = replace(state, seen=(*state.seen[1 - _SEEN_IDS :], inbound.message_id))
            return await (self._open(state, turn) if opened else self._serve(state, turn))

    async def next_message(self, conversation: str, turn: TurnInProgress | None = None) -> Delivered:
        """The agent's next message in a conversation that is under way, whoever spoke last."""
        turn = turn or TurnInProgress(self._clock)
        async with self._order.alone(conversation):
            state = await self._world.conversations.load(conversation)
            if state is None:
                raise CaseFault(
                    "platform", f"there is no conversation {conversation!r}", stopped=StopReason.PLATFORM_ERROR
                )
            turn.begin(state.turns + 1, None)
            return await self._serve(state, turn)

    async def say(self, begins: ConversationState, own: OwnMessage, turn: TurnInProgress | None = None) -> Delivered:
        """Something that the agent says by itself; a conversation that isn't there yet begins with it.

        No model is asked. The turn has the index of the turn that it follows, for no event leads to it. In a
        conversation that has ended only a reminder is said; of anything else, and of what can't be shown on the
        channel, the turn is empty and nothing is kept.
        """
        turn = turn or TurnInProgress(self._clock)
        async with self._order.alone(begins.conversation):
            state = await self._world.conversations.load(begins.conversation) or begins
            turn.begin(state.turns, None)
            if state.ended is not None and own.kind is not OwnMessageKind.REMINDER:
                turn.ended = StopReason(state.ended)
                return Delivered(turn=turn.turn(), record=turn.record())
            person = await self._world.people.find(state.identity)
            now = self._agent.local_time(self._world.clock.now())
            values = template_values(self._agent.document, state.channel, person, now)
            message = said_message(own, values, ABILITIES[state.channel])
            if not in_words(message).strip():
                return Delivered(turn=turn.turn(), record=turn.record())
            turn.chat = [*state.messages, AgentSays(text=in_words(message))]
            if own.playbook is not None:
                turn.route = Route(playbook=own.playbook, by=RouteBy.START)
                state = replace(state, playbook=own.playbook, placed=True, flow=None)
            else:
                turn.route = Route(playbook=state.playbook, by=RouteBy.NONE, stayed=True)
            turn.add(await self._world.own_messages.say(own))
            turn.add(message)
            person_id = None if person is None else person.person_id
            return await self._kept(replace(state, person_id=person_id, messages=tuple(turn.chat)), turn)

    async def _open(self, state: ConversationState, turn: TurnInProgress) -> Delivered:
        """Greet, unless the conversation is under way already."""
        greeting = self._agent.document.greeting
        if greeting and not state.messages:
            person = await self._world.people.find(state.identity)
            now = self._agent.local_time(self._world.clock.now())
            values = template_values(self._agent.document, state.channel, person, now)
            text = fill(greeting, values)
            turn.chat.append(AgentSays(text=text))
            turn.add(text_message(text))
            state = replace(state, messages=tuple(turn.chat))
        return await self._kept(state, turn)

    async def _serve(self, state: ConversationState, turn: TurnInProgress) -> Delivered:
        """One turn, within its time; saved when it is over."""
        heeded = await self._heed_opt_out(state, turn)
        if heeded is not None:
            return heeded
        if state.ended is not None:
            turn.ended = StopReason(state.ended)
            return Delivered(turn=turn.turn(), record=turn.record())
        person = await self._person(state.identity)
        turn.chat = list(state.messages)
        if turn.event is not None:
            turn.chat.append(UserSays(text=words_of(turn.event)))
        unfinished = await self._within_time(state, person, turn)
        state = replace(
            state,
            person_id=None if person is None else person.person_id,
            playbook=turn.route.playbook,
            flow=turn.flow,
            placed=False,
            messages=tuple(turn.chat),
            turns=turn.index,
            ended=turn.ended,
        )
        return await self._kept(state, turn, unfinished=unfinished)

    async def _heed_opt_out(self, state: ConversationState, turn: TurnInProgress) -> Delivered | None:
        """Take consent to messages back, or have it given again, when that is all that was said; None otherwise.

        No model is asked, and a flow that waits goes on waiting. So it is after the end too, when the team has the
        conversation. Whoever is not on record is put there: a refusal that nobody knows of would not be heeded.
        """
        given, people = consent_in(state.channel, turn.event), self._world.people
        person = None if given is None else await people.find(state.identity)
        refused = person is not None and person.consent.get(CONSENT_TO_MESSAGES) is False
        if turn.event is None or given is None or (given and not refused):
            return None
        person = person or await people.create(state.identity)
        if given or not refused:
            written = await people.write(person.person_id, f"{CONSENT}{CONSENT_TO_MESSAGES}", given)
            person = written.person
            turn.add(written.effect)
        now = self._agent.local_time(self._world.clock.now())
        values = template_values(self._agent.document, state.channel, person, now)
        answer = fill(answer_to_opt_out(self._agent.document, given=given), values).strip()
        turn.chat = [*state.messages, UserSays(text=words_of(turn.event))]
        turn.flow, turn.route = state.flow, Route(playbook=state.playbook, by=RouteBy.NONE, stayed=True)
        if answer:
            turn.chat.append(AgentSays(text=answer))
            turn.add(text_message(answer))
        heeded = replace(state, person_id=person.person_id, messages=tuple(turn.chat), turns=turn.index)
        return await self._kept(heeded, turn)

    async def _kept(self, state: ConversationState, turn: TurnInProgress, *, unfinished: bool = False) -> Delivered:
        """What came of the turn, once it is kept together with the state that it led to."""
        delivered = Delivered(turn=turn.turn(unfinished=unfinished), record=turn.record(), kept=True)
        await self._world.conversations.save(state, delivered.turn, delivered.record)
        return delivered

    async def _within_time(self, state: ConversationState, person: Person | None, turn: TurnInProgress) -> bool:
        """Run the turn; whether it had to be cut because its time to settle was over (features.md D4)."""
        limits, told = self._limits, turn.on_message
        bound = TimeLimit(limits.reply_seconds, self._clock, self._waits, state.conversation)
        try:
            async with bound:

                def on_first_message(message: Message) -> None:
                    turn.on_message = told
                    if told is not None:
                        told(message)
                    bound.allow(limits.settle_seconds)

                turn.on_message = on_first_message
                await self._run(state, person, turn)
        except TimeoutError:
            if not bound.expired():
                raise
            if not turn.spoke:
                raise self._silent(turn.event) from None
            return True
        finally:
            turn.stood_still_s = bound.stood_still_s
        return False

    async def _run(self, state: ConversationState, person: Person | None, turn: TurnInProgress) -> None:
        agent = self._agent
        now = agent.local_time(self._world.clock.now())
        values = template_values(agent.document, state.channel, person, now)
        scene = Scene(
            agent=agent.document,
            world=self._world,
            abilities=ABILITIES[state.channel],
            knowledge=agent.knowledge,
            values=values,
            person_id=None if person is None else person.person_id,
            consent={} if person is None else person.consent,
            identity=state.identity,
        )
        steering = Steering(agent=agent, router=self._router, state=state, scene=scene, turn=turn)
        if await steering.served():
            return
        if turn.path:
            person = await self._world.people.find(state.identity) or person
        playbook = turn.route.playbook
        caller = steering.caller(playbook)
        turn.offered = caller.offer.names
        coming = await self._coming(person)
        turn.prompt = agent.layout(playbook, state.channel).prompt(person, now, values, coming) + steering.note
        loop = ToolLoop(
            model=self._model,
            choice=agent.document.model,
            caller=caller,
            tool_rounds=self._limits.tool_rounds,
            conversation=state.conversation,
        )
        await loop.run(turn)

    async def _coming(self, person: Person | None) -> Sequence[Appointment]:
        """The person's appointments that are still to come, of an agent that makes any."""
        if person is None or self._agent.document.scheduling is None:
            return ()
        return upcoming(await self._world.scheduling.of_person(person.person_id), self._world.clock.now())

    async def _person(self, identity: str) -> Person | None:
        """Whom the conversation's identity is bound to; a stranger becomes a person if the agent has it so (A5, A6)."""
        person = await self._world.people.find(identity)
        if person is None and self._agent.document.people.auto_create:
            return await self._world.people.create(identity)
        return person

    def _silent(self, event: Event | None) -> CaseFault:
        line = words_of(event) if event is not None else ""
        shown = line if len(line) <= _LINE_SHOWN else f"{line[:_LINE_SHOWN]}…"
        to = f' "{shown}"' if event is not None else ""
        return CaseFault(
            "agent",
            f"The agent did not answer{to} within {self._limits.reply_seconds:g} s (`reply_seconds`).",
            stopped=StopReason.REPLY_TIMEOUT,
        )
