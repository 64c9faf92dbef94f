"""Looking at kept conversations, and closing those that fell silent (features.md A7, A12)."""

from dataclasses import dataclass
from datetime import timedelta

from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.reviews import ReviewFilter
from greenroom.conversation.summaries import ConversationPage, ShownConversation
from greenroom.documents.agent import Agent
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.narrowing import known_agent, known_person
from greenroom.operations.published import published_agent
from greenroom.store.partition import Partition

__all__ = [
    "RECORDS_KEPT_DAYS",
    "ConversationsRequest",
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
    person: str | None = None
    """Only those with this person, by id or by an identity."""
    review: ReviewFilter | None = None
    """Only those whose newest review is so."""
    limit: int = 20
    after: str | None = None
    """The `next` of the page before."""


async def list_conversations(context: Context, request: ConversationsRequest) -> ConversationPage:
    """A page of conversations, the newest first.

    Raises:
        NotFound: nobody ever wrote such an agent, or nobody is known as this person.
        UsageError: the mark is none, or reviews of sandboxes are asked for.
    """
    if request.sandbox and request.review is not None:
        raise UsageError("conversations of sandboxes are never reviewed; leave out --sandbox or --review")
    where = Partition.asked(sandbox=request.sandbox)
    if request.agent is not None:
        await known_agent(context, request.agent, where=where)
    person = None if request.person is None else await known_person(context, request.person, where=where)
    return await context.store.conversation_lists(where).page(
        agent=request.agent, person_id=person, review=request.review, limit=request.limit, after=request.after
    )


async def show_conversation(
    context: Context, conversation: str, *, sandbox: bool = False, records: bool = False
) -> ShownConversation:
    """One conversation with its turns, and their records when these are asked for. Raises `NotFound`."""
    lists = context.store.conversation_lists(Partition.asked(sandbox=sandbox))
    summary = await lists.get(conversation)
    return ShownConversation(
        conversation=summary,
        turns=await lists.turns(conversation, records=records),
        unserved=await lists.unserved(conversation),
        sent=() if sandbox else await context.store.outbox().of_conversation(conversation),
        errands=() if sandbox else await context.store.errands().of_conversation(conversation),
        follow_ups=() if sandbox else await context.store.timers().of_subject(OwnMessageKind.FOLLOW_UP, conversation),
        reviews=() if sandbox else await context.store.reviews().of_conversation(conversation),
    )


async def close_silent(context: Context) -> int:
    """Close live conversations in which nothing has happened for their agent's `close_after`; how many those were."""
    lists = context.store.conversation_lists(Partition.LIVE)
    closed = 0
    for agent in await lists.agents():
        live = await published_agent(context, agent)
        # An agent that was never published is one that people only chat with.
        seconds, criteria = (_SECONDS, ()) if live is None else (live.close_after, live.review)
        closed += await lists.close_silent(agent, context.clock.now() - timedelta(seconds=seconds), criteria)
    return closed


async def drop_old_records(context: Context) -> int:
    """Forget the turn records of live conversations that are older than they are kept; how many those were."""
    before = context.clock.now() - timedelta(days=RECORDS_KEPT_DAYS)
    return await context.store.conversation_lists(Partition.LIVE).drop_records(before)


_SECONDS: float = Agent.model_fields["close_after"].default
