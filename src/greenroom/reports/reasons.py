"""Why a sample did not pass, as lines that can be read on their own: for the text report and for JUnit."""

from collections.abc import Iterator

from greenroom.conversation.outcomes import (
    CheckOutcome,
    CheckStatus,
    CriterionVerdict,
    SampleResult,
    Verdict,
)
from greenroom.conversation.transcript import CallsShown, call_words, render_transcript
from greenroom.conversation.visible import one_line, shown_lines
from greenroom.reports.lines import Line, Span, Tone, line, span
from greenroom.reports.words import criterion_words

__all__ = ["errand_lines", "reasons", "summary_of", "transcript_lines", "transcript_of"]


def summary_of(result: SampleResult) -> str:
    """The first reason, on one line."""
    return one_line(_first_reason(result))


def _first_reason(result: SampleResult) -> str:
    if result.error is not None:
        return f"error caused by the {result.error.cause}: {result.error.message}"
    for check in result.checks:
        if not check.passed:
            return f"check {check.check}: {check.detail or check.status}"
    for criterion in result.criteria:
        if criterion.verdict is not Verdict.PASS:
            return f"criterion {criterion.name or criterion.text}: {criterion.reason or criterion.verdict}"
    if result.unanswered:
        return f"nothing was prepared to answer {result.unanswered[0].tool}"
    return result.note or result.status


def reasons(result: SampleResult) -> Iterator[Line]:
    """Everything that kept a sample from passing, and how much held."""
    if result.error is not None:
        yield line(span(f"Error, caused by the {result.error.cause}", Tone.WARNING))
        yield from _indented(result.error.message, "    ")
    yield from _checks(result)
    yield from _criteria(result)
    yield from _unanswered(result)
    if result.note:
        yield line(result.note)


def _checks(result: SampleResult) -> Iterator[Line]:
    bad = [check for check in result.checks if not check.passed]
    if bad:
        yield _heading("Checks", len(result.checks) - len(bad), len(result.checks), "held")
    for check in bad:
        yield from _check(check)


def _check(check: CheckOutcome) -> Iterator[Line]:
    undecided = check.status is CheckStatus.ERROR
    mark = span("? ", Tone.WARNING) if undecided else span("✗ ", Tone.BAD)
    yield line("  ", mark, check.check, _at_turn(check.turn), span(" (could not be decided)" if undecided else ""))
    yield from _indented(check.detail, "      ")


def _at_turn(turn: int | None) -> Span:
    return span("" if turn is None else f" (turn {turn})", Tone.QUIET)


def _criteria(result: SampleResult) -> Iterator[Line]:
    bad = [criterion for criterion in result.criteria if criterion.verdict is not Verdict.PASS]
    if bad:
        yield _heading("Criteria", len(result.criteria) - len(bad), len(result.criteria), "met")
    for criterion in bad:
        unknown = criterion.verdict is Verdict.UNKNOWN
        mark = span("? ", Tone.WARNING) if unknown else span("✗ ", Tone.BAD)
        yield line("  ", mark, criterion_words(criterion), _at_turn(criterion.turn))
        yield line("      ", span(f"{criterion.verdict}{_score(criterion)}", mark.tone), ": ", criterion.reason)
        if criterion.line:
            yield line("      ", span(f"rests on “{criterion.line}”", Tone.QUIET))


def _score(criterion: CriterionVerdict) -> str:
    if criterion.score is None:
        return ""
    needed = "" if criterion.at_least is None else f", {criterion.at_least} wanted"
    return f", score {criterion.score}{needed}"


def _unanswered(result: SampleResult) -> Iterator[Line]:
    calls = result.unanswered_in_turns
    if calls:
        yield line(span("Calls that nothing was prepared to answer", Tone.TITLE))
    for turn, call in calls:
        yield line("  ", span("✗ ", Tone.BAD), call_words(call), _at_turn(turn))
        yield from _indented(call.missing or "", "      ")


def errand_lines(result: SampleResult) -> Iterator[Line]:
    """What left for real in a live test, and what came of it."""
    if result.errands:
        yield line(span("What left for real", Tone.TITLE))
    for errand in result.errands:
        mark = span("✓ ", Tone.GOOD) if errand.arrived else span("✗ ", Tone.WARNING)
        yield line("  ", mark, f"{errand.kind}: {errand.summary}")
        yield from _indented(f"did not arrive: {errand.why}" if not errand.arrived else "", "      ")


def _heading(title: str, good: int, count: int, verb: str) -> Line:
    return line(span(title, Tone.TITLE), span(f" ({good} of {count} {verb})", Tone.QUIET))


def _indented(text: str, indent: str) -> Iterator[Line]:
    if text:
        for each in shown_lines(text):
            yield line(indent, each)


def transcript_of(result: SampleResult) -> str:
    """The conversation for people, with the calls that went wrong; all calls where the agent did nothing else."""
    spoke = any(turn.messages for turn in result.turns)
    calls = CallsShown.FAILED if spoke else CallsShown.ALL
    return render_transcript(result.turns, history=result.history, calls=calls, escaped=False)


def transcript_lines(result: SampleResult) -> Iterator[Line]:
    """The conversation, each line behind a bar."""
    text = transcript_of(result)
    if not text:
        yield line(span("  │ (nobody said anything)", Tone.QUIET))
        return
    for each in text.split("\n"):
        yield line(span("  │ ", Tone.QUIET), each)
