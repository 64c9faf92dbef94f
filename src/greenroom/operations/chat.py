"""Talking to an agent by hand, in the sandbox or live (interfaces: chat; features.md A9)."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.session import hosted_session
from greenroom.agents.own_messages import outreach_message
from greenroom.agents.sessions import AgentSession, Start
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said
from greenroom.conversation.own_messages import OwnMessage
from greenroom.conversation.people import Person
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.summaries import ErrandSummary
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.channels import settled_channel
from greenroom.documents.people_changes import change_faults, changed_person, changes_written
from greenroom.documents.suite import Case, CaseWorld
from greenroom.errors import NothingToTap, UsageError
from greenroom.models.opening import Models
from greenroom.operations.context import Context
from greenroom.operations.leaving import LiveErrands
from greenroom.operations.live_turns import world_of_turn
from greenroom.operations.narrowing import among
from greenroom.operations.real_calls import RealCalls, real_calls
from greenroom.operations.sandboxes import kept_sandbox, outside_of
from greenroom.operations.written import WrittenAgent, written_agent
from greenroom.personas.script import labels_shown, tap_labelled
from greenroom.store.partition import Partition
from greenroom.store.times import stamp
from greenroom.world.ports import ConversationState, World
from greenroom.world.sandbox.world import sandbox_world

__all__ = ["Chat", "ChatRequest", "open_chat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What a person asks for."""

    agent: str
    channel: Channel = Channel.WEB
    live: bool = False
    model: str | None = None
    person: tuple[str, ...] = ()
    """What is known of whoever speaks, `FIELD=VALUE` each, in the sandbox only; left out, they are a stranger."""
    outreach: str | None = None
    """Which of the agent's outreaches opens it, in place of the greeting; in the sandbox only."""


class Chat:
    """An open conversation; each call gives the turn it made."""

    def __init__(self, session: AgentSession, opening: Turn, agent: WrittenAgent, live: LiveErrands | None) -> None:
        self.agent = agent.document.id
        """The agent's id."""
        self.warnings = agent.warnings
        """What of the project is broken, while this agent isn't."""
        self._session = session
        self._live = live
        self.opening = opening
        self._last = opening

    @property
    def broken_turn(self) -> Turn | None:
        """What there is of a turn that broke off."""
        return self._session.broken_turn

    @property
    def records(self) -> tuple[TurnRecord, ...]:
        """The turn records so far."""
        return self._session.records

    async def say(self, text: str) -> Turn:
        r"""The person's words; a label in brackets, `[North]` or `[tap: North]`, taps what the agent offers under it.

        `\[` begins words that only look like a tap. Raises `NothingToTap` before anything is sent, and `CaseFault`.
        """
        event = _event(text, self._last)
        if self._live is not None:
            self._live.begin()
        turn = await self._session.send(event)
        self._last = turn if turn.messages else self._last
        return turn

    async def errands(self) -> Sequence[ErrandSummary]:
        """Try once what left with the turns so far and is due, and say what came of it.

        Only what has changed since the last time; empty in the sandbox, where nothing leaves.
        """
        return () if self._live is None else await self._live.do()

    async def errands_waiting(self) -> int:
        """How many of them could not be done yet."""
        return 0 if self._live is None else await self._live.waiting()


def _event(text: str, shown: Turn) -> Event:
    if text.startswith("\\["):
        return Said(text=text[1:])
    if not (text.startswith("[") and text.endswith("]")):
        return Said(text=text)
    written = text[1:-1].strip()
    label = written[len(_TAP) :].strip() if written.casefold().startswith(_TAP) else written
    tapped = tap_labelled(written, shown) or tap_labelled(label, shown)
    if tapped is None:
        raise NothingToTap(label, labels_shown(shown))
    return tapped


_TAP = "tap:"
"""Stands before the label where a transcript writes a tap."""


@asynccontextmanager
async def open_chat(context: Context, request: ChatRequest) -> AsyncGenerator[Chat]:
    """Open the conversation and close it. Raises `NotFound`, `ModelSpecInvalid`, and `CaseFault` from each turn."""
    written = await written_agent(context, request.agent)
    agent = written.document
    if request.model is not None:
        agent = agent.model_copy(update={"model": agent.model.model_copy(update={"name": request.model})})
    own, person = _opening(agent, request), _person(context, agent, request)
    request = replace(request, channel=settled_channel(request.channel, agent))
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(Models(context.root, context.environment, context.clock))
        calls = await stack.enter_async_context(real_calls())
        conversation = context.clock.new_id("chat")
        live = (
            LiveErrands(context, agent, conversation, identity=f"chat:{conversation}", calls=calls)
            if request.live
            else None
        )
        world = await stack.enter_async_context(
            _world(context, agent, request, conversation, calls, person=person, errands=live)
        )
        router = context.project.models.router or agent.model
        session = hosted_session(
            agent=HostedAgent(agent),
            world=world,
            model=await models.open(agent.model),
            router=await models.open(router),
            limits=context.project.limits,
            clock=context.clock,
        )
        stack.push_async_callback(session.close)
        opening = await session.open(
            Start(conversation=conversation, channel=request.channel, identity=f"chat:{conversation}", opening=own)
        )
        yield Chat(session, opening, written, live)


def _opening(agent: Agent, request: ChatRequest) -> OwnMessage | None:
    """What the agent begins with by itself. Raises `NotFound`, and `UsageError` where it would be the tick's to do."""
    if request.outreach is None:
        return None
    if request.live:
        raise UsageError("--outreach opens a chat in the sandbox; live, they are begun on the tick (`greenroom tick`)")
    return outreach_message(agent, among("outreach", request.outreach, agent.outreach))


def _person(context: Context, agent: Agent, request: ChatRequest) -> Person | None:
    """Who speaks, when something is known of them; nobody is made up (features.md A6). Raises `UsageError`."""
    if not request.person:
        return None
    if request.live:
        raise UsageError("--person says who speaks in the sandbox; a live chat is with somebody unknown")
    changes = changes_written((agent,), request.person)
    faults = change_faults((agent,), changes)
    if faults:
        raise UsageError("; ".join(faults))
    return changed_person(Person(person_id=""), changes, at=stamp(context.clock))


@asynccontextmanager
async def _world(
    context: Context,
    agent: Agent,
    request: ChatRequest,
    conversation: str,
    calls: RealCalls,
    *,
    person: Person | None,
    errands: LiveErrands | None,
) -> AsyncGenerator[World]:
    """The live world, or a sandbox in the database, which can be looked at from outside while the chat goes on."""
    identity = f"chat:{conversation}"
    if errands is not None:
        conversations = context.store.conversations(
            ConversationState, Partition.LIVE, agent=agent.id, with_turn=errands.turn.work
        )
        live = world_of_turn(context, agent, errands.turn, conversations=conversations, calls=calls)
        try:
            yield live
        finally:
            await live.close()
        return
    case = Case(
        id="chat",
        suite="chat",
        channel=request.channel,
        # Nobody has prepared answers: a call that no mock of the tool's own answers is captured, and the agent goes on.
        world=CaseWorld(no_answer="captured"),
    )
    async with kept_sandbox(context, conversation, agent=agent.id) as kept:
        if person is not None:
            await kept.people.add(person, identity)
        sandbox = sandbox_world(
            agent=agent,
            case=case,
            clock=context.clock,
            conversation=conversation,
            identity=identity,
            outside=outside_of(context, agent, calls),
            kept=kept,
            graded=False,
        )
        try:
            yield sandbox
        finally:
            await sandbox.close()
