"""The contract of `Model`, held by every kind: our client, pydantic-ai's classes, scripts and replays.

The first two speak over loopback to servers with the real wire formats. A script meets the same faults through the
same retries. A replay answers what a script was recorded with, so that it is asked everything but faults.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.models.asking import CountingClock, agent_asks, judge_asks
from tests.servers.anthropic_messages import messages_server
from tests.servers.openai_compatible import ChatServer, Reply, called, chat_server, said

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelMalformed, ModelRejected, ModelUnreachable
from greenroom.models.model import AgentSays, Finish, Model, ModelAnswer, ModelRequest, RequestedCall, ToolAnswer
from greenroom.models.opening import Models
from greenroom.models.retries import RetryPolicy

KEY = "very-secret-0123456789"
KINDS = ("openai", "anthropic", "script", "replay")
FAULTY_KINDS = ("openai", "anthropic", "script")
WIRE_KINDS = ("openai", "anthropic")

FAULTS: Mapping[str, tuple[Reply, str]] = {
    "rate_limit": (Reply(status=429, body=b'{"error": {"message": "slow down"}}'), "rate_limit"),
    "server_error": (Reply(status=500, body=b'{"error": {"message": "oops"}}'), "server_error"),
    "truncated": (Reply(text="never arrives whole", cut=True), "truncated"),
    "malformed": (Reply(body=b"<html>It works!</html>"), "malformed"),
    "timeout": (Reply(hang=True), "timeout"),
    "quota": (Reply(status=429, body=b'{"error": {"code": "insufficient_quota", "message": "pay"}}'), "quota"),
    "context": (Reply(status=400, body=b'{"error": {"message": "prompt is too long"}}'), "context_overflow"),
    "rejected": (Reply(status=400, body=b'{"error": {"message": "bad request"}}'), "rejected"),
}


@dataclass(kw_only=True)
class Stage:
    """One kind of model with the answers a test prepared for it."""

    kind: str
    root: Path
    clock: CountingClock = field(default_factory=CountingClock)
    server: ChatServer | None = None
    rules: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    models: list[Models] = field(default_factory=list[Models])
    policy: RetryPolicy = field(default_factory=lambda: RetryPolicy(try_seconds=5.0))

    def answers(self, *replies: Reply) -> None:
        """The next answers."""
        if self.server is not None:
            self.server.answer(*replies)
        else:
            self.rules.extend(_rule(reply) for reply in replies)

    def faults(self, name: str, *, then: Reply | None = None) -> None:
        """The next call meets a fault at each try; with `then` at the first one only."""
        wire, scripted = FAULTS[name]
        if self.server is not None:
            self.server.answer(*([wire, then] if then is not None else [wire] * self.policy.tries))
        elif then is not None:
            self.rules.append({**_rule(then), "fault": {"kind": scripted, "times": 1}})
        else:
            self.rules.append({"fault": scripted})

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer of the model under test; a replay is recorded first."""
        if self.kind == "replay":
            await self._record(request)
        return await (await self.model()).ask(request)

    async def model(self) -> Model:
        """The model under test."""
        if self.kind == "openai" and self.server is not None:
            return await self._open(f"openai:any-model@{self.server.url}")
        if self.kind == "anthropic":
            return await self._open("anthropic:claude-sonnet-5")
        if self.kind == "script":
            self._write_rules()
            return await self._open("script:rules.yaml")
        return await self._open("replay:recorded.jsonl")

    async def _open(self, name: str) -> Model:
        if not self.models:
            environment = {"OPENAI_COMPATIBLE_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
            if self.server is not None:
                environment["ANTHROPIC_BASE_URL"] = self.server.url.removesuffix("/v1")
            self.models.append(Models(self.root, environment, self.clock, policy=self.policy))
        return await self.models[0].open(ModelChoice(name=name))

    async def _record(self, request: ModelRequest) -> None:
        self._write_rules()
        file = self.root / "recorded.jsonl"
        file.unlink(missing_ok=True)
        async with Models(self.root, {}, self.clock, record=file) as models:
            await (await models.open(ModelChoice(name="script:rules.yaml"))).ask(request)

    def _write_rules(self) -> None:
        """Each rule answers once, in order."""
        rules = [{"when": {"time": number}, **rule} for number, rule in enumerate(self.rules, start=1)]
        (self.root / "rules.yaml").write_text(json.dumps({"rules": rules}), encoding="utf-8")


def _rule(reply: Reply) -> dict[str, Json]:
    """A reply of a server as a rule of a script."""
    rule: dict[str, Json] = {"reply": reply.text or ""}
    if reply.calls:
        rule["calls"] = [{"tool": tool, "arguments": arguments} for tool, arguments in reply.calls]
    if reply.finish == "content_filter":
        rule["fault"] = "refusal"
    elif reply.finish is not None:
        rule["finish"] = reply.finish
    if reply.usage is not None:
        rule["usage"] = {
            "input_tokens": reply.usage["prompt_tokens"],
            "output_tokens": reply.usage["completion_tokens"],
        }
    return rule


@asynccontextmanager
async def staged(kind: str, root: Path) -> AsyncGenerator[Stage]:
    stage = Stage(kind=kind, root=root)
    with override_allow_model_requests(True):
        if kind == "openai":
            async with chat_server() as stage.server:
                yield stage
                await _close(stage)
        elif kind == "anthropic":
            async with messages_server() as stage.server:
                yield stage
                await _close(stage)
        else:
            yield stage
            await _close(stage)


async def _close(stage: Stage) -> None:
    for models in stage.models:
        async with models:
            pass


@pytest.fixture(params=KINDS)
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Stage]:
    async with staged(request.param, tmp_path) as found:
        yield found


