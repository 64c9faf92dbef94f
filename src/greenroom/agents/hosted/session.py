"""A hosted agent as a session: one conversation over the conversation service (features.md A1, D4, H8).

A turn is over when the service has served its event, so nothing can come late: what a cut turn was still doing is
stopped, and its messages stay with the turn they were sent in.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.agents.service import ConversationService, Delivered
from greenroom.agents.sessions import AgentFacts, AgentSession, Start
from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Inbound, Opened, words_of
from greenroom.conversation.outcomes import Given
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.conversation.usage import Role, Usage, add_usage
from greenroom.documents.project import Limits
from greenroom.models.model import AgentSays, ChatMessage, Model, UserSays
from greenroom.models.time_limits import Waits
from greenroom.world.ports import ConversationState, World

__all__ = ["HostedSession", "hosted_session"]


def hosted_session(
    *,
    agent: HostedAgent,
    world: World,
    model: Model,
    router: Model,
    limits: Limits,
    clock: Clock,
    waits: Waits | None = None,
) -> AgentSession:
    """A session for one conversation; `agent` is compiled once and shared, world and session are the case's own.

    `clock` is the real one: durations are measured with it. `router` is the agent's own model unless `models.router`
    is set. With `waits` the agent's time stands still while a provider's rate limit holds a model back.
    """
    service = ConversationService(
        agent, world=world, model=model, router=router, limits=limits, clock=clock, waits=waits
    )
    return HostedSession(agent, service=service, world=world, clock=clock)


class HostedSession:
    """One conversation with a hosted agent."""

    def __init__(self, agent: HostedAgent, *, service: ConversationService, world: World, clock: Clock) -> None:
        self._agent = agent
        self._service = service
        self._world = world
        self._clock = clock
        self._start = Start(conversation="", channel=Channel.WEB, identity="")
        self._events = 0
        self._usage: dict[Role, Usage] = {}
        self._records: list[TurnRecord] = []
        self._broken: Turn | None = None

    @property
    def facts(self) -> AgentFacts:
        """For the channel of this conversation, once it is open."""
        return self._agent.facts(self._start.channel)

    @property
    def usage(self) -> Mapping[Role, Usage]:
        """Spent so far by agent and router, in a turn that broke off too."""
        return self._usage

    @property
    def records(self) -> tuple[TurnRecord, ...]:
        """One for each turn so far, one that broke off included."""
        return tuple(self._records)

    @property
    def broken_turn(self) -> Turn | None:
        """What there is of the turn that broke off."""
        return self._broken

    async def open(self, start: Start) -> Turn:
        """Turn 0."""
        self._start = start
        if start.playbook is not None or start.history:
            await self._world.conversations.save(
                ConversationState(
                    conversation=start.conversation,
                    channel=start.channel,
                    identity=start.identity,
                    playbook=start.playbook,
                    messages=_as_messages(start.history),
                )
            )
        if start.opening is None:
            return await self._deliver(Opened())
        begins = ConversationState(conversation=start.conversation, channel=start.channel, identity=start.identity)
        own = start.opening
        return await self._watched(lambda turn: self._service.say(begins, own, turn))

    async def send(self, event: Event) -> Turn:
        """The next turn."""
        return await self._deliver(event)

    async def reply_to_history(self) -> Turn:
        """The agent's next message after the given history."""
        return await self._watched(lambda turn: self._service.next_message(self._start.conversation, turn))

    async def close(self) -> None:
        """Nothing is held open: conversation and person belong to the world."""

    async def _deliver(self, event: Event) -> Turn:
        self._events += 1
        inbound = Inbound(
            conversation=self._start.conversation,
            channel=self._start.channel,
            identity=self._start.identity,
            message_id=f"{self._start.conversation}#{self._events}",
            event=event,
        )
        return await self._watched(lambda turn: self._service.deliver(inbound, turn))

    async def _watched(self, serve: Callable[[TurnInProgress], Awaitable[Delivered]]) -> Turn:
        """Serve, and keep what there is of the turn whatever becomes of it."""
        turn = TurnInProgress(self._clock)
        whole = False
        try:
            delivered = await serve(turn)
            whole = True
        finally:
            self._usage = add_usage(self._usage, turn.usage())
            if turn.began and not whole:
                self._records.append(turn.record())
                self._broken = turn.turn(unfinished=True)
        self._records.append(delivered.record)
        return delivered.turn


def _as_messages(history: Sequence[Given]) -> tuple[ChatMessage, ...]:
    """What the model reads of a history: the person's words and the agent's, in order."""
    messages: list[ChatMessage] = []
    for given in history:
        if given.person is not None:
            messages.append(UserSays(text=words_of(given.person)))
        if given.agent is not None:
            messages.append(AgentSays(text=given.agent))
    return tuple(messages)
