"""The report a person reads, whole (features.md F2, F3, G2; interfaces: command line)."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden import assert_golden
from tests.reports.examples import EXAMPLES, Example, failed, nasty, passed, planned
from tests.reports.examples import example as example_of

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.outcomes import CriterionVerdict, SampleKey, Verdict
from greenroom.reports.lines import Tone, cells, cut, padded, plain
from greenroom.reports.streams import written
from greenroom.reports.text import TextReport, rate_tone, result_lines
from greenroom.reports.words import criterion_words

GOLDEN = Path(__file__).parent / "golden"


def text(example: Example, columns: int = 100) -> str:
    report = TextReport(run=example.run, version="0.1.0", verdict=example.verdict, columns=columns)
    return "\n".join(plain(written(report, example.results)))


@pytest.mark.requirement("F2", "F3", "F4", "F11", "F14", "G2", "H1")
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_whole_report(name: str) -> None:
    """K05, K06, X01, X15, P26: reasons of each repeat, decided samples, the last line, nothing that moves a screen."""
    assert_golden(text(EXAMPLES[name]), GOLDEN / f"text_{name}.txt")


@pytest.mark.requirement("F3")
@pytest.mark.parametrize(
    ("rate", "tone"),
    [
        (1.0, Tone.GOOD),
        (0.999, Tone.WARNING),
        (0.8, Tone.WARNING),
        (0.79, Tone.BAD),
        (0.0, Tone.BAD),
        (None, Tone.PLAIN),
    ],
)
def test_the_pass_rate_is_green_at_all_amber_from_80_and_red_below(rate: float | None, tone: Tone) -> None:
    assert rate_tone(rate) is tone


def test_a_rate_just_below_all_is_not_rounded_up() -> None:
    example = EXAMPLES["all_passed"]
    almost = replace(example, run=replace(example.run, pass_rate=0.99999))

    assert "99.9 %" in text(almost)


def test_a_table_never_gets_wider_than_its_columns_and_wide_signs_count_double() -> None:
    plan = [planned("漢字" * 20), planned("emoji-🚤🚤"), planned("plain")]
    example = example_of(plan, [passed(plan[0].key.case), failed("emoji-🚤🚤"), passed("plain")])
    table = text(example, columns=60).split("\n\n")[1].split("\n")[1:]

    assert {cells(line) for line in table} == {60}
    assert "漢字…" in table[0] or "漢…" in table[0]


@pytest.mark.parametrize(
    ("word", "columns", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("漢字漢", 5, "漢字…"),
        ("漢字漢", 4, "漢…"),
        ("e\u0301e\u0301e", 2, "e\u0301…"),
        ("", 0, ""),
    ],
)
def test_long_texts_are_cut_to_their_columns(word: str, columns: int, shown: str) -> None:
    assert cut(word, columns) == shown
    assert cells(cut(word, columns)) <= columns


def test_padding_goes_to_either_side() -> None:
    assert padded("漢", 4) == "漢  "
    assert padded("漢", 4, right=True) == "  漢"
    assert padded("abc", 2) == "abc"


def test_no_text_moves_the_cursor_or_breaks_a_line() -> None:
    """X15."""
    for line in result_lines(nasty()):
        assert all(char.isprintable() or char == "\u200b" for char in line.text)


def test_results_that_do_not_come_case_by_case_are_refused() -> None:
    example = EXAMPLES["failures"]
    first = example.results[0]
    again = replace(first, key=SampleKey(suite=first.key.suite, case=first.key.case, sample=2))
    report = TextReport(run=example.run, version="0.1.0", verdict=example.verdict)

    with pytest.raises(ValueError, match="order of the run"):
        list(written(report, [first, example.results[1], again]))


@pytest.mark.requirement("F2", "A12")
def test_failed_calls_stand_in_the_transcript_of_a_report_with_json_that_can_be_copied() -> None:
    """R1 S5, P8."""
    of = failed("books")
    turn = of.turns[-1]
    call = ToolCall(
        call_id="1",
        tool="get_boat",
        arguments={"days": ["Sat"]},
        tool_kind=ToolKind.WEBHOOK,
        answered_by=AnsweredBy.REFUSED,
        result="Error: no",
        error="'get_boat' can't be used in this part of the conversation",
    )
    plan = [planned("books")]
    shown = text(example_of(plan, [replace(of, turns=(*of.turns[:-1], replace(turn, entries=(call, *turn.entries))))]))

    assert '  │ [call: get_boat {"days": ["Sat"]}]\n' in shown
    assert "  │   [failed: 'get_boat' can't be used in this part of the conversation]\n" in shown
    assert "`greenroom show run-1/booking/books` shows every call and what it cost." in shown


@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [
        ("", "It is polite.", "It is polite."),
        ("It is…", "It is  polite.", "It is  polite."),
        ("Nice", "Nice", "Nice"),
        ("manners", "It is polite.", "manners: It is polite."),
    ],
)
def test_a_criterion_is_printed_once(name: str, words: str, shown: str) -> None:
    """R1 P7."""
    criterion = CriterionVerdict(name=name, text=words, verdict=Verdict.FAIL, reason="")
    assert criterion_words(criterion) == shown
