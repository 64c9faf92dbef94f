"""Doing the errands of the live side: who does which kind, in `serve`, in `tick` and for one live chat."""

from collections.abc import Sequence

from greenroom.conversation.summaries import ErrandSummary
from greenroom.documents.agent import Agent
from greenroom.operations.context import Context
from greenroom.operations.live_turns import LiveTurn
from greenroom.running.errands import AgentOf, ErrandsOfKind, senders
from greenroom.running.live_jobs import GIVEN_UP_AFTER_S, Deliveries
from greenroom.store.errands import DueErrand
from greenroom.store.partition import Partition
from greenroom.store.turn_work import TurnWork

__all__ = ["LiveErrands", "errand_deliveries"]


def errand_deliveries(
    context: Context, agent: AgentOf, holder: str, *, conversation: str | None = None
) -> Sequence[Deliveries[DueErrand]]:
    """One a kind.

    Args:
        context: The opened project; its `mail` sends the mail.
        agent: How an agent's document is found.
        holder: Who takes errands.
        conversation: Whose errands alone are done; left out, everybody's.
    """
    errands = context.store.errands()
    who = senders(
        agent=agent,
        mail=context.project.mail,
        environment=context.environment,
        conversations=context.store.conversation_lists(Partition.LIVE),
    )
    return [
        Deliveries(
            what=f"errands ({kind})",
            queue=ErrandsOfKind(errands=errands, kind=kind, conversation=conversation),
            send=send,
            clock=context.clock,
            holder=holder,
            given_up_after_s=GIVEN_UP_AFTER_S,
        )
        for kind, send in who.items()
    ]


class LiveErrands:
    """The errands of one live chat, which does them itself: by the agent that talks there, published or not."""

    def __init__(self, context: Context, agent: Agent, conversation: str) -> None:
        self.turn = LiveTurn(
            errands=context.store.errands(), work=TurnWork(), agent=agent.id, conversation=conversation
        )
        self._agent = agent
        self._told: dict[str, ErrandSummary] = {}
        self._deliveries = errand_deliveries(
            context, self._document, context.clock.new_id("sender"), conversation=conversation
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

    async def _document(self, _: str) -> Agent:
        return self._agent
