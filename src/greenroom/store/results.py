"""Results: the queue, the checkpoint and the history of a run, one row for each sample and attempt.

What a list shows stands in the row; turns, checks, criteria and the judge's record in a body of their own, and the
turn records beside them, so that no list reads either (R15, R20).
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, exists, func, select

from greenroom.clock import Clock
from greenroom.conversation.outcomes import (
    Badge,
    CaseError,
    Cause,
    PlannedSample,
    SampleKey,
    SampleResult,
    Status,
)
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role, Usage
from greenroom.errors import NotFound
from greenroom.nearest import nearest
from greenroom.store.encoding import decode, decode_text, encode, encode_text, pack, unpack, visible
from greenroom.store.plans import planned_from
from greenroom.store.reader import Reader
from greenroom.store.saving import SavedSample, save_sample
from greenroom.store.tables import result_bodies, results
from greenroom.store.times import stamp
from greenroom.store.writer import Work, Writer

__all__ = ["Results"]

_PAGE = 200
"""Rows without bodies in one page."""

_BODY_PAGE = 16
"""Rows with bodies in one page: memory for a result of 2 MB a few times over, not for all of them."""

_ROW = (
    results.c.id,
    results.c.position,
    results.c.suite,
    results.c.case_id,
    results.c.sample,
    results.c.attempt,
    results.c.case_hash,
    results.c.status,
    results.c.score,
    results.c.stopped,
    results.c.cause,
    results.c.message,
    results.c.duration_s,
    results.c.units,
    results.c.badges,
    results.c.usage,
    results.c.note,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Which result is asked for; the last attempt when none is named."""

    run_id: str
    suite: str
    case: str
    sample: int
    attempt: int | None

    @property
    def named(self) -> str:
        """As people write it."""
        return f"{self.suite}/{self.case}/{self.sample}"


