"""`LiveWorld`: what the sandbox captures really happens (features.md A8)."""

from collections.abc import Mapping, Sequence

from greenroom.clock import Clock
from greenroom.documents.agent import Agent
from greenroom.world.live.hand_overs import LiveHandOvers
from greenroom.world.live.intake import LiveIntake
from greenroom.world.live.notify import LiveNotify, Team
from greenroom.world.live.people import LivePeople
from greenroom.world.live.tools import LiveTools
from greenroom.world.own_messages import KeptOwnMessages
from greenroom.world.ports import AppointmentStore, Conversations, PeopleStore
from greenroom.world.scheduling import AgentScheduling, NoConsequences
from greenroom.world.webhooks import Webhooks

__all__ = ["LiveWorld", "live_world"]


class LiveWorld:
    """Everything beyond the agent's mind, for one live conversation."""

    def __init__(
        self,
        *,
        clock: Clock,
        people: LivePeople,
        scheduling: AgentScheduling,
        tools: LiveTools,
        notify: LiveNotify,
        hand_overs: LiveHandOvers,
        intake: LiveIntake,
        conversations: Conversations,
    ) -> None:
        self.clock = clock
        self.people = people
        self.scheduling = scheduling
        self.tools = tools
        self.notify = notify
        self.hand_overs = hand_overs
        self.intake = intake
        self.conversations = conversations
        self.own_messages = KeptOwnMessages(captured=False)

    async def close(self) -> Sequence[str]:
        """Let what is under way come to its end; a live conversation leaves its records where they belong."""
        await self.tools.close()
        return ()


def live_world(
    *,
    agent: Agent,
    clock: Clock,
    conversation: str,
    environment: Mapping[str, str],
    webhooks: Webhooks,
    people: PeopleStore,
    appointments: AppointmentStore,
    conversations: Conversations,
) -> LiveWorld:
    """The world of one live conversation.

    Args:
        agent: Whose `notifications.to` are told.
        clock: Real time.
        conversation: Its id, told to whoever takes over.
        environment: What `${NAME}` in headers, URLs and addresses stands for.
        webhooks: Real calls; closed by whoever opened them.
        people: Where people are kept.
        appointments: Where the agent's appointments are kept.
        conversations: Where conversations are kept.
    """
    name = agent.name or agent.id
    team = Team(agent.notifications.to if agent.notifications is not None else (), environment)
    on_record = LivePeople(people)
    return LiveWorld(
        clock=clock,
        people=on_record,
        scheduling=AgentScheduling(agent, clock=clock, store=appointments, consequences=NoConsequences()),
        tools=LiveTools(clock=clock, environment=environment, webhooks=webhooks),
        notify=LiveNotify(team, name),
        hand_overs=LiveHandOvers(team, name, conversation),
        intake=LiveIntake(on_record, team, name, conversation),
        conversations=conversations,
    )
