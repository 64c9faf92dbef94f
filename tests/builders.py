"""Small makers of agents, cases and results: valid defaults, so that a test writes only what it is about."""

from collections.abc import Sequence

import orjson

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.events import Said
from greenroom.conversation.messages import Message, Options, Text, text_message
from greenroom.conversation.outcomes import (
    CheckOutcome,
    CheckStatus,
    CriterionVerdict,
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
from greenroom.conversation.records import ModelCall, Route, RouteBy, TurnRecord
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage
from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document
from greenroom.documents.suite import Case, Suite

__all__ = ["agent", "case", "planned", "run_summary", "sample_result", "turn_records"]


def run_summary(run_id: str = "run-1", *, agent: str = "desk") -> RunSummary:
    """A run that was asked for and has not begun."""
    return RunSummary(
        run_id=run_id,
        status=RunStatus.QUEUED,
        agent=agent,
        revision="draft",
        requested_by=RequestedBy(via="command line", who="Ada"),
        started_at="2026-11-30T09:00:00.000+00:00",
        under_test=UnderTest(behavior_hash="b" * 64, agent_model="script:agent.yaml"),
    )


def planned(*cases: str, suite: str = "booking", samples: int = 1) -> Sequence[PlannedSample]:
    """A plan of these cases, sample by sample."""
    return tuple(
        PlannedSample(
            key=SampleKey(suite=suite, case=case, sample=sample),
            case_hash=f"hash-of-{case}",
            samples=samples,
            need=samples,
        )
        for case in cases
        for sample in range(1, samples + 1)
    )


def sample_result(
    case: str = "saturday",
    *,
    suite: str = "booking",
    sample: int = 1,
    attempt: int = 1,
    status: Status = Status.PASSED,
) -> SampleResult:
    """A sample with a call, a rich reply, a check, a criterion and the judge's record; passed unless told."""
    call = ToolCall(
        call_id="call-1",
        tool="list_boats",
        arguments={"date": "2026-06-06", "people": 6},
        tool_kind=ToolKind.WEBHOOK,
        answered_by=AnsweredBy.MOCK,
        result=[{"boat": "pontoon-20", "price": 180.0, "free": True}, None],
        status=200,
    )
    reply = Message(parts=(Text(text="Which one?"), Options(options=("Pontoon", "Kayak"))))
    return SampleResult(
        key=SampleKey(suite=suite, case=case, sample=sample, attempt=attempt),
        status=status,
        score=85,
        stopped=StopReason.SCRIPT_END,
        duration_s=1.25,
        units=2,
        usage={Role.AGENT: Usage(input_tokens=900, output_tokens=60, calls=3), Role.JUDGE: Usage(calls=1)},
        checks=(CheckOutcome(check="called: list_boats", status=CheckStatus.PASSED),),
        criteria=(
            CriterionVerdict(
                name="boats", text="It names the boats", verdict=Verdict.PASS, reason="It does.", line="Which one?"
            ),
        ),
        turns=(
            Turn(index=0, event=None, entries=(text_message("Hello, this is Lakeside."),)),
            Turn(index=1, event=Said(text="A boat for Saturday"), entries=(call, reply), playbook="booking"),
        ),
        judge=JudgeRecord(
            model="script:judge.yaml",
            prompt_version="1",
            system="You grade.",
            question="Person: A boat for Saturday",
            answer="{}",
            answered_as="schema",
        ),
        case_hash=f"hash-of-{case}",
    )


def turn_records(result: SampleResult) -> tuple[TurnRecord, ...]:
    """Turn records as a hosted agent would keep them for these turns."""
    return tuple(
        TurnRecord(
            turn=turn.index,
            prompt="You are the desk of a boat rental.",
            route=Route(playbook=turn.playbook, by=RouteBy.ONLY),
            offered=("list_boats",),
            model_calls=(ModelCall(role=Role.AGENT, model="script:agent.yaml", usage=Usage(calls=1), duration_s=0.1),),
            entries=turn.entries,
        )
        for turn in result.turns
    )


def agent(**overrides: object) -> Agent:
    """An agent with one webhook tool and no playbooks, read by the real loader; keys as people write them."""
    written: dict[str, object] = {
        "agent": "desk",
        "name": "Lakeside Boat Rentals",
        "model": "script:agent.yaml",
        "greeting": "Hello, this is Lakeside.",
        "prompt": "You are the desk of a boat rental.",
        "tools": {
            "list_boats": {
                "description": "Boats that are free on a day.",
                "parameters": {"type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]},
                "url": "https://boats.example/free",
                "mocks": [{"result": [{"boat": "pontoon-20", "free": True}]}],
            }
        },
    }
    read = load_document(orjson.dumps(written | overrides), file="agents/desk.yaml")
    assert isinstance(read, Agent)
    return read


def case(**overrides: object) -> Case:
    """A case of two lines and one check, read by the real loader; keys as people write them."""
    written: dict[str, object] = {"script": ["A boat for Saturday", "Thanks"], "expect": [{"called": "list_boats"}]}
    suite = {"suite": "booking", "agents": ["desk"], "cases": {"saturday": written | overrides}}
    read = load_document(orjson.dumps(suite), file="suites/booking.yaml")
    assert isinstance(read, Suite)
    return read.cases["saturday"]
