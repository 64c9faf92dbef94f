"""The live side as text: conversations, what was published, what a tick did."""

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo

from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import (
    ConversationPage,
    ConversationSummary,
    ErrandSummary,
    Published,
    RevisionOverview,
    SentMessage,
    ShownConversation,
    Ticked,
    UnservedEvent,
)
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.visible import one_line
from greenroom.documents.agent import Agent
from greenroom.reports.inspection import record_lines
from greenroom.reports.lines import EMPTY, Line, Span, Tone, cells, line, padded, span
from greenroom.reports.moments import minute
from greenroom.reports.outreach import timer_lines
from greenroom.reports.pages import more_line
from greenroom.reports.reviews import review_lines, review_mark

__all__ = [
    "conversation_lines",
    "errand_lines",
    "page_lines",
    "published_lines",
    "revision_lines",
    "serve_lines",
    "tick_lines",
]

_HASH_SHOWN = 12


def published_lines(published: Published) -> Iterator[Line]:
    """What is live now, and what of it won't work."""
    name = f"{published.agent} {_revision(published.number, published.hash)}"
    if published.was == published.number:
        yield line(f"{name} is live already.")
    else:
        instead = "" if published.was is None else f", in place of revision {published.was}"
        yield line(f"{name} is live{instead}.")
    yield from (line(span("warning: ", Tone.WARNING), warning) for warning in published.warnings)


def serve_lines(agents: Sequence[Agent], address: str) -> Iterator[str]:
    """Who answers at this address, and where people find the widgets; a sentence when nobody does."""
    if not agents:
        yield "No agent is live yet; `greenroom publish AGENT` makes one so."
    for agent in agents:
        channels = ", ".join(agent.channels)
        yield f"Live: {agent.id}, on {channels}" if channels else f"Live: {agent.id}, on no channel"
        if "web" in agent.channels:
            yield f"  widget: {address}/widget/{agent.id}"


def revision_lines(revisions: Sequence[RevisionOverview], zone: tzinfo = UTC) -> Iterator[Line]:
    """One line a revision."""
    for each in revisions:
        marks = [word for word, holds in (("live", each.live), ("draft", each.draft)) if holds]
        tone = Tone.GOOD if each.live else Tone.PLAIN
        published = "" if each.published_at is None else f", published {minute(each.published_at, zone)}"
        yield line(
            f"{each.number:>4}  {each.hash[:_HASH_SHOWN]}  ",
            span(padded(" ".join(marks), 10), tone),
            span(f"  first seen {minute(each.seen_at, zone)}{published}", Tone.QUIET),
        )


def tick_lines(ticked: Ticked) -> Iterator[Line]:
    """What was due; one sentence when nothing was."""
    told = (
        (ticked.served, "event served that a server had left", "events served that a server had left"),
        (ticked.said, "opening, follow-up or reminder said", "openings, follow-ups and reminders said"),
        (ticked.delivered, "delivery of a message tried", "deliveries of messages tried"),
        (
            ticked.errands,
            "notice, mail or calendar entry tried",
            "notices, mails and calendar entries tried",
        ),
        (ticked.closed, "silent conversation closed", "silent conversations closed"),
        (ticked.records_dropped, "old turn record dropped", "old turn records dropped"),
        (ticked.reviewed, "conversation reviewed", "conversations reviewed"),
    )
    done = [f"{count} {one if count == 1 else several}" for count, one, several in told if count]
    if done or not ticked.obstacle:
        yield line(", ".join(done) if done else "Nothing was due.")
    if ticked.obstacle:
        yield line(span(f"{ticked.obstacle[:1].upper()}{ticked.obstacle[1:]}", Tone.WARNING))


def page_lines(page: ConversationPage, zone: tzinfo = UTC) -> Iterator[Line]:
    """One line a conversation, in columns, and how to see more."""
    if not page.conversations:
        yield line("There are no conversations here.")
        return
    rows = [(each.conversation, each.agent or "-", each.channel.value, _turns(each)) for each in page.conversations]
    first, second, third, fourth = (max(map(cells, column)) for column in zip(*rows, strict=True))
    for each, (name, agent, channel, turns) in zip(page.conversations, rows, strict=True):
        yield line(
            f"{padded(name, first)}  {padded(agent, second)}  {padded(channel, third)}  {padded(turns, fourth)}  ",
            _state(each),
            *([" · ", review_mark(each.review)] if each.review is not None else []),
            span(f"  {minute(each.updated_at, zone)}", Tone.QUIET),
        )
    if page.next is not None:
        yield more_line(page.next)


