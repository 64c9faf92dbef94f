"""Cells of a CSV file: a spreadsheet runs none of them, and each reads back as what it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.documents.csv_cells import as_consents, as_items, as_text, consents_cell, items_cell, text_cell

pytestmark = pytest.mark.requirement("A7")

TRICKY = st.text(st.sampled_from("'=+-@ \t\r\n;,\"[]{}＝aé"), max_size=8)
TEXTS = TRICKY | st.text(max_size=20)
BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@given(TEXTS)
def test_a_text_reads_back_as_it_was(text: str) -> None:
    assert as_text(text_cell(text)) == text


@given(TEXTS)
def test_no_text_is_a_formula(text: str) -> None:
    assert not text_cell(text).lstrip(" ").startswith(BEGINS_A_FORMULA)


@given(st.lists(TEXTS, max_size=4).map(tuple))
def test_a_list_reads_back_as_it_was_and_is_no_formula(items: tuple[str, ...]) -> None:
    assert as_items(items_cell(items)) == items
    assert not items_cell(items).lstrip(" ").startswith(BEGINS_A_FORMULA)


@given(st.dictionaries(TEXTS | st.sampled_from(["messages", "not messages", "calls", "no"]), st.booleans(), max_size=4))
def test_consent_reads_back_as_it_was_and_is_no_formula(consent: dict[str, bool]) -> None:
    assert as_consents(consents_cell(consent)) == consent
    assert not consents_cell(consent).lstrip(" ").startswith(BEGINS_A_FORMULA)


@pytest.mark.parametrize(
    ("cell", "text"),
    [("'=A1", "=A1"), ("'+15550100", "+15550100"), ("+15550100", "+15550100"), ("''=A1", "'=A1"), ("'s", "'s")],
)
def test_an_apostrophe_is_ours_only_before_a_formula(cell: str, text: str) -> None:
    assert as_text(cell) == text


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        ("vip; north", ("vip", "north")),
        ("vip;north ;vip;", ("vip", "north")),
        ("'-x; y", ("-x", "y")),
        ("[a]", ("[a]",)),
    ],
)
def test_a_list_may_be_written_as_people_do(cell: str, items: tuple[str, ...]) -> None:
    assert as_items(cell) == items


def test_what_was_refused_stands_behind_a_word() -> None:
    assert consents_cell({"messages": True, "calls": False}) == "messages; not calls"
