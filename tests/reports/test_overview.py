"""The table of runs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import run_summary

from greenroom.conversation.outcomes import Counts, RunStatus
from greenroom.reports.lines import cells, line, wrapped
from greenroom.reports.overview import run_lines

ID = "run-20261130-093012-4f2a9c"
RUNS = (
    replace(
        run_summary(),
        run_id=ID,
        agent="an-agent-with-quite-a-long-name",
        status=RunStatus.FINISHED,
        counts=Counts(passed=2994, failed=4, errored=2, needs_review=12),
        pass_rate=2994 / 2998,
        units=10000,
    ),
    replace(run_summary(), run_id=ID, agent="desk", status=RunStatus.BROKEN_OFF, counts=Counts(passed=5, waiting=15)),
)


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_the_table_fits_its_columns_and_keeps_what_counts(columns: int) -> None:
    lines = [each.text for each in run_lines(RUNS, columns)]
    assert max(map(cells, lines)) <= columns
    assert lines[0].split()[:5] == ["Run", "Agent", "Result", "Passed", "Failed"]
    assert all(ID in each for each in lines[1:])
    assert "12" in lines[1].split()
    assert "broken off" in lines[2]


def test_only_all_is_a_hundred_per_cent() -> None:
    assert "99.8 %" in list(run_lines(RUNS, 120))[1].text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])), st.integers(20, 100))
def test_a_broken_line_loses_no_word(text: str, columns: int) -> None:
    rows = list(wrapped(line("  │ ", text), columns))
    words = [word for row in rows for word in row.text.split() if word != "│"]
    assert words == [word for word in line(text).text.split() if word != "│"]
    assert all(cells(row.text) <= columns or len(row.text.split()) <= 2 for row in rows)
