"""Numbers and money in running text."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.makers import evidence, make_case, said

from greenroom.documents.checks import Mentions
from greenroom.grading.checks.amounts import amounts_in, one_amount
from greenroom.grading.checks.registry import decide_checks


def says(text: str, *values: str) -> bool:
    return decide_checks(make_case(Mentions(values=values)), evidence(*said(text)))[0].passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("That makes 1,624.00 in all.", "1624"),
        ("That makes $1,624.", "1,624.00"),
        ("You get $44.08 back", "$44.08"),
        ("You get 44.08 dollars back", "$44.08"),
        ("You get $44.08.", "44.08"),
        ("44,08 € incl. VAT", "44.08"),
        ("1.624,00 € incl. VAT", "1624"),
        ("CHF 1'624.50", "1624.5"),
        ("Seats: (8)", "8"),
        ("-5 °C at night", "-5"),
        ("A 25% discount", "25 %"),
        ("5-10 people", "10"),
        ("It is order #100", "100"),
        ("the shirt is polyester", "polyester"),
        ("See you at 10:30", "10:30"),
    ],
)
def test_a_value_is_mentioned_however_it_is_written(text: str, value: str) -> None:
    assert says(text, value)


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Order #W100 is on its way", "10"),
        ("Order #W100 is on its way", "100"),
        ("Order 1001 is on its way", "100"),
        ("It costs €44.08", "$44.08"),
        ("At 10:30 sharp", "10"),
        ("On 2026-10-05", "10"),
        ("Version 1.10.2", "10"),
        ("It costs 1,624", "624"),
        ("It costs 44.08", "8"),
        ("It costs 44.085", "44.08"),
        ("minus: -5", "5"),
        ("10am", "10"),
        ("a Polyester shirt", "polyester"),
    ],
)
def test_a_value_is_not_mentioned_by_what_only_looks_like_it(text: str, value: str) -> None:
    assert not says(text, value)


@pytest.mark.requirement("E1")
def test_what_is_missing_is_named_and_a_difference_in_capitals_pointed_out() -> None:
    (outcome,) = decide_checks(
        make_case(Mentions(values=("$44.08", "polyester", "blue"))), evidence(*said("A blue Polyester shirt"))
    )
    assert outcome.detail == 'the agent never said "$44.08", polyester (it did in other case: capitals count)'.replace(
        '"$44.08"', "$44.08"
    )


@given(cents=st.integers(-10_000_000, 10_000_000), words=st.sampled_from(["It is {}.", "({})", "{}", "from {} on"]))
def test_a_number_is_found_by_value_grouped_or_not(cents: int, words: str) -> None:
    value = Decimal(cents) / 100
    for form in (f"{value:.2f}", f"{value:,.2f}", f"${value:,.2f}" if value >= 0 else f"-${-value:,.2f}"):
        assert value in [amount.value for amount in amounts_in(words.format(form))]
        amount = one_amount(form)
        assert amount is not None
        assert amount.value == value


@given(text=st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for amount in amounts_in(text):
        assert amount.is_said_by(amount)
