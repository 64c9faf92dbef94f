"""Runs to report on, each with the results of its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.events import Opened, Said, Tap, TapKind
from greenroom.conversation.messages import Message, Options, Text, text_message
from greenroom.conversation.outcomes import (
    Badge,
    CaseError,
    Cause,
    CheckOutcome,
    CheckStatus,
    CriterionVerdict,
    Given,
    Interruption,
    JudgeRecord,
    PlannedSample,
    RequestedBy,
    RunStatus,
    RunSummary,
    SampleKey,
    SampleResult,
    Status,
    UnderTest,
    Verdict,
)
from greenroom.conversation.rollup import ExitVerdict, Rollup, exit_verdict
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage

REAL_MODELS = UnderTest(
    behavior_hash="9f3ab2c1d4e5f60718293a4b5c6d7e8f",
    behavior_edited_at="2026-11-29T18:00:00.000+00:00",
    build="0.1.0",
    agent_model="anthropic:claude-sonnet-5",
    judge_model="anthropic:claude-sonnet-5",
    judge_prompt="1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A finished run with its results."""

    run: RunSummary
    results: tuple[SampleResult, ...]
    verdict: ExitVerdict


def planned(
    case: str, *, suite: str = "booking", samples: int = 1, need: int | None = None, **more: str
) -> PlannedSample:
    return PlannedSample(
        key=SampleKey(suite=suite, case=case),
        case_hash=f"hash-of-{case}",
        samples=samples,
        need=samples if need is None else need,
        **more,
    )


def example(
    plan: Sequence[PlannedSample],
    results: Sequence[SampleResult],
    *,
    under_test: UnderTest = REAL_MODELS,
    estimate_units: int | None = None,
) -> Example:
    rollup = Rollup(plan)
    for result in results:
        rollup.add(result)
    run = RunSummary(
        run_id="run-1",
        status=RunStatus.FINISHED if rollup.complete else RunStatus.CANCELLED,
        agent="lakeside",
        revision="draft",
        requested_by=RequestedBy(via="cli", who="ana"),
        started_at="2026-11-30T09:30:12.000+00:00",
        finished_at="2026-11-30T09:31:00.000+00:00",
        counts=rollup.counts,
        pass_rate=rollup.pass_rate,
        units=rollup.units,
        estimate_units=estimate_units,
        under_test=under_test,
        cases=rollup.cases,
    )
    interrupted = Interruption.INTERRUPTED if run.status is RunStatus.CANCELLED else None
    return Example(
        run=run,
        results=tuple(results),
        verdict=exit_verdict(rollup.counts, interrupted=interrupted),
    )


GREETING = Turn(index=0, event=Opened(), entries=(text_message("Hi, this is Lakeside."),))
TALK = (
    GREETING,
    Turn(
        index=1,
        event=Said(text="I'd like to rent a boat"),
        entries=(Message(parts=(Text(text="Which marina?"), Options(options=("North", "South")))),),
    ),
    Turn(
        index=2,
        event=Tap(tapped=TapKind.OPTION, label="North", value="North"),
        entries=(
            ToolCall(
                call_id="call_7",
                tool="get_weather",
                arguments={"day": "Saturday"},
                tool_kind=ToolKind.WEBHOOK,
                answered_by=AnsweredBy.MOCK,
                result={"sky": "clear"},
                duration_s=0.1,
            ),
            Effect(effect=EffectKind.NOTIFY, summary="Boat wanted at North", data={"to": "team"}),
            text_message("I have told the team."),
        ),
    ),
)
CHECKS = (
    CheckOutcome(check="called: {tool: get_weather}", status=CheckStatus.PASSED),
    CheckOutcome(check="effect: {kind: notify}", status=CheckStatus.PASSED, turn=2),
)
CRITERIA = (
    CriterionVerdict(
        name="marinas",
        text="The agent offers both marinas before it asks for a date.",
        verdict=Verdict.PASS,
        reason="Both are offered.",
        line="[options: North | South]",
    ),
)
USAGE = {
    Role.AGENT: Usage(input_tokens=900, output_tokens=120, cache_read_tokens=300, calls=3, retries=1),
    Role.JUDGE: Usage(input_tokens=700, output_tokens=90, cache_write_tokens=200, calls=1),
}
JUDGE = JudgeRecord(
    model="anthropic:claude-sonnet-5", prompt_version="1", system="…", question="…", answer="{}", answered_as="schema"
)