@pytest.fixture(params=FAULTY_KINDS)
async def faulty(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Stage]:
    async with staged(request.param, tmp_path) as found:
        yield found


@pytest.fixture(params=WIRE_KINDS)
async def wire(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Stage]:
    async with staged(request.param, tmp_path) as found:
        yield found


async def test_it_answers_with_text_and_what_the_call_cost(stage: Stage) -> None:
    stage.answers(said("Both marinas are open."))
    answer = await stage.ask(agent_asks("Which marina is open?"))
    assert answer.text == "Both marinas are open."
    assert answer.finish is Finish.STOP
    assert answer.calls == ()
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (20, 5)
    assert (answer.usage.calls, answer.usage.retries, answer.attempts) == (1, 0, 1)


async def test_it_asks_for_several_tools_at_once(stage: Stage) -> None:
    stage.answers(called(("get_weather", {"day": "Saturday"}), ("get_weather", {"day": "Sunday"})))
    answer = await stage.ask(agent_asks("How is the weekend?"))
    assert [(call.tool, call.arguments) for call in answer.calls] == [
        ("get_weather", {"day": "Saturday"}),
        ("get_weather", {"day": "Sunday"}),
    ]
    assert len({call.call_id for call in answer.calls}) == 2
    assert answer.finish is Finish.TOOL_CALLS


async def test_words_and_calls_may_come_together(stage: Stage) -> None:
    stage.answers(Reply(text="Let me look.", calls=[("get_weather", {"day": "Saturday"})]))
    answer = await stage.ask(agent_asks("How is Saturday?"))
    assert answer.text == "Let me look."
    assert [call.tool for call in answer.calls] == ["get_weather"]


async def test_arguments_that_are_no_json_object_stay_the_text_they_were(stage: Stage) -> None:
    stage.answers(called(("get_weather", "{day: Saturday")))
    answer = await stage.ask(agent_asks("How is Saturday?"))
    assert [call.arguments for call in answer.calls] == ["{day: Saturday"]


async def test_a_call_that_failed_before_goes_back_to_the_model(stage: Stage) -> None:
    stage.answers(said("The weather service is down."))
    history = agent_asks(
        AgentSays(text="Hi, this is Lakeside."),
        "How is Saturday?",
        AgentSays(
            text="One moment.",
            calls=(
                RequestedCall(call_id="a1", tool="get_weather", arguments={"day": "Saturday"}),
                RequestedCall(call_id="a2", tool="get_weather", arguments="not even json"),
            ),
        ),
        ToolAnswer(call_id="a1", tool="get_weather", text="no answer", failed=True),
        ToolAnswer(call_id="a2", tool="get_weather", text='{"error": "arguments"}'),
    )
    assert (await stage.ask(history)).text == "The weather service is down."


