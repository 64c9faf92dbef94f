"""Every write is whole or not there at all; writes that come together share a commit; refusals say what to do."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from threading import Event as Flag

import psycopg
import pytest
from sqlalchemy import Connection, text
from tests.builders import planned, run_summary, sample_result, turn_records
from tests.servers.gateway import eventually
from tests.stores import SQLITE, Statements, opened

from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.errors import StoreError, StoreFull, StoreLocked
from greenroom.store.locks import Turn, take_turn
from greenroom.store.opening import Store
from greenroom.store.partition import Partition
from greenroom.store.people import Wanted
from greenroom.store.writer import Work


def held(until: Flag, begun: Flag | None = None) -> Callable[[], Work[None]]:
    """A write that keeps the writer busy until the flag is set."""

    def prepare() -> Work[None]:
        if begun is not None:
            begun.set()
        assert until.wait(5)
        return lambda _: None

    return prepare


async def test_saves_that_come_together_share_a_commit(store: Store) -> None:
    cases = [f"case-{number}" for number in range(20)]
    await store.runs.create(run_summary(), planned(*cases))
    seen = Statements(store.database.writer)
    go, begun = Flag(), Flag()
    busy = asyncio.create_task(store.writer.prepare(held(go, begun)))
    await asyncio.to_thread(begun.wait, 5)

    saves = [asyncio.create_task(store.results.save("run-1", sample_result(case))) for case in cases]
    await asyncio.sleep(0)  # noqa: TID251  - every task has begun: its write is in the queue
    go.set()
    await asyncio.gather(busy, *saves)

    assert seen.commits == 2
    assert await store.results.tally("run-1") == {Status.PASSED: 20}


async def test_closing_writes_what_is_waiting(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        await store.runs.create(run_summary(), planned("a", "b"))
        go = Flag()
        busy = asyncio.create_task(store.writer.prepare(held(go)))
        saves = [asyncio.create_task(store.results.save("run-1", sample_result(case))) for case in ("a", "b")]
        await asyncio.sleep(0)  # noqa: TID251  - every task has begun: its write is in the queue
        closing = asyncio.create_task(store.close())
        go.set()
        await asyncio.gather(busy, *saves, closing)

        with pytest.raises(StoreError, match="is closed"):
            await store.results.save("run-1", sample_result("a", attempt=2))

    async with opened(database_url, tmp_path) as again:
        assert await again.results.tally("run-1") == {Status.PASSED: 2}


async def test_a_save_that_is_cancelled_before_its_turn_leaves_nothing(store: Store) -> None:
    await store.runs.create(run_summary(), planned("a", "b"))
    go, begun = Flag(), Flag()
    busy = asyncio.create_task(store.writer.prepare(held(go, begun)))
    await asyncio.to_thread(begun.wait, 5)
    given_up = asyncio.create_task(store.results.save("run-1", sample_result("a")))
    await asyncio.sleep(0)  # noqa: TID251  - the task has begun: its write is in the queue

    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    go.set()
    await busy
    await store.results.save("run-1", sample_result("b"))

    assert await store.results.tally("run-1") == {Status.QUEUED: 1, Status.PASSED: 1}


async def test_a_fault_of_our_own_reaches_its_caller_and_the_writer_goes_on(store: Store) -> None:
    def broken() -> Work[None]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.writer.prepare(broken)

    await store.runs.create(run_summary(), planned("a"))
    assert (await store.runs.get("run-1")).run_id == "run-1"


async def test_a_full_disk_says_so_and_leaves_no_half_of_a_result(tmp_path: Path) -> None:
    async with opened(SQLITE, tmp_path) as store:
        await store.runs.create(run_summary(), planned("small", "big", "later"))
        await store.results.save("run-1", sample_result("small"))
        _limit_pages(store, 0)
        noise = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(200_000))
        big = turn_records(sample_result("big"))

        with pytest.raises(StoreFull) as refused:
            await store.results.save("run-1", _with_words(noise), big)

        assert str(refused.value) == (
            f"the disk that holds the database {store.database.where} is full; this could not be saved; what was "
            "saved before is intact. Free some space and run again"
        )
        assert await store.results.tally("run-1") == {Status.PASSED: 1, Status.QUEUED: 2}
        assert await store.results.one("run-1", "booking", "small", 1) == sample_result("small")

        _limit_pages(store, 1_000_000)
        await store.results.save("run-1", _with_words(noise), big)
        assert (await store.results.one("run-1", "booking", "big", 1)).note == noise


async def test_a_full_disk_spares_the_small_write_that_shared_a_commit(tmp_path: Path) -> None:
    async with opened(SQLITE, tmp_path) as store:
        await store.runs.create(run_summary(), planned("small", "big"))
        _limit_pages(store, 12)
        noise = "".join(chr(0x4E00 + (number * 7919) % 20_000) for number in range(200_000))

        outcomes = await asyncio.gather(
            store.results.save("run-1", _with_words(noise)),
            store.results.save("run-1", sample_result("small")),
            return_exceptions=True,
        )

        assert [type(outcome) for outcome in outcomes] == [StoreFull, type(None)]


async def test_a_locked_database_says_so_and_works_again_afterwards(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, lock_wait_s=0.05) as store:
        await store.runs.create(run_summary(), planned("a", "b"))
        with _lock(store, database_url):
            outcomes = await asyncio.gather(
                *(store.results.save("run-1", sample_result(case)) for case in ("a", "b")), return_exceptions=True
            )
            # Reading goes on all the while.
            assert await store.results.tally("run-1") == {Status.QUEUED: 2}

        assert [type(outcome) for outcome in outcomes] == [StoreLocked, StoreLocked]
        assert "another process holds" in str(outcomes[0])
        assert "what was saved before is intact. See whether another greenroom is at work or has hung" in str(
            outcomes[0]
        )

        await store.results.save("run-1", sample_result("a"))
        assert await store.results.tally("run-1") == {Status.QUEUED: 1, Status.PASSED: 1}


def _with_words(words: str) -> SampleResult:
    return replace(sample_result("big"), note=words)


def _limit_pages(store: Store, more: int) -> None:
    """Let the database grow by so many pages and no further, as a full disk would."""
    with store.database.writer.begin() as connection:
        now = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.execute(text(f"PRAGMA max_page_count = {now + more}"))


@contextmanager
def _lock(store: Store, url: str) -> Generator[None]:
    if store.database.kind == "sqlite":
        other = sqlite3.connect(store.database.where, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    else:
        other = psycopg.connect(url)
        other.execute("LOCK TABLE results IN EXCLUSIVE MODE")
    try:
        yield
    finally:
        other.close()


async def test_grouped_writes_of_two_processes_never_wait_for_each_other(postgresql_url: str, tmp_path: Path) -> None:
    """Both write of a person and of a conversation, the other way round, while somebody else holds the person's row.

    The first one has begun with the person by then; whoever took its turns as it came to them would wait for the
    second, which had begun with the conversation, and that one for the first. A deadlock costs a second, and then each
    write a commit of its own.
    """
    async with opened(postgresql_url, tmp_path) as one, opened(postgresql_url, tmp_path) as other:
        ana = (await one.people(Partition.LIVE).create("sms:ana")).person_id
        seen = [Statements(store.database.writer) for store in (one, other)]
        with psycopg.connect(postgresql_url) as holder:
            holder.execute("SELECT 1 FROM people FOR UPDATE")
            first = await _together(
                one,
                lambda: one.people(Partition.LIVE).keep([Wanted(person_id=ana, identities=("sms:ana-2",))]),
                lambda: one.inbox().hold("c", "one"),
            )
            await eventually(lambda: _waiting(postgresql_url, 1))
            second = await _together(
                other,
                lambda: other.inbox().hold("c", "other"),
                lambda: other.people(Partition.LIVE).keep([Wanted(person_id=ana, identities=("sms:ana-3",))]),
            )
            await eventually(lambda: _waiting(postgresql_url, 2))
            holder.rollback()
        await asyncio.gather(*first, *second)
        assert [each.commits for each in seen] == [2, 2]


async def _together(store: Store, *writes: Callable[[], Coroutine[None, None, object]]) -> "list[asyncio.Task[object]]":
    """Begun so that they share a commit, after that of a write which keeps the writer busy until all are there."""
    go, begun = Flag(), Flag()
    busy = asyncio.create_task(store.writer.prepare(held(go, begun)))
    await asyncio.to_thread(begun.wait, 5)
    tasks = [asyncio.create_task(write()) for write in writes]
    await asyncio.sleep(0)  # noqa: TID251  - as above
    go.set()
    return [busy, *tasks]


async def _waiting(url: str, many: int) -> bool:
    def look() -> bool:
        with psycopg.connect(url) as connection:
            found = connection.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted").fetchone()
            return found == (many,)

    return await asyncio.to_thread(look)


async def test_two_processes_that_wait_for_each_other_lose_no_write(postgresql_url: str, tmp_path: Path) -> None:
    """Each shares a commit between two writes, and takes its turns the other way round."""
    together = Barrier(2)

    def turns(first: Turn, then: Turn) -> list[Callable[[Connection], Turn]]:
        met = False

        def begin(connection: Connection) -> Turn:
            nonlocal met
            take_turn(connection, first)
            if not met:
                met = True
                together.wait(10)
            return first

        def go_on(connection: Connection) -> Turn:
            take_turn(connection, then)
            return then

        return [begin, go_on]

    async with opened(postgresql_url, tmp_path) as one, opened(postgresql_url, tmp_path) as other:
        writes = [one.writer.write(write) for write in turns(Turn.PEOPLE, Turn.CONVERSATIONS)] + [
            other.writer.write(write) for write in turns(Turn.CONVERSATIONS, Turn.PEOPLE)
        ]
        assert await asyncio.gather(*writes) == [Turn.PEOPLE, Turn.CONVERSATIONS, Turn.CONVERSATIONS, Turn.PEOPLE]
