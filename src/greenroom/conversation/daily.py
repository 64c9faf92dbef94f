"""What went on in conversations, day by day. Sums only; days are those of some time zone, which others know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from math import ceil
from typing import TypeVar

__all__ = ["DailyStatistics", "DayFigures", "Figures", "Outcome", "ReviewCounts", "quantile", "summed"]

_K = TypeVar("_K")


class Outcome(StrEnum):
    """What came of a conversation; each has exactly one."""

    RESOLVED = "resolved"
    ENDED = "ended"
    """The agent ended it, and did not say that it is resolved."""
    HANDED_OVER = "handed_over"
    TRANSFERRED = "transferred"
    SILENT = "silent"
    """It was closed since nobody wrote any more."""
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCounts:
    """Reviews of conversations that were closed, each conversation's newest."""

    passed: int = 0
    failed: int = 0
    unknown: int = 0
    """The judge could not tell; neither passed nor failed."""
    waiting: int = 0
    errored: int = 0

    @property
    def pass_rate(self) -> float | None:
        """Passed ÷ (passed + failed); None when nothing was decided."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What there was of everything."""

    begun: Mapping[str, int] = field(default_factory=dict[str, int])
    """Conversations that began, by channel."""
    outcomes: Mapping[Outcome, int] = field(default_factory=dict[Outcome, int])
    """What has come of those, up to now; together as many as began."""
    messages_in: Mapping[str, int] = field(default_factory=dict[str, int])
    """What people wrote, said and tapped, by channel; answered or not."""
    messages_out: Mapping[str, int] = field(default_factory=dict[str, int])
    """What agents showed them, by channel."""
    turn_times: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns took so many milliseconds, rounded down to about two figures."""
    reviews: ReviewCounts = ReviewCounts()
    """Of conversations that were closed then, whenever they began."""
    appointments_booked: int = 0

    @property
    def empty(self) -> bool:
        """Whether nothing went on."""
        return self == Figures()


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures:
    """One day."""

    day: date
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyStatistics:
    """The days of a period in order, those on which nothing went on included."""

    agent: str | None
    """None: all of them."""
    sandbox: bool = False
    """Of the sandbox's conversations, in place of live ones."""
    time_zone: str
    """Whose days they are."""
    since: date
    until: date
    """The last day, included."""
    days: tuple[DayFigures, ...]

    @property
    def total(self) -> Figures:
        """All days together."""
        return summed(each.figures for each in self.days)


def summed(many: Iterable[Figures]) -> Figures:
    """All together."""
    every = tuple(many)
    return Figures(
        begun=_added(each.begun for each in every),
        outcomes=_added(each.outcomes for each in every),
        messages_in=_added(each.messages_in for each in every),
        messages_out=_added(each.messages_out for each in every),
        turn_times=_added(each.turn_times for each in every),
        reviews=ReviewCounts(
            passed=sum(each.reviews.passed for each in every),
            failed=sum(each.reviews.failed for each in every),
            unknown=sum(each.reviews.unknown for each in every),
            waiting=sum(each.reviews.waiting for each in every),
            errored=sum(each.reviews.errored for each in every),
        ),
        appointments_booked=sum(each.appointments_booked for each in every),
    )


def quantile(counts: Mapping[int, int], share: float) -> int | None:
    """The value that this share of all values doesn't exceed, from 0 to 1; None when there are none."""
    place, seen = max(1, ceil(share * sum(counts.values()))), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= place:
            return value
    return None


def _added(many: Iterable[Mapping[_K, int]]) -> dict[_K, int]:
    total: dict[_K, int] = {}
    for each in many:
        for key, count in each.items():
            total[key] = total.get(key, 0) + count
    return total
