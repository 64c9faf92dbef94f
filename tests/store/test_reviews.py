"""What is enrolled and counted with a turn, on both databases."""

import pytest
from sqlalchemy import func, select

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.turns import StopReason, Turn
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Partitioned, Sandbox, Where, share_of
from greenroom.store.world_tables import activity, reviews
from greenroom.world.ports import ConversationState


async def ended(store: Store, where: Where) -> None:
    """A conversation whose one turn ends it, by an agent that has standing criteria."""
    state = ConversationState(
        conversation="c", channel=Channel.WEB, identity="web:ana", turns=1, ended=StopReason.RESOLVED
    )
    saved = store.conversations(ConversationState, where, agent="desk", revision="r", criteria=["Polite."])
    await saved.save(state, Turn(index=1, event=Said(text="Hi"), ended=StopReason.RESOLVED))


def rows(store: Store, table: Partitioned, partition: Partition) -> int:
    query = select(func.count()).select_from(table.of(share_of(store.workspace, partition)).source)
    with store.database.reading() as connection:
        return connection.execute(query).scalar_one()


@pytest.mark.requirement("A7", "E5")
async def test_the_end_of_a_live_conversation_is_enrolled_and_counted_and_that_of_a_sandbox_only_by_itself(
    store: Store,
) -> None:
    def kept(where: Partition) -> tuple[int, int]:
        return rows(store, reviews, where), rows(store, activity, where)

    await ended(store, Sandbox("chat-1"))
    assert (kept(Partition.LIVE), kept(Partition.SANDBOX)) == ((0, 0), (0, 1))

    await ended(store, Partition.LIVE)
    assert (kept(Partition.LIVE), kept(Partition.SANDBOX)) == ((1, 1), (0, 1))

    await store.sandboxes.remove(Sandbox("chat-1"))
    assert (kept(Partition.LIVE), kept(Partition.SANDBOX)) == ((1, 1), (0, 0))


async def test_a_state_that_is_saved_without_a_turn_is_neither(store: Store) -> None:
    state = ConversationState(
        conversation="c", channel=Channel.WEB, identity="web:ana", turns=1, ended=StopReason.RESOLVED
    )
    await store.conversations(ConversationState, Partition.LIVE, agent="desk", criteria=["Polite."]).save(state)
    assert [rows(store, table, Partition.LIVE) for table in (reviews, activity)] == [0, 0]
