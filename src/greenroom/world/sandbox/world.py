"""`SandboxWorld`: the world around one case (features.md A; semantics: the world).

Reads are real, writes are captured, nothing is shared with another sandbox. Made for one case, closed after it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from greenroom.clock import Clock
from greenroom.conversation.people import Person, known_values
from greenroom.conversation.world_state import WorldState
from greenroom.documents.agent import Agent
from greenroom.documents.state import PERSON
from greenroom.documents.suite import Case
from greenroom.world.own_messages import KeptOwnMessages
from greenroom.world.ports import Conversations, PeopleStore
from greenroom.world.sandbox.clock import StillClock
from greenroom.world.sandbox.conversations import SandboxConversations
from greenroom.world.sandbox.hand_overs import SandboxHandOvers
from greenroom.world.sandbox.intake import SandboxIntake
from greenroom.world.sandbox.notify import SandboxNotify
from greenroom.world.sandbox.people import MemoryPeople, SandboxPeople, starting_person
from greenroom.world.sandbox.tools import SandboxTools
from greenroom.world.webhooks import Webhooks

__all__ = ["InMemory", "Kept", "SandboxWorld", "sandbox_world"]


class Kept(Protocol):
    """What one sandbox keeps, and how it is removed (features.md A11)."""

    @property
    def people(self) -> PeopleStore: ...

    @property
    def conversations(self) -> Conversations: ...

    async def remove(self) -> None:
        """Remove all of it; a second time there is nothing left to remove."""
        ...


class InMemory:
    """Kept in memory: for a case, whose sandbox nobody else looks into."""

    def __init__(self, conversation: str, identity: str, person: Person | None) -> None:
        self.people = MemoryPeople(conversation, identity, person)
        self.conversations = SandboxConversations()

    async def remove(self) -> None:
        """Forget it."""
        self.people.clear()
        self.conversations.clear()


class SandboxWorld:
    """Everything beyond the agent's mind, for one case. What was persisted is read before `close`."""

    def __init__(self, *, clock: Clock, identity: str, kept: Kept, tools: SandboxTools) -> None:
        self._kept = kept
        self._identity = identity
        self.clock = clock
        self.people = SandboxPeople(kept.people)
        self.tools = tools
        self.notify = SandboxNotify()
        self.hand_overs = SandboxHandOvers()
        self.intake = SandboxIntake(self.people)
        self.conversations = kept.conversations
        self.own_messages = KeptOwnMessages(captured=True)

    async def state(self) -> WorldState:
        """The case's person, as persisted now."""
        person = await self.people.find(self._identity)
        return WorldState(roots={"people": {} if person is None else {PERSON: known_values(person)}})

    async def close(self) -> Sequence[str]:
        """Remove what the case kept; nothing is ever left over. Calling it again does nothing."""
        await self.tools.close()
        await self._kept.remove()
        return ()


def sandbox_world(
    *,
    agent: Agent,
    case: Case,
    clock: Clock,
    conversation: str,
    identity: str,
    environment: Mapping[str, str],
    webhooks: Webhooks,
    kept: Kept | None = None,
) -> SandboxWorld:
    """The world of one case.

    Args:
        agent: Its time zone is that of a `world.now` written without an offset.
        case: Its person, mocks and time are taken.
        clock: Real time; a case with `world.now` sees that moment instead.
        conversation: The conversation's id, different for every sample; the ids of its people begin with it.
        identity: What the channel knows the person by; the case's person is bound to it.
        environment: What `${NAME}` in headers and URLs stands for.
        webhooks: Real calls, for the tools that the case lets out; shared by a run, closed by whoever opened it.
        kept: Where the sandbox is kept, the case's person in it already; left out, in memory.
    """
    return SandboxWorld(
        clock=clock if case.world.now is None else StillClock(_aware(case.world.now, agent), clock),
        identity=identity,
        kept=kept or InMemory(conversation, identity, starting_person(case, f"{conversation}/person-1")),
        tools=SandboxTools(case.world, clock=clock, environment=environment, webhooks=webhooks),
    )


def _aware(moment: datetime, agent: Agent) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(agent.time_zone or "UTC"))
