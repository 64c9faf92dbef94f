"""The JSON report (interfaces: JSON report; semantics: report fields). `reports.schema` describes it.

One result a line, so that a reader can also work through a large report line by line.
"""

from collections.abc import Iterable, Mapping, Sequence

from greenroom.conversation.events import words_of
from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import json_bytes
from greenroom.conversation.outcomes import (
    CaseRollup,
    CheckOutcome,
    CriterionVerdict,
    RunSummary,
    SampleResult,
    UnderTest,
)
from greenroom.conversation.records import ModelCall, TurnRecord
from greenroom.conversation.statistics import mean_pass_all, pass_all, pass_interval
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.usage import Usage, total_usage
from greenroom.reports.models import replayed_roles, scripted_roles

__all__ = ["JsonReport", "result_json", "sample_json", "usage_json"]


class JsonReport:
    """A whole run, once. Without `transcripts` each result's `transcript` is null."""

    def __init__(self, run: RunSummary, *, version: str, transcripts: bool = True) -> None:
        self._run = run
        self._version = version
        self._transcripts = transcripts
        self._results = 0

    @property
    def run(self) -> RunSummary:
        """What is reported."""
        return self._run

    def begin(self) -> Iterable[bytes]:
        """The run and its cases, known before any result."""
        yield b'{"greenroom":' + json_bytes(self._version) + b',\n"run":' + json_bytes(_run_json(self._run))
        yield b',\n"cases":['
        for index, case in enumerate(self._run.cases):
            yield (b",\n" if index else b"\n") + json_bytes(_case_json(case))
        yield b'\n],\n"results":['

    def case(self, case: CaseRollup, samples: Sequence[SampleResult]) -> Iterable[bytes]:
        """Its results, each on its own line."""
        for result in samples:
            self._results += 1
            between = b",\n" if self._results > 1 else b"\n"
            yield between + json_bytes(result_json(result, transcript=self._transcripts))

    def end(self) -> Iterable[bytes]:
        """The last brackets."""
        yield b"\n]}\n"


def result_json(result: SampleResult, *, transcript: bool = True) -> Mapping[str, Json]:
    """One result as the report has it."""
    return {
        "suite": result.key.suite,
        "case": result.key.case,
        "sample": result.key.sample,
        "attempt": result.key.attempt,
        "case_hash": result.case_hash or None,
        "status": result.status,
        "badges": list(result.badges),
        "score": result.score,
        "ended_by": result.ended_by,
        "stopped": result.stopped,
        "error": None if result.error is None else {"cause": result.error.cause, "message": result.error.message},
        "note": result.note or None,
        "duration_s": _seconds(result.duration_s),
        "units": result.units,
        "usage": {
            **usage_json(total_usage(result.usage)),
            "by_role": {role.value: usage_json(usage) for role, usage in result.usage.items()},
        },
        "checks": [_check_json(check) for check in result.checks],
        "criteria": [_criterion_json(criterion) for criterion in result.criteria],
        "unanswered": [
            {"tool": call.tool, "arguments": call.arguments, "turn": turn, "missing": call.missing}
            for turn, call in result.unanswered_in_turns
        ],
        "missed_taps": [
            {
                "turn": turn.index,
                "tapped": turn.missed.tapped,
                "target": turn.missed.target,
                "card": turn.missed.card,
                "said": None if turn.event is None else words_of(turn.event),
            }
            for turn in result.turns
            if turn.missed is not None
        ],
        "tool_calls": [
            {
                "turn": turn.index,
                "tool": call.tool,
                "arguments": call.arguments,
                "result": call.result,
                "error": call.error,
                "status": call.status,
                "answered_by": call.answered_by,
                "duration_s": _seconds(call.duration_s),
            }
            for turn in result.turns
            for call in turn.calls
        ],
        "effects": [
            {
                "turn": turn.index,
                "kind": effect.effect,
                "summary": effect.summary,
                "data": effect.data,
                "captured": effect.captured,
            }
            for turn in result.turns
            for effect in turn.effects
        ],
        "errands": [
            {"kind": errand.kind, "summary": errand.summary, "arrived": errand.arrived, "why": errand.why or None}
            for errand in result.errands
        ],
        "judge": None
        if result.judge is None
        else {
            "model": result.judge.model,
            "prompt": result.judge.prompt_version,
            "answered_as": result.judge.answered_as,
            "repaired": result.judge.repaired,
        },
        "transcript": render_transcript(result.turns, history=result.history, calls=CallsShown.UNANSWERED)
        if transcript
        else None,
    }


def sample_json(result: SampleResult, records: Sequence[TurnRecord] | None = None) -> Mapping[str, Json]:
    """One result as a document of its own, with its turn records when they are handed over (features.md F14, A12)."""
    turns: Mapping[str, Json] = {} if records is None else {"turn_records": [_record_json(each) for each in records]}
    return {**result_json(result), **turns}


