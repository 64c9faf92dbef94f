"""Runs are made whole, listed by pages, and found again."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.builders import planned, run_summary, sample_result
from tests.stores import SQLITE, Statements, opened

from greenroom.conversation.outcomes import (
    CaseRollup,
    Counts,
    FailOn,
    PlannedSample,
    RequestedBy,
    RunStatus,
    RunSummary,
    SampleKey,
    Status,
    UnderTest,
)
from greenroom.errors import NotFound, StoreError
from greenroom.store.opening import Store

FINISHED = RunSummary(
    fail_on=FailOn.ERROR,
    run_id="run-1",
    status=RunStatus.FINISHED,
    agent="desk",
    revision="draft",
    requested_by=RequestedBy(via="command line", who="Ada \ud83d"),
    started_at="2026-11-30T09:00:00.000+00:00",
    finished_at="2026-11-30T09:01:00.000+00:00",
    counts=Counts(passed=1, failed=1, needs_review=1),
    pass_rate=0.5,
    units=7,
    estimate_units=8,
    under_test=UnderTest(behavior_hash="b" * 64, build="1.2", judge_model="anthropic:claude-sonnet-5"),
    cases=(
        CaseRollup(suite="booking", case="a", status=Status.PASSED, samples=1, passed=1, failed=0, errored=0, need=1),
        CaseRollup(suite="booking", case="b", status=Status.FAILED, samples=1, passed=0, failed=1, errored=0, need=1),
    ),
)


@pytest.mark.requirement("F11")
async def test_a_finished_run_comes_back_whole(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a", "b"))

    await store.runs.finish(FINISHED)

    assert await store.runs.get("run-1") == replace(
        FINISHED, requested_by=RequestedBy(via="command line", who="Ada \\ud83d")
    )


async def test_a_run_is_queued_running_and_then_finished(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a"))
    seen = [(await store.runs.get("run-1")).status]
    await store.runs.mark_started("run-1", started_at="2026-11-30T09:00:07.000+00:00")
    running = await store.runs.get("run-1")
    await store.runs.finish(FINISHED)

    assert [*seen, running.status, (await store.runs.get("run-1")).status] == [
        RunStatus.QUEUED,
        RunStatus.RUNNING,
        RunStatus.FINISHED,
    ]
    assert running.started_at == "2026-11-30T09:00:07.000+00:00"


async def test_what_was_never_played_is_cancelled_with_the_run(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a", "b"))
    await store.results.save("run-1", sample_result("a"))

    await store.runs.finish(replace(FINISHED, status=RunStatus.CANCELLED), note="stopped by Ctrl-C")

    assert [(result.status, result.note) async for result in store.results.of_run("run-1")] == [
        (Status.PASSED, ""),
        (Status.CANCELLED, "stopped by Ctrl-C"),
    ]
    assert [left async for left in store.results.queued("run-1")] == []


async def test_runs_are_listed_newest_first_and_by_pages(store: Store) -> None:
    for number in range(1, 8):
        await store.runs.create(run_summary(f"run-{number}", agent="desk" if number % 2 else "dock"), ())

    first = [run.run_id for run in await store.runs.list(limit=3)]
    second = [run.run_id for run in await store.runs.list(limit=3, before=first[-1])]

    assert first == ["run-7", "run-6", "run-5"]
    assert second == ["run-4", "run-3", "run-2"]
    assert [run.run_id for run in await store.runs.list(agent="dock")] == ["run-6", "run-4", "run-2"]


async def test_the_last_run_is_the_agents_own(store: Store) -> None:
    """R11: `--failed` looks at the agent's last run, not at anybody's."""
    assert await store.runs.last("desk") is None
    await store.runs.create(run_summary("run-1", agent="desk"), planned("a", "b"))
    await store.runs.create(run_summary("run-2", agent="dock"), planned("a"))
    await store.results.save("run-1", sample_result("a", status=Status.FAILED))
    await store.results.save("run-1", sample_result("b"))

    last = await store.runs.last("desk")

    assert last is not None
    assert last.run_id == "run-1"
    failed = store.results.of_run("run-1", bodies=False, statuses={Status.FAILED})
    assert [result.key.case async for result in failed] == ["a"]


async def test_a_missing_run_names_the_nearest(store: Store) -> None:
    await store.runs.create(run_summary("run-20261130-093012-4f2a9c"), ())

    with pytest.raises(NotFound) as missing:
        await store.runs.get("run-20261130-093012-4f2a9d")

    assert str(missing.value) == (
        "there is no run 'run-20261130-093012-4f2a9d'; did you mean 'run-20261130-093012-4f2a9c'?"
    )


async def test_a_run_that_cant_be_made_leaves_nothing(store: Store) -> None:
    await store.runs.create(run_summary("run-1"), planned("a"))

    with pytest.raises(StoreError, match="there is a run 'run-1' already"):
        await store.runs.create(run_summary("run-1"), planned("b"))
    with pytest.raises(StoreError, match="the plan of run-2 names 1 of its samples twice"):
        await store.runs.create(run_summary("run-2"), [*planned("a"), *planned("a")])

    assert [run.run_id for run in await store.runs.list()] == ["run-1"]
    assert [left.key.case async for left in store.results.queued("run-1")] == ["a"]


async def test_a_plan_keeps_how_each_case_is_gated_and_called(store: Store) -> None:
    plan = [
        PlannedSample(
            key=SampleKey(suite="booking", case="a", sample=2),
            case_hash="h",
            samples=5,
            need=4,
            name="A boat for Saturday — six people",
            known_failure="see ticket 7",
        ),
        PlannedSample(key=SampleKey(suite="booking", case="A"), case_hash="h2"),
    ]
    await store.runs.create(run_summary(), plan)

    assert [left async for left in store.results.queued("run-1")] == plan


async def test_runs_of_another_workspace_are_not_seen(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, workspace="north") as north:
        await north.runs.create(run_summary("run-1"), ())
    async with opened(database_url, tmp_path, workspace="south") as south:
        assert await south.runs.list() == ()
        with pytest.raises(NotFound):
            await south.runs.get("run-1")


async def test_lists_of_many_runs_and_rows_take_few_queries_and_an_index_each(tmp_path: Path) -> None:
    """R15, R20: a page costs one query that an index answers, and never reads a body."""
    async with opened(SQLITE, tmp_path) as store:
        for number in range(500):
            await store.runs.create(run_summary(f"run-{number}"), planned("a"))
        await store.runs.create(run_summary("big"), planned(*(f"case-{number}" for number in range(450))))
        asked = Statements(store.database.readers)

        assert len(await store.runs.list(limit=50, before="run-400")) == 50
        assert len(await store.runs.list(limit=50, agent="desk")) == 50
        assert len([result async for result in store.results.of_run("big", bodies=False)]) == 450
        assert len([left async for left in store.results.queued("big")]) == 450
        await store.results.tally("big")
        await store.runs.last("desk")

        # Pages of 200: two full ones, one that is not, and the end.
        assert len(asked.queries) == 1 + 1 + 4 + 4 + 1 + 1
        for statement, values in asked.queries:
            assert "body" not in statement
            assert "runs.cases" not in statement
            for step in _plan(store.database.where, statement, values):
                assert "TEMP B-TREE FOR ORDER" not in step, statement
                assert not step.startswith("SCAN"), statement


async def test_the_queue_of_a_run_is_read_from_its_own_index(tmp_path: Path) -> None:
    """R21: going on with a run of 20,000 rows looks at what is left only."""
    async with opened(SQLITE, tmp_path) as store:
        await store.runs.create(run_summary(), planned("a"))
        asked = Statements(store.database.readers)

        assert len([left async for left in store.results.queued("run-1")]) == 1

        assert all(
            "ix_results_run_id_status_position" in " ".join(_plan(store.database.where, *query))
            for query in asked.queries
        )


async def test_deleting_a_run_deletes_what_belongs_to_it(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a"))
    await store.results.save("run-1", sample_result("a"))

    await store.writer.write(lambda connection: connection.execute(text("DELETE FROM runs")))

    with store.database.reading() as connection:
        left = [
            connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
            for table in ("results", "result_bodies", "run_events")
        ]
    assert left == [0, 0, 0]


def _plan(path: str, statement: str, values: object) -> list[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()  # pyright: ignore[reportArgumentType]
    connection.close()
    return [row[3] for row in rows]
