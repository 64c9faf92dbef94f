"""Runs: made together with their plan, finished or cancelled, listed newest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from greenroom.conversation.outcomes import CaseRollup, PlannedSample, RunStatus, RunSummary, Status
from greenroom.errors import NotFound, StoreError
from greenroom.nearest import nearest
from greenroom.store.chunks import chunks
from greenroom.store.encoding import decode, decode_text, encode, encode_text, pack, unpack, visible
from greenroom.store.plans import gate_of
from greenroom.store.reader import Reader
from greenroom.store.tables import results, runs
from greenroom.store.writer import Writer

__all__ = ["Runs"]


_SUMMARY = (runs.c.status, runs.c.started_at, runs.c.summary)


class Runs:
    """What ran, and how it came out."""

    def __init__(self, *, reader: Reader, writer: Writer, workspace: str) -> None:
        self._reader = reader
        self._writer = writer
        self._workspace = workspace

    async def create(self, run: RunSummary, plan: Iterable[PlannedSample]) -> None:
        """A run and one queued row for each planned sample, all or nothing.

        Raises:
            StoreError: there is a run with this id, or the plan names a sample twice.
        """
        rows = tuple(plan)
        twice = len(rows) - len({(planned.key.suite, planned.key.case, planned.key.sample) for planned in rows})
        if twice:
            raise StoreError(f"the plan of {run.run_id} names {twice} of its samples twice; nothing was stored")
        await self._writer.write(lambda connection: self._create(connection, run, rows))

    async def mark_started(self, run_id: str, *, started_at: str | None = None) -> None:
        """The first sample is being played."""
        values: dict[str, Any] = {"status": RunStatus.RUNNING.value}
        if started_at is not None:
            values["started_at"] = started_at
        await self._writer.write(lambda connection: self._update(connection, run_id, values))

    async def finish(self, run: RunSummary, *, note: str = "") -> None:
        """Keep how it ended. Samples that were never played become cancelled, with this note."""
        values = {**_written(run), "cases": pack(encode(run.cases))}

        def work(connection: Connection) -> None:
            self._update(connection, run.run_id, values)
            left = update(results).where(
                results.c.run_id == run.run_id, results.c.status.in_((Status.QUEUED.value, Status.RUNNING.value))
            )
            connection.execute(left.values(status=Status.CANCELLED.value, note=visible(note)))

        await self._writer.write(work)

    async def get(self, run_id: str) -> RunSummary:
        """One run, with its roll-ups.

        Raises:
            NotFound: there is no such run; says which one is nearest.
        """
        query = select(*_SUMMARY, runs.c.cases).where(runs.c.run_id == run_id, runs.c.workspace == self._workspace)
        row = await self._reader.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            recent = await self.list(limit=50)
            raise NotFound("run", run_id, nearest(run_id, [run.run_id for run in recent]))
        cases = () if row.cases is None else decode(tuple[CaseRollup, ...], unpack(row.cases))
        return _summary(row, cases)

    async def list(
        self, *, limit: int = 50, before: str | None = None, agent: str | None = None
    ) -> Sequence[RunSummary]:
        """Runs without their roll-ups, the newest first; the next page is `before` the last one's id."""
        query = self._mine(agent).order_by(runs.c.number.desc()).limit(limit)
        if before is not None:
            cursor = select(runs.c.number).where(runs.c.run_id == before).scalar_subquery()
            query = query.where(runs.c.number < cursor)
        rows = await self._reader.read(lambda connection: connection.execute(query).all())
        return tuple(_summary(row, ()) for row in rows)

    async def named(self, part: str, *, most: int) -> Sequence[str]:
        """The ids that begin with this, the newest first, so many at most; where none does, those that end with it."""
        for fits in (runs.c.run_id.startswith, runs.c.run_id.endswith):
            mine = (runs.c.workspace == self._workspace, fits(part, autoescape=True))
            query = select(runs.c.run_id).where(*mine).order_by(runs.c.number.desc()).limit(most)
            found = await self._reader.read(lambda connection, query=query: connection.execute(query).scalars().all())
            if found:
                return found
        return ()

    async def last(self, agent: str | None = None) -> RunSummary | None:
        """The last run, of this agent or of any; None when there was none."""
        found = await self.list(limit=1, agent=agent)
        return found[0] if found else None

    async def planned_since(self, moment: str) -> int:
        """How many samples the runs hold that began at this moment (ISO 8601) or later."""
        query = select(func.coalesce(func.sum(runs.c.planned), 0)).where(
            runs.c.workspace == self._workspace, runs.c.started_at >= moment
        )
        return int(await self._reader.read(lambda connection: connection.execute(query).scalar_one()))

    def _mine(self, agent: str | None) -> Select[*tuple[Any, ...]]:
        query = select(*_SUMMARY).where(runs.c.workspace == self._workspace)
        return query if agent is None else query.where(runs.c.agent == agent)

    def _create(self, connection: Connection, run: RunSummary, plan: Sequence[PlannedSample]) -> None:
        taken = select(runs.c.number).where(runs.c.run_id == run.run_id)
        if connection.execute(taken).first() is not None:
            raise StoreError(f"there is a run {run.run_id!r} already")
        row = {
            **_written(run),
            "run_id": run.run_id,
            "workspace": self._workspace,
            "planned": len(plan),
            "last_event": 0,
        }
        connection.execute(insert(runs).values(row))
        for chunk in chunks(_planned_rows(run.run_id, plan)):
            connection.execute(insert(results), chunk)

    def _update(self, connection: Connection, run_id: str, values: dict[str, Any]) -> None:
        found = connection.execute(update(runs).where(runs.c.run_id == run_id).values(values))
        if found.rowcount == 0:
            raise NotFound("run", run_id)


def _written(run: RunSummary) -> dict[str, Any]:
    """The columns that follow from a summary."""
    return {
        "status": run.status.value,
        "agent": run.agent,
        "revision": run.revision,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "pass_rate": run.pass_rate,
        "units": run.units,
        "summary": encode_text(replace(run, cases=())),
    }


def _summary(row: Row[*tuple[Any, ...]], cases: tuple[CaseRollup, ...]) -> RunSummary:
    # Status and beginning change between making and finishing a run, by their columns alone.
    summary = decode_text(RunSummary, row.summary)
    return replace(summary, status=RunStatus(row.status), started_at=row.started_at, cases=cases)


def _planned_rows(run_id: str, plan: Sequence[PlannedSample]) -> Iterator[dict[str, Any]]:
    return (
        {
            "run_id": run_id,
            "position": position,
            "suite": planned.key.suite,
            "case_id": planned.key.case,
            "sample": planned.key.sample,
            "attempt": planned.key.attempt,
            "case_hash": planned.case_hash,
            "gate": gate_of(planned),
            "status": Status.QUEUED.value,
            "fence": 0,
        }
        for position, planned in enumerate(plan, 1)
    )
