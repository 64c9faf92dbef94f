"""What leaves for real in a live test: kept in memory with its turn, sent once, never listed (features.md C13)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.json_values import Json
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.errors import GreenroomError
from greenroom.world.live.sending import Sending, SendingResult
from greenroom.world.ports import Conversations, ConversationState

__all__ = ["Leaving", "LeavingWithTurns", "Send", "ToLeave"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToLeave:
    """Something to be done outside, as a live world adds it to its turn."""

    conversation: str
    number: int
    """From 1, in the order in which they were added."""
    kind: str
    lane: str
    summary: str
    body: Json


Send: TypeAlias = Callable[[ToLeave, Sequence[Turn]], Awaitable[Sending]]
"""Does one thing outside; the turns are the conversation so far. Never raises for what a receiver did."""


@dataclass(slots=True, kw_only=True)
class Leaving:
    """The turn that a live test is in; `world.live.sending.UnderWay`."""

    conversation: str
    identity: str
    event: str = ""
    _prepared: list[ToLeave] = field(default_factory=list[ToLeave])
    _kept: list[ToLeave] = field(default_factory=list[ToLeave])
    _turns: list[Turn] = field(default_factory=list[Turn])

    def add(self, *, kind: str, lane: str, summary: str, body: Json, shared: bool = False) -> None:
        """Have something done outside once the turn is kept; whether its lane is `shared` makes no difference here."""
        number = len(self._kept) + len(self._prepared) + 1
        self._prepared.append(
            ToLeave(conversation=self.conversation, number=number, kind=kind, lane=lane, summary=summary, body=body)
        )

    def keep(self, turn: Turn) -> None:
        """The turn is kept, and what it prepared will leave."""
        self._turns.append(turn)
        self._kept += self._prepared
        self._prepared.clear()

    async def leave(self, send: Send) -> Sequence[ErrandDone]:
        """Do all of it once, each lane in order, and say what came of it."""
        kept, self._kept = self._kept, []
        lanes: dict[tuple[str, str], list[ToLeave]] = {}
        for one in kept:
            lanes.setdefault((one.kind, one.lane), []).append(one)
        turns = tuple(self._turns)
        done = await asyncio.gather(*(_in_order(lane, send, turns) for lane in lanes.values()))
        came: Mapping[int, ErrandDone] = {number: one for lane in done for number, one in lane}
        return tuple(came[one.number] for one in kept)


class LeavingWithTurns:
    """Conversation state with which what a turn prepared becomes due to leave."""

    def __init__(self, kept: Conversations, leaving: Leaving, keep_bookings: Callable[[], Awaitable[None]]) -> None:
        self._kept = kept
        self._leaving = leaving
        self._keep_bookings = keep_bookings

    async def load(self, conversation: str) -> ConversationState | None:
        """The state, or None for a new conversation."""
        return await self._kept.load(conversation)

    async def save(self, state: ConversationState, turn: Turn | None = None, record: TurnRecord | None = None) -> None:
        """Keep it together with the turn that led to it."""
        await self._kept.save(state, turn, record)
        if turn is not None:
            await self._keep_bookings()
            self._leaving.keep(turn)


async def _in_order(lane: Sequence[ToLeave], send: Send, turns: Sequence[Turn]) -> Sequence[tuple[int, ErrandDone]]:
    return [(one.number, await _done(one, send, turns)) for one in lane]


async def _done(one: ToLeave, send: Send, turns: Sequence[Turn]) -> ErrandDone:
    try:
        came = await send(one, turns)
    except GreenroomError as fault:
        came = Sending(result=SendingResult.FAILED, why=str(fault))
    # What already was done for real must be told: the case goes on to its verdict.
    except Exception as fault:  # noqa: BLE001
        came = Sending(result=SendingResult.FAILED, why=f"Greenroom itself failed ({type(fault).__name__})")
    arrived = came.result is SendingResult.SENT
    return ErrandDone(kind=one.kind, summary=one.summary, arrived=arrived, why="" if arrived else came.why)