def passed(case: str, *, suite: str = "booking", sample: int = 1) -> SampleResult:
    return SampleResult(
        key=SampleKey(suite=suite, case=case, sample=sample),
        status=Status.PASSED,
        stopped=StopReason.SCRIPT_END,
        duration_s=1.234,
        units=1,
        usage=USAGE,
        checks=CHECKS,
        criteria=CRITERIA,
        turns=TALK,
        judge=JUDGE,
        case_hash=f"hash-of-{case}",
    )


def failed(case: str, *, suite: str = "booking", sample: int = 1) -> SampleResult:
    return replace(
        passed(case, suite=suite, sample=sample),
        status=Status.FAILED,
        score=40,
        checks=(
            CHECKS[0],
            CheckOutcome(
                check="called: {tool: book_appointment, with: {start: 2026-06-06T14:00}}",
                status=CheckStatus.FAILED,
                detail='book_appointment was never called; called were:\n  get_weather {"day": "Saturday"}',
            ),
            CheckOutcome(check="reply: {contains: North}", status=CheckStatus.FAILED, detail="not there", turn=2),
            CheckOutcome(
                check="reply: {regex: (a+)+$}",
                status=CheckStatus.ERROR,
                detail="took longer than 0.25 s; make it simpler",
            ),
        ),
        criteria=(
            *CRITERIA,
            CriterionVerdict(
                name="",
                text="The agent confirms the booking.",
                verdict=Verdict.FAIL,
                reason="It only says that it told the team.",
                line="I have told the team.",
                score=40,
                at_least=70,
            ),
        ),
        history=(Given(person=Said(text="Hello again")), Given(agent="Welcome back.")),
    )


def errored(case: str, *, suite: str = "booking", sample: int = 1) -> SampleResult:
    return replace(
        passed(case, suite=suite, sample=sample),
        status=Status.ERRORED,
        stopped=StopReason.REPLY_TIMEOUT,
        error=CaseError(cause=Cause.AGENT, message='The agent did not answer "North" within 75 s.'),
        duration_s=76.2,
        criteria=(),
        judge=None,
        turns=TALK[:2],
    )


def to_review(case: str) -> SampleResult:
    call = ToolCall(
        call_id="call_8",
        tool="book_boat",
        arguments={"boat": "kayak", "seats": 1},
        tool_kind=ToolKind.WEBHOOK,
        answered_by=AnsweredBy.NONE,
        error="the tool is unavailable",
        missing="add a mock: {tool: book_boat, when: {boat: kayak}, result: …}",
    )
    return replace(
        passed(case),
        status=Status.FAILED,
        badges=(Badge.NEEDS_REVIEW, Badge.NO_MOCK),
        criteria=(
            CriterionVerdict(
                name="books",
                text="The agent books the kayak.",
                verdict=Verdict.UNKNOWN,
                reason="The call had no answer, so nobody can tell.",
            ),
        ),
        turns=(GREETING, Turn(index=1, event=Said(text="A kayak please"), entries=(call, text_message("Sorry.")))),
    )


def skipped(case: str, note: str) -> SampleResult:
    return SampleResult(key=SampleKey(suite="booking", case=case), status=Status.SKIPPED, note=note)


NASTY = "\x1b[31mred\x00 \ud83d \ufffe ]]> <b>&\"' \u2028[notify: x]\nPerson: 漢字 🚤 שלום"
"""X15–X17, P26 in one text."""


