"""JSON Schema of the JSON report, for `greenroom schema report`. It describes this version and is closed."""

from collections.abc import Mapping
from enum import StrEnum

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Badge, Cause, CheckStatus, FailOn, RunStatus, Status, Verdict
from greenroom.conversation.records import FlowCame, RouteBy
from greenroom.conversation.turns import EndedBy, StopReason
from greenroom.conversation.usage import Role

__all__ = ["report_schema", "sample_schema"]

_TEXT: Json = {"type": "string"}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_COUNT: Json = {"type": "integer", "minimum": 0}
_COUNT_OR_NULL: Json = {"type": ["integer", "null"], "minimum": 0}
_SCORE: Json = {"type": ["integer", "null"], "minimum": 0, "maximum": 100}
_SECONDS: Json = {"type": "number", "minimum": 0}
_FLAG: Json = {"type": "boolean"}
_ANY: Json = True


def report_schema() -> Mapping[str, Json]:
    """The schema as a JSON value."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Greenroom report",
        "description": "What `greenroom run --format json` writes: one run, its cases, its results.",
        **_object(
            greenroom=_described(_TEXT, "version of Greenroom that wrote the report"),
            run=_RUN,
            cases=_list(_CASE),
            results=_list(_RESULT),
        ),
    }


def sample_schema(*, turns: bool = False) -> Mapping[str, Json]:
    """What `greenroom show RUN/CASE --format json` prints: one result of the report, with `--turns` its records."""
    if not turns:
        return _RESULT
    return _object(**_RESULT_FIELDS, turn_records=_list(_RECORD))


def _object(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _one_of(words: type[StrEnum], *, null: bool = False) -> Json:
    values: list[Json] = [word.value for word in words]
    return {"enum": [*values, None] if null else values}


def _described(schema: Json, text: str) -> Json:
    return {**schema, "description": text} if isinstance(schema, Mapping) else schema


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


_CHANCE: Json = {"type": "number", "minimum": 0, "maximum": 1}
_INTERVAL: Json = _described(
    _or_null(_object(low=_CHANCE, high=_CHANCE)),
    "Wilson's 95 % interval of the pass rate; null for fewer than two decided samples",
)
_PASS_ALL: Json = _described(
    _or_null({"type": "array", "items": _CHANCE, "minItems": 1}),
    "pass^k for k = 1, 2, …: the chance that k samples all pass; null for fewer than two decided samples",
)
_UNREPORTED: Json = _described(
    _COUNT, "calls that did not report all they used; with any, units and tokens are the least it can be"
)
_USAGE: dict[str, Json] = {
    "input_tokens": _described(_COUNT_OR_NULL, "what was not read from a cache; null when no call reported any usage"),
    "output_tokens": _COUNT_OR_NULL,
    "cache_read_tokens": _COUNT_OR_NULL,
    "cache_write_tokens": _COUNT_OR_NULL,
    "cache_write_1h_tokens": _COUNT_OR_NULL,
    "unsplit_tokens": _described(_COUNT_OR_NULL, "reported as a total alone, not as input and output"),
    "calls": _COUNT,
    "retries": _COUNT,
    "unreported_calls": _UNREPORTED,
}
_RUN: Json = _object(
    id=_TEXT,
    status=_one_of(RunStatus),
    agent=_TEXT,
    revision=_TEXT,
    requested_by=_object(via=_TEXT, who=_TEXT),
    started_at=_TEXT,
    finished_at=_TEXT_OR_NULL,
    fail_on=_described(_one_of(FailOn), "where the gate stands that decides the exit code"),
    counts=_described(
        _object(
            passed=_COUNT,
            failed=_described(_COUNT, "without the known failures"),
            errored=_COUNT,
            needs_review=_described(_COUNT, "beside the others"),
            known_failures=_COUNT,
            skipped=_COUNT,
            cancelled=_COUNT,
            waiting=_described(_COUNT, "of a run that still goes or was broken off"),
        ),
        "cases by status",
    ),
    pass_rate=_described(
        {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "passed ÷ (passed + failed) samples; null when nothing was decided",
    ),
    pass_rate_interval=_INTERVAL,
    pass_all=_described(_PASS_ALL, "the mean of pass^k over the cases with two decided samples or more"),
    units=_COUNT,
    tokens=_described(
        _COUNT_OR_NULL, "of all calls, as far as they are known; null in runs of before they were summed"
    ),
    unreported_calls=_UNREPORTED,
    estimate_units=_COUNT_OR_NULL,
    rate_limited_s=_described(_SECONDS, "for so long calls were held back by rate limits of providers"),
    stopped_why=_described(_TEXT_OR_NULL, "why a provider let the rest not be run: its quota is used up"),
    scripted_models=_described(_list(_TEXT), "roles whose answers were written beforehand (script:)"),
    replayed_models=_described(_list(_TEXT), "roles whose answers were recorded earlier (replay:)"),
    under_test=_object(
        behavior_hash=_TEXT_OR_NULL,
        behavior_edited_at=_TEXT_OR_NULL,
        build=_TEXT_OR_NULL,
        agent_model=_TEXT_OR_NULL,
        judge_model=_TEXT_OR_NULL,
        judge_prompt=_TEXT_OR_NULL,
        simulator_model=_TEXT_OR_NULL,
        simulator_prompt=_TEXT_OR_NULL,
    ),
)
_CASE: Json = _object(
    suite=_TEXT,
    case=_TEXT,
    name=_TEXT_OR_NULL,
    status=_one_of(Status),
    samples=_COUNT,
    passed=_COUNT,
    failed=_COUNT,
    errored=_COUNT,
    cancelled=_COUNT,
    need=_described(_COUNT, "how many samples must pass"),
    pass_rate_interval=_INTERVAL,
    pass_all=_PASS_ALL,
    needs_review=_FLAG,
    no_mock=_FLAG,
    live_test=_described(_FLAG, "what its agent did was real"),
    undelivered=_described(_COUNT, "of what was to leave for real, so much did not arrive"),
    missed_taps=_described(_COUNT, "so many scripted taps found nothing to tap, and their fallback was said"),
    known_failure=_described(_TEXT_OR_NULL, "why the case is expected to fail"),
    note=_TEXT_OR_NULL,
    score=_SCORE,
    units=_COUNT,
    unreported_calls=_UNREPORTED,
    duration_s=_SECONDS,
)
_RESULT_FIELDS: dict[str, Json] = {
    "suite": _TEXT,
    "case": _TEXT,
    "sample": {"type": "integer", "minimum": 1},
    "attempt": {"type": "integer", "minimum": 1},
    "case_hash": _TEXT_OR_NULL,
    "status": _one_of(Status),
    "badges": _list(_one_of(Badge)),
    "score": _SCORE,
    "ended_by": _one_of(EndedBy, null=True),
    "stopped": _one_of(StopReason, null=True),
    "error": _or_null(_object(cause=_one_of(Cause), message=_TEXT)),
    "note": _TEXT_OR_NULL,
    "duration_s": _SECONDS,
    "units": _COUNT,
    "usage": _object(
        **_USAGE,
        by_role={
            "type": "object",
            "propertyNames": _one_of(Role),
            "additionalProperties": _object(**_USAGE),
        },
    ),
    "checks": _list(_object(check=_TEXT, passed=_FLAG, status=_one_of(CheckStatus), detail=_TEXT, turn=_COUNT_OR_NULL)),
    "criteria": _list(
        _object(
            name=_TEXT,
            text=_TEXT,
            verdict=_one_of(Verdict),
            reason=_TEXT,
            line=_described(_TEXT, "the agent's line the verdict rests on"),
            turn=_COUNT_OR_NULL,
            score=_SCORE,
            at_least=_SCORE,
        )
    ),
    "unanswered": _list(
        _object(
            tool=_TEXT, arguments=_ANY, turn=_COUNT, missing=_described(_TEXT_OR_NULL, "the mock or fixture to add")
        )
    ),
    "missed_taps": _described(
        _list(_object(turn=_COUNT, tapped=_one_of(TapKind), target=_TEXT, card=_TEXT_OR_NULL, said=_TEXT_OR_NULL)),
        "scripted taps whose thing to tap was not there, and what was said in their place",
    ),
    "tool_calls": _list(
        _object(
            turn=_COUNT,
            tool=_TEXT,
            arguments=_ANY,
            result=_ANY,
            error=_TEXT_OR_NULL,
            status=_COUNT_OR_NULL,
            answered_by=_one_of(AnsweredBy),
            duration_s=_SECONDS,
        )
    ),
    "effects": _list(
        _object(turn=_COUNT, kind=_one_of(EffectKind), summary=_TEXT, data={"type": "object"}, captured=_FLAG)
    ),
    "errands": _described(
        _list(_object(kind=_TEXT, summary=_TEXT, arrived=_FLAG, why=_TEXT_OR_NULL)),
        "what left for real in a live test, and what came of it",
    ),
    "judge": _or_null(_object(model=_TEXT, prompt=_TEXT, answered_as=_TEXT, repaired=_FLAG)),
    "transcript": _TEXT_OR_NULL,
}
_RESULT = _object(**_RESULT_FIELDS)
_RECORD: Json = _object(
    turn=_COUNT,
    started_at=_TEXT_OR_NULL,
    duration_s=_SECONDS,
    route=_object(playbook=_TEXT_OR_NULL, by=_one_of(RouteBy), stayed=_FLAG, answer=_TEXT_OR_NULL),
    offered=_list(_TEXT),
    flow=_list(_object(at=_TEXT, step=_TEXT, came=_one_of(FlowCame), why=_TEXT_OR_NULL)),
    model_calls=_list(
        _object(
            role=_one_of(Role),
            model=_TEXT,
            usage=_object(**_USAGE),
            duration_s=_SECONDS,
            attempts=_COUNT,
            finish=_TEXT,
            error=_TEXT_OR_NULL,
        )
    ),
    prompt=_TEXT,
)
