"""Case units: features.md F4."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.usage import Role, Usage
from greenroom.models.metering import case_units

tokens = st.integers(0, 10_000_000)
usages = st.builds(Usage, input_tokens=tokens, output_tokens=tokens, cache_read_tokens=tokens)


@pytest.mark.requirement("F4")
@given(st.dictionaries(st.sampled_from([Role.AGENT, Role.ROUTER, Role.JUDGE, Role.SIMULATOR]), usages))
def test_units_are_the_written_formula_exactly(usage: dict[Role, Usage]) -> None:
    spent = sum(
        (one.input_tokens + 5 * one.output_tokens + Fraction(one.cache_read_tokens, 10) for one in usage.values()),
        Fraction(0),
    )
    assert case_units(usage) == max(1, ceil(spent / 40_000))


@pytest.mark.requirement("F4")
@pytest.mark.parametrize(
    ("usage", "units"),
    [
        (Usage(), 1),
        (Usage(input_tokens=40_000), 1),
        (Usage(input_tokens=40_000, cache_read_tokens=1), 2),
        (Usage(output_tokens=8_000), 1),
        (Usage(output_tokens=8_001), 2),
        (Usage(cache_read_tokens=400_001), 2),
        (Usage(unsplit_tokens=40_001, unreported=1), 2),
        (Usage(unreported=9), 1),
    ],
)
def test_units_are_rounded_up_and_at_least_one(usage: Usage, units: int) -> None:
    assert case_units({Role.AGENT: usage}) == units


@pytest.mark.requirement("B4")
def test_what_the_author_spent_is_no_part_of_a_case() -> None:
    assert case_units({Role.AUTHOR: Usage(input_tokens=10_000_000)}) == 1
