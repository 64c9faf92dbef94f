"""Looking at kept conversations, and closing those that fell silent (features.md A7, A12)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from greenroom.conversation.summaries import (
    ConversationPage,
    ConversationSummary,
    ErrandSummary,
    KeptTurn,
    SentMessage,
    UnservedEvent,
)
from greenroom.documents.agent import Agent
from greenroom.operations.context import Context
from greenroom.store.partition import Partition

__all__ = [
    "RECORDS_KEPT_DAYS",
    "ConversationsRequest",
    "ShownConversation",
    "close_silent",
    "drop_old_records",
    "list_conversations",
    "show_conversation",
]

RECORDS_KEPT_DAYS = 90
"""For so long turn records are kept (features.md F13)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsRequest:
    """What a person wants to see."""

    sandbox: bool = False
    """Those of the sandboxes; left out, they are never listed."""
    agent: str | None = None
    limit: int = 20
    after: str | None = None
    """The `next` of the page before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownConversation:
    """One conversation, whole."""

    conversation: ConversationSummary
    turns: Sequence[KeptTurn]
    unserved: Sequence[UnservedEvent]
    sent: Sequence[SentMessage]
    """Its messages that leave by webhook."""
    errands: Sequence[ErrandSummary]
    """What else is done outside for it: notifications, mail and the like."""


async def list_conversations(context: Context, request: ConversationsRequest) -> ConversationPage:
    """A page of conversations, the newest first. Raises `UsageError` for a mark that is none."""
    lists = context.store.conversation_lists(_where(sandbox=request.sandbox))
    return await lists.page(agent=request.agent, limit=request.limit, after=request.after)


async def show_conversation(
    context: Context, conversation: str, *, sandbox: bool = False, records: bool = False
) -> ShownConversation:
    """One conversation with its turns, and their records when these are asked for. Raises `NotFound`."""
    lists = context.store.conversation_lists(_where(sandbox=sandbox))
    summary = await lists.get(conversation)
    return ShownConversation(
        conversation=summary,
        turns=await lists.turns(conversation, records=records),
        unserved=await lists.unserved(conversation),
        sent=() if sandbox else await context.store.outbox().of_conversation(conversation),
        errands=() if sandbox else await context.store.errands().of_conversation(conversation),
    )


async def close_silent(context: Context) -> int:
    """Close live conversations in which nothing has happened for their agent's `close_after`; how many those were."""
    lists = context.store.conversation_lists(Partition.LIVE)
    closed = 0
    for agent in await lists.agents():
        seconds = await _close_after(context, agent)
        closed += await lists.close_silent(agent, context.clock.now() - timedelta(seconds=seconds))
    return closed


async def drop_old_records(context: Context) -> int:
    """Forget the turn records of live conversations that are older than they are kept; how many those were."""
    before = context.clock.now() - timedelta(days=RECORDS_KEPT_DAYS)
    return await context.store.conversation_lists(Partition.LIVE).drop_records(before)


async def _close_after(context: Context, agent: str) -> float:
    """As the live revision has it; the default for an agent that was never published, with which people only chat."""
    live = await context.store.publications.live(agent)
    return _SECONDS if live is None else (await context.store.definitions.agent(live.hash)).close_after


_SECONDS: float = Agent.model_fields["close_after"].default


def _where(*, sandbox: bool) -> Partition:
    return Partition.SANDBOX if sandbox else Partition.LIVE