def conversation_lines(shown: ShownConversation, zone: tzinfo = UTC) -> Iterator[Line]:
    """One conversation: what is known of it, what was said, what did not get through, and what the judge says.

    Times are by the clock of `zone`.
    """
    conversation = shown.conversation
    yield line(
        span(conversation.conversation, Tone.TITLE),
        f" · {conversation.agent or 'unknown agent'} · {conversation.channel} · {conversation.identity} · ",
        _state(conversation),
    )
    yield line(span(f"{minute(conversation.started_at, zone)} to {minute(conversation.updated_at, zone)}", Tone.QUIET))
    text = render_transcript([kept.turn for kept in shown.turns], calls=CallsShown.ALL)
    parts = [
        [line(each) for each in text.split("\n")] if text else [],
        [each for event in shown.unserved for each in _unserved(event, zone)],
        [_stuck(message, zone) for message in shown.sent if message.status is not SentStatus.SENT],
        list(errand_lines(shown.errands, zone)),
        list(timer_lines(shown.follow_ups, zone)),
        list(review_lines(shown.reviews, zone)),
        *(list(record_lines(kept.record)) for kept in shown.turns if kept.record is not None),
    ]
    for part in parts:
        if part:
            yield EMPTY
        yield from part


def _unserved(event: UnservedEvent, zone: tzinfo) -> Iterator[Line]:
    why = f"was not answered: {event.error}"
    if event.error is None:
        why = "came after the agent's part was over" if event.too_late else "waits to be answered"
    yield line(span("Event ", Tone.WARNING), f"{event.message_id}, {minute(event.received_at, zone)}, {why}")
    yield from (line(f"  {words}") for words in event.words.splitlines())


def _stuck(message: SentMessage, zone: tzinfo) -> Line:
    return line(span("Message ", Tone.WARNING), f"{message.key} {message.status} after {_tries(message, zone)}")


def _tries(waiting: SentMessage | ErrandSummary, zone: tzinfo) -> str:
    """How often it was tried, when it will be again, and what the last try came to."""
    tries = f"{waiting.tries} tries" if waiting.tries != 1 else "1 try"
    again = f", the next {minute(waiting.next_try_at, zone)}" if waiting.tries and waiting.next_try_at else ""
    return f"{tries}{again}{f': {waiting.error}' if waiting.error else ''}"


def errand_lines(errands: Sequence[ErrandSummary], zone: tzinfo = UTC) -> Iterator[Line]:
    """What became of notifications, mail and the like; never more than is known."""
    for errand in errands:
        tone, came_of_it = _came_of(errand, zone)
        yield line(
            span(f"{errand.kind.capitalize()} ", Tone.TITLE), f"{one_line(errand.summary)}, ", span(came_of_it, tone)
        )


def _came_of(errand: ErrandSummary, zone: tzinfo) -> tuple[Tone, str]:
    if errand.status is SentStatus.SENT:
        return Tone.GOOD, f"sent {minute(errand.finished_at or errand.created_at, zone)}"
    if errand.status is SentStatus.REFUSED:
        return Tone.BAD, f"failed: {errand.error}" if errand.error else "failed"
    if not errand.tries:
        return Tone.PLAIN, "queued"
    return Tone.WARNING, f"queued, not sent after {_tries(errand, zone)}"


def _turns(conversation: ConversationSummary) -> str:
    return "1 turn" if conversation.turns == 1 else f"{conversation.turns} turns"


def _state(conversation: ConversationSummary) -> Span:
    if conversation.closed_by is None:
        return span("open", Tone.GOOD)
    why = conversation.ended.value if conversation.ended is not None else conversation.closed_by.value
    return span(f"closed ({why.replace('_', ' ')})")


def _revision(number: int, hash_: str) -> str:
    return f"revision {number} ({hash_[:_HASH_SHOWN]})"
