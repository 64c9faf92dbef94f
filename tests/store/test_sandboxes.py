"""What a sandbox keeps is removed with it, and what a killed process left is removed by a cleanup (features.md A11)."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.stores import NOON, opened

from greenroom.conversation.channels import Channel
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.sandboxes import LEASE_S, Cleaned
from greenroom.world.ports import ConversationState

pytestmark = pytest.mark.requirement("A11")


async def fill(store: Store, sandbox: Sandbox) -> None:
    """A person, an identity and a conversation in it."""
    await store.sandboxes.open(sandbox)
    await store.people(sandbox).create("web:visitor")
    state = ConversationState(conversation=f"talk in {sandbox.name}", channel=Channel.WEB, identity="web:visitor")
    await store.conversations(ConversationState, sandbox).save(state)


async def people_left(store: Store) -> int:
    return (await store.people(Partition.SANDBOX).count(PeopleFilter())).total


async def test_a_sandbox_takes_everything_with_it_and_leaves_the_others(store: Store) -> None:
    one, other = Sandbox("chat-1"), Sandbox("chat-2")
    await fill(store, one)
    await fill(store, other)
    live = await store.people(Partition.LIVE).create("web:visitor")

    await store.sandboxes.remove(one)
    await store.sandboxes.remove(one)

    assert await store.people(one).find("web:visitor") is None
    assert await store.conversations(ConversationState, one).load("talk in chat-1") is None
    assert await store.people(other).find("web:visitor") is not None
    assert await store.people(Partition.LIVE).find("web:visitor") == live


async def test_a_cleanup_removes_what_nobody_holds_any_more_and_nothing_else(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        await fill(store, Sandbox("killed"))
        await fill(store, Sandbox("at work"))
        await store.people(Partition.LIVE).create("web:visitor")
        assert await store.sandboxes.clean() == Cleaned(sandboxes=0, rows=0, held=2)

    later = NOON + timedelta(seconds=LEASE_S - 1)
    async with opened(database_url, tmp_path, at=later) as store:
        await store.sandboxes.renew(Sandbox("at work"))
    async with opened(database_url, tmp_path, at=later + timedelta(seconds=2)) as store:
        assert await store.sandboxes.clean() == Cleaned(sandboxes=1, rows=3, held=1)
        assert await store.people(Sandbox("killed")).find("web:visitor") is None
        assert await store.people(Sandbox("at work")).find("web:visitor") is not None
        assert await store.people(Partition.LIVE).find("web:visitor") is not None
        assert await store.sandboxes.clean() == Cleaned(sandboxes=0, rows=0, held=1)


async def test_a_cleanup_removes_what_was_written_after_its_sandbox_was_gone(store: Store) -> None:
    """A process that slept through its lease and goes on."""
    await store.people(Sandbox("asleep \ud83d")).create("web:visitor")
    assert await people_left(store) == 1
    assert await store.sandboxes.clean() == Cleaned(sandboxes=1, rows=2, held=0)
    assert await people_left(store) == 0


async def test_a_cleanup_stays_in_its_workspace(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, workspace="north") as north:
        await north.people(Sandbox("left")).create("web:visitor")
        async with opened(database_url, tmp_path, workspace="south") as south:
            assert (await south.sandboxes.clean()).sandboxes == 0
        assert await people_left(north) == 1
