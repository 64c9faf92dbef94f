"""The events of a run are numbered without gaps, whoever writes them."""

import asyncio
from pathlib import Path

import pytest
from tests.builders import planned, run_summary, sample_result
from tests.stores import opened

from greenroom.errors import NotFound
from greenroom.store.events import StoredEvent
from greenroom.store.opening import Store


async def test_a_reader_goes_on_after_the_last_event_it_knows(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a"))

    assert await store.events.append("run-1", "run_started", {"samples": 1}) == 1
    await store.results.save("run-1", sample_result("a"))

    assert await store.events.after("run-1") == (
        StoredEvent(seq=1, kind="run_started", at="2026-11-30T12:00:00.000+00:00", data={"samples": 1}),
        StoredEvent(
            seq=2,
            kind="sample_finished",
            at="2026-11-30T12:00:00.000+00:00",
            data={"suite": "booking", "case": "a", "sample": 1, "attempt": 1, "status": "passed"},
        ),
    )
    assert [event.seq for event in await store.events.after("run-1", 1)] == [2]
    assert [event.seq for event in await store.events.after("run-1", 0, limit=1)] == [1]


async def test_two_writers_leave_no_gap_and_no_repeat(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as one, opened(database_url, tmp_path) as other:
        await one.runs.create(run_summary(), ())

        numbers = await asyncio.gather(
            *(
                store.events.append("run-1", "told", {"number": number})
                for number in range(20)
                for store in (one, other)
            )
        )

        assert sorted(numbers) == list(range(1, 41))
        assert [event.seq for event in await one.events.after("run-1")] == list(range(1, 41))


async def test_runs_count_their_events_by_themselves(store: Store) -> None:
    await store.runs.create(run_summary("run-1"), ())
    await store.runs.create(run_summary("run-2"), ())

    assert [await store.events.append(run, "told", {}) for run in ("run-1", "run-2", "run-1")] == [1, 1, 2]


async def test_an_event_of_no_run_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="there is no run 'nowhere'"):
        await store.events.append("nowhere", "told", {})