def _record_json(record: TurnRecord) -> Json:
    return {
        "turn": record.turn,
        "started_at": record.started_at or None,
        "duration_s": _seconds(record.duration_s),
        "route": {
            "playbook": record.route.playbook,
            "by": record.route.by,
            "stayed": record.route.stayed,
            "answer": record.route.answer or None,
        },
        "offered": list(record.offered),
        "flow": [{"at": one.at, "step": one.step, "came": one.came, "why": one.why or None} for one in record.flow],
        "model_calls": [_model_call_json(call) for call in record.model_calls],
        "prompt": record.prompt,
    }


def _model_call_json(call: ModelCall) -> Json:
    return {
        "role": call.role,
        "model": call.model,
        "usage": usage_json(call.usage),
        "duration_s": _seconds(call.duration_s),
        "attempts": call.attempts,
        "finish": call.finish,
        "error": call.error,
    }


def _run_json(run: RunSummary) -> Json:
    return {
        "id": run.run_id,
        "status": run.status,
        "agent": run.agent,
        "revision": run.revision,
        "requested_by": {"via": run.requested_by.via, "who": run.requested_by.who},
        "started_at": run.started_at,
        "finished_at": run.finished_at or None,
        "fail_on": run.fail_on,
        "counts": {
            "passed": run.counts.passed,
            "failed": run.counts.failed,
            "errored": run.counts.errored,
            "needs_review": run.counts.needs_review,
            "known_failures": run.counts.known_failures,
            "skipped": run.counts.skipped,
            "cancelled": run.counts.cancelled,
            "waiting": run.counts.waiting,
        },
        "pass_rate": run.pass_rate,
        "pass_rate_interval": _interval_json(sum(c.passed for c in run.cases), sum(c.decided for c in run.cases)),
        "pass_all": list(mean_pass_all((case.passed, case.decided) for case in run.cases)) or None,
        "units": run.units,
        "tokens": run.tokens,
        "unreported_calls": run.unreported,
        "estimate_units": run.estimate_units,
        "rate_limited_s": _seconds(run.rate_limited_s),
        "stopped_why": run.stopped_why or None,
        "scripted_models": list(scripted_roles(run.under_test)),
        "replayed_models": list(replayed_roles(run.under_test)),
        "under_test": _under_test_json(run.under_test),
    }


def _under_test_json(under_test: UnderTest) -> Json:
    return {
        "behavior_hash": under_test.behavior_hash or None,
        "behavior_edited_at": under_test.behavior_edited_at or None,
        "build": under_test.build or None,
        "agent_model": under_test.agent_model or None,
        "judge_model": under_test.judge_model or None,
        "judge_prompt": under_test.judge_prompt or None,
        "simulator_model": under_test.simulator_model or None,
        "simulator_prompt": under_test.simulator_prompt or None,
    }


def _case_json(case: CaseRollup) -> Json:
    return {
        "suite": case.suite,
        "case": case.case,
        "name": case.name or None,
        "status": case.status,
        "samples": case.samples,
        "passed": case.passed,
        "failed": case.failed,
        "errored": case.errored,
        "cancelled": case.cancelled,
        "need": case.need,
        "pass_rate_interval": _interval_json(case.passed, case.decided),
        "pass_all": list(pass_all(case.passed, case.decided)) if case.decided > 1 else None,
        "needs_review": case.needs_review,
        "no_mock": case.no_mock,
        "live_test": case.live_test,
        "undelivered": case.undelivered,
        "missed_taps": case.missed_taps,
        "known_failure": case.known_failure or None,
        "note": case.note or None,
        "score": case.score,
        "units": case.units,
        "unreported_calls": case.unreported,
        "duration_s": _seconds(case.duration_s),
    }


def _interval_json(passed: int, decided: int) -> Json:
    interval = pass_interval(passed, decided)
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _check_json(check: CheckOutcome) -> Json:
    return {
        "check": check.check,
        "passed": check.passed,
        "status": check.status,
        "detail": check.detail,
        "turn": check.turn,
    }


def _criterion_json(criterion: CriterionVerdict) -> Json:
    return {
        "name": criterion.name,
        "text": criterion.text,
        "verdict": criterion.verdict,
        "reason": criterion.reason,
        "line": criterion.line,
        "turn": criterion.turn,
        "score": criterion.score,
        "at_least": criterion.at_least,
    }


def usage_json(usage: Usage) -> dict[str, Json]:
    """What nobody reported is null, never 0 (M06, M07)."""
    tokens = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
        "unsplit_tokens": usage.unsplit_tokens,
    }
    return {
        **(dict.fromkeys(tokens) if usage.unknown else tokens),
        "calls": usage.calls,
        "retries": usage.retries,
        "unreported_calls": usage.unreported,
    }


def _seconds(duration: float) -> float:
    return round(duration, 3)
