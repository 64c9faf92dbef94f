"""What a few samples say of a case (features.md H2)."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.statistics import mean_pass_all, outward, pass_all, pass_interval

pytestmark = pytest.mark.requirement("H2")

COUNTS = st.integers(1, 200).flatmap(lambda decided: st.tuples(st.integers(0, decided), st.just(decided)))
FEW = st.integers(1, 8).flatmap(lambda decided: st.tuples(st.integers(0, decided), st.just(decided)))


@pytest.mark.parametrize(
    ("passed", "decided", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (8, 10, 0.4902, 0.9433),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_the_interval_is_wilsons(passed: int, decided: int, low: float, high: float) -> None:
    """The first four stand in Newcombe's comparison of 1998, method 3."""
    interval = pass_interval(passed, decided)
    assert interval is not None
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_one_sample_says_nothing_of_an_interval() -> None:
    assert pass_interval(0, 0) is None
    assert pass_interval(1, 1) is None


@given(counts=COUNTS)
def test_the_interval_holds_the_rate_and_moves_with_it(counts: tuple[int, int]) -> None:
    passed, decided = counts
    interval = pass_interval(passed, decided)
    if interval is None:
        assert decided < 2
        return
    assert 0 <= interval.low <= passed / decided <= interval.high <= 1
    shown = outward(interval)
    assert 0 <= shown.low <= interval.low <= interval.high <= shown.high <= 1
    if passed:
        fewer = pass_interval(passed - 1, decided)
        assert fewer is not None
        assert fewer.low <= interval.low and fewer.high <= interval.high
    more = pass_interval(2 * passed, 2 * decided)
    assert more is not None
    assert more.high - more.low < interval.high - interval.low


@pytest.mark.parametrize(
    ("passed", "decided", "chances"),
    [
        (3, 4, [0.75, 0.5, 0.25, 0.0]),
        (2, 2, [1.0, 1.0]),
        (0, 3, [0.0, 0.0, 0.0]),
        (4, 5, [0.8, 0.6, 0.4, 0.2, 0.0]),
        (0, 0, []),
    ],
)
def test_pass_all_has_the_known_values(passed: int, decided: int, chances: Sequence[float]) -> None:
    assert pass_all(passed, decided) == pytest.approx(chances)


@given(counts=FEW)
def test_pass_all_is_the_share_of_choices_without_a_failure(counts: tuple[int, int]) -> None:
    passed, decided = counts
    samples = [True] * passed + [False] * (decided - passed)
    for k, chance in enumerate(pass_all(passed, decided), start=1):
        choices = [all(chosen) for chosen in combinations(samples, k)]
        assert isclose(chance, sum(choices) / len(choices))


@given(counts=COUNTS)
def test_more_samples_in_a_row_pass_less_often_and_more_passes_more_often(counts: tuple[int, int]) -> None:
    passed, decided = counts
    chances = pass_all(passed, decided)
    assert all(0 <= later <= earlier <= 1 for earlier, later in pairwise(chances))
    assert chances[0] == passed / decided
    if passed < decided:
        assert all(more >= chance for chance, more in zip(chances, pass_all(passed + 1, decided), strict=True))


def test_over_several_cases_it_is_the_mean_as_far_as_all_of_them_go() -> None:
    assert mean_pass_all([(2, 2), (1, 3), (1, 1)]) == pytest.approx([(1 + 1 / 3) / 2, 0.5])
    assert mean_pass_all([(1, 1), (0, 0)]) == ()
