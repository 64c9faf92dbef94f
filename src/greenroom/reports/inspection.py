"""One result looked at closely (features.md F14, A12).

Every check and criterion, the conversation with its calls, what it cost and, when they are asked for, the turn records.
"""

from collections.abc import Iterator, Sequence

from greenroom.conversation.outcomes import CheckStatus, CriterionVerdict, SampleResult, Verdict
from greenroom.conversation.records import FlowCame, ModelCall, TurnRecord
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.usage import Usage, total_usage
from greenroom.conversation.visible import shown_lines
from greenroom.reports.lines import EMPTY, Line, Span, Tone, line, span
from greenroom.reports.reasons import errand_lines
from greenroom.reports.words import (
    STATUS_TONES,
    STATUS_WORDS,
    criterion_words,
    seconds_words,
    units_words,
    unreported_words,
)

__all__ = ["criterion_lines", "inspection_lines", "record_lines"]

_CHECK_MARKS = {
    CheckStatus.PASSED: span("✓ ", Tone.GOOD),
    CheckStatus.FAILED: span("✗ ", Tone.BAD),
    CheckStatus.ERROR: span("? ", Tone.WARNING),
}
_VERDICT_MARKS = {
    Verdict.PASS: span("✓ ", Tone.GOOD),
    Verdict.FAIL: span("✗ ", Tone.BAD),
    Verdict.UNKNOWN: span("? ", Tone.WARNING),
}

_CAME = {came: f"→ {came.value.replace('_', ' ')}" for came in FlowCame} | {FlowCame.ON: ""}
"""Where a step of a flow went, unless that was to the next."""


def inspection_lines(result: SampleResult, records: Sequence[TurnRecord] = ()) -> Iterator[Line]:
    """Everything there is of one result; `records` are left out unless they are handed over."""
    yield _title(result)
    if result.error is not None:
        yield line(span(f"Error, caused by the {result.error.cause}: ", Tone.WARNING), result.error.message)
    if result.note:
        yield line(result.note)
    yield from _checks(result)
    yield from _criteria(result)
    yield from _conversation(result)
    yield from _unanswered(result)
    if result.errands:
        yield EMPTY
        yield from errand_lines(result)
    yield from _cost(result)
    for record in records:
        yield EMPTY
        yield from record_lines(record)


def record_lines(record: TurnRecord) -> Iterator[Line]:
    """One turn record: route, tools offered, steps of a flow, model calls, and the prompt that was composed."""
    route = record.route
    where = route.playbook or "no playbook"
    yield line(
        span(f"Turn {record.turn}", Tone.TITLE), f" · {where}, chosen by {route.by}", _quiet(", stayed" * route.stayed)
    )
    if record.offered:
        yield line("  offered: ", ", ".join(record.offered))
    if record.flow:
        yield line("  flow: ", ", ".join(f"{one.at} {one.step} {_CAME[one.came]}".strip() for one in record.flow))
        yield from (line("  the model was told: ", one.why) for one in record.flow if one.why)
    for call in record.model_calls:
        yield line("  ", *_model_call(call))
    if record.prompt:
        yield line(_quiet("  prompt:"))
    for each in shown_lines(record.prompt) if record.prompt else ():
        yield line(_quiet("  │ "), each)


def _quiet(text: str) -> Span:
    return span(text, Tone.QUIET)


def _title(result: SampleResult) -> Line:
    key = result.key
    about = [f"sample {key.sample}", *([f"stopped: {result.stopped}"] if result.stopped else []), *result.badges]
    if result.score is not None:
        about.append(f"score {result.score}")
    return line(
        span(STATUS_WORDS[result.status], STATUS_TONES[result.status]),
        span(f"  {key.suite}/{key.case}", Tone.TITLE),
        _quiet(f"  {', '.join(about)}"),
    )


def _checks(result: SampleResult) -> Iterator[Line]:
    if result.checks:
        yield EMPTY
        yield line(span("Checks", Tone.TITLE))
    for check in result.checks:
        turn = "" if check.turn is None else f" (turn {check.turn})"
        yield line("  ", _CHECK_MARKS[check.status], check.check, _quiet(turn))
        for each in shown_lines(check.detail) if check.detail else ():
            yield line("      ", _quiet(each))


def _criteria(result: SampleResult) -> Iterator[Line]:
    if result.criteria:
        yield EMPTY
        prompt = "" if result.judge is None else f"  judged by {result.judge.model}, {result.judge.prompt_version}"
        yield line(span("Criteria", Tone.TITLE), _quiet(prompt))
    for criterion in result.criteria:
        yield from criterion_lines(criterion)


def criterion_lines(criterion: CriterionVerdict) -> Iterator[Line]:
    """One criterion as the judge decided it, with its reason and the line it rests on."""
    turn = "" if criterion.turn is None else f" (turn {criterion.turn})"
    yield line("  ", _VERDICT_MARKS[criterion.verdict], criterion_words(criterion), _quiet(turn))
    score = "" if criterion.score is None else f", score {criterion.score}"
    yield line("      ", f"{criterion.verdict}{score}: {criterion.reason}")
    if criterion.line:
        yield line("      ", _quiet(f"rests on “{criterion.line}”"))


def _conversation(result: SampleResult) -> Iterator[Line]:
    text = render_transcript(result.turns, history=result.history, calls=CallsShown.ALL, escaped=False)
    yield EMPTY
    yield line(span("Conversation", Tone.TITLE))
    for each in text.split("\n") if text else ("(nobody said anything)",):
        yield line(_quiet("  │ "), each)


def _unanswered(result: SampleResult) -> Iterator[Line]:
    if result.unanswered:
        yield EMPTY
        yield line(span("Calls that nothing was prepared to answer", Tone.TITLE))
    for call in result.unanswered:
        yield line("  ", span("✗ ", Tone.BAD), call.tool, *([f": {call.missing}"] if call.missing else []))


def _cost(result: SampleResult) -> Iterator[Line]:
    yield EMPTY
    units = units_words(result.units, total_usage(result.usage).unreported)
    yield line(span("Cost", Tone.TITLE), f"  {units}, {seconds_words(result.duration_s)}")
    for role, usage in result.usage.items():
        yield line(f"  {role}: {_usage(usage)}")


def _usage(usage: Usage) -> str:
    calls = "1 call" if usage.calls == 1 else f"{usage.calls} calls"
    cached = f", {usage.cache_read_tokens} read from cache" if usage.cache_read_tokens else ""
    retried = f", {usage.retries} retried" if usage.retries else ""
    if usage.unknown:
        return f"{calls}{retried}, no usage reported"
    unsplit = f", {usage.unsplit_tokens} told as a total alone" if usage.unsplit_tokens else ""
    unknown = f" ({unreported_words(usage.tokens, usage.unreported)})" if usage.unreported else ""
    return f"{calls}{retried}, {usage.input_tokens} tokens in{cached}, {usage.output_tokens} out{unsplit}{unknown}"


def _model_call(call: ModelCall) -> Iterator[str | Span]:
    yield f"{call.role} {call.model}: {_usage(call.usage)}"
    yield _quiet(f", {call.duration_s:.2f} s, {call.finish}")
    if call.error:
        yield span(f", {call.error}", Tone.BAD)
