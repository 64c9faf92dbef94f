"""Which world a case gets by its policy: the sandbox, or a live test made of ports of both worlds (features.md C13).

A live test is the sandbox, but that tools reach their endpoints, hand-overs the team, and bookings the agent's live
appointments. Who talks, and all that is known of them, stays in the sandbox.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from greenroom.clock import Clock
from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.world_state import WorldState
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case
from greenroom.world.case_state import CaseState
from greenroom.world.leaving import Leaving, LeavingWithTurns, Send
from greenroom.world.live.hand_overs import LiveHandOvers
from greenroom.world.live.notify import Team
from greenroom.world.live.scheduling import LiveConsequences
from greenroom.world.numbered_appointments import NumberedAppointments
from greenroom.world.ports import AppointmentStore, GradedWorld
from greenroom.world.sandbox.scheduling import GivenTimes
from greenroom.world.sandbox.world import Outside, SandboxWorld, sandbox_world
from greenroom.world.scheduling import AgentScheduling

__all__ = ["A_LIVE_TEST", "LiveBookings", "LiveSide", "LiveTestWorld", "case_world", "is_of_live_test"]

A_LIVE_TEST = "nobody, this is a live test"
"""Whom the team has to do with: what is known of whoever plays a customer stays in the sandbox."""
_NAMED = "live-test"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveBookings:
    """Live appointments as a conversation makes them: held while a turn is under way."""

    store: AppointmentStore
    keep: Callable[[], Awaitable[None]]
    """The turn is kept: what it did to them is true from now on. Until then others only find its times taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSide:
    """The live side of an agent, as far as live tests reach it."""

    appointments: Callable[[str], LiveBookings]
    """The agent's live appointments, for a conversation by its id."""
    deliver: Send
    """Tells the team, sends mail and writes calendars."""


class LiveTestWorld:
    """The world of one live test."""

    def __init__(
        self,
        sandbox: SandboxWorld,
        *,
        agent: Agent,
        case: Case,
        leaving: Leaving,
        identity: str,
        outside: Outside,
        live: LiveSide,
    ) -> None:
        self._sandbox = sandbox
        self._leaving = leaving
        self._send = live.deliver
        team = Team(agent, leaving, with_whom=_a_test)
        bookings = live.appointments(leaving.conversation)
        numbered = NumberedAppointments(bookings.store)
        given = case.world.calendar
        self.clock = sandbox.clock
        self.people = sandbox.people
        self.scheduling = AgentScheduling(
            agent,
            clock=sandbox.clock,
            store=numbered,
            taken=() if given is None else (GivenTimes(given, agent),),
            calendars=outside.calendars if given is None else None,
            # Nobody is reminded: whoever is seen stays in the sandbox.
            consequences=LiveConsequences(agent, clock=sandbox.clock, turn=leaving, team=team, reminders=None),
        )
        self.tools = sandbox.tools
        self.notify = sandbox.notify
        self.mail = sandbox.mail
        self.hand_overs = LiveHandOvers(agent, team, leaving)
        self.intake = sandbox.intake
        self.conversations = LeavingWithTurns(sandbox.conversations, leaving, bookings.keep)
        self.own_messages = sandbox.own_messages
        self._state = CaseState(identity=identity, people=sandbox.people, scheduling=self.scheduling, numbered=numbered)

    async def state(self) -> WorldState:
        """The case's person, as persisted in the sandbox, and what they have booked for real."""
        return await self._state.now()

    async def leave(self) -> Sequence[ErrandDone]:
        """Send what the turns so far prepared, once, and say what came of it."""
        return await self._leaving.leave(self._send)

    async def close(self) -> Sequence[str]:
        """Remove what the case kept in the sandbox; what it booked stays. Calling it again does nothing."""
        return await self._sandbox.close()


def case_world(
    *,
    agent: Agent,
    case: Case,
    clock: Clock,
    conversation: str,
    identity: str,
    outside: Outside,
    live: LiveSide,
) -> GradedWorld:
    """The world of one case, as its policy has it.

    Args:
        agent: Whose world it is.
        case: What it answers, and by which policy.
        clock: Real time.
        conversation: The conversation's id, different for every sample.
        identity: What the channel knows the person by.
        outside: What is real around a sandbox.
        live: The live side, for live tests.
    """
    if not case.world.live_test:
        return sandbox_world(
            agent=agent, case=case, clock=clock, conversation=conversation, identity=identity, outside=outside
        )
    # Unlike the sandbox's, what a live test leaves outlasts it: no two may have one name.
    leaving = Leaving(conversation=f"{clock.new_id(_NAMED)} {conversation}", identity=identity)
    sandbox = sandbox_world(
        agent=agent, case=case, clock=clock, conversation=leaving.conversation, identity=identity, outside=outside
    )
    return LiveTestWorld(
        sandbox, agent=agent, case=case, leaving=leaving, identity=identity, outside=outside, live=live
    )


def is_of_live_test(conversation: str | None) -> bool:
    """Whether it is the conversation of a live test; that of a channel begins with its agent and a colon."""
    name, blank, _ = (conversation or "").partition(" ")
    return bool(blank) and name.startswith(f"{_NAMED}-") and ":" not in name


async def _a_test(_: str) -> str:
    """Nobody shall take whoever plays a customer for one."""
    return A_LIVE_TEST
