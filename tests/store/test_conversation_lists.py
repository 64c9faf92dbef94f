"""Conversations by pages, each once, the newest first; on both databases."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.stores import NOON, opened

from greenroom.conversation.channels import Channel
from greenroom.conversation.summaries import ClosedBy, ConversationSummary
from greenroom.conversation.turns import StopReason
from greenroom.errors import NotFound, UsageError
from greenroom.store.opening import Store
from greenroom.store.partition import Partition
from greenroom.world.ports import ConversationState


async def talk(
    store: Store, name: str, agent: str = "desk", ended: str | None = None, person: str | None = None
) -> None:
    state = ConversationState(
        conversation=name, channel=Channel.WEB, identity=f"web:{name}", ended=ended, person_id=person
    )
    await store.conversations(ConversationState, Partition.LIVE, agent=agent).save(state)


async def test_pages_show_each_conversation_once_and_the_newest_first(database_url: str, tmp_path: Path) -> None:
    for minute in range(3):
        async with opened(database_url, tmp_path, at=NOON + timedelta(minutes=minute)) as store:
            for number in range(4):
                await talk(store, f"talk-{minute}{number}", agent=("desk", "kiosk")[number % 2])
    async with opened(database_url, tmp_path) as store:
        lists = store.conversation_lists(Partition.LIVE)
        for agent, count in ((None, 12), ("kiosk", 6), ("nobody", 0)):
            seen: list[ConversationSummary] = []
            mark: str | None = None
            while True:
                page = await lists.page(agent=agent, limit=5, after=mark)
                seen += page.conversations
                mark = page.next
                if mark is None:
                    break
            names = [one.conversation for one in seen]
            assert len(names) == len(set(names)) == count
            assert names == sorted(names, reverse=True)


async def test_those_with_one_person_are_listed_alone(store: Store) -> None:
    for name, person in (("one", "ana"), ("two", "ben"), ("three", "ana"), ("four", None)):
        await talk(store, name, person=person)
    page = await store.conversation_lists(Partition.LIVE).page(person_id="ana")
    assert {each.conversation for each in page.conversations} == {"one", "three"}


async def test_a_mark_that_is_none_and_a_conversation_that_is_not_there(store: Store) -> None:
    lists = store.conversation_lists(Partition.LIVE)
    with pytest.raises(UsageError, match="'yesterday' is not where a page of conversations ended"):
        await lists.page(after="yesterday")
    with pytest.raises(NotFound, match="there is no conversation 'nothing'"):
        await lists.get("nothing")


@pytest.mark.parametrize(
    ("ended", "by"),
    [
        (StopReason.AGENT_ENDED, ClosedBy.END),
        (StopReason.RESOLVED, ClosedBy.END),
        (StopReason.HANDED_OVER, ClosedBy.HAND_OVER),
        (StopReason.TRANSFERRED, ClosedBy.HAND_OVER),
        (None, None),
    ],
)
async def test_it_is_known_what_closed_a_conversation(
    store: Store, ended: StopReason | None, by: ClosedBy | None
) -> None:
    await talk(store, "talk", ended=ended)
    one = await store.conversation_lists(Partition.LIVE).get("talk")
    assert one.closed_by is by
    assert replace(one, ended=None, closed_at="now").closed_by is ClosedBy.SILENCE


async def test_only_the_agent_s_own_silent_conversations_are_closed(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        await talk(store, "mine")
        await talk(store, "theirs", agent="kiosk")
    async with opened(database_url, tmp_path, at=NOON + timedelta(hours=2)) as store:
        lists = store.conversation_lists(Partition.LIVE)
        assert await lists.agents() in {("desk", "kiosk"), ("kiosk", "desk")}
        assert await lists.close_silent("desk", NOON - timedelta(seconds=1)) == 0
        assert await lists.close_silent("desk", NOON + timedelta(hours=1)) == 1
        assert [(await lists.get(name)).closed_by for name in ("mine", "theirs")] == [ClosedBy.SILENCE, None]
        assert await lists.agents() == ("kiosk",)
