"""Every refusal, word for word (interfaces: bad input; style: rule 11)."""

from pathlib import Path

import pytest
from tests.documents.refusals import REFUSALS, Wrong
from tests.golden import assert_golden

from greenroom.documents.findings import sorted_findings
from greenroom.documents.loading import read_document
from greenroom.documents.reading import Reading

GOLDEN = Path(__file__).parent / "golden" / "refusals.txt"


def refusal_of(wrong: Wrong) -> str:
    reading = Reading(file=f"{wrong.kind}.yaml")
    read_document(wrong.data, wrong.kind, reading)
    return "\n".join(str(finding) for finding in sorted_findings(reading.findings))


@pytest.mark.requirement("B11", "C12")
def test_each_refusal_says_what_was_found_and_where_and_what_is_allowed() -> None:
    """C07, P07, P17, S06, S20, W05: one wrong document each, and exactly what is said of it."""
    sections = [f"## {wrong.title}\n{refusal_of(wrong) or '(nothing)'}\n" for wrong in REFUSALS]

    assert_golden("\n".join(sections), GOLDEN)


@pytest.mark.parametrize("wrong", REFUSALS, ids=[wrong.title for wrong in REFUSALS])
def test_no_refusal_speaks_of_the_tools_we_are_built_with(wrong: Wrong) -> None:
    said = refusal_of(wrong).lower()

    assert said
    for word in ("pydantic", "input should", "field required", "extra inputs", "value error", "libyaml", "scanning"):
        assert word not in said
