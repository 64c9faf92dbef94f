"""`LiveWorld`: what the sandbox captures really happens (features.md A8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.clock import Clock
from greenroom.documents.agent import Agent
from greenroom.world.live.hand_overs import LiveHandOvers
from greenroom.world.live.intake import LiveIntake
from greenroom.world.live.mail import LiveMail
from greenroom.world.live.notify import LiveNotify, Team
from greenroom.world.live.people import LivePeople
from greenroom.world.live.scheduling import LiveConsequences, Reminders
from greenroom.world.live.sending import UnderWay
from greenroom.world.live.tools import LiveTools
from greenroom.world.own_messages import KeptOwnMessages
from greenroom.world.ports import AppointmentStore, BusyCalendars, Conversations, PeopleStore
from greenroom.world.scheduling import AgentScheduling
from greenroom.world.webhooks import Webhooks

__all__ = ["LiveRecords", "LiveWorld", "live_world"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRecords:
    """Where the live side is kept, as one turn sees it."""

    people: PeopleStore
    conversations: Conversations
    appointments: AppointmentStore
    """The agent's."""
    reminders: Reminders


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWorld:
    """Everything beyond the agent's mind, for one live conversation."""

    clock: Clock
    people: LivePeople
    scheduling: AgentScheduling
    tools: LiveTools
    notify: LiveNotify
    mail: LiveMail
    hand_overs: LiveHandOvers
    intake: LiveIntake
    conversations: Conversations
    own_messages: KeptOwnMessages = field(default_factory=lambda: KeptOwnMessages(captured=False))

    async def close(self) -> Sequence[str]:
        """Nothing is held open; a live conversation leaves its records where they belong."""
        return ()


def live_world(
    *,
    agent: Agent,
    clock: Clock,
    turn: UnderWay,
    environment: Mapping[str, str],
    webhooks: Webhooks,
    calendars: BusyCalendars | None,
    records: LiveRecords,
) -> LiveWorld:
    """The world of one live conversation.

    Args:
        agent: Whose team is told.
        clock: Real time.
        turn: The turn that is served, with its conversation; in a chat one after the other.
        environment: What `${NAME}` in headers, URLs and addresses stands for.
        webhooks: Real calls; closed by whoever opened them.
        calendars: What the business's own calendars say; None for an agent that has none.
        records: Where the live side is kept.
    """
    on_record = LivePeople(records.people)
    team = Team(agent, turn, with_whom=on_record.told_to_the_team)
    consequences = LiveConsequences(agent, clock=clock, turn=turn, team=team, reminders=records.reminders)
    return LiveWorld(
        clock=clock,
        people=on_record,
        scheduling=AgentScheduling(
            agent, clock=clock, store=records.appointments, calendars=calendars, consequences=consequences
        ),
        tools=LiveTools(clock=clock, environment=environment, webhooks=webhooks, turn=turn),
        notify=LiveNotify(team),
        mail=LiveMail(turn),
        hand_overs=LiveHandOvers(agent, team, turn),
        intake=LiveIntake(on_record, team),
        conversations=records.conversations,
    )