class Results:
    """Every sample of every run."""

    def __init__(self, *, reader: Reader, writer: Writer, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock

    async def save(self, run_id: str, result: SampleResult, records: tuple[TurnRecord, ...] = ()) -> None:
        """Keep a finished sample: result, body, turn records and event, together or not at all.

        A sample that was planned takes its planned row. An attempt above 1 that has no row yet gets one beside the
        earlier attempts, which stay as they are (R12).

        Raises:
            StoreError: this attempt was saved already.
            NotFound: the run has no such sample.
        """
        await self._writer.prepare(lambda: self._saving(run_id, result, records))

    async def of_run(
        self,
        run_id: str,
        *,
        bodies: bool = True,
        attempts: bool = False,
        statuses: Iterable[Status] | None = None,
        case: tuple[str, str] | None = None,
    ) -> AsyncIterator[SampleResult]:
        """The results of a run one by one in the order of its plan, at most a page in memory (R16, R17).

        Only the last attempt of each sample unless `attempts` are wanted; of one `case`, by suite and id, or of all.
        Without `bodies` the results have no turns, checks, criteria or judge's record. Unfinished samples come as
        `queued`, `running` or `cancelled`.
        """
        query = _rows_of(run_id, bodies=bodies).order_by(results.c.position, results.c.attempt)
        if not attempts:
            query = query.where(_is_last_attempt())
        if statuses is not None:
            query = query.where(results.c.status.in_([status.value for status in statuses]))
        if case is not None:
            query = query.where(results.c.suite == case[0], results.c.case_id == case[1])
        size = _BODY_PAGE if bodies else _PAGE

        def page(connection: Connection, after: Row[*tuple[Any, ...]] | None) -> Sequence[Row[*tuple[Any, ...]]]:
            following = query if after is None else query.where(_after(after))
            return connection.execute(following.limit(size)).all()

        async for row in self._reader.pages(page):
            yield _result(row, bodies=bodies)

    async def one(self, run_id: str, suite: str, case: str, sample: int, attempt: int | None = None) -> SampleResult:
        """One result, whole; its last attempt unless one is named.

        Raises:
            NotFound: there is none; says which is nearest.
        """
        wanted = _Wanted(run_id=run_id, suite=suite, case=case, sample=sample, attempt=attempt)
        row = await self._row(_rows_of(run_id, bodies=True), wanted)
        return _result(row, bodies=True)

    async def records(
        self, run_id: str, suite: str, case: str, sample: int, attempt: int | None = None
    ) -> tuple[TurnRecord, ...]:
        """The turn records of one result (features.md A12); empty for agents that keep none.

        Raises:
            NotFound: there is no such result; says which is nearest.
        """
        query = (
            select(result_bodies.c.records)
            .select_from(results.outerjoin(result_bodies, result_bodies.c.result_id == results.c.id))
            .where(results.c.run_id == run_id)
        )
        wanted = _Wanted(run_id=run_id, suite=suite, case=case, sample=sample, attempt=attempt)
        row = await self._row(query, wanted)
        return () if row.records is None else decode(tuple[TurnRecord, ...], unpack(row.records))

    async def attempts(self, run_id: str, suite: str, case: str, sample: int) -> Sequence[SampleResult]:
        """Every attempt at one sample without its body, the first one first (R12)."""
        query = _rows_of(run_id, bodies=False).where(_is(suite, case, sample)).order_by(results.c.attempt)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_result(row, bodies=False) for row in rows)

    async def queued(self, run_id: str) -> AsyncIterator[PlannedSample]:
        """What is still to be played, one by one in the order of the plan; nothing else is needed to go on."""
        async for planned in self._planned(results.c.run_id == run_id, results.c.status == Status.QUEUED.value):
            yield planned

    async def plan(self, run_id: str) -> AsyncIterator[PlannedSample]:
        """Every sample that was planned, one by one, played or not."""
        async for planned in self._planned(results.c.run_id == run_id, results.c.attempt == 1):
            yield planned

    async def _planned(self, *which: ColumnElement[bool]) -> AsyncIterator[PlannedSample]:
        query = (
            select(
                results.c.position,
                results.c.suite,
                results.c.case_id,
                results.c.sample,
                results.c.attempt,
                results.c.case_hash,
                results.c.gate,
            )
            .where(*which)
            .order_by(results.c.position, results.c.attempt)
        )

        def page(connection: Connection, after: Row[*tuple[Any, ...]] | None) -> Sequence[Row[*tuple[Any, ...]]]:
            following = query if after is None else query.where(_after(after))
            return connection.execute(following.limit(_PAGE)).all()

        async for row in self._reader.pages(page):
            yield planned_from(_key(row), row.case_hash, row.gate)

    async def tally(self, run_id: str) -> Mapping[Status, int]:
        """How many samples stand where, by their last attempt."""
        query = (
            select(results.c.status, func.count().label("samples"))
            .where(results.c.run_id == run_id, _is_last_attempt())
            .group_by(results.c.status)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return {Status(row.status): row.samples for row in rows}

    def _saving(self, run_id: str, result: SampleResult, records: tuple[TurnRecord, ...]) -> Work[None]:
        usage = {role.value: usage for role, usage in result.usage.items()}
        # With plain text for its keys, the whole value is written by orjson at once.
        body = encode(replace(result, usage=usage))  # pyright: ignore[reportArgumentType]
        saved = SavedSample(
            run_id=run_id,
            key=result.key,
            columns=_columns(result, usage, stamp(self._clock)),
            body=pack(body),
            records=pack(encode(records)) if records else None,
        )
        return lambda connection: save_sample(connection, saved)

    async def _row(self, query: Select[*tuple[Any, ...]], wanted: _Wanted) -> Row[*tuple[Any, ...]]:
        query = query.where(_is(wanted.suite, wanted.case, wanted.sample))
        if wanted.attempt is not None:
            query = query.where(results.c.attempt == wanted.attempt)
        query = query.order_by(results.c.attempt.desc()).limit(1)
        row = await self._reader.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            raise await self._not_found(wanted)
        return row

    async def _not_found(self, wanted: _Wanted) -> NotFound:
        query = (
            select(results.c.suite, results.c.case_id, results.c.sample)
            .where(results.c.run_id == wanted.run_id)
            .limit(_PAGE)
        )
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        near = nearest(wanted.named, [f"{row.suite}/{row.case_id}/{row.sample}" for row in rows])
        attempt = "" if wanted.attempt is None else f" (attempt {wanted.attempt})"
        return NotFound("result", wanted.named + attempt, near, within=wanted.run_id)


def _rows_of(run_id: str, *, bodies: bool) -> Select[*tuple[Any, ...]]:
    if not bodies:
        return select(*_ROW).where(results.c.run_id == run_id)
    joined = results.outerjoin(result_bodies, result_bodies.c.result_id == results.c.id)
    return select(*_ROW, result_bodies.c.body).select_from(joined).where(results.c.run_id == run_id)


def _is(suite: str, case: str, sample: int) -> ColumnElement[bool]:
    return and_(results.c.suite == suite, results.c.case_id == case, results.c.sample == sample)


def _after(row: Row[*tuple[Any, ...]]) -> ColumnElement[bool]:
    return (results.c.position > row.position) | (
        (results.c.position == row.position) & (results.c.attempt > row.attempt)
    )


def _is_last_attempt() -> ColumnElement[bool]:
    later = results.alias("later")
    return ~exists().where(
        later.c.run_id == results.c.run_id,
        later.c.suite == results.c.suite,
        later.c.case_id == results.c.case_id,
        later.c.sample == results.c.sample,
        later.c.attempt > results.c.attempt,
    )


def _key(row: Row[*tuple[Any, ...]]) -> SampleKey:
    return SampleKey(suite=row.suite, case=row.case_id, sample=row.sample, attempt=row.attempt)


def _columns(result: SampleResult, usage: Mapping[str, Usage], finished_at: str) -> Mapping[str, Any]:
    error = result.error
    return {
        "case_hash": result.case_hash,
        "status": result.status.value,
        "finished_at": finished_at,
        "score": result.score,
        "stopped": None if result.stopped is None else result.stopped.value,
        "cause": None if error is None else error.cause.value,
        "message": None if error is None else visible(error.message),
        "duration_s": result.duration_s,
        "units": result.units,
        "badges": " ".join(badge.value for badge in result.badges),
        "usage": encode_text(usage),
        "note": visible(result.note),
    }


def _result(row: Row[*tuple[Any, ...]], *, bodies: bool) -> SampleResult:
    """A result as it was saved; from its row alone without bodies, or when it was never finished."""
    if bodies and row.body is not None:
        return decode(SampleResult, unpack(row.body))
    return SampleResult(
        key=_key(row),
        status=Status(row.status),
        badges=tuple(Badge(badge) for badge in (row.badges or "").split()),
        score=row.score,
        stopped=None if row.stopped is None else StopReason(row.stopped),
        error=None if row.cause is None else CaseError(cause=Cause(row.cause), message=row.message or ""),
        duration_s=row.duration_s or 0.0,
        units=row.units or 0,
        usage={} if row.usage is None else decode_text(dict[Role, Usage], row.usage),
        case_hash=row.case_hash,
        note=row.note or "",
    )
