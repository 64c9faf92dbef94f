"""Counting what went on between moments, by indexed queries; no row is ever read whole, none of another partition."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, select

from greenroom.conversation.daily import Figures, Outcome, ReviewCounts
from greenroom.conversation.reviews import ReviewStatus, ReviewVerdict
from greenroom.conversation.turns import StopReason
from greenroom.store.partition import Rows, Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversations
from greenroom.store.world_tables import activity, appointments, reviews

__all__ = ["Span", "Statistics"]

_OUTCOMES: Mapping[str, Outcome] = {
    StopReason.RESOLVED: Outcome.RESOLVED,
    StopReason.HANDED_OVER: Outcome.HANDED_OVER,
    StopReason.TRANSFERRED: Outcome.TRANSFERRED,
}


class Span(NamedTuple):
    """From one moment, included, to another; as the tables hold them."""

    since: str
    until: str


class Statistics:
    """Figures of one partition."""

    def __init__(self, *, reader: Reader, share: Share) -> None:
        self._reader = reader
        self._conversations = conversations.of(share)
        self._activity = activity.of(share)
        self._reviews = reviews.of(share)
        self._appointments = appointments.of(share)

    async def figures(self, spans: Sequence[Span], *, agent: str | None = None) -> Sequence[Figures]:
        """What went on in each span, of one consistent view; of all agents, or of one."""

        def read(connection: Connection) -> Sequence[Figures]:
            known = self._known(connection)
            return [self._of(connection, span, agent) if _meet(span, known) else Figures() for span in spans]

        return await self._reader.read(read)

    def _known(self, connection: Connection) -> Span:
        """From the first thing that is known to the last, so that years before a business began cost nothing."""
        counted = (
            (self._conversations, "started_at"),
            (self._activity, "at"),
            (self._reviews, "closed_at"),
            (self._appointments, "created_at"),
        )
        ends: list[str] = []
        for rows, column in counted:
            for first in (rows.c[column], rows.c[column].desc()):
                ends += connection.execute(select(rows.c[column]).order_by(first).limit(1)).scalars()
        return Span(min(ends, default=""), max(ends, default=""))

    def _of(self, connection: Connection, span: Span, agent: str | None) -> Figures:
        begun: dict[str, int] = {}
        outcomes: dict[Outcome, int] = {}
        for row in connection.execute(self._begun(span, agent)):
            begun[row.channel] = begun.get(row.channel, 0) + row.many
            outcome = _outcome(row.ended, is_open=bool(row.is_open))
            outcomes[outcome] = outcomes.get(outcome, 0) + row.many
        came: dict[str, int] = {}
        left: dict[str, int] = {}
        times: dict[int, int] = {}
        for row in connection.execute(self._went(span, agent)):
            for counts, key, many in (
                (came, row.channel, row.came),
                (left, row.channel, row.went),
                (times, row.took, row.turns),
            ):
                if many:
                    counts[key] = counts.get(key, 0) + many
        return Figures(
            begun=begun,
            outcomes=outcomes,
            messages_in=came,
            messages_out=left,
            turn_times=times,
            reviews=self._reviewed(connection, span, agent),
            appointments_booked=self._booked(connection, span, agent),
        )

    def _begun(self, span: Span, agent: str | None) -> Select[*tuple[Any, ...]]:
        columns = self._conversations.c
        is_open = case((columns.closed_at.is_(None), 1), else_=0).label("is_open")
        return (
            select(columns.channel, columns.ended, is_open, func.count().label("many"))
            .where(_within(self._conversations, "started_at", span, agent))
            .group_by(columns.channel, columns.ended, is_open)
        )

    def _went(self, span: Span, agent: str | None) -> Select[*tuple[Any, ...]]:
        columns = self._activity.c
        took = _rounded(columns.duration_ms).label("took")
        return (
            select(
                columns.channel,
                took,
                func.sum(columns.messages_in).label("came"),
                func.sum(columns.messages_out).label("went"),
                func.count(columns.duration_ms).label("turns"),
            )
            .where(_within(self._activity, "at", span, agent))
            .group_by(columns.channel, took)
        )

    def _reviewed(self, connection: Connection, span: Span, agent: str | None) -> ReviewCounts:
        columns = self._reviews.c
        query = (
            select(columns.status, columns.verdict, func.count().label("many"))
            .where(_within(self._reviews, "closed_at", span, agent), columns.newest == 1)
            .group_by(columns.status, columns.verdict)
        )
        counts = {
            row.verdict if row.status == ReviewStatus.DONE.value else row.status: row.many
            for row in connection.execute(query)
        }
        return ReviewCounts(
            passed=counts.get(ReviewVerdict.PASSED.value, 0),
            failed=counts.get(ReviewVerdict.FAILED.value, 0),
            unknown=counts.get(ReviewVerdict.UNKNOWN.value, 0),
            waiting=counts.get(ReviewStatus.WAITING.value, 0),
            errored=counts.get(ReviewStatus.ERRORED.value, 0),
        )

    def _booked(self, connection: Connection, span: Span, agent: str | None) -> int:
        """Appointments that conversations made, whatever has become of them; a time that a turn only holds is none.

        One of a live test is listed, for it is real, and doesn't count: its conversation is none.
        """
        made = _within(self._appointments, "created_at", span, agent)
        columns = self._appointments.c
        in_conversations = columns.conversation.in_(select(self._conversations.c.conversation))
        query = select(func.count()).where(made, columns.held_until.is_(None), in_conversations)
        return connection.execute(query).scalar_one()


def _meet(span: Span, known: Span) -> bool:
    """Whether something may be known of a span; the last moment of what is known belongs to it."""
    return span.since <= known.until and known.since < span.until


def _within(rows: Rows, column: str, span: Span, agent: str | None) -> ColumnElement[bool]:
    at = rows.c[column]
    during = and_(at >= span.since, at < span.until)
    return during if agent is None else and_(during, rows.c.agent == agent)


def _outcome(ended: str | None, *, is_open: bool) -> Outcome:
    if is_open:
        return Outcome.OPEN
    return Outcome.SILENT if ended is None else _OUTCOMES.get(ended, Outcome.ENDED)


def _rounded(ms: ColumnElement[Any]) -> ColumnElement[Any]:
    """Milliseconds rounded down to what a person would tell apart, so that there are few different ones."""
    return case(
        (ms < 1_000, ms - ms % 10),
        (ms < 10_000, ms - ms % 100),
        (ms < 100_000, ms - ms % 1_000),
        else_=ms - ms % 10_000,
    )
