"""What a few samples say of a case: the chance that k of them all pass, and how far the pass rate may be off (H2).

Arithmetic only. Samples are taken as independent draws of one chance to pass; errors are no samples here (K06).
"""

from collections.abc import Iterable
from math import ceil, comb, floor, sqrt
from typing import NamedTuple

__all__ = ["Interval", "mean_pass_all", "outward", "pass_all", "pass_interval"]

_Z_95 = 1.959963984540054
"""The normal distribution's quantile for 95 %, both sides."""


class Interval(NamedTuple):
    """Where the true pass rate lies in 19 of 20 such measurements; both ends from 0 to 1."""

    low: float
    high: float


def pass_all(passed: int, decided: int) -> tuple[float, ...]:
    """For k from 1 to `decided`: the chance that k independent samples all pass (pass^k).

    The unbiased estimate, C(passed, k) ÷ C(decided, k): the share of all choices of k samples that hold no failed one.
    """
    return tuple(comb(passed, k) / comb(decided, k) for k in range(1, decided + 1))


def mean_pass_all(cases: Iterable[tuple[int, int]]) -> tuple[float, ...]:
    """The mean of pass^k over cases, given as (passed, decided), for each k that every one of them has samples for.

    Cases with fewer than two decided samples say nothing of repetition and are left out.
    """
    each = [pass_all(passed, decided) for passed, decided in cases if decided > 1]
    return tuple(sum(chances) / len(each) for chances in zip(*each, strict=False))


def pass_interval(passed: int, decided: int) -> Interval | None:
    """Wilson's 95 % interval of a pass rate; None for fewer than two decided samples, of which nothing can be said."""
    if decided < 2:
        return None
    rate, spread = passed / decided, _Z_95**2 / decided
    middle = (rate + spread / 2) / (1 + spread)
    half = sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread)
    # Where all or none passed, the end is exact; the sums above may miss it by a rounding.
    return Interval(
        low=max(0.0, middle - half) if passed else 0.0, high=min(1.0, middle + half) if passed < decided else 1.0
    )


def outward(interval: Interval, *, places: int = 3) -> Interval:
    """The interval with both ends rounded outward, so that what is shown never claims more than what was found."""
    steps = 10**places
    return Interval(low=floor(interval.low * steps) / steps, high=min(1.0, ceil(interval.high * steps) / steps))
