"""Free answers that a field can hold, and those that could be misread."""

import pytest
from tests import builders

from greenroom.documents.answers import FieldAnswers


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("+1 555 0100", "+1 555 0100"),
        ("It's (555) 010-0123, after 5.", "(555) 010-0123"),
        ("(555) 010-0123 ext. 12", "(555) 010-0123 ext. 12"),
        ("555-0100 or 555-0101", None),
        ("on 2026-06-06", None),
        ("2026-06-06", None),
        ("any time after 2026-06-06 10:00", None),
        ("0532-12-34 56", "0532-12-34 56"),
        ("from 1 ... 2", None),
    ],
)
def test_a_phone_number_is_kept_and_nothing_that_only_looks_like_one(said: str, kept: str | None) -> None:
    assert FieldAnswers.of("phone", builders.agent()).of_text(said) == kept