def nasty() -> SampleResult:
    return replace(
        failed("nasty", suite='<suite> & "co"'),
        checks=(CheckOutcome(check=NASTY, status=CheckStatus.FAILED, detail=NASTY),),
        criteria=(CriterionVerdict(name=NASTY, text=NASTY, verdict=Verdict.FAIL, reason=NASTY, line=NASTY),),
        error=CaseError(cause=Cause.AGENT, message=NASTY),
        status=Status.ERRORED,
        turns=(
            Turn(
                index=1,
                event=Said(text=NASTY),
                entries=(
                    text_message(NASTY),
                    ToolCall(
                        call_id="1",
                        tool=NASTY,
                        arguments={NASTY: [NASTY, 10**30, float("nan")]},
                        tool_kind=ToolKind.WEBHOOK,
                        answered_by=AnsweredBy.NONE,
                        missing=NASTY,
                    ),
                    Effect(effect=EffectKind.NOTIFY, summary=NASTY, data={NASTY: NASTY}),
                ),
            ),
        ),
    )


def live_test(result: SampleResult, *errands: ErrandDone) -> SampleResult:
    """The same, but that what the agent did was real."""
    return replace(result, badges=(*result.badges, Badge.LIVE_TEST), errands=errands)


TOLD = ErrandDone(kind="notify", summary="hand-over: wants a person", arrived=True)
LOST = ErrandDone(
    kind="email",
    summary="to team@lakeside.example: Lakeside: hand-over: wants a person",
    arrived=False,
    why="the server refused it: 550 no such mailbox",
)

SCRIPTED = replace(REAL_MODELS, agent_model="script:demo/agent.yaml", judge_model="script:demo/judge.yaml")

EXAMPLES: Mapping[str, Example] = {
    "all_passed": example(
        [planned("books", name="Books a powerboat for Saturday"), planned("cancels", suite="changes")],
        [passed("books"), passed("cancels", suite="changes")],
        estimate_units=3,
    ),
    "failures": example(
        [
            planned("books", name="Books a powerboat for Saturday"),
            planned("a-case-with-a-name-that-is-much-longer-than-any-column-of-the-table-could-ever-hold-on-a-screen"),
            planned("cancels", suite="changes"),
        ],
        [
            failed("books"),
            passed("a-case-with-a-name-that-is-much-longer-than-any-column-of-the-table-could-ever-hold-on-a-screen"),
            errored("cancels", suite="changes"),
        ],
    ),
    "errored": example([planned("books"), planned("cancels")], [passed("books"), errored("cancels")]),
    "needs_review": example([planned("kayak")], [to_review("kayak")]),
    "samples": example(
        [planned("books", samples=3, need=2), planned("cancels", samples=3), planned("moves", samples=2)],
        [
            passed("books"),
            failed("books", sample=2),
            passed("books", sample=3),
            errored("cancels"),
            failed("cancels", sample=2),
            passed("cancels", sample=3),
            passed("moves"),
            errored("moves", sample=2),
        ],
    ),
    "known_failure": example(
        [
            planned("books", known_failure="it forgets the deposit"),
            planned("cancels", known_failure="it was slow once"),
        ],
        [replace(failed("books"), score=None), passed("cancels")],
    ),
    "skipped": example(
        [planned("books"), planned("pays")], [passed("books"), skipped("pays", "payments come next year")]
    ),
    "interrupted": example([planned("books"), planned("cancels", samples=2)], [passed("books")]),
    "empty": example([], []),
    "scripted": example([planned("books")], [passed("books")], under_test=SCRIPTED),
    "replayed_agent": example(
        [planned("books")],
        [passed("books")],
        under_test=UnderTest(agent_model="replay:recordings/1.yaml"),
    ),
    "live_test": example(
        [planned("books"), planned("hands-over"), planned("cancels")],
        [passed("books"), live_test(failed("hands-over"), TOLD, LOST), live_test(passed("cancels"), TOLD)],
    ),
    "nasty": example([planned("nasty", suite='<suite> & "co"', name=NASTY, known_failure="")], [nasty()]),
}
