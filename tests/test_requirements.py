"""Rows and tests hold each other: what is built is cited, what is cited exists."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.requirements import REQUIREMENTS, Built

TESTS = Path(__file__).parent
ROWS_OF = {"A": 12, "B": 11, "C": 13, "D": 4, "E": 7, "F": 14, "G": 3, "H": 19}


def citations() -> Iterator[tuple[str, str]]:
    """(row, place) for every `pytest.mark.requirement(…)` in the tests, read without running them."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement":
                where = f"{path.relative_to(TESTS)}:{node.lineno}"
                yield from ((ast.literal_eval(row), where) for row in node.args)


PLACES = tuple(citations())
CITED: Mapping[str, tuple[str, ...]] = {
    row: tuple(place for cited, place in PLACES if cited == row) for row, _ in PLACES
}


def test_every_row_is_listed_once() -> None:
    expected = [f"{letter}{number}" for letter, count in ROWS_OF.items() for number in range(1, count + 1)]
    assert list(REQUIREMENTS) == expected


def test_every_cited_row_exists() -> None:
    assert {row: places for row, places in CITED.items() if row not in REQUIREMENTS} == {}


@pytest.mark.parametrize("row", [row for row, told in REQUIREMENTS.items() if told.built is not Built.LATER])
def test_what_is_built_has_a_test(row: str) -> None:
    assert CITED.get(row), f"{row}: {REQUIREMENTS[row].sentence} No test cites it with @pytest.mark.requirement."


@pytest.mark.parametrize("row", [row for row, told in REQUIREMENTS.items() if told.built is Built.LATER])
def test_what_is_not_built_has_none(row: str) -> None:
    assert not CITED.get(row), f"{row} is listed as not built; say in tests/requirements.py what is missing of it now."


@pytest.mark.parametrize("row", REQUIREMENTS)
def test_a_gap_is_told_exactly_when_there_is_one(row: str) -> None:
    assert (REQUIREMENTS[row].gap is None) == (REQUIREMENTS[row].built is Built.WHOLE)
