"""Which patterns are known to fit every text: never one that refuses some."""

import pytest

from greenroom.documents.vacuous_patterns import matches_anything


@pytest.mark.parametrize(
    "source",
    [
        ".*",
        "a*",
        "|x",
        "^.*",
        "^",
        "x?$",
        r"^[\s\S]*$",
        "^[^]*$",
        r"[\^$]*",
        r"\^*",
        "(?:a|b)?",
        r"(?<name>a?)\k<name>",
    ],
)
def test_a_pattern_that_fits_everything_is_known(source: str) -> None:
    """P07: such a pattern passes vacuously."""
    assert matches_anything(source)


@pytest.mark.parametrize(
    "source",
    [
        "^$",
        ".",
        "^(?!.*02:00)",
        "^(?![^]*x)[^]*$",
        "(?<!x)",
        "(?=a?)$",
        "^[^0-9]*$",
        r"^[\s\S]{0,200}$",
        r"\B",
        "^$|^.",
    ],
)
def test_a_pattern_that_may_refuse_some_text_is_taken_at_its_word(source: str) -> None:
    assert not matches_anything(source)
