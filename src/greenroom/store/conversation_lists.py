"""Looking at the conversations of one share: a page, one with its turns; and closing those that fell silent."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, false, func, select, true, tuple_

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Opened, shown_words
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.reviews import ReviewFilter, ReviewMark, ReviewStatus, ReviewVerdict
from greenroom.conversation.summaries import ConversationPage, ConversationSummary, KeptTurn, UnservedEvent
from greenroom.conversation.timers import TimerStatus
from greenroom.conversation.turns import StopReason, Turn
from greenroom.errors import NotFound
from greenroom.store.encoding import decode, unpack, visible
from greenroom.store.inbound import InboundStatus, kept_event
from greenroom.store.locks import Turn as ProcessTurn
from greenroom.store.pages import mark_of, place_of
from greenroom.store.partition import Partition, Share
from greenroom.store.reader import Reader
from greenroom.store.reviews import enrol
from greenroom.store.tables import conversation_turns, conversations, inbound, timers
from greenroom.store.times import as_utc, is_free, stamp
from greenroom.store.world_tables import reviews
from greenroom.store.writer import Writer

__all__ = ["ConversationLists"]

_FOLLOWED_UP_WITHIN = timedelta(days=1)
"""A follow-up that could not be said by then keeps no conversation open."""

_CLOSE_AT_ONCE = 500
"""Conversations closed in one transaction."""


class ConversationLists:
    """Reads, and closes; what is said in a conversation is kept by `Conversations`."""

    def __init__(self, *, reader: Reader, writer: Writer, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._rows = conversations.of(share)
        self._turns = conversation_turns.of(share)
        self._inbound = inbound.of(share)
        self._reviews = reviews.of(share)
        self._counts = share.partition is Partition.LIVE
        self._timers = timers.of(share)
        self._clock = clock

    async def page(
        self,
        *,
        agent: str | None = None,
        person_id: str | None = None,
        review: ReviewFilter | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> ConversationPage:
        """Some conversations, those in which something happened last first; `after` is the `next` of the page before.

        With `review` only those whose newest review is so; those of sandboxes have none.

        Raises:
            UsageError: `after` is no such mark.
        """
        columns = self._rows.c
        query = self._query().order_by(columns.updated_at.desc(), columns.conversation.desc()).limit(limit + 1)
        if agent is not None:
            query = query.where(columns.agent == visible(agent))
        if person_id is not None:
            query = query.where(columns.person_id == visible(person_id))
        if review is not None and self._counts:
            query = query.where(self._reviewed(review))
        if after is not None:
            query = query.where(
                tuple_(columns.updated_at, columns.conversation) < tuple_(*place_of(after, "conversations"))
            )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        shown = tuple(_summary(row) for row in rows[:limit])
        more = len(rows) > limit and shown
        return ConversationPage(
            conversations=shown, next=mark_of(shown[-1].updated_at, shown[-1].conversation) if more else None
        )

    async def get(self, conversation: str) -> ConversationSummary:
        """One conversation.

        Raises:
            NotFound: there is none of that id in this share.
        """
        query = self._query().where(self._rows.c.conversation == visible(conversation))
        row = await self._reader.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise NotFound("conversation", conversation)
        return _summary(row)

    async def turns(self, conversation: str, *, records: bool = False) -> Sequence[KeptTurn]:
        """Its turns in order; with their turn records when these are asked for."""
        columns = self._turns.c
        shown = [columns.number, columns.at, columns.revision, columns.body, *([columns.record] if records else [])]
        query = select(*shown).where(columns.conversation == visible(conversation)).order_by(columns.number)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_kept(row) for row in rows)

    async def ends(self, conversation: str, *, until: str, most: int) -> Sequence[KeptTurn]:
        """Its turns up to a moment, in order; of more than twice `most`, so many from either end."""
        columns = self._turns.c
        mine = (columns.conversation == visible(conversation), columns.at <= until)
        shown = select(columns.number, columns.at, columns.revision, columns.body).where(*mine).limit(most)

        def read(connection: Connection) -> Sequence[Row[*tuple[Any, ...]]]:
            first = connection.execute(shown.order_by(columns.number)).all()
            behind = shown.where(columns.number > (first[-1].number if first else 0))
            return [*first, *reversed(connection.execute(behind.order_by(columns.number.desc())).all())]

        return tuple(_kept(row) for row in await self._reader.read(read))

    async def turn(self, conversation: str, number: int) -> Turn:
        """One turn, by the number it was kept under; it is there."""
        columns = self._turns.c
        query = select(columns.body).where(columns.conversation == visible(conversation), columns.number == number)
        body = await self._reader.read(lambda connection: connection.execute(query).scalar_one())
        return decode(Turn, unpack(body))

    async def unserved(self, conversation: str) -> Sequence[UnservedEvent]:
        """Its events that have no turn, in the order of their arrival; opening what is open needs none."""
        columns = self._inbound.c
        query = (
            select(columns.message_id, columns.received_at, columns.error, columns.status, columns.event)
            .where(columns.conversation == visible(conversation), columns.turn.is_(None))
            .order_by(columns.number)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_unserved(row) for row in rows if not _opens_again(row))

    async def close_silent(self, agent: str, since: datetime, criteria: Sequence[str] = ()) -> int:
        """Close the agent's open conversations in which nothing has happened since; how many those were.

        One whose follow-up waits for the hours in which people are written to stays open until it is said. Those in
        which a published agent answered somebody are reviewed by these criteria.
        """
        columns, timed = self._rows.c, self._timers.c
        followed_up = select(timed.subject).where(
            timed.kind == OwnMessageKind.FOLLOW_UP.value,
            timed.status == TimerStatus.WAITING.value,
            timed.due_at > as_utc(self._clock.now() - _FOLLOWED_UP_WITHIN),
        )
        silent = (
            select(columns.conversation, columns.turns)
            .where(columns.agent == agent, columns.closed_at.is_(None))
            .where(columns.conversation.not_in(followed_up))
            .where(is_free(columns.held_by, columns.held_until, self._clock))
            .where(columns.updated_at < as_utc(since))
            .limit(_CLOSE_AT_ONCE)
        )

        def close(connection: Connection) -> int:
            now, found = stamp(self._clock), connection.execute(silent).all()
            for row in found:
                connection.execute(self._rows.update({"closed_at": now}, conversation=row.conversation))
                if self._counts and criteria and row.turns and self._was_answered(connection, row.conversation):
                    closing = {"conversation": row.conversation, "agent": agent, "closed_at": now}
                    enrol(connection, self._reviews, criteria=criteria, **closing)
            return len(found)

        closed = 0
        while count := await self._writer.write(close, ProcessTurn.CONVERSATIONS):
            closed += count
        return closed

    def _was_answered(self, connection: Connection, conversation: str) -> bool:
        """By a published agent: nobody knows what one that somebody only chats with was to do."""
        columns = self._turns.c
        query = select(columns.number).where(columns.conversation == conversation, columns.revision != "").limit(1)
        return connection.execute(query).first() is not None

    async def drop_records(self, before: datetime) -> int:
        """Forget the turn records of turns before this moment; how many those were."""
        columns = self._turns.c
        old = (columns.at < as_utc(before), columns.record.is_not(None))

        def drop(connection: Connection) -> int:
            rows = connection.execute(select(columns.conversation, columns.number).where(*old).limit(500)).all()
            for row in rows:
                forget = self._turns.update({"record": None}, conversation=row.conversation, number=row.number)
                connection.execute(forget)
            return len(rows)

        dropped = 0
        while count := await self._writer.write(drop, ProcessTurn.CONVERSATIONS):
            dropped += count
        return dropped

    async def agents(self) -> Sequence[str]:
        """The agents that have open conversations."""
        columns = self._rows.c
        query = select(columns.agent, func.count()).where(columns.closed_at.is_(None)).group_by(columns.agent)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(row.agent for row in rows)

    def _reviewed(self, wanted: ReviewFilter) -> ColumnElement[bool]:
        of = self._reviews.c
        match wanted:
            case ReviewFilter.NEEDS_REVIEW:
                return and_(of.needs_review == 1, of.status != ReviewStatus.WAITING.value)
            case ReviewFilter.WAITING | ReviewFilter.ERRORED:
                return of.status == wanted.value
            case ReviewFilter.PASSED | ReviewFilter.FAILED:
                return and_(of.verdict == wanted.value, of.status == ReviewStatus.DONE.value)

    def _query(self) -> Select[*tuple[Any, ...]]:
        columns, of = self._rows.c, self._reviews.c
        # No sandbox has reviews, whoever wrote what there.
        newest = and_(of.conversation == columns.conversation, of.newest == 1, true() if self._counts else false())
        return select(
            of.status.label("review"),
            of.verdict,
            of.needs_review,
            columns.conversation,
            columns.agent,
            columns.channel,
            columns.identity,
            columns.person_id,
            columns.turns,
            columns.ended,
            columns.started_at,
            columns.updated_at,
            columns.closed_at,
        ).join_from(self._rows.source, self._reviews.source, newest, isouter=True)


def _summary(row: Row[*tuple[Any, ...]]) -> ConversationSummary:
    return ConversationSummary(
        conversation=row.conversation,
        agent=row.agent,
        channel=Channel(row.channel),
        identity=row.identity,
        person_id=row.person_id,
        turns=row.turns,
        ended=None if row.ended is None else StopReason(row.ended),
        started_at=row.started_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        review=None if row.review is None else _mark(row),
    )


def _mark(row: Row[*tuple[Any, ...]]) -> ReviewMark:
    return ReviewMark(
        status=ReviewStatus(row.review),
        verdict=None if row.verdict is None else ReviewVerdict(row.verdict),
        needs_review=bool(row.needs_review),
    )


def _opens_again(row: Row[*tuple[Any, ...]]) -> bool:
    return row.status == InboundStatus.SERVED.value and isinstance(kept_event(row.event), Opened)


def _unserved(row: Row[*tuple[Any, ...]]) -> UnservedEvent:
    return UnservedEvent(
        message_id=row.message_id,
        received_at=row.received_at,
        error=row.error,
        words=shown_words(kept_event(row.event)),
        too_late=row.status == InboundStatus.SERVED.value,
    )


def _kept(row: Row[*tuple[Any, ...]]) -> KeptTurn:
    record: bytes | None = getattr(row, "record", None)
    return KeptTurn(
        number=row.number,
        at=row.at,
        revision=row.revision,
        turn=decode(Turn, unpack(row.body)),
        record=None if record is None else decode(TurnRecord, unpack(record)),
    )
