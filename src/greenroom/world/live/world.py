"""`LiveWorld`: what the sandbox captures really happens (features.md A8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.clock import Clock
from greenroom.documents.agent import Agent
from greenroom.world.keys import CallKeys
from greenroom.world.live.hand_overs import LiveHandOvers
from greenroom.world.live.intake import LiveIntake
from greenroom.world.live.mail import LiveMail
from greenroom.world.live.notify import LiveNotify, Team
from greenroom.world.live.people import LivePeople
from greenroom.world.live.sending import UnderWay
from greenroom.world.live.tools import LiveTools
from greenroom.world.own_messages import KeptOwnMessages
from greenroom.world.ports import AppointmentStore, Conversations, PeopleStore
from greenroom.world.scheduling import AgentScheduling, NoConsequences
from greenroom.world.webhooks import Webhooks

__all__ = ["LiveWorld", "live_world"]


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
        """Let what is under way come to its end; a live conversation leaves its records where they belong."""
        await self.tools.close()
        return ()


def live_world(
    *,
    agent: Agent,
    clock: Clock,
    turn: UnderWay,
    environment: Mapping[str, str],
    webhooks: Webhooks,
    people: PeopleStore,
    appointments: AppointmentStore,
    conversations: Conversations,
) -> LiveWorld:
    """The world of one live conversation.

    Args:
        agent: Whose team is told.
        clock: Real time.
        turn: The turn that is served, with its conversation; in a chat one after the other.
        environment: What `${NAME}` in headers, URLs and addresses stands for.
        webhooks: Real calls; closed by whoever opened them.
        people: Where people are kept.
        appointments: Where the agent's appointments are kept.
        conversations: Where conversations are kept.
    """
    team = Team(agent, turn)
    on_record = LivePeople(people)
    return LiveWorld(
        clock=clock,
        people=on_record,
        scheduling=AgentScheduling(agent, clock=clock, store=appointments, consequences=NoConsequences()),
        tools=LiveTools(
            clock=clock, environment=environment, webhooks=webhooks, keys=CallKeys(turn.conversation, turn.event)
        ),
        notify=LiveNotify(team),
        mail=LiveMail(turn),
        hand_overs=LiveHandOvers(agent, team, turn),
        intake=LiveIntake(on_record, team, turn.conversation),
        conversations=conversations,
    )
