"""Whether somebody is at work on a run is known from its lease, and from its process when that was here (R07)."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.builders import planned, run_summary, sample_result
from tests.stores import NOON, opened

from greenroom.store.opening import Store
from greenroom.store.run_leases import LEASE_S
from greenroom.store.tables import results


@pytest.mark.requirement("F9")
async def test_a_run_is_held_as_long_as_its_lease_lasts(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        await store.runs.create(run_summary(), planned("a", "b"))
        assert not await store.leases.held("run-1")
        async with store.leases.holding("run-1"):
            await store.results.save("run-1", sample_result("a"))
            assert await store.leases.held("run-1")

    for seconds, held in ((LEASE_S - 1, True), (LEASE_S + 1, False)):
        async with opened(database_url, tmp_path, at=NOON + timedelta(seconds=seconds)) as later:
            assert await later.leases.held("run-1") is held


async def test_a_run_without_unfinished_samples_needs_nobody(sqlite_store: Store) -> None:
    await sqlite_store.runs.create(run_summary(), planned("a"))
    async with sqlite_store.leases.holding("run-1"):
        await sqlite_store.results.save("run-1", sample_result("a"))
        assert not await sqlite_store.leases.held("run-1")


async def test_a_run_of_another_machine_is_held_until_its_lease_ends(sqlite_store: Store) -> None:
    """A number of a process there says nothing about one here."""
    await sqlite_store.runs.create(run_summary(), planned("a"))
    async with sqlite_store.leases.holding("run-1"):
        pass
    elsewhere = update(results).values(claimed_by="another-machine 999999999")
    await sqlite_store.writer.write(lambda connection: connection.execute(elsewhere))
    assert await sqlite_store.leases.held("run-1")
