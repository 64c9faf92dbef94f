"""Statistics by day as text and as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from greenroom.conversation.daily import DailyStatistics, DayFigures, Figures, Outcome, quantile
from greenroom.reports.lines import EMPTY, Line, Tone, cells, line, padded, span
from greenroom.reports.words import seconds_words

__all__ = ["daily_json", "daily_lines"]

_OUTCOMES = {
    Outcome.RESOLVED: "Resolved",
    Outcome.ENDED: "Ended",
    Outcome.HANDED_OVER: "Handed over",
    Outcome.TRANSFERRED: "Transferred",
    Outcome.SILENT: "Silent",
    Outcome.OPEN: "Open",
}
_MEDIAN, _SLOW = 0.5, 0.95

_Cell = Callable[[Figures], str]


def daily_lines(statistics: DailyStatistics) -> Iterator[Line]:
    """A table of the days on which something went on, their sum, and the messages of each channel."""
    days, total = statistics.days, statistics.total
    who = statistics.agent or "all agents"
    title = (
        f"Sandbox conversations of {who} that are there now" if statistics.sandbox else f"Live conversations of {who}"
    )
    period = " to ".join(dict.fromkeys([str(statistics.since), str(statistics.until)]))
    yield line(span(title, Tone.TITLE), span(f"  {period}, {statistics.time_zone}", Tone.QUIET))
    yield EMPTY
    busy = [each for each in days if not each.figures.empty]
    if not busy:
        yield line("Nothing went on.")
        return
    yield from _table(busy, total)
    if len(busy) < len(days):
        count = len(days) - len(busy)
        left_out = "1 day on which nothing went on is" if count == 1 else f"{count} days on which nothing went on are"
        yield line(span(f"{left_out} left out", Tone.QUIET))
    yield EMPTY
    for channel in sorted(total.begun.keys() | total.messages_in.keys() | total.messages_out.keys()):
        counts = (total.begun.get(channel, 0), total.messages_in.get(channel, 0), total.messages_out.get(channel, 0))
        begun, came, went = counts
        yield line(f"{padded(channel, 14)}  {begun} begun; messages: {came} in, {went} out")


def _table(days: Sequence[DayFigures], total: Figures) -> Iterator[Line]:
    columns = [("Begun", _sum("begun")), ("In", _sum("messages_in")), ("Out", _sum("messages_out"))]
    columns += [(name, _outcome(outcome)) for outcome, name in _OUTCOMES.items() if total.outcomes.get(outcome)]
    columns += _review_columns(total)
    if total.appointments_booked:
        columns.append(("Booked", lambda figures: str(figures.appointments_booked)))
    if total.turn_times:
        columns += [("Median", _took(_MEDIAN)), ("95 %", _took(_SLOW))]
    rows = [("Day", [name for name, _ in columns])]
    rows += [(str(each.day), [cell(each.figures) for _, cell in columns]) for each in days]
    rows += [("Together", [cell(total) for _, cell in columns])]
    widths = [max(map(cells, column)) for column in zip(*(row for _, row in rows), strict=True)]
    tones = [Tone.QUIET, *[Tone.PLAIN] * len(days), Tone.TITLE]
    for tone, (day, row) in zip(tones, rows, strict=True):
        texts = [padded(text, width, right=True) for text, width in zip(row, widths, strict=True)]
        yield line(span("  ".join([padded(day, 10), *texts]).rstrip(), tone))


def _review_columns(total: Figures) -> list[tuple[str, _Cell]]:
    reviews = total.reviews
    columns: list[tuple[str, _Cell]] = []
    if reviews.passed or reviews.failed:
        columns.append(("Reviews passed", _passed))
    if reviews.unknown:
        columns.append(("Unknown", lambda figures: str(figures.reviews.unknown)))
    if reviews.waiting:
        columns.append(("Waiting", lambda figures: str(figures.reviews.waiting)))
    if reviews.errored:
        columns.append(("Errors", lambda figures: str(figures.reviews.errored)))
    return columns


def _passed(figures: Figures) -> str:
    decided = figures.reviews.passed + figures.reviews.failed
    return f"{figures.reviews.passed} of {decided}" if decided else "-"


def _sum(name: str) -> _Cell:
    return lambda figures: str(sum(getattr(figures, name).values()))


def _outcome(outcome: Outcome) -> _Cell:
    return lambda figures: str(figures.outcomes.get(outcome, 0))


def _took(share: float) -> _Cell:
    def cell(figures: Figures) -> str:
        took = quantile(figures.turn_times, share)
        return "-" if took is None else seconds_words(took / 1000)

    return cell


def daily_json(statistics: DailyStatistics) -> dict[str, Any]:
    """Every day, those on which nothing went on as zeros, and all together."""
    return {
        "agent": statistics.agent,
        "sandbox": statistics.sandbox,
        "time_zone": statistics.time_zone,
        "since": str(statistics.since),
        "until": str(statistics.until),
        "days": [{"day": str(each.day), **_figures(each.figures)} for each in statistics.days],
        "total": _figures(statistics.total),
    }


def _figures(figures: Figures) -> Mapping[str, Any]:
    reviews = figures.reviews
    return {
        "begun": sum(figures.begun.values()),
        "begun_by_channel": figures.begun,
        "outcomes": {outcome.value: figures.outcomes.get(outcome, 0) for outcome in Outcome},
        "messages_in": sum(figures.messages_in.values()),
        "messages_in_by_channel": figures.messages_in,
        "messages_out": sum(figures.messages_out.values()),
        "messages_out_by_channel": figures.messages_out,
        "turns": sum(figures.turn_times.values()),
        "turn_seconds": {"median": _seconds(figures, _MEDIAN), "p95": _seconds(figures, _SLOW)},
        "reviews": {
            "passed": reviews.passed,
            "failed": reviews.failed,
            "unknown": reviews.unknown,
            "waiting": reviews.waiting,
            "errored": reviews.errored,
            "pass_rate": reviews.pass_rate,
        },
        "appointments_booked": figures.appointments_booked,
    }


def _seconds(figures: Figures, share: float) -> float | None:
    took = quantile(figures.turn_times, share)
    return None if took is None else took / 1000
