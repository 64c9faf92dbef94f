"""Outreach as lines and as JSON: who would get it, and what became of it."""

from collections.abc import Iterator, Mapping, Sequence

from greenroom.conversation.json_values import Json
from greenroom.conversation.timers import OutreachPage, OutreachPreview, Timer, TimerStatus
from greenroom.reports.lines import EMPTY, Line, Tone, cells, cut, line, padded, span

__all__ = ["outreach_json", "outreach_lines", "preview_json", "preview_lines", "timer_json", "timer_lines"]

_COLUMN = 28
_SAID: Mapping[TimerStatus, str] = {TimerStatus.DONE: "sent"}


def outreach_lines(shown: OutreachPage) -> Iterator[Line]:
    """The counts of each, then a line a person; a sentence when there is nothing."""
    if not shown.counts:
        yield line("Nothing was sent yet; --dry-run says who would get it.")
        return
    for name, counts in shown.counts.items():
        told = ", ".join(f"{count} {_SAID.get(status, status.value)}" for status, count in counts.items())
        yield line(span(name, Tone.TITLE), f"  {told}")
    yield EMPTY
    yield from _columns([(each.name, _person(each, shown), *_became(each)) for each in shown.page.timers])
    if shown.page.next is not None:
        yield line(span(f"There are more: --after {shown.page.next}", Tone.QUIET))


def preview_lines(previews: Sequence[OutreachPreview]) -> Iterator[Line]:
    """Who would get each, and who would not and why."""
    if not previews:
        yield line("The agent has no `outreach`.")
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


def timer_lines(timers: Sequence[Timer]) -> Iterator[Line]:
    """What was or will be said by itself, a line each, for a conversation or an appointment."""
    yield from _columns([(each.kind.value.replace("_", "-"), each.name, *_became(each)) for each in timers])


def outreach_json(shown: OutreachPage) -> Mapping[str, Json]:
    """A page of what became of it."""
    counts = {name: {status.value: count for status, count in told.items()} for name, told in shown.counts.items()}
    return {
        "counts": counts,
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


def _became(timer: Timer) -> tuple[str, str, str]:
    """When, how it stands, and why."""
    moment = timer.finished_at or timer.due_at
    at = f"{moment[:16].replace('T', ' ')} UTC"
    return at, _SAID.get(timer.status, timer.status.value), timer.why or ""


def _columns(rows: Sequence[tuple[str, ...]], *, indent: str = "") -> Iterator[Line]:
    if not rows:
        return
    *shown, last = ([cut(text, 2 * _COLUMN) for text in column] for column in zip(*rows, strict=True))
    widths = [max(map(cells, column)) for column in shown]
    for texts in zip(*shown, last, strict=True):
        *others, end = texts
        told = "  ".join(padded(text, width) for text, width in zip(others, widths, strict=True) if width)
        yield line(f"{indent}{told}  ", end)
