"""Who answers a tool call in a case, and what the agent hears of it (features.md C6–C11, H6)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from tests.servers.webhooks import Endpoint, endpoint
from tests.world.makers import ask, case, desk, sandbox, tool

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.documents.mocks import MockStrategy
from greenroom.world.sandbox.world import SandboxWorld
from greenroom.world.tools import ACKNOWLEDGED, CALL_FAILED, CAPTURED, UNAVAILABLE
from greenroom.world.webhooks import Webhooks

STRATEGIES = [strategy.value for strategy in MockStrategy]
REACHED = {"ok": True}


def world(**written: object) -> SandboxWorld:
    return sandbox(case(world=written))


async def reaching(here: Endpoint, strategy: str, asked: dict[str, object], **written: object) -> ToolCall:
    """One call of a tool with an endpoint."""
    webhooks = Webhooks()
    around = sandbox(case(world={"mock": strategy, **written}), webhooks=webhooks)
    answer = await ask(around.tools, tool(url=here.url + "/orders", **asked), order_id="1001")
    await around.close()
    await webhooks.close()
    return answer


@pytest.mark.requirement("C7", "A8")
async def test_by_default_no_call_ever_reaches_its_endpoint() -> None:
    """T11, T12: counted at the endpoint."""
    async with endpoint() as here:
        unmocked = await reaching(here, "all", {})
        own = await reaching(here, "all", {"mocks": [{"result": {"status": "shipped"}}, {"result": "second"}]})
        entry = await reaching(here, "all", {}, mocks=[{"tool": "get_order", "result": "entry"}])
        assert here.received == []
    assert (unmocked.answered_by, unmocked.result) == (AnsweredBy.NONE, UNAVAILABLE)
    assert (own.answered_by, own.result) == (AnsweredBy.MOCK, {"status": "shipped"})
    assert (entry.answered_by, entry.result) == (AnsweredBy.MOCK, "entry")


@pytest.mark.requirement("C7")
@pytest.mark.parametrize(
    ("strategy", "asked", "written", "reached"),
    [
        ("none", {}, {}, True),
        ("none", {"method": "POST"}, {}, True),
        ("none", {"kind": "integration", "read_only": True}, {}, True),
        ("none", {"kind": "integration"}, {}, False),
        ("none", {"kind": "client"}, {}, False),
        ("none", {"mocks": [{"result": "own"}]}, {}, True),
        ("none", {}, {"mocks": [{"tool": "get_order", "result": 1}]}, False),
        ("none", {}, {"mocks": [{"tool": "get_order", "when": {"order_id": "2"}, "result": 1}]}, True),
        ("selected", {}, {}, True),
        ("selected", {}, {"mocks": [{"tool": "other", "result": 1}]}, True),
        ("selected", {}, {"mocks": [{"tool": "get_order", "when": {"order_id": "2"}, "result": 1}]}, False),
        ("all", {}, {"real": ["get_order"]}, True),
        ("all", {}, {"real": ["Get_Order "]}, True),
        ("all", {}, {"real": ["other"]}, False),
        ("all", {"kind": "integration"}, {"real": ["get_order"]}, False),
        ("all", {"kind": "integration", "read_only": True}, {"real": ["get_order"]}, True),
        ("all", {}, {"real": ["get_order"], "mocks": [{"tool": "get_order", "result": 1}]}, False),
        (
            "selected",
            {},
            {"real": ["get_order"], "mocks": [{"tool": "get_order", "when": {"order_id": "2"}, "result": 1}]},
            True,
        ),
    ],
)
async def test_who_may_reach_an_endpoint(
    strategy: str, asked: dict[str, object], written: dict[str, object], reached: bool
) -> None:
    async with endpoint() as here:
        answer = await reaching(here, strategy, asked, **written)
        assert bool(here.received) is reached
        assert (answer.answered_by is AnsweredBy.REAL) is reached
        assert not reached or (answer.result, answer.status, answer.error) == (REACHED, 200, None)


@pytest.mark.requirement("C8")
@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_a_client_tool_that_waits_answers_from_mocks_under_every_strategy(strategy: str) -> None:
    async with endpoint() as here:
        own = await reaching(here, strategy, {"kind": "client", "mocks": [{"result": "north"}]})
        missing = await reaching(here, strategy, {"kind": "client"}, real=["get_order"])
        assert here.received == []
    assert (own.answered_by, own.result) == (AnsweredBy.MOCK, "north")
    assert missing.unanswered


@pytest.mark.requirement("C8")
@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_a_client_tool_that_waits_for_nothing_is_acknowledged_whatever_is_written(strategy: str) -> None:
    around = world(mock=strategy, mocks=[{"tool": "get_order", "error": True}])
    answer = await ask(around.tools, tool(kind="client", waits=False))
    assert (answer.answered_by, answer.result, answer.error) == (AnsweredBy.ACKNOWLEDGED, ACKNOWLEDGED, None)


@pytest.mark.requirement("C8")
async def test_of_a_fire_and_forget_call_the_agent_hears_the_acknowledgement_only() -> None:
    """Whether it ran for real, was answered by a mock, failed, or was skipped."""
    async with endpoint() as here:
        heard = [
            await reaching(here, "all", {"waits": False}),
            await reaching(here, "none", {"waits": False, "method": "POST"}),
            await reaching(here, "all", {"waits": False}, mocks=[{"tool": "get_order", "result": "x", "delay": 60}]),
            await reaching(here, "all", {"waits": False}, mocks=[{"tool": "get_order", "status": 503}]),
            await reaching(here, "all", {"waits": False}, mocks=[{"tool": "get_order", "results": ()}]),
        ]
        assert [one.body for one in here.received] == ['{"order_id":"1001"}']
    assert {(call.result, call.error, call.unanswered) for call in heard} == {(ACKNOWLEDGED, None, False)}
    assert [call.answered_by.value for call in heard] == ["acknowledged", "real", "mock", "mock", "acknowledged"]


@pytest.mark.requirement("C6")
async def test_a_status_of_a_tool_without_http_is_not_told_as_one() -> None:
    around = world(mocks=[{"tool": "get_order", "status": 404}])
    assert (await ask(around.tools, tool(kind="integration"))).error == "the call failed with status 404"


@pytest.mark.requirement("A8")
async def test_a_case_may_have_calls_captured_in_place_of_failing() -> None:
    around = world(no_answer="captured")
    answer = await ask(around.tools, tool(kind="integration"), order_id="1001")
    assert (answer.answered_by, answer.result, answer.error) == (AnsweredBy.CAPTURED, CAPTURED, None)
    assert not answer.unanswered


@pytest.mark.requirement("C6")
@pytest.mark.parametrize(
    ("mock", "result", "error", "status"),
    [
        ({"result": {"why": "down"}, "error": True}, {"why": "down"}, "the call failed", None),
        ({"error": True}, "The call failed: the call failed.", "the call failed", None),
        ({"result": "busy", "status": 503}, "busy", "the endpoint answered HTTP 503", 503),
        ({"status": 404}, "The call failed: the endpoint answered HTTP 404.", "the endpoint answered HTTP 404", 404),
        ({"result": "made", "status": 201}, "made", None, 201),
    ],
)
async def test_a_mock_may_fail(mock: dict[str, object], result: Json, error: str | None, status: int | None) -> None:
    answer = await ask(world(mocks=[{"tool": "get_order", **mock}]).tools, tool())
    assert (answer.answered_by, answer.result, answer.error, answer.status) == (AnsweredBy.MOCK, result, error, status)


@pytest.mark.requirement("C8")
@pytest.mark.parametrize(
    "written",
    [
        {"mocks": [{"tool": "get_order", "result": {"why": "down"}, "status": 503}]},
        {"mocks": [{"tool": "get_order", "result": "stack trace", "error": True}]},
        {"mocks": [{"tool": "get_order", "result": "late", "delay": 21}]},
        {},
    ],
)
async def test_a_webhook_tool_that_hides_errors_shows_only_that_the_call_failed(written: dict[str, object]) -> None:
    around = sandbox(case(world=written), clock=FrozenClock(SystemClock().now()))
    answer = await ask(around.tools, tool(hide_errors=True))
    assert answer.result == CALL_FAILED
    assert answer.error is not None


async def test_hiding_errors_hides_no_answer() -> None:
    answer = await ask(world(mocks=[{"tool": "get_order", "result": "fine"}]).tools, tool(hide_errors=True))
    assert (answer.result, answer.error) == ("fine", None)


@pytest.mark.requirement("C7")
async def test_an_endpoint_that_fails_is_heard_of_as_an_unavailable_tool() -> None:
    """The same words as for a call that nothing answers."""
    async with endpoint() as here:
        url = here.url
    webhooks = Webhooks()
    answer = await ask(sandbox(case(world={"mock": "none"}), webhooks=webhooks).tools, tool(url=url))
    await webhooks.close()
    assert (answer.answered_by, answer.result) == (AnsweredBy.REAL, UNAVAILABLE)
    assert answer.error == f"could not call {url}: connection refused"
    assert not answer.unanswered


@asynccontextmanager
async def breaking(how: str) -> AsyncGenerator[str]:
    """An endpoint that resets every connection, or never answers."""

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if how == "reset":
            writer.transport.abort()
        else:
            await over.wait()
            writer.close()

    over = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        over.set()
        server.close()
        await server.wait_closed()


class CountingClock(FrozenClock):
    """Counts the seconds that are slept; a minute passes at once."""

    def __init__(self) -> None:
        super().__init__(SystemClock().now())
        self.slept = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept += seconds

    def monotonic(self) -> float:
        return self.slept


@pytest.mark.requirement("H6")
async def test_a_mock_may_take_its_time() -> None:
    clock = CountingClock()
    around = sandbox(case(world={"mocks": [{"tool": "get_order", "result": "late", "delay": 1.5}]}), clock=clock)
    answer = await ask(around.tools, tool())
    assert (answer.result, answer.duration_s, clock.slept) == ("late", 1.5, 1.5)


@pytest.mark.requirement("H6")
async def test_a_mock_slower_than_the_tool_s_timeout_is_a_time_out() -> None:
    clock = CountingClock()
    around = sandbox(case(world={"mocks": [{"tool": "get_order", "result": "late", "delay": 60}]}), clock=clock)
    answer = await ask(around.tools, tool(timeout=2))
    assert (answer.result, answer.error, clock.slept) == (UNAVAILABLE, "no answer within 2 s", 2.0)


@pytest.mark.requirement("H6")
@pytest.mark.parametrize(
    ("mock", "asked", "error", "slept"),
    [
        ({"fault": "timeout"}, {}, "no answer within 20 s", 0.0),
        ({"fault": "timeout", "delay": 1.5}, {}, "no answer within 20 s", 1.5),
        ({"fault": "timeout", "delay": 60}, {"timeout": 2}, "no answer within 2 s", 2.0),
        ({"fault": "timeout"}, {"kind": "client"}, "no answer in time", 0.0),
        ({"fault": "reset"}, {}, "connection reset by peer", 0.0),
        ({"fault": "reset"}, {"kind": "integration"}, "connection reset by peer", 0.0),
        ({"fault": "reset", "delay": 3}, {}, "connection reset by peer", 3.0),
    ],
)
async def test_a_fault_on_purpose_is_heard_as_an_unavailable_tool(
    mock: dict[str, object], asked: dict[str, object], error: str, slept: float
) -> None:
    clock = CountingClock()
    around = sandbox(case(world={"mocks": [{"tool": "get_order", **mock}]}), clock=clock)
    answer = await ask(around.tools, tool(**asked))
    assert (answer.answered_by, answer.result, answer.error) == (AnsweredBy.MOCK, UNAVAILABLE, error)
    assert (answer.status, answer.unanswered, clock.slept, answer.duration_s) == (None, False, slept, slept)


@pytest.mark.requirement("H6")
@pytest.mark.parametrize("how", ["reset", "timeout"])
async def test_a_fault_on_purpose_sounds_like_the_real_one(how: str) -> None:
    """T27: what the agent hears is what an endpoint that does so makes it hear; afterwards the tool works again."""
    around = world(mocks=[{"tool": "get_order", "faults": [how, "none"], "result": {"ok": True}}])
    mocked, after = await ask(around.tools, tool()), await ask(around.tools, tool())
    async with breaking(how) as url:
        webhooks = Webhooks()
        live = sandbox(case(world={"mock": "none"}), webhooks=webhooks)
        real = await ask(live.tools, tool(url=url, timeout=0.05))
        await webhooks.close()
    assert (mocked.result, mocked.status) == (real.result, real.status) == (UNAVAILABLE, None)
    assert real.error is not None
    assert (after.result, after.error) == ({"ok": True}, None)


@pytest.mark.requirement("H6", "C8")
async def test_a_fault_is_hidden_where_errors_are_and_unheard_where_nobody_waits() -> None:
    around = world(mocks=[{"tool": "get_order", "fault": "reset"}])
    hidden = await ask(around.tools, tool(hide_errors=True))
    unheard = await ask(around.tools, tool(waits=False))
    assert (hidden.result, hidden.error) == (CALL_FAILED, "connection reset by peer")
    assert (unheard.result, unheard.error) == (ACKNOWLEDGED, None)


@pytest.mark.requirement("C9")
async def test_a_mock_that_says_nothing_asks_for_the_confirmation_itself() -> None:
    integration = tool(kind="integration", confirm_with="confirm_event")
    around = world(mocks=[{"tool": "create_event"}, {"tool": "confirm_event"}])
    asked = await ask(around.tools, integration, "create_event", title="Boat")
    confirmed = await ask(around.tools, tool(kind="integration"), "confirm_event", title="Boat")
    assert (asked.answered_by, asked.error) == (AnsweredBy.MOCK, None)
    assert asked.result == {
        "needs_confirmation": True,
        "message": "Nothing was written yet. Ask the person to confirm, then call confirm_event.",
    }
    assert (confirmed.answered_by, confirmed.result) == (AnsweredBy.MOCK, None)


@pytest.mark.requirement("C9")
@pytest.mark.parametrize(
    "mock", [{"result": None}, {"results": [None]}, {"error": True, "result": None}, {"fault": "reset"}]
)
async def test_a_mock_that_says_something_is_taken_at_its_word(mock: dict[str, object]) -> None:
    integration = tool(kind="integration", confirm_with="confirm_event")
    answer = await ask(world(mocks=[{"tool": "create_event", **mock}]).tools, integration, "create_event")
    assert not isinstance(answer.result, dict)


@pytest.mark.requirement("C9", "C10")
@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_a_write_that_is_not_mocked_is_unanswered_like_its_confirmation(strategy: str) -> None:
    async with endpoint() as here:
        around = world(mock=strategy, real=["create_event", "confirm_event"])
        write = tool(kind="integration", confirm_with="confirm_event", url=here.url)
        first = await ask(around.tools, write, "create_event")
        second = await ask(around.tools, tool(kind="integration", url=here.url), "confirm_event")
        assert here.received == []
    assert (first.unanswered, second.unanswered) == (True, True)


@pytest.mark.requirement("C9")
async def test_a_confirmed_write_is_two_mocked_calls_and_the_second_must_be_prepared() -> None:
    integration = tool(kind="integration", confirm_with="confirm_event")
    around = world(mocks=[{"tool": "create_event", "result": {"confirm": "Create it?"}}])
    asked = await ask(around.tools, integration, "create_event", title="Boat")
    confirmed = await ask(around.tools, tool(kind="integration"), "confirm_event", id=1)
    assert asked.result == {"confirm": "Create it?"}
    assert confirmed.unanswered


@pytest.mark.requirement("C6")
async def test_a_built_in_action_is_answered_only_by_an_entry_that_fits() -> None:
    around = world(
        mocks=[{"tool": "Notify_Team", "when": {"text": {"contains": "late"}}, "error": True, "result": "no"}]
    )
    fits = await around.tools.intercept(name="notify_team", call_id="call-9", arguments={"text": "running late"})
    assert fits is not None
    assert (fits.tool_kind, fits.answered_by, fits.result) == (ToolKind.BUILT_IN, AnsweredBy.MOCK, "no")
    assert await around.tools.intercept(name="notify_team", call_id="call-9", arguments={"text": "hi"}) is None
    assert await around.tools.intercept(name="hand_over", call_id="call-9", arguments={}) is None


async def test_call_ids_pair_call_and_answer() -> None:
    """T05."""
    answer = await world().tools.call(name="get_order", tool=tool(), call_id="abc", arguments={"a": 1})
    assert (answer.call_id, answer.tool, answer.arguments) == ("abc", "get_order", {"a": 1})


async def test_parallel_calls_each_take_one_result() -> None:
    around = world(
        mocks=[{"tool": "get_order", "when": {"id": {"regex": "."}}, "results": [1, 2, 3], "then": "unanswered"}]
    )
    answers = await asyncio.gather(*(ask(around.tools, tool(), id=str(number)) for number in range(3)))
    assert sorted(str(answer.result) for answer in answers) == ["1", "2", "3"]


async def test_a_tool_of_the_agent_keeps_its_own_sequence() -> None:
    owner = desk(tools={"get_order": {"mocks": [{"results": ["a", "b"]}]}})
    first, second = sandbox(agent=owner), sandbox(agent=owner)
    heard = [(await ask(around.tools, owner.tools["get_order"])).result for around in (first, first, second)]
    assert heard == ["a", "b", "a"]


async def test_arguments_of_endless_nesting_break_nothing() -> None:
    deep: Json = "bottom"
    for _ in range(5000):
        deep = [deep]
    mocked = world(mocks=[{"tool": "get_order", "when": {"id": [1]}, "result": 1}])
    unanswered = await ask(mocked.tools, tool(), id=deep)
    assert unanswered.missing is not None
    assert "add `- {tool: get_order, result: {}}`" in unanswered.missing
    real = await ask(world(mock="none").tools, tool(url="http://127.0.0.1:9/", method="POST"), id=deep)
    assert real.error == "the arguments are nested too deeply"
