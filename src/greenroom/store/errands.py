"""What is to be done outside beside messages on a channel: telling the team, mail, the business's calendar (A8).

A `Queue` whose lanes are named by whoever adds an errand; what stands in one lane never waits for another. An errand of
a turn is written by the transaction that keeps the turn, so that it is there with the turn or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ErrandSummary
from greenroom.store.encoding import decode_json, encode, pack, unpack, visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Share
from greenroom.store.queue import Queue, add_once, new_row, next_try_at
from greenroom.store.reader import Reader
from greenroom.store.tables import conversation_turns
from greenroom.store.times import as_utc, stamp
from greenroom.store.turn_work import WithTurn
from greenroom.store.world_tables import errands
from greenroom.store.writer import Writer

__all__ = ["DueErrand", "Errand", "Errands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """Something to be done outside."""

    kind: str
    """Who does it: `notify`, `email`, `calendar` …"""
    agent: str
    summary: str
    """What it is, in one line, as a list shows it."""
    lane: str
    """Errands of one kind and lane are done in order; one that fails holds up its own lane alone."""
    body: Json
    """What its doer needs. Never a secret: addresses stay as they are written."""
    conversation: str | None = None
    due_at: datetime | None = None
    """Not before this moment, which has a time zone; None: at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueErrand:
    """An errand that was taken to be done."""

    number: int
    key: str
    """The same at every try; a receiver can know by it what it has had already."""
    kind: str
    agent: str
    conversation: str | None
    summary: str
    body: Json
    tries: int
    """How often it has been tried, this time included."""
    created_at: str


class Errands:
    """What waits to be done, and what was done, of one partition."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = errands.of(share)
        self._turns = conversation_turns.of(share)
        self._clock = clock
        shown = select(self._rows.source)
        self._queue = Queue(
            self._rows,
            lane="lane",
            receiver=("agent", "kind"),
            shown=shown,
            reader=reader,
            writer=writer,
            clock=clock,
        )

    def with_turn(self, errand: Errand, *, name: str | None = None) -> WithTurn:
        """The write that adds it, for `TurnWork.add` or any transaction of the store.

        `name` tells it apart from all others for ever: a second errand of that name is none. Left out, it is named by
        its conversation, the turn that is kept last, and its place among the errands so far.
        """
        row = self._row(errand)

        def write(connection: Connection) -> None:
            named = name if name is not None else self._place(connection, row["conversation"])
            add_once(connection, self._rows, {**new_row("errand", named, now=stamp(self._clock)), **row})

        return write

    async def put(self, errand: Errand, *, name: str) -> None:
        """Add one that belongs to no turn; a second one of that name is none."""
        await self._writer.write(self.with_turn(errand, name=name), Turn.CONVERSATIONS)

    async def take(self, holder: str, *, kind: str, limit: int, conversation: str | None = None) -> Sequence[DueErrand]:
        """The errands of a kind that are due, the first of each lane, for this holder alone for a while.

        With a `conversation`, only its own.
        """
        of = {"kind": kind} if conversation is None else {"kind": kind, "conversation": visible(conversation)}
        return tuple(_due(row) for row in await self._queue.take(holder, limit=limit, **of))

    async def sent(self, errand: DueErrand, holder: str) -> None:
        """It is done."""
        await self._queue.sent(errand, holder)

    async def refused(self, errand: DueErrand, holder: str, why: str) -> None:
        """It can never be done: it is kept with the reason, and the next one of its lane is done."""
        await self._queue.refused(errand, holder, why)

    async def put_off(self, errand: DueErrand, holder: str, why: str, *, seconds: float) -> None:
        """It could not be done; try again after so many seconds."""
        await self._queue.put_off(errand, holder, why, seconds=seconds)

    async def of_conversation(self, conversation: str) -> Sequence[ErrandSummary]:
        """The errands of a conversation, in the order in which they were added."""
        columns = self._rows.c
        query = select(self._rows.source).where(columns.conversation == visible(conversation)).order_by(columns.number)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_summary(row) for row in rows)

    def _row(self, errand: Errand) -> dict[str, Any]:
        due = {} if errand.due_at is None else {"due_at": as_utc(errand.due_at)}
        return {
            "kind": errand.kind,
            "agent": errand.agent,
            "conversation": None if errand.conversation is None else visible(errand.conversation),
            "lane": visible(f"{errand.kind}/{errand.lane}"),
            "summary": visible(errand.summary),
            "body": pack(encode(errand.body)),
            **due,
        }

    def _place(self, connection: Connection, conversation: str | None) -> str:
        """Where an errand without a name stands: unlike any other, since errands and turns are only ever added."""
        turns, mine = self._turns.c, self._rows.c
        last = select(func.max(turns.number)).where(turns.conversation == conversation)
        turn = connection.execute(last).scalar_one() or 0
        so_far = select(func.count()).select_from(self._rows.source).where(mine.conversation == conversation)
        return f"{conversation}/{turn}/{connection.execute(so_far).scalar_one()}"


def _due(row: Row[*tuple[Any, ...]]) -> DueErrand:
    return DueErrand(
        number=row.number,
        key=row.key,
        kind=row.kind,
        agent=row.agent,
        conversation=row.conversation,
        summary=row.summary,
        body=decode_json(unpack(row.body)),
        tries=row.tries + 1,
        created_at=row.created_at,
    )


def _summary(row: Row[*tuple[Any, ...]]) -> ErrandSummary:
    return ErrandSummary(
        key=row.key,
        kind=row.kind,
        summary=row.summary,
        status=SentStatus(row.status),
        tries=row.tries,
        error=row.error,
        created_at=row.created_at,
        finished_at=row.finished_at,
        next_try_at=next_try_at(row),
    )
