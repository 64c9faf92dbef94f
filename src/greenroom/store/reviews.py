"""Reviews of closed live conversations: enrolled with the closing, held while judged, kept whole (features.md E5).

A review is written by the transaction that closes its conversation. Whoever judges one holds it and gives signs of
life; when that process dies another one judges it again, and what the first one finds is not kept. Of a conversation
that goes on before its closing was judged that closing counts no more: its next one is reviewed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from greenroom.clock import Clock
from greenroom.conversation.reviews import Judged, Review, ReviewStatus
from greenroom.conversation.usage import Usage
from greenroom.store.encoding import decode, decode_text, encode, encode_text, pack, unpack, visible
from greenroom.store.locks import Turn
from greenroom.store.partition import Rows, Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations
from greenroom.store.times import has_come, stamp
from greenroom.store.world_tables import reviews
from greenroom.store.writer import Writer

__all__ = ["HOLD_S", "MOST_TRIES", "DueReview", "Reviews", "enrol"]

HOLD_S = 60
"""Seconds for which a review is held from each sign of life on."""
MOST_TRIES = 8
"""So often the judge is asked before a review stands as errored."""

_WAITING = ReviewStatus.WAITING.value


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReview:
    """A review that was taken to be judged."""

    number: int
    conversation: str
    agent: str
    closed_at: str
    criteria: tuple[str, ...]
    tries: int
    """How often it has been tried, this time included."""
    spent: Usage
    """What the tries before this one cost."""


def enrol(
    connection: Connection, rows: Rows, *, conversation: str, agent: str, closed_at: str, criteria: Sequence[str]
) -> None:
    """Have a closing reviewed, in the transaction that closes it. Any review before it counts no more.

    One that still waits is gone: of what it would say nobody would hear.
    """
    connection.execute(rows.delete(conversation=conversation, status=_WAITING))
    connection.execute(rows.update({"newest": 0}, conversation=conversation, newest=1))
    connection.execute(
        rows.insert({
            "conversation": conversation,
            "agent": agent,
            "closed_at": closed_at,
            "criteria": encode_text(criteria),
            "newest": 1,
            "status": _WAITING,
            "tries": 0,
            "due_at": closed_at,
            "created_at": closed_at,
        })
    )


class Reviews:
    """What waits to be judged and what was judged, of one partition."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = reviews.of(share)
        self._conversations = conversations.of(share)
        self._clock = clock

    async def is_due(self) -> bool:
        """Whether there is one to be judged now."""
        query = self._due(1)
        return await self._reader.read(lambda connection: connection.execute(query).first()) is not None

    async def waiting(self) -> int:
        """How many wait, whenever they are due."""
        query = select(func.count()).where(self._rows.c.status == _WAITING)
        return await self._reader.read(lambda connection: connection.execute(query).scalar_one())

    async def take(self, holder: str, *, limit: int) -> Sequence[DueReview]:
        """Some that are due, for this holder alone while it gives signs of life (`hold`).

        One that was tried `MOST_TRIES` times and never came to an end, as when it kills its process, is given up.
        """
        if not await self.is_due():
            return ()
        return await self._writer.write(lambda connection: self._take(connection, holder, limit), Turn.CONVERSATIONS)

    async def ask(self, conversation: str, agent: str, criteria: Sequence[str], holder: str) -> DueReview | None:
        """A new review of the last closing, for this holder at once; None when the conversation is open."""
        return await self._writer.write(
            lambda connection: self._ask(connection, visible(conversation), agent, criteria, holder), Turn.CONVERSATIONS
        )

    async def hold(self, review: DueReview, holder: str) -> None:
        """Give a sign of life."""
        held = self._rows.update({"due_at": stamp(self._clock, after_s=HOLD_S)}, number=review.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(held), Turn.CONVERSATIONS)

    async def let_go(self, review: DueReview, holder: str) -> None:
        """It was not judged, through no fault of its own: it is due again, and this was no try."""
        values = {"held_by": None, "due_at": stamp(self._clock), "tries": review.tries - 1}
        free = self._rows.update(values, number=review.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(free), Turn.CONVERSATIONS)

    async def finish(self, review: DueReview, holder: str, judged: Judged, *, units: int) -> None:
        """Keep what the judge said; nothing, when somebody else holds the review by now."""
        verdict = judged.verdict
        values = {
            "status": ReviewStatus.DONE.value,
            "verdict": None if verdict is None else verdict.value,
            "needs_review": int(judged.needs_review),
            "units": units,
            "error": None,
            "finished_at": stamp(self._clock),
        }
        await self._end(review, holder, judged, values)

    async def put_off(self, review: DueReview, holder: str, why: str, judged: Judged, *, seconds: float) -> None:
        """The judge could not answer; ask it again after so many seconds. `judged` says what that cost."""
        await self._end(review, holder, judged, {"due_at": stamp(self._clock, after_s=seconds), "error": visible(why)})

    async def give_up(self, review: DueReview, holder: str, why: str, judged: Judged) -> None:
        """The judge could not answer, and is not asked again."""
        await self._end(review, holder, judged, {**self._given_up(), "error": visible(why)})

    async def of_conversation(self, conversation: str) -> Sequence[Review]:
        """Every review of a conversation, the newest first."""
        columns = self._rows.c
        mine = columns.conversation == visible(conversation)
        query = select(self._rows.source).where(mine).order_by(columns.number.desc())
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_review(row) for row in rows)

    def _due(self, limit: int) -> Select[*tuple[Any, ...]]:
        columns, of = self._rows.c, self._conversations
        return (
            select(self._rows.source, of.c.closed_at.label("closed_last"))
            .join(of.source, of.c.conversation == columns.conversation)
            .where(columns.status == _WAITING, has_come(columns.due_at, self._clock))
            .order_by(columns.due_at, columns.number)
            .limit(limit)
        )

    def _take(self, connection: Connection, holder: str, limit: int) -> Sequence[DueReview]:
        taken: list[DueReview] = []
        while not taken and (rows := connection.execute(self._due(limit)).all()):
            for row in rows:
                if row.closed_last != row.closed_at:
                    self._drop(connection, row.number, row.conversation)
                elif row.tries >= MOST_TRIES:
                    why = row.error or f"it was begun {row.tries} times, and its process ended each time before it did"
                    connection.execute(self._rows.update({**self._given_up(), "error": why}, number=row.number))
                else:
                    taken.append(self._taken(connection, row, holder))
        return taken

    def _taken(self, connection: Connection, row: Row[*tuple[Any, ...]], holder: str) -> DueReview:
        values = {"held_by": holder, "due_at": stamp(self._clock, after_s=HOLD_S), "tries": row.tries + 1}
        connection.execute(self._rows.update(values, number=row.number))
        before = _judged(row)
        return DueReview(
            number=row.number,
            conversation=row.conversation,
            agent=row.agent,
            closed_at=row.closed_at,
            criteria=decode_text(tuple[str, ...], row.criteria),
            tries=row.tries + 1,
            spent=Usage() if before is None else before.usage,
        )

    def _ask(
        self, connection: Connection, conversation: str, agent: str, criteria: Sequence[str], holder: str
    ) -> DueReview | None:
        of = self._conversations.c
        closed_at = connection.execute(select(of.closed_at).where(of.conversation == conversation)).scalar_one()
        if closed_at is None:
            return None
        enrol(connection, self._rows, conversation=conversation, agent=agent, closed_at=closed_at, criteria=criteria)
        mine = (self._rows.c.conversation == conversation, self._rows.c.newest == 1)
        return self._taken(connection, connection.execute(select(self._rows.source).where(*mine)).one(), holder)

    def _drop(self, connection: Connection, number: int, conversation: str) -> None:
        """The conversation went on: the review before this one counts again until it closes."""
        connection.execute(self._rows.delete(number=number))
        last = select(func.max(self._rows.c.number)).where(self._rows.c.conversation == conversation)
        if (before := connection.execute(last).scalar_one()) is not None:
            connection.execute(self._rows.update({"newest": 1}, number=before))

    async def _end(self, review: DueReview, holder: str, judged: Judged, values: dict[str, Any]) -> None:
        body = pack(encode(judged))
        ended = self._rows.update({**values, "held_by": None, "body": body}, number=review.number, held_by=holder)
        await self._writer.write(lambda connection: connection.execute(ended), Turn.CONVERSATIONS)

    def _given_up(self) -> dict[str, Any]:
        now = stamp(self._clock)
        return {"status": ReviewStatus.ERRORED.value, "held_by": None, "needs_review": 1, "finished_at": now}


def _judged(row: Row[*tuple[Any, ...]]) -> Judged | None:
    return None if row.body is None else decode(Judged, unpack(row.body))


def _review(row: Row[*tuple[Any, ...]]) -> Review:
    return Review(
        number=row.number,
        conversation=row.conversation,
        agent=row.agent,
        closed_at=row.closed_at,
        criteria=decode_text(tuple[str, ...], row.criteria),
        newest=bool(row.newest),
        status=ReviewStatus(row.status),
        judged=_judged(row),
        needs_review=bool(row.needs_review),
        units=row.units,
        tries=row.tries,
        error=row.error,
        due_at=row.due_at,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )
