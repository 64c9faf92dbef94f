"""Outreach as lines and as JSON: who would get it, and what became of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo

from greenroom.conversation.json_values import Json
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.timers import OutreachPage, OutreachPreview, Timer, TimerStatus
from greenroom.reports.lines import EMPTY, Line, Tone, cells, cut, line, padded, span
from greenroom.reports.moments import minute
from greenroom.reports.pages import more_line

__all__ = ["outreach_json", "outreach_lines", "preview_json", "preview_lines", "timer_json", "timer_lines"]

_COLUMN = 28
_UNDELIVERED: Mapping[SentStatus, str] = {
    SentStatus.WAITING: "said, waiting to leave",
    SentStatus.REFUSED: "said, but refused",
}
_NO_OUTREACH = "The agent has no `outreach`."


def outreach_lines(shown: OutreachPage, zone: tzinfo = UTC) -> Iterator[Line]:
    """The counts of each, then a line a person; a sentence when there is nothing."""
    if not shown.counts:
        nothing = "Nothing was sent yet; --dry-run says who would get it."
        yield line(nothing if shown.writes_any else _NO_OUTREACH)
        return
    for name, counts in shown.counts.items():
        told = "; ".join(f"{count} {what}" for what, count in _counted(counts, shown.undelivered.get(name, {})))
        yield line(span(name, Tone.TITLE), f"  {told}")
    yield EMPTY
    yield from _columns([(each.name, _person(each, shown), *_became(each, zone)) for each in shown.page.timers])
    if shown.page.next is not None:
        yield more_line(shown.page.next)


def preview_lines(previews: Sequence[OutreachPreview]) -> Iterator[Line]:
    """Who would get each, and who would not and why."""
    if not previews:
        yield line(_NO_OUTREACH)
    for number, preview in enumerate(previews):
        if number:
            yield EMPTY
        yield line(span(preview.outreach, Tone.TITLE), f"  {preview.would_get_it} would get it")
        yield from (line(f"  {count} would not: {why}") for why, count in preview.would_not.items())
        if preview.obstacle:
            yield line(span(f"  Nobody gets it now: {preview.obstacle}.", Tone.WARNING))
        rows = [(each.person_id, each.name, each.channel or "-", each.why) for each in preview.prospects]
        yield from _columns(rows, indent="  ")
        left = preview.would_get_it + sum(preview.would_not.values()) - len(rows)
        if left:
            yield line(span(f"  and {left} more", Tone.QUIET))


def timer_lines(timers: Sequence[Timer], zone: tzinfo = UTC) -> Iterator[Line]:
    """What was or will be said by itself, a line each, for a conversation or an appointment."""
    yield from _columns([(each.kind.value.replace("_", "-"), each.name, *_became(each, zone)) for each in timers])


def outreach_json(shown: OutreachPage) -> Mapping[str, Json]:
    """A page of what became of it."""
    counts = {name: {status.value: count for status, count in told.items()} for name, told in shown.counts.items()}
    undelivered = {
        name: {status.value: count for status, count in told.items()} for name, told in shown.undelivered.items()
    }
    return {
        "counts": counts,
        "undelivered": undelivered,
        "outreach": [
            {**timer_json(each), "person": each.subject, "person_name": shown.names.get(each.subject)}
            for each in shown.page.timers
        ],
        "next": shown.page.next,
    }


def timer_json(timer: Timer) -> dict[str, Json]:
    """One thing that was or will be said by itself."""
    return {
        "kind": timer.kind.value,
        "name": timer.name,
        "status": timer.status.value,
        "why": timer.why,
        "due_at": timer.due_at,
        "finished_at": timer.finished_at,
        "delivery": None if timer.delivery is None else timer.delivery.value,
        "error": timer.error,
        "next_try_at": timer.next_try_at,
    }


def preview_json(previews: Sequence[OutreachPreview]) -> Mapping[str, Json]:
    """Who would get each."""
    return {
        "outreach": [
            {
                "name": preview.outreach,
                "would_get_it": preview.would_get_it,
                "would_not": preview.would_not,
                "obstacle": preview.obstacle or None,
                "people": [
                    {
                        "id": each.person_id,
                        "name": each.name,
                        "channel": None if each.channel is None else each.channel.value,
                        "why_not": each.why or None,
                    }
                    for each in preview.prospects
                ],
            }
            for preview in previews
        ]
    }


def _person(timer: Timer, shown: OutreachPage) -> str:
    return " ".join(part for part in (timer.subject, shown.names.get(timer.subject, "")) if part)


def _counted(counts: Mapping[TimerStatus, int], undelivered: Mapping[SentStatus, int]) -> Iterator[tuple[str, int]]:
    """How many there are of each, as words; what was said is told apart by whether its channel has it."""
    for status, count in counts.items():
        if status is not TimerStatus.DONE:
            yield status.value, count
            continue
        if sent := count - sum(undelivered.values()):
            yield "sent", sent
        yield from ((_UNDELIVERED[became], some) for became, some in undelivered.items())


def _stands(timer: Timer) -> str:
    if timer.status is not TimerStatus.DONE:
        return timer.status.value
    return "sent" if timer.delivery is None else _UNDELIVERED.get(timer.delivery, "sent")


def _became(timer: Timer, zone: tzinfo) -> tuple[str, str, str]:
    """When, how it stands, and why; of what its channel doesn't have, when it is tried again and what is wrong."""
    again = f"tried again {minute(timer.next_try_at, zone)}" if timer.next_try_at else ""
    why = timer.why or ": ".join(part for part in (again, timer.error) if part)
    return minute(timer.finished_at or timer.due_at, zone), _stands(timer), why


def _columns(rows: Sequence[tuple[str, ...]], *, indent: str = "") -> Iterator[Line]:
    if not rows:
        return
    *shown, last = ([cut(text, 2 * _COLUMN) for text in column] for column in zip(*rows, strict=True))
    widths = [max(map(cells, column)) for column in shown]
    for texts in zip(*shown, last, strict=True):
        *others, end = texts
        told = "  ".join(padded(text, width) for text, width in zip(others, widths, strict=True) if width)
        yield line(f"{indent}{told}  ", end)
