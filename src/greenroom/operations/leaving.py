"""Doing the errands of the live side: who does which kind, in `serve`, in `tick` and for one live chat."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ErrandSummary
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.operations.context import Context
from greenroom.operations.live_turns import LiveTurn
from greenroom.operations.real_calls import RealCalls
from greenroom.running.errands import AgentOf, Calling, ErrandsOfKind, Mailing, Notifying, SendErrand, TurnsOf
from greenroom.running.live_jobs import GIVEN_UP_AFTER_S, Deliveries
from greenroom.running.mirroring import Mirroring
from greenroom.store.errands import DueErrand
from greenroom.store.partition import Partition
from greenroom.store.turn_work import TurnWork
from greenroom.world.live.sending import CALENDAR, CALL, EMAIL, NOTIFY

__all__ = ["LiveErrands", "errand_deliveries", "errand_senders"]

_CALLED: Mapping[str, str] = MappingProxyType({
    NOTIFY: "notifications",
    EMAIL: "mails",
    CALENDAR: "calendar entries",
    CALL: "calls that nobody waits for",
})
"""Each kind in the plural, for sentences."""


def errand_deliveries(
    context: Context,
    agent: AgentOf,
    holder: str,
    *,
    calls: RealCalls,
    conversation: str | None = None,
) -> Sequence[Deliveries[DueErrand]]:
    """One a kind.

    Args:
        context: The opened project; its `mail` sends the mail.
        agent: How an agent's document is found.
        holder: Who takes errands.
        calls: Closed by whoever opened them.
        conversation: Whose errands alone are done; left out, everybody's.
    """
    lists = context.store.conversation_lists(Partition.LIVE)

    async def turns_of(conversation: str) -> Sequence[Turn]:
        return [kept.turn for kept in await lists.turns(conversation)]

    errands = context.store.errands()
    return [
        Deliveries(
            what=_CALLED[kind],
            queue=ErrandsOfKind(errands=errands, kind=kind, conversation=conversation),
            send=send,
            clock=context.clock,
            holder=holder,
            given_up_after_s=GIVEN_UP_AFTER_S,
        )
        for kind, send in errand_senders(context, agent, calls, turns_of).items()
    ]


def errand_senders(context: Context, agent: AgentOf, calls: RealCalls, turns_of: TurnsOf) -> Mapping[str, SendErrand]:
    """Who does each kind of errand that agents give.

    Args:
        context: The opened project; its `mail` sends the mail.
        agent: How an agent's document is found.
        calls: Closed by whoever opened them.
        turns_of: How the turns of a conversation are found, for mail with its transcript.
    """
    store, environment = context.store, context.environment
    mailing = Mailing(agent=agent, settings=context.project.mail, environment=environment, turns_of=turns_of)
    mirroring = Mirroring(
        agent=agent,
        calendars=calls.calendars,
        environment=environment,
        appointments=store.appointment_lists(Partition.LIVE),
        people=store.people(Partition.LIVE),
    )
    notifying = Notifying(agent=agent, environment=environment)
    calling = Calling(agent=agent, environment=environment, webhooks=calls.webhooks)
    return {NOTIFY: notifying.send, EMAIL: mailing.send, CALENDAR: mirroring.send, CALL: calling.send}


class LiveErrands:
    """The errands of one live chat, which does them itself: by the agent that talks there, published or not."""

    def __init__(
        self,
        context: Context,
        agent: Agent,
        conversation: str,
        *,
        identity: str,
        calls: RealCalls,
    ) -> None:
        self.turn = LiveTurn(
            errands=context.store.errands(),
            work=TurnWork(),
            agent=agent.id,
            conversation=conversation,
            identity=identity,
        )
        self._agent = agent
        self._told: dict[str, ErrandSummary] = {}
        self._deliveries = errand_deliveries(
            context,
            self._document,
            context.clock.new_id("sender"),
            calls=calls,
            conversation=conversation,
        )

    def begin(self) -> None:
        """A turn begins: what a turn before it prepared and didn't keep never leaves."""
        self.turn.work.drop()

    async def do(self) -> Sequence[ErrandSummary]:
        """Try once whatever is due, and give back the errands of which there is something new to say."""
        for one in self._deliveries:
            await one.deliver_due()
        listed = await self.turn.errands.of_conversation(self.turn.conversation)
        new = [errand for errand in listed if self._told.get(errand.key) != errand]
        self._told |= {errand.key: errand for errand in new}
        return new

    async def waiting(self) -> int:
        """How many errands could not be done yet."""
        listed = await self.turn.errands.of_conversation(self.turn.conversation)
        return sum(errand.status is SentStatus.WAITING for errand in listed)

    async def _document(self, _: str) -> Agent:
        return self._agent
