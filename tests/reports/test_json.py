"""The JSON report keeps its fields (interfaces: JSON report; semantics: report fields)."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.golden import assert_golden
from tests.reports.examples import EXAMPLES, Example, example, passed, planned, to_review

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import SampleKey, SampleResult
from greenroom.reports.json import JsonReport
from greenroom.reports.schema import report_schema
from greenroom.reports.streams import streamed, written

GOLDEN = Path(__file__).parent / "golden"


def report(of: Example, *, transcripts: bool = True) -> bytes:
    return b"".join(written(JsonReport(of.run, version="0.1.0", transcripts=transcripts), of.results))


def read(of: Example) -> dict[str, Any]:
    return json.loads(report(of))


@pytest.mark.requirement("F14")
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_report_fits_the_published_schema(name: str) -> None:
    """P26: lone surrogates are exported and can be read again."""
    schema: Any = report_schema()

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(read(EXAMPLES[name]), schema)


def test_the_whole_report_of_a_run_with_failures() -> None:
    assert_golden(report(EXAMPLES["failures"]).decode().rstrip("\n"), GOLDEN / "json_failures.json")


@pytest.mark.requirement("F11")
def test_scripted_models_are_labelled() -> None:
    runs = {name: read(EXAMPLES[name])["run"] for name in ("scripted", "replayed_agent", "all_passed")}

    assert [run["scripted_models"] for run in runs.values()] == [["agent", "judge"], [], []]
    assert [run["replayed_models"] for run in runs.values()] == [[], ["agent"], []]


def test_transcripts_can_be_left_out() -> None:
    results = json.loads(report(EXAMPLES["failures"], transcripts=False))["results"]

    assert [result["transcript"] for result in results] == [None, None, None]


def test_one_result_is_one_line() -> None:
    lines = report(EXAMPLES["samples"]).decode().split("\n")

    assert [
        json.loads(line.rstrip(","))["case"] for line in lines if line.startswith('{"suite"') and "attempt" in line
    ] == [result.key.case for result in EXAMPLES["samples"].results]


def test_a_report_goes_out_before_the_last_result_has_come() -> None:
    """R16, R17: results come from the store one at a time, and no more than one case is held."""
    held: list[str] = []
    plan = [planned(f"case-{number}") for number in range(50)]
    run = example(plan, [passed(each.key.case) for each in plan]).run

    def results() -> Iterator[SampleResult]:
        for each in plan:
            held.append(each.key.case)
            yield passed(each.key.case)

    seen: list[int] = []
    for piece in written(JsonReport(run, version="0.1.0"), results()):
        if b'"attempt"' in piece:
            seen.append(len(held))
    assert seen == [*range(2, 51), 50]


async def test_results_of_a_store_make_the_same_report() -> None:
    of = EXAMPLES["samples"]

    async def results() -> AsyncIterator[SampleResult]:
        for result in of.results:
            yield result

    pieces = [piece async for piece in streamed(JsonReport(of.run, version="0.1.0"), results())]

    assert b"".join(pieces) == report(of)


def test_a_run_that_was_never_summed_up_still_shows_its_results() -> None:
    of = EXAMPLES["samples"]
    bare = replace(of, run=replace(of.run, cases=()))

    assert len(read(bare)["results"]) == len(of.results)


def test_a_second_attempt_is_told_apart() -> None:
    again = replace(passed("books"), key=SampleKey(suite="booking", case="books", attempt=2))

    assert read(example([planned("books")], [again]))["results"][0]["attempt"] == 2


@pytest.mark.requirement("C10")
def test_a_call_to_a_forbidden_tool_is_not_listed_as_unanswered() -> None:
    review = to_review("kayak")
    forbidden = replace(review, forbidden=review.unanswered)

    of = [read(example([planned("kayak")], [each]))["results"][0] for each in (review, forbidden)]

    assert [[call["tool"] for call in result["unanswered"]] for result in of] == [["book_boat"], []]
    assert [len(result["tool_calls"]) for result in of] == [1, 1]


def test_arguments_that_are_nested_without_end_are_cut() -> None:
    """P26's neighbour: a model may nest as deep as it likes."""
    deep: Json = "x"
    for _ in range(5000):
        deep = [deep]
    turn = passed("books").turns[-1]
    call = replace(turn.calls[0], arguments=deep, answered_by=AnsweredBy.NONE)
    result = replace(passed("books"), turns=(replace(turn, entries=(call,)),))

    text = json.dumps(read(example([planned("books")], [result])))

    assert "deeper than 150 levels" in text
    assert "nested too deeply to be shown" in text
