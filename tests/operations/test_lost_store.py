"""A run that loses its database on the way tells what was decided and what of it is saved (features.md F9)."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.outcomes import RunStatus, SampleResult, Status
from greenroom.conversation.progress import Progress, RunFinished, SampleFinished
from greenroom.conversation.rollup import exit_verdict
from greenroom.operations.results import find_run, results_of
from greenroom.operations.runs import RunRequest, perform, prepare
from greenroom.operations.stopping import Stop
from greenroom.reports.json import JsonReport
from greenroom.reports.streams import streamed

CASES = ("a", "b", "c", "d")


@pytest.fixture
def desk(tmp_path: Path) -> ProjectMaker:
    case = {"script": ["Hi"], "expect": [{"reply": "Hello"}]}
    return written_project(tmp_path, rules=[{"reply": "Hello."}], cases=dict.fromkeys(CASES, case))


@pytest.mark.requirement("F9", "H1")
async def test_what_was_decided_is_reported_although_the_store_is_lost(desk: ProjectMaker) -> None:
    """R1 B10: the database refuses from the third result on."""
    async with desk.open() as context:
        prepared = await prepare(context, RunRequest(concurrency=1))
        await asyncio.to_thread(_refuse_results, desk.root / ".greenroom" / "greenroom.db", 2)
        told: list[Progress] = [event async for event in perform(context, prepared, Stop())]
        ended = told[-1]
        assert isinstance(ended, RunFinished)
        assert [event.result.key.case for event in told if isinstance(event, SampleFinished)] == ["a", "b"]
        assert [(case.case, case.status) for case in ended.run.cases] == [
            ("a", Status.PASSED), ("b", Status.PASSED), ("c", Status.PASSED), ("d", Status.CANCELLED),
        ]  # fmt: skip
        assert ended.run.status is RunStatus.BROKEN_OFF
        assert "no more" in ended.fault
        assert ended.fault.endswith("Saved: 2 of 4 conversations; not saved: booking/c")
        verdict = exit_verdict(ended.run.counts, broken=ended.fault)
        assert (verdict.code, verdict.reason) == (3, ended.fault)

        report = streamed(JsonReport(ended.run, version="0"), results_of(context, ended.run, None, ended.unsaved))
        read = json.loads(b"".join([piece async for piece in report]))
        assert [(result["case"], result["status"]) for result in read["results"]] == [
            ("a", "passed"), ("b", "passed"), ("c", "passed"), ("d", "queued"),
        ]  # fmt: skip
        assert "Hello." in read["results"][2]["transcript"]
        stored = await find_run(context, "last")

    assert [case.status for case in stored.cases] == [Status.PASSED] * 2 + [Status.QUEUED] * 2


async def test_without_a_store_to_read_what_is_at_hand_is_reported(desk: ProjectMaker) -> None:
    async with desk.open() as context:
        prepared = await prepare(context, RunRequest(concurrency=1))
        await asyncio.to_thread(_refuse_results, desk.root / ".greenroom" / "greenroom.db", 0)
        told = [event async for event in perform(context, prepared, Stop())]
        ended = told[-1]
        assert isinstance(ended, RunFinished)
        await asyncio.to_thread(context.store.database.readers.dispose)
        for file in (desk.root / ".greenroom").iterdir():
            file.write_bytes(b"no database any more" * 1000)
        results: AsyncIterator[SampleResult] = results_of(context, ended.run, None, ended.unsaved)
        assert [result.key.case async for result in results] == ["a"]


def _refuse_results(database: Path, after: int) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON result_bodies"
            f" WHEN (SELECT count(*) FROM result_bodies) >= {after} BEGIN SELECT RAISE(ABORT, 'no more'); END"
        )
    connection.close()
