"""Timers as they are kept: one of a kind, agent, name and subject, and each fires once (features.md A10)."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.stores import NOON, opened

from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.timers import Timer, TimerStatus
from greenroom.errors import UsageError
from greenroom.store.locks import Turn
from greenroom.store.opening import Store
from greenroom.store.timers import NewTimer, NotSaid, TimerFilter

HOUR = timedelta(hours=1)
ALL = TimerFilter()


def new(subject: str, *, name: str = "spring", due: timedelta = -HOUR, agent: str = "desk") -> NewTimer:
    return NewTimer(kind=OwnMessageKind.OUTREACH, agent=agent, name=name, subject=subject, due_at=NOON + due)


async def every(store: Store) -> Sequence[Timer]:
    return (await store.timers().page(ALL, limit=1000)).timers[::-1]


async def due(store: Store, *, limit: int = 100) -> list[str]:
    return [timer.subject for timer in await store.timers().due(OwnMessageKind.OUTREACH, "desk", limit=limit)]


async def test_the_same_timer_is_kept_once(store: Store) -> None:
    timers = store.timers()
    assert await timers.enrol([new("ana"), new("ben"), new("ana")]) == 2
    assert await timers.enrol([new("ana"), new("ana", name="autumn"), new("ana", agent="shop")]) == 2
    assert [(each.agent, each.name, each.subject) for each in await every(store)] == [
        ("desk", "spring", "ana"),
        ("desk", "spring", "ben"),
        ("desk", "autumn", "ana"),
        ("shop", "spring", "ana"),
    ]


async def test_those_whose_time_has_come_are_due_the_earliest_first(store: Store) -> None:
    await store.timers().enrol([new("b"), new("a", due=-2 * HOUR), new("later", due=HOUR), new("now", due=0 * HOUR)])
    assert await due(store) == ["a", "b", "now"]
    assert await due(store, limit=2) == ["a", "b"]


async def test_a_timer_fires_once_and_with_what_is_written_along_or_not_at_all(store: Store) -> None:
    """Of two that fire one timer at once the second writes nothing."""
    timers = store.timers()
    await timers.enrol([new("ana")])
    (timer,) = await every(store)
    done = [timers.fire(timer, timers.setting(new(f"written-{number}", due=HOUR))) for number in range(5)]
    came = await asyncio.gather(*done, return_exceptions=True)
    assert sum(isinstance(each, NotSaid) for each in came) == 4
    assert [each for each in came if not isinstance(each, NotSaid)] == [None]
    assert len([each for each in await every(store) if each.subject.startswith("written")]) == 1
    assert (await every(store))[0].status is TimerStatus.DONE


async def test_stores_of_several_processes_fire_a_timer_once(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as one, opened(database_url, tmp_path) as other:
        await one.timers().enrol([new(f"p{number}") for number in range(20)])
        pairs = [(store.timers(), timer) for timer in await every(one) for store in (one, other)]
        came = await asyncio.gather(*(timers.fire(timer) for timers, timer in pairs), return_exceptions=True)
        assert sum(each is None for each in came) == sum(isinstance(each, NotSaid) for each in came) == 20


async def test_one_that_is_set_again_waits_for_its_new_time_whatever_became_of_it(store: Store) -> None:
    timers = store.timers()
    await timers.enrol([new("ana")])
    (timer,) = await every(store)
    await timers.fire(timer)
    await store.writer.write(timers.setting(new("ana", due=HOUR)), Turn.CONVERSATIONS)
    (again,) = await every(store)
    assert (again.number, again.status, again.finished_at) == (timer.number, TimerStatus.WAITING, None)
    with pytest.raises(NotSaid):
        await timers.fire(timer)


async def test_those_of_one_subject_are_cancelled_while_they_wait(store: Store) -> None:
    timers = store.timers()
    await timers.enrol([new("ana"), new("ana", name="autumn"), new("ben")])
    await timers.fire((await every(store))[0])
    await store.writer.write(timers.cancelling(OwnMessageKind.OUTREACH, "ana", "it is over"), Turn.CONVERSATIONS)
    assert [each.why or each.status.value for each in await every(store)] == ["done", "it is over", "waiting"]


async def test_what_has_ended_stays_as_it_ended(store: Store) -> None:
    timers = store.timers()
    await timers.enrol([new("ana")])
    (timer,) = await every(store)
    await timers.end(timer, TimerStatus.SKIPPED, "she refused")
    await timers.end(timer, TimerStatus.CANCELLED, "it is over")
    await timers.put_off(timer, NOON + HOUR)
    assert await timers.enrol([new("ana")], again=frozenset({TimerStatus.CANCELLED})) == 0
    (left,) = await every(store)
    assert (left.status, left.why, left.due_at) == (TimerStatus.SKIPPED, "she refused", timer.due_at)
    assert await timers.enrol([new("ana")], again=frozenset({TimerStatus.SKIPPED})) == 1
    assert await due(store) == ["ana"]


async def test_they_are_listed_by_pages_and_counted(store: Store) -> None:
    timers = store.timers()
    await timers.enrol([new("ana"), new("ben"), new("cleo", name="autumn")])
    await timers.fire((await every(store))[0])
    first = await timers.page(ALL, limit=2)
    assert [each.subject for each in first.timers] == ["cleo", "ben"]
    last = await timers.page(ALL, limit=2, after=first.next)
    assert ([each.subject for each in last.timers], last.next) == (["ana"], None)
    named = await timers.page(TimerFilter(names=("autumn",)), limit=2)
    assert [each.subject for each in named.timers] == ["cleo"]
    assert await timers.counts(TimerFilter(agent="desk")) == {
        "autumn": {TimerStatus.WAITING: 1},
        "spring": {TimerStatus.DONE: 1, TimerStatus.WAITING: 1},
    }
    with pytest.raises(UsageError, match="take the mark that the page before gave"):
        await timers.page(ALL, after="yesterday")
