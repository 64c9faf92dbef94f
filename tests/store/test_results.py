"""Results come back as they were saved, attempt by attempt, and a list never reads their bodies."""

import asyncio

import pytest
from tests.builders import planned, run_summary, sample_result, turn_records

from greenroom.conversation.outcomes import Status
from greenroom.errors import NotFound, StoreError
from greenroom.store.opening import Store


@pytest.mark.requirement("F14", "A12")
async def test_a_result_comes_back_whole_with_its_turn_records(store: Store) -> None:
    await store.runs.create(run_summary(), planned("saturday"))
    result = sample_result()

    await store.results.save("run-1", result, turn_records(result))

    assert await store.results.one("run-1", "booking", "saturday", 1) == result
    assert await store.results.records("run-1", "booking", "saturday", 1) == turn_records(result)


@pytest.mark.requirement("F2")
async def test_every_sample_of_a_case_is_read_back(store: Store) -> None:
    """K01, K02."""
    await store.runs.create(run_summary(), planned("a", "b", samples=3))
    saved = [sample_result(case, sample=sample) for case in ("a", "b") for sample in (1, 2, 3)]

    await asyncio.gather(*(store.results.save("run-1", result) for result in reversed(saved)))

    assert [result async for result in store.results.of_run("run-1")] == saved


async def test_a_second_attempt_stands_beside_the_first(store: Store) -> None:
    """R12."""
    await store.runs.create(run_summary(), planned("a", "b"))
    first = sample_result("a", status=Status.ERRORED)
    second = sample_result("a", attempt=2)
    await store.results.save("run-1", first)
    await store.results.save("run-1", sample_result("b"))

    await store.results.save("run-1", second)

    assert await store.results.one("run-1", "booking", "a", 1) == second
    assert await store.results.one("run-1", "booking", "a", 1, attempt=1) == first
    assert [kept.status for kept in await store.results.attempts("run-1", "booking", "a", 1)] == [
        Status.ERRORED,
        Status.PASSED,
    ]
    assert [(result.key.case, result.key.attempt) async for result in store.results.of_run("run-1")] == [
        ("a", 2),
        ("b", 1),
    ]
    assert len([result async for result in store.results.of_run("run-1", attempts=True)]) == 3


async def test_an_attempt_is_saved_once(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a"))
    await store.results.save("run-1", sample_result("a"))

    with pytest.raises(StoreError, match=r"attempt 1 of booking/a/1 in run run-1 is saved already; .* attempt 2"):
        await store.results.save("run-1", sample_result("a", status=Status.FAILED))

    assert (await store.results.one("run-1", "booking", "a", 1)).status is Status.PASSED


async def test_one_refused_write_takes_no_other_with_it(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a", "b", "c"))

    outcomes = await asyncio.gather(
        *(store.results.save("run-1", sample_result(case)) for case in ("a", "unplanned", "b", "c")),
        return_exceptions=True,
    )

    assert [type(outcome) for outcome in outcomes] == [type(None), NotFound, type(None), type(None)]
    assert await store.results.tally("run-1") == {Status.PASSED: 3}


async def test_what_is_left_of_a_plan_is_all_that_is_needed_to_go_on(store: Store) -> None:
    plan = planned("a", "b", "c", samples=2)
    await store.runs.create(run_summary(), plan)
    await store.results.save("run-1", sample_result("b", sample=1))

    assert [left async for left in store.results.queued("run-1")] == [plan[0], plan[1], plan[3], plan[4], plan[5]]


async def test_a_missing_result_names_the_nearest(store: Store) -> None:
    await store.runs.create(run_summary(), planned("saturday-morning"))

    with pytest.raises(NotFound, match=r"run-1 has no result 'booking/saturday-mourning/1'; did you mean"):
        await store.results.one("run-1", "booking", "saturday-mourning", 1)
