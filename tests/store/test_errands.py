"""Errands are there with their turn or not at all, once, and one that fails holds up its own lane alone (A8)."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.stores import NOON, opened

from greenroom.conversation.channels import Channel
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.turns import Turn
from greenroom.errors import HoldLost
from greenroom.store.conversations import Serving
from greenroom.store.errands import DueErrand, Errand
from greenroom.store.opening import Store
from greenroom.store.partition import Partition
from greenroom.store.queue import HOLD_S
from greenroom.store.turn_work import TurnWork
from greenroom.world.ports import ConversationState

TALK = ConversationState(conversation="talk", channel=Channel.WEB, identity="web:1")


def errand(what: str, *, kind: str = "notify", lane: str = "a", conversation: str | None = "talk") -> Errand:
    return Errand(kind=kind, agent="desk", summary=what, lane=lane, body={"text": what}, conversation=conversation)


async def kept(store: Store, work: TurnWork, index: int = 1) -> None:
    """A turn, with what becomes true with it."""
    conversations = store.conversations(ConversationState, Partition.LIVE, agent="desk", with_turn=work)
    await conversations.save(TALK, Turn(index=index, event=None))


async def due(store: Store, holder: str = "me", *, kind: str = "notify") -> list[str]:
    return [one.summary for one in await store.errands().take(holder, kind=kind, limit=10)]


async def test_errands_of_a_turn_are_there_with_it_in_their_order_and_have_keys_of_their_own(store: Store) -> None:
    work, errands = TurnWork(), store.errands()
    for turn in (1, 2):
        work.add(errands.with_turn(errand(f"first of {turn}")))
        work.add(errands.with_turn(errand(f"second of {turn}")))
        assert len(await errands.of_conversation("talk")) == 2 * (turn - 1)
        await kept(store, work, turn)
    listed = await errands.of_conversation("talk")
    assert [one.summary for one in listed] == ["first of 1", "second of 1", "first of 2", "second of 2"]
    assert {one.status for one in listed} == {SentStatus.WAITING}
    assert len({one.key for one in listed}) == 4
    assert all(one.key.startswith("errand-") for one in listed)


async def test_a_turn_that_is_not_kept_leaves_no_errand(store: Store) -> None:
    work = TurnWork()
    work.add(store.errands().with_turn(errand("never")))
    somebody_else = Serving(number=1, holder="me", outgoing=lambda _: ())
    conversations = store.conversations(ConversationState, Partition.LIVE, serving=somebody_else, with_turn=work)
    with pytest.raises(HoldLost):
        await conversations.save(TALK, Turn(index=1, event=None))
    assert await store.errands().of_conversation("talk") == ()


async def test_a_second_errand_of_a_name_is_none(store: Store) -> None:
    errands = store.errands()
    for _ in range(2):
        await errands.put(errand("once", conversation=None), name="reminder/appointment-1/24h")
    work = TurnWork()
    work.add(errands.with_turn(errand("once more"), name="reminder/appointment-1/24h"))
    await kept(store, work)
    assert await due(store) == ["once"]


async def test_a_lane_is_done_in_order_and_waits_for_no_other(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        errands = store.errands()
        for what in ("a1", "a2", "b1"):
            await errands.put(errand(what, lane=what[0]), name=what)
        await errands.put(errand("mail", kind="email", lane="a"), name="mail")
        first, other = await taken(store)
        assert (first.summary, other.summary) == ("a1", "b1")
        assert await due(store, kind="email") == ["mail"]
        # Who holds an errand holds its lane.
        assert await due(store, "another") == []
        await errands.put_off(first, "me", "it did not answer", seconds=5)
        await errands.sent(other, "me")
        assert await due(store) == []
    async with opened(database_url, tmp_path, at=NOON + timedelta(seconds=6)) as store:
        (again,) = await taken(store)
        assert (again.summary, again.key, again.tries) == ("a1", first.key, 2)
        await store.errands().refused(again, "me", "it never will")
        assert await due(store) == ["a2"]
        told = [(one.summary, one.status, one.error) for one in await store.errands().of_conversation("talk")]
        assert told[0] == ("a1", SentStatus.REFUSED, "it never will")
        assert told[2] == ("b1", SentStatus.SENT, None)


async def test_an_errand_of_a_process_that_died_is_done_by_another_under_the_same_key(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path) as store:
        await store.errands().put(errand("one"), name="one")
        (lost,) = await taken(store, "dead")
    async with opened(database_url, tmp_path, at=NOON + timedelta(seconds=HOLD_S + 1)) as store:
        (found,) = await taken(store, "alive")
        assert found.key == lost.key
        # Should the dead one live after all, its word counts no more.
        await store.errands().refused(lost, "dead", "no")
        assert (await store.errands().of_conversation("talk"))[0].status is SentStatus.WAITING


async def test_an_errand_is_not_done_before_its_time(database_url: str, tmp_path: Path) -> None:
    later = Errand(
        kind="notify", agent="desk", summary="later", lane="a", body=None, due_at=NOON + timedelta(minutes=1)
    )
    async with opened(database_url, tmp_path) as store:
        await store.errands().put(later, name="later")
        assert await due(store) == []
    async with opened(database_url, tmp_path, at=NOON + timedelta(minutes=1)) as store:
        assert await due(store) == ["later"]


async def taken(store: Store, holder: str = "me") -> list[DueErrand]:
    return list(await store.errands().take(holder, kind="notify", limit=10))
