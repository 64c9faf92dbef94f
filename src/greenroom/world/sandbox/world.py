"""`SandboxWorld`: the world around one case (features.md A; semantics: the world).

Reads are real, writes are captured, nothing is shared with another sandbox. Made for one case, closed after it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from greenroom.clock import Clock
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case
from greenroom.world.sandbox.clock import StillClock
from greenroom.world.sandbox.conversations import SandboxConversations
from greenroom.world.sandbox.hand_overs import SandboxHandOvers
from greenroom.world.sandbox.intake import SandboxIntake
from greenroom.world.sandbox.notify import SandboxNotify
from greenroom.world.sandbox.people import SandboxPeople, starting_person
from greenroom.world.sandbox.tools import SandboxTools
from greenroom.world.webhooks import Webhooks

__all__ = ["SandboxWorld", "sandbox_world"]


class SandboxWorld:
    """Everything beyond the agent's mind, for one case. What was persisted is read before `close`."""

    def __init__(self, *, clock: Clock, people: SandboxPeople, tools: SandboxTools) -> None:
        self.clock = clock
        self.people = people
        self.tools = tools
        self.notify = SandboxNotify()
        self.hand_overs = SandboxHandOvers()
        self.intake = SandboxIntake(people)
        self.conversations = SandboxConversations()

    async def close(self) -> Sequence[str]:
        """Remove the case's people and conversation; nothing is ever left over. Calling it again does nothing."""
        await self.tools.close()
        self.people.clear()
        self.conversations.clear()
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
    """
    person = starting_person(case, f"{conversation}/person-1")
    return SandboxWorld(
        clock=clock if case.world.now is None else StillClock(_aware(case.world.now, agent), clock),
        people=SandboxPeople(conversation, identity, person),
        tools=SandboxTools(case.world, clock=clock, environment=environment, webhooks=webhooks),
    )


def _aware(moment: datetime, agent: Agent) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(agent.time_zone or "UTC"))
