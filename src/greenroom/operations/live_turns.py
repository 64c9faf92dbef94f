"""The turn that a live world serves: what leaves with it waits for the transaction that keeps it (`TurnWork`)."""

from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.store.errands import Errand, Errands
from greenroom.store.turn_work import TurnWork

__all__ = ["LiveTurn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """`world.live.sending.UnderWay` over the store."""

    errands: Errands
    work: TurnWork
    agent: str
    conversation: str
    event: str = ""

    def add(self, *, kind: str, lane: str, summary: str, body: Json) -> None:
        """Have something done outside once the turn is kept."""
        errand = Errand(
            kind=kind,
            agent=self.agent,
            summary=summary,
            lane=f"{self.conversation}/{lane}",
            body=body,
            conversation=self.conversation,
        )
        self.work.add(self.errands.with_turn(errand))