async def test_a_structured_answer_is_json_text_and_says_how_it_was_got(stage: Stage) -> None:
    """J06."""
    stage.answers(said('{"verdict": "pass"}'))
    answer = await stage.ask(judge_asks())
    assert json.loads(answer.text) == {"verdict": "pass"}
    assert answer.calls == ()
    assert answer.answered_as in {"schema", "tool", "text"}


@pytest.mark.parametrize("text", ["0", "false", "[]"])
async def test_falsy_looking_answers_are_answers(stage: Stage, text: str) -> None:
    """P01."""
    stage.answers(said(text))
    assert (await stage.ask(agent_asks("Say it."))).text == text


async def test_an_answer_cut_off_at_its_limit_says_so(stage: Stage) -> None:
    """J10."""
    stage.answers(Reply(text="We have", finish="length"))
    assert (await stage.ask(agent_asks("What boats?"))).finish is Finish.LENGTH


async def test_words_that_no_encoding_has_do_no_harm(stage: Stage) -> None:
    """P26: a lone surrogate from a person or a tool."""
    stage.answers(said("I see."))
    assert (await stage.ask(agent_asks("broken \ud83d emoji"))).text == "I see."


async def test_its_name_is_what_was_written_and_scripts_say_that_they_are(stage: Stage) -> None:
    stage.answers(said("ok"))
    await stage.ask(agent_asks("hi"))
    model = await stage.model()
    assert model.name.startswith(f"{stage.kind}:")
    assert model.scripted is (stage.kind in {"script", "replay"})


@pytest.mark.parametrize("fault", ["rate_limit", "server_error", "truncated", "malformed"])
async def test_what_may_pass_is_tried_again_and_counted(faulty: Stage, fault: str) -> None:
    faulty.faults(fault, then=said("Here I am."))
    answer = await faulty.ask(agent_asks("Hello?"))
    assert answer.text == "Here I am."
    assert (answer.attempts, answer.usage.retries, answer.usage.calls) == (2, 1, 1)
    assert len(faulty.clock.slept) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("rate_limit", ModelUnreachable),
        ("server_error", ModelUnreachable),
        ("truncated", ModelUnreachable),
        ("malformed", ModelMalformed),
    ],
)
async def test_tries_are_used_up_with_growing_waits(faulty: Stage, fault: str, error: type[Exception]) -> None:
    faulty.faults(fault)
    with pytest.raises(error, match=r"\(after 4 tries\)"):
        await faulty.ask(agent_asks("Hello?"))
    first, second, third = faulty.clock.slept
    assert first < second < third


async def test_a_try_has_a_time_limit(faulty: Stage) -> None:
    faulty.policy = RetryPolicy(tries=2, try_seconds=0.05)
    faulty.faults("timeout")
    with pytest.raises(ModelUnreachable, match=r"no answer within 0\.05 s \(after 2 tries\)"):
        await faulty.ask(agent_asks("Hello?"))


@pytest.mark.parametrize(
    ("fault", "words"),
    [("quota", "quota"), ("context", "longer than the model's context"), ("rejected", "400")],
)
async def test_what_can_never_pass_is_asked_once(faulty: Stage, fault: str, words: str) -> None:
    """C02, T22."""
    faulty.faults(fault)
    with pytest.raises(ModelRejected, match=words):
        await faulty.ask(agent_asks("Hello?"))
    assert faulty.clock.slept == []
    assert faulty.server is None or len(faulty.server.asked) == 1
    # What ends a run is what every other call would meet as well; a script's fault is its own call's alone.
    assert bool(faulty.models[0].pacing.shut) is (fault == "quota" and faulty.server is not None)


async def test_a_refusal_is_an_answer_and_asked_once(faulty: Stage) -> None:
    faulty.answers(Reply(text="I won't.", finish="content_filter"))
    answer = await faulty.ask(agent_asks("Do something bad."))
    assert answer.finish is Finish.REFUSAL
    assert answer.text == "I won't."
    assert faulty.clock.slept == []


async def test_a_model_that_answers_nothing_has_answered(stage: Stage) -> None:
    """P01: what an empty reply means is for whoever asked."""
    stage.answers(said(""))
    answer = await stage.ask(agent_asks("Hello?"))
    assert (answer.text, answer.calls, answer.finish, answer.attempts) == ("", (), Finish.STOP, 1)


