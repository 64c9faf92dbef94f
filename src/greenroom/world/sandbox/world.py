"""`SandboxWorld`: the world around one case (features.md A; semantics: the world).

Reads are real, writes are captured, nothing is shared with another sandbox. Made for one case, closed after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from greenroom.clock import Clock
from greenroom.conversation.appointments import Appointment, pinned
from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person
from greenroom.conversation.world_state import WorldState
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case
from greenroom.documents.template_values import template_values
from greenroom.documents.zones import zone_named
from greenroom.world.availability import instant
from greenroom.world.case_state import CaseState
from greenroom.world.keys import CallKeys
from greenroom.world.numbered_appointments import NumberedAppointments
from greenroom.world.own_messages import KeptOwnMessages
from greenroom.world.ports import AppointmentStore, BusyCalendars, Conversations, PeopleStore, TakenTimes
from greenroom.world.sandbox.clock import StillClock
from greenroom.world.sandbox.conversations import SandboxConversations
from greenroom.world.sandbox.hand_overs import SandboxHandOvers
from greenroom.world.sandbox.intake import SandboxIntake
from greenroom.world.sandbox.mail import SandboxMail
from greenroom.world.sandbox.notify import SandboxNotify
from greenroom.world.sandbox.people import MemoryPeople, SandboxPeople, starting_person
from greenroom.world.sandbox.scheduling import GivenTimes, MemoryAppointments, starting_appointments
from greenroom.world.sandbox.tools import SandboxTools
from greenroom.world.scheduling import AgentScheduling
from greenroom.world.webhooks import Webhooks

__all__ = ["InMemory", "Kept", "Outside", "SandboxWorld", "sandbox_world"]


class Kept(Protocol):
    """What one sandbox keeps, and how it is removed (features.md A11)."""

    @property
    def people(self) -> PeopleStore: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def appointments(self) -> AppointmentStore: ...

    async def remove(self) -> None:
        """Remove all of it; a second time there is nothing left to remove."""
        ...


class InMemory:
    """Kept in memory: for a case, whose sandbox nobody else looks into."""

    def __init__(
        self,
        conversation: str,
        identity: str,
        person: Person | None,
        appointments: Sequence[Appointment] = (),
        *,
        clock: Clock,
    ) -> None:
        self.people = MemoryPeople(conversation, identity, person, clock)
        self.conversations = SandboxConversations()
        self.appointments = MemoryAppointments(appointments)

    async def remove(self) -> None:
        """Forget it."""
        self.people.clear()
        self.conversations.clear()
        self.appointments.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What is real around a sandbox: what it may read, and what its tools may reach where the case lets them."""

    environment: Mapping[str, str]
    """What `${NAME}` in headers and URLs stands for."""
    webhooks: Webhooks
    """Real calls; shared by a run, closed by whoever opened them."""
    taken: TakenTimes | None = None
    """The agent's live appointments, of which only the times are read."""
    calendars: BusyCalendars | None = None
    """The business's own calendars."""


class SandboxWorld:
    """Everything beyond the agent's mind, for one case. What was persisted is read before `close`."""

    def __init__(
        self,
        *,
        agent: Agent,
        clock: Clock,
        identity: str,
        kept: Kept,
        scheduling: AgentScheduling,
        numbered: NumberedAppointments,
        tools: SandboxTools,
    ) -> None:
        self._kept = kept
        self.clock = clock
        self.scheduling = scheduling
        self.people = SandboxPeople(kept.people)
        self.tools = tools
        self.notify = SandboxNotify()
        self.mail = SandboxMail()
        self.hand_overs = SandboxHandOvers(agent)
        self.intake = SandboxIntake(self.people)
        self.conversations = kept.conversations
        self.own_messages = KeptOwnMessages(captured=True)
        self._state = CaseState(identity=identity, people=self.people, scheduling=scheduling, numbered=numbered)

    async def state(self) -> WorldState:
        """The case's person and their appointments, as persisted now."""
        return await self._state.now()

    async def leave(self) -> Sequence[ErrandDone]:
        """Nothing leaves a sandbox."""
        return ()

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
    outside: Outside,
    kept: Kept | None = None,
    graded: bool = True,
) -> SandboxWorld:
    """The world of one case, or of somebody who tries the agent by hand.

    Args:
        agent: Whose world it is.
        case: Its person, appointments, calendar, mocks and time are taken.
        clock: Real time; a case with `world.now` sees that moment instead.
        conversation: The conversation's id, different for every sample; the ids of its people begin with it.
        identity: What the channel knows the person by; the case's person is bound to it.
        outside: What is real around it.
        kept: Where the sandbox is kept, the case's person in it already; left out, in memory.
        graded: A verdict is to follow, so that what is broken around the agent breaks the case off.
    """
    now = clock if case.world.now is None else StillClock(_aware(case.world.now, agent), clock)
    if kept is None:
        person = starting_person(case, f"{conversation}/person-1")
        appointments = () if person is None else starting_appointments(case, agent, person.person_id)
        kept = InMemory(conversation, identity, person, appointments, clock=now)
    people, zone = kept.people, zone_named(agent.time_zone) if agent.time_zone else None
    numbered = NumberedAppointments(kept.appointments)

    async def values() -> Mapping[str, Json]:
        moment = now.now()
        local = moment if zone is None else moment.astimezone(zone)
        return template_values(agent, case.channel, await people.find(identity), local)

    given, real = case.world.calendar, () if outside.taken is None else (outside.taken,)
    return SandboxWorld(
        agent=agent,
        clock=now,
        identity=identity,
        kept=kept,
        scheduling=AgentScheduling(
            agent,
            clock=now,
            store=numbered,
            taken=real if given is None else (GivenTimes(given, agent),),
            calendars=outside.calendars if given is None else None,
            graded=graded,
        ),
        numbered=numbered,
        tools=SandboxTools(
            case.world,
            clock=clock,
            environment=outside.environment,
            webhooks=outside.webhooks,
            # Unlike any other run's: an endpoint that knows a key answers from memory.
            keys=CallKeys(clock.new_id("case")),
            values=values,
        ),
    )


def _aware(moment: datetime, agent: Agent) -> datetime:
    """Without an offset a moment is meant by the agent's clock, also on a day on which that is changed."""
    if moment.tzinfo is not None:
        return moment
    zone = zone_named(agent.time_zone)
    return pinned(instant(moment, zone), zone)
