"""The live side as text: conversations, what was published, what a tick did."""

from collections.abc import Iterator, Sequence

from greenroom.conversation.summaries import (
    ConversationPage,
    ConversationSummary,
    ErrandSummary,
    KeptTurn,
    Published,
    RevisionOverview,
    SentMessage,
    SentStatus,
    Ticked,
    UnservedEvent,
)
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.visible import one_line
from greenroom.reports.inspection import record_lines
from greenroom.reports.lines import EMPTY, Line, Span, Tone, cells, line, padded, span

__all__ = ["conversation_lines", "errand_lines", "page_lines", "published_lines", "revision_lines", "tick_lines"]

_HASH_SHOWN = 12


def published_lines(published: Published) -> Iterator[Line]:
    """What is live now."""
    name = f"{published.agent} {_revision(published.number, published.hash)}"
    if published.was == published.number:
        yield line(f"{name} is live already.")
    else:
        instead = "" if published.was is None else f", in place of revision {published.was}"
        yield line(f"{name} is live{instead}.")


def revision_lines(revisions: Sequence[RevisionOverview]) -> Iterator[Line]:
    """One line a revision."""
    for each in revisions:
        marks = [word for word, holds in (("live", each.live), ("draft", each.draft)) if holds]
        tone = Tone.GOOD if each.live else Tone.PLAIN
        published = "" if each.published_at is None else f", published {_time(each.published_at)}"
        yield line(
            f"{each.number:>4}  {each.hash[:_HASH_SHOWN]}  ",
            span(padded(" ".join(marks), 10), tone),
            span(f"  first seen {_time(each.seen_at)}{published}", Tone.QUIET),
        )


def tick_lines(ticked: Ticked) -> Iterator[Line]:
    """What was due; one sentence when nothing was."""
    told = {
        "events of a server that had died served": ticked.served,
        "messages tried": ticked.delivered,
        "errands tried": ticked.errands,
        "silent conversations closed": ticked.closed,
        "old turn records dropped": ticked.records_dropped,
    }
    done = [f"{count} {what}" for what, count in told.items() if count]
    yield line(", ".join(done) if done else "Nothing was due.")


def page_lines(page: ConversationPage) -> Iterator[Line]:
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
            span(f"  {_time(each.updated_at)}", Tone.QUIET),
        )
    if page.next is not None:
        yield line(span(f"More with --after {page.next}", Tone.QUIET))


def conversation_lines(
    conversation: ConversationSummary,
    turns: Sequence[KeptTurn],
    unserved: Sequence[UnservedEvent],
    sent: Sequence[SentMessage],
    errands: Sequence[ErrandSummary],
) -> Iterator[Line]:
    """One conversation: what is known of it, what was said, and what did not get through."""
    yield line(
        span(conversation.conversation, Tone.TITLE),
        f" · {conversation.agent or 'unknown agent'} · {conversation.channel} · {conversation.identity} · ",
        _state(conversation),
    )
    yield line(span(f"{_time(conversation.started_at)} to {_time(conversation.updated_at)}", Tone.QUIET))
    text = render_transcript([kept.turn for kept in turns], calls=CallsShown.ALL)
    if text:
        yield EMPTY
        yield from (line(each) for each in text.split("\n"))
    if unserved:
        yield EMPTY
    for event in unserved:
        why = f"was not answered: {event.error}"
        if event.error is None:
            why = "came after the agent's part was over" if event.too_late else "waits to be answered"
        yield line(span("Event ", Tone.WARNING), f"{event.message_id}, {_time(event.received_at)}, {why}")
        yield from (line(f"  {words}") for words in event.words.splitlines())
    stuck = [message for message in sent if message.status is not SentStatus.SENT]
    if stuck:
        yield EMPTY
    for message in stuck:
        why = f": {message.error}" if message.error else ""
        tries = f"{message.tries} tries" if message.tries != 1 else "1 try"
        yield line(span("Message ", Tone.WARNING), f"{message.key} {message.status} after {tries}{why}")
    if errands:
        yield EMPTY
    yield from errand_lines(errands)
    for kept in turns:
        if kept.record is not None:
            yield EMPTY
            yield from record_lines(kept.record)


def errand_lines(errands: Sequence[ErrandSummary]) -> Iterator[Line]:
    """What became of notifications, mail and the like; never more than is known."""
    for errand in errands:
        tone, came_of_it = _came_of(errand)
        yield line(
            span(f"{errand.kind.capitalize()} ", Tone.TITLE), f"{one_line(errand.summary)}, ", span(came_of_it, tone)
        )


def _came_of(errand: ErrandSummary) -> tuple[Tone, str]:
    why = f": {errand.error}" if errand.error else ""
    if errand.status is SentStatus.SENT:
        return Tone.GOOD, f"sent {_time(errand.finished_at or errand.created_at)}"
    if errand.status is SentStatus.REFUSED:
        return Tone.BAD, f"failed{why}"
    if not errand.tries:
        return Tone.PLAIN, "queued"
    tries = f"{errand.tries} tries" if errand.tries != 1 else "1 try"
    return Tone.WARNING, f"queued, not sent after {tries}{why}"


def _turns(conversation: ConversationSummary) -> str:
    return "1 turn" if conversation.turns == 1 else f"{conversation.turns} turns"


def _state(conversation: ConversationSummary) -> Span:
    if conversation.closed_by is None:
        return span("open", Tone.GOOD)
    why = conversation.ended.value if conversation.ended is not None else conversation.closed_by.value
    return span(f"closed ({why.replace('_', ' ')})")


def _revision(number: int, hash_: str) -> str:
    return f"revision {number} ({hash_[:_HASH_SHOWN]})"


def _time(text: str) -> str:
    return f"{text[:16].replace('T', ' ')} UTC"