async def test_cancelling_goes_through(wire: Stage) -> None:
    wire.answers(Reply(hang=True))
    task = asyncio.create_task(wire.ask(agent_asks("Hello?")))
    server = wire.server
    assert server is not None
    async with asyncio.timeout(5):
        while not server.asked:
            await asyncio.wait({task}, timeout=0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("status", [401, 403, 400, 404, 429, 500])
async def test_no_message_ever_holds_the_key(wire: Stage, status: int) -> None:
    body = json.dumps({"error": {"message": f"the key {KEY} is wrong, Bearer {KEY}"}}).encode()
    wire.answers(*[Reply(status=status, body=body)] * 4)
    with pytest.raises((ModelRejected, ModelUnreachable)) as caught:
        await wire.ask(agent_asks("Hello?"))
    assert KEY not in str(caught.value)
    if status in {401, 403}:
        assert "_API_KEY" in str(caught.value)


async def test_retry_after_is_waited_for(wire: Stage) -> None:
    wire.answers(Reply(status=429, headers={"Retry-After": "7"}, body=b"{}"), said("ok"))
    await wire.ask(agent_asks("Hello?"))
    assert 7.0 <= wire.clock.slept[0] < 8.0


async def test_what_one_call_was_told_to_wait_the_next_one_waits(wire: Stage) -> None:
    wire.policy = RetryPolicy(tries=1)
    wire.answers(Reply(status=429, headers={"Retry-After": "7"}, body=b"{}"), said("ok"))
    with pytest.raises(ModelUnreachable):
        await wire.ask(agent_asks("Hello?"))
    assert wire.clock.slept == []
    await wire.ask(agent_asks("Hello?"))
    assert [7.0 <= seconds < 8.0 for seconds in wire.clock.slept] == [True]


async def test_an_endless_retry_after_is_not_waited_for(wire: Stage) -> None:
    wire.answers(Reply(status=429, headers={"Retry-After": "3600"}, body=b"{}"))
    with pytest.raises(ModelUnreachable, match="asks to wait 3600 s"):
        await wire.ask(agent_asks("Hello?"))
    assert wire.clock.slept == []


async def test_connections_are_used_again(wire: Stage) -> None:
    for _ in range(5):
        wire.answers(said("ok"))
        await wire.ask(agent_asks("Hello?"))
    assert wire.server is not None
    assert len(wire.server.connections) == 1


async def test_cache_reads_are_never_input_whichever_way_they_are_reported(wire: Stage) -> None:
    """M01, M02, M05."""
    usages: Mapping[str, dict[str, Any]] = {
        "openai": {"prompt_tokens": 10, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 5}},
        "anthropic": {
            "input_tokens": 2,
            "output_tokens": 20,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 3,
            "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
        },
    }
    wire.answers(Reply(text="ok", usage=usages[wire.kind]))
    usage = (await wire.ask(agent_asks("Hello?"))).usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == (5, 5, 20)
    written = (usage.cache_write_tokens, usage.cache_write_1h_tokens)
    assert written == ((0, 0) if wire.kind == "openai" else (1, 2))


async def test_a_provider_that_reports_no_usage_costs_an_unknown_amount(wire: Stage) -> None:
    """M06: unknown, never 0."""
    zeros = {"input_tokens": 0, "output_tokens": 0} if wire.kind == "anthropic" else None
    wire.answers(Reply(text="ok", usage=zeros))
    usage = (await wire.ask(agent_asks("Hello?"))).usage
    assert (usage.calls, usage.unreported, usage.unknown) == (1, 1, True)


async def test_a_provider_that_refuses_a_schema_is_asked_with_a_tool_and_remembered(wire: Stage) -> None:
    """J06."""
    refused = Reply(status=400, body=b'{"error": {"message": "json_schema is not supported"}}')
    wire.answers(refused, called(("verdict", {"verdict": "pass"})), called(("verdict", {"verdict": "fail"})))
    first, second = await wire.ask(judge_asks()), await wire.ask(judge_asks())
    assert (json.loads(first.text), first.answered_as) == ({"verdict": "pass"}, "tool")
    assert (json.loads(second.text), second.answered_as) == ({"verdict": "fail"}, "tool")
    assert wire.server is not None
    assert len(wire.server.asked) == 3
    assert first.attempts == 1
