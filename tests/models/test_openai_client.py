"""Our client for OpenAI-compatible servers: what goes over the wire, and how it gets along with servers that differ."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models.asking import CountingClock, agent_asks, judge_asks
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.conversation.usage import Role, Usage
from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelMalformed, ModelRejected, ModelUnreachable
from greenroom.models.model import AgentSays, Finish, Model, RequestedCall, ToolAnswer
from greenroom.models.opening import Models


@asynccontextmanager
async def asking(
    server: ChatServer, root: Path, *, temperature: float | None = None, max_tokens: int | None = None
) -> AsyncGenerator[Model]:
    choice = ModelChoice(name=f"openai:loop@{server.url}", temperature=temperature, max_tokens=max_tokens)
    async with Models(root, {"OPENAI_COMPATIBLE_API_KEY": "their-key"}, CountingClock()) as models:
        yield await models.open(choice)


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    async with chat_server() as found:
        yield found


@pytest.fixture
async def model(server: ChatServer, tmp_path: Path) -> AsyncGenerator[Model]:
    async with asking(server, tmp_path) as found:
        yield found


async def test_a_conversation_goes_out_whole(server: ChatServer, model: Model) -> None:
    await model.ask(
        agent_asks(
            "How is Saturday?",
            AgentSays(
                text="One moment.",
                calls=(
                    RequestedCall(call_id="a1", tool="get_weather", arguments={"day": "Saturday"}),
                    RequestedCall(call_id="a2", tool="get_weather", arguments="{day"),
                ),
            ),
            ToolAnswer(call_id="a1", tool="get_weather", text='{"sky": "clear"}'),
            ToolAnswer(call_id="a2", tool="get_weather", text="the arguments are no JSON", failed=True),
        )
    )
    body = server.asked[0].body
    assert body["model"] == "loop"
    assert body["messages"] == [
        {"role": "system", "content": "You rent boats."},
        {"role": "user", "content": "How is Saturday?"},
        {
            "role": "assistant",
            "content": "One moment.",
            "tool_calls": [
                {
                    "id": "a1",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"day":"Saturday"}'},
                },
                {"id": "a2", "type": "function", "function": {"name": "get_weather", "arguments": "{day"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a1", "content": '{"sky": "clear"}'},
        {"role": "tool", "tool_call_id": "a2", "content": "the arguments are no JSON"},
    ]
    assert [tool["function"]["name"] for tool in body["tools"]] == ["get_weather"]
    assert "conversation" not in body
    assert server.asked[0].headers["Authorization"] == "Bearer their-key"
    assert server.asked[0].path == "/v1/chat/completions"


async def test_the_document_of_a_model_says_how_it_is_asked_and_a_request_may_say_otherwise(
    server: ChatServer, tmp_path: Path
) -> None:
    async with asking(server, tmp_path, temperature=0.3, max_tokens=200) as model:
        await model.ask(agent_asks("hi"))
        await model.ask(replace(agent_asks("hi"), temperature=0.0, max_tokens=10, seed=7))
    first, second = (asked.body for asked in server.asked)
    assert (first["temperature"], first["max_tokens"], "seed" in first) == (0.3, 200, False)
    assert (second["temperature"], second["max_tokens"], second["seed"]) == (0.0, 10, 7)


@pytest.mark.parametrize(("role", "limited"), [(Role.JUDGE, True), (Role.SIMULATOR, True), (Role.AGENT, False)])
async def test_judge_and_simulator_never_answer_without_end(
    server: ChatServer, model: Model, role: Role, *, limited: bool
) -> None:
    """M15."""
    await model.ask(replace(agent_asks("hi"), role=role))
    assert ("max_tokens" in server.asked[0].body) is limited


@pytest.mark.parametrize(
    "base", ["{}", "{}/", "{}/chat/completions", "{}/?api-version=2026-01-01"], ids=["plain", "slash", "whole", "query"]
)
async def test_the_base_url_may_be_written_in_several_ways(server: ChatServer, tmp_path: Path, base: str) -> None:
    async with Models(tmp_path, {}, CountingClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:loop@{base.format(server.url)}"))
        await model.ask(agent_asks("hi"))
    query = "?api-version=2026-01-01" if "?" in base else ""
    assert server.asked[0].path == f"/v1/chat/completions{query}"
    assert "Authorization" not in server.asked[0].headers


async def test_openais_own_address_and_key_come_from_the_environment(server: ChatServer, tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "own-key", "OPENAI_BASE_URL": server.url}
    async with Models(tmp_path, environment, CountingClock()) as models:
        await (await models.open(ModelChoice(name="openai:gpt-6"))).ask(agent_asks("hi"))
    assert server.asked[0].headers["Authorization"] == "Bearer own-key"


async def test_a_server_that_only_streams_is_read_all_the_same(server: ChatServer, model: Model) -> None:
    server.answer(
        Reply(text="Both marinas are open, ähm.", stream=True),
        Reply(calls=[("get_weather", {"day": "Saturday"}), ("get_weather", {"day": "Sunday"})], stream=True),
        Reply(text="Half an answ", finish="length", stream=True),
    )
    words, calls, cut = [await model.ask(agent_asks("hi")) for _ in range(3)]
    assert (words.text, words.finish, words.usage.input_tokens) == ("Both marinas are open, ähm.", Finish.STOP, 20)
    assert [call.arguments for call in calls.calls] == [{"day": "Saturday"}, {"day": "Sunday"}]
    assert calls.finish is Finish.TOOL_CALLS
    assert cut.finish is Finish.LENGTH


async def test_a_stream_without_its_chunk_of_usage_costs_an_unknown_amount(server: ChatServer, model: Model) -> None:
    """M06."""
    server.answer(Reply(text="Both marinas are open.", usage=None, stream=True))
    answer = await model.ask(agent_asks("hi"))
    assert (answer.text, answer.usage) == ("Both marinas are open.", Usage(calls=1, unreported=1))


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices": [{"delta": {"content": "Hal"}}]}\n\ndata: {"choices": [{"del',
        b'data: {"choices": [{"delta": {"content": "Hal"}}]}\n\n',
        b"",
    ],
    ids=["inside an event", "between events", "before the first"],
)
async def test_a_stream_that_ends_too_early_is_asked_for_again(server: ChatServer, model: Model, body: bytes) -> None:
    server.answer(Reply(body=body, stream=True), said("whole"))
    answer = await model.ask(agent_asks("hi"))
    assert (answer.text, answer.attempts) == ("whole", 2)


async def test_a_refused_schema_is_asked_for_as_a_tool_and_then_as_text(server: ChatServer, model: Model) -> None:
    """J06."""
    refusal = Reply(status=400, body=b'{"error": {"message": "not available here"}}')
    server.refuses = {"response_format": refusal, "tool_choice": refusal}
    server.answer(said('```json\n{"verdict": "pass"}\n```'), said('{"verdict": "fail"}'))
    first = await model.ask(judge_asks())
    assert first.answered_as == "text"
    assert [sorted(asked.body.keys() & {"response_format", "tool_choice"}) for asked in server.asked] == [
        ["response_format"],
        ["tool_choice"],
        [],
    ]
    assert "JSON Schema" in server.asked[-1].body["messages"][0]["content"]
    await model.ask(judge_asks())
    assert len(server.asked) == 4


async def test_a_lesson_is_not_forgotten_by_a_call_that_began_before_it(server: ChatServer, model: Model) -> None:
    server.refuses = {"response_format": Reply(status=400, body=b"{}"), "tool_choice": Reply(status=400, body=b"{}")}
    server.answer(Reply(text="slow", seconds=0.3), said('{"verdict": "pass"}'))
    slow = asyncio.create_task(model.ask(agent_asks("hi")))
    while not server.asked:  # noqa: ASYNC110 - the server keeps a list, and sets no event
        await asyncio.sleep(0)  # noqa: TID251 - it is in this loop and takes its turn
    await model.ask(judge_asks())
    assert (await slow).text == "slow"
    before = len(server.asked)
    server.answer(said('{"verdict": "pass"}'))
    await model.ask(judge_asks())
    assert len(server.asked) == before + 1


async def test_a_tool_that_was_asked_for_and_not_called_leaves_the_text(server: ChatServer, model: Model) -> None:
    server.refuses = {"response_format": Reply(status=422, body=b"{}")}
    server.answer(said('{"verdict": "pass"}'))
    answer = await model.ask(judge_asks())
    assert (answer.text, answer.answered_as) == ('{"verdict": "pass"}', "text")


async def test_when_every_form_is_refused_the_first_reason_is_told(server: ChatServer, model: Model) -> None:
    server.answer(*[Reply(status=400, body=b'{"error": "reason %d"}' % number) for number in (1, 2, 3)])
    with pytest.raises(ModelRejected, match="reason 1"):
        await model.ask(judge_asks())
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("key", "message", "gone", "instead"),
    [
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", "max_tokens", True),
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model", "temperature", False),
        ("seed", "Unknown parameter: 'seed'", "seed", False),
    ],
)
async def test_a_parameter_that_a_server_does_not_know_is_left_out_from_then_on(
    server: ChatServer, model: Model, key: str, message: str, gone: str, *, instead: bool
) -> None:
    server.refuses = {key: Reply(status=400, body=b'{"error": {"message": "%s"}}' % message.encode())}
    request = replace(agent_asks("hi"), temperature=0.0, max_tokens=10, seed=7)
    await model.ask(request)
    await model.ask(request)
    assert [gone in asked.body for asked in server.asked] == [True, False, False]
    assert ("max_completion_tokens" in server.asked[-1].body) is instead


async def test_a_limit_that_is_too_high_is_no_unknown_parameter(server: ChatServer, model: Model) -> None:
    server.answer(Reply(status=400, body=b'{"error": {"message": "max_tokens must be at most 4096"}}'))
    with pytest.raises(ModelRejected, match="at most 4096"):
        await model.ask(replace(agent_asks("hi"), max_tokens=10_000))
    assert len(server.asked) == 1


async def test_an_error_inside_an_answer_that_says_200_is_an_error(server: ChatServer, model: Model) -> None:
    server.answer(Reply(body=b'{"error": {"code": 502, "message": "upstream is down"}}'), said("ok"))
    assert (await model.ask(agent_asks("hi"))).attempts == 2
    server.answer(Reply(body=b'{"error": {"code": 402, "message": "no credits"}}'))
    with pytest.raises(ModelRejected, match="quota"):
        await model.ask(agent_asks("hi"))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "its answer is empty"),
        (b"<html>It works!</html>", "its answer is no JSON: '<html>It works!"),
        (b"{}", "without a message"),
        (b'{"choices": []}', "without a message"),
        (b"null", "without a message"),
        (b'{"choices": [{"message": {"content": "cut', "no JSON"),
    ],
)
async def test_what_is_no_answer_is_said_to_be_none(server: ChatServer, model: Model, body: bytes, words: str) -> None:
    server.answer(*[Reply(body=body)] * 4)
    with pytest.raises(ModelMalformed, match=words):
        await model.ask(agent_asks("hi"))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ('{"content": null}', ""),
        ('{"content": ""}', ""),
        ('{"content": "0"}', "0"),
        ('{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}', "ab"),
        ('{"content": "<think>he must not read this</think>\\n\\nHello"}', "Hello"),
        ('{"content": "\\ud83d"}', "\ufffd"),
    ],
)
async def test_the_words_of_an_answer_are_found_in_every_shape(
    server: ChatServer, model: Model, message: str, text: str
) -> None:
    """P01, P26, S17."""
    server.answer(Reply(body=b'{"choices": [{"message": %s}]}' % message.encode()))
    answer = await model.ask(agent_asks("hi"))
    assert (answer.text, answer.finish) == (text, Finish.STOP)


async def test_a_refusal_in_its_own_field_is_a_refusal(server: ChatServer, model: Model) -> None:
    server.answer(Reply(refusal="I can't do that."))
    answer = await model.ask(agent_asks("hi"))
    assert (answer.finish, answer.text) == (Finish.REFUSAL, "I can't do that.")


async def test_calls_without_ids_get_ids_that_are_new_in_their_conversation(server: ChatServer, model: Model) -> None:
    call = b'{"function": {"name": "get_weather", "arguments": "{}"}}'
    server.answer(*[Reply(body=b'{"choices": [{"message": {"tool_calls": [%s, %s]}}]}' % (call, call))] * 2)
    first = await model.ask(agent_asks("hi"))
    second = await model.ask(agent_asks("hi", AgentSays(calls=first.calls), "and?"))
    assert len({asked.call_id for asked in (*first.calls, *second.calls)}) == 4


async def test_an_unreachable_server_is_named_with_what_to_check(tmp_path: Path) -> None:
    """X12."""
    async with chat_server() as gone:
        url = gone.url
    async with Models(tmp_path, {}, CountingClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:loop@{url}"))
        with pytest.raises(ModelUnreachable) as caught:
            await model.ask(agent_asks("hi"))
    assert f"can't reach {url}: connection refused; check that the server runs there" in str(caught.value)


async def test_a_redirect_is_not_followed_with_the_key(server: ChatServer, model: Model) -> None:
    server.answer(Reply(status=307, headers={"Location": "http://elsewhere.example/"}, body=b""))
    with pytest.raises(ModelRejected, match="redirect"):
        await model.ask(agent_asks("hi"))
    assert len(server.asked) == 1


async def test_a_provider_that_says_not_to_try_again_is_believed(server: ChatServer, model: Model) -> None:
    """C02."""
    server.answer(Reply(status=429, headers={"x-should-retry": "false"}, body=b'{"error": {"message": "no"}}'))
    with pytest.raises(ModelRejected):
        await model.ask(agent_asks("hi"))
    assert len(server.asked) == 1


async def test_as_many_calls_run_at_once_as_are_asked(server: ChatServer, model: Model) -> None:
    server.answer(*[Reply(text="ok", seconds=0.2)] * 64)
    await asyncio.gather(*(model.ask(agent_asks("hi")) for _ in range(64)))
    assert server.most_in_flight == 64


async def test_tools_are_encoded_once_and_never_mixed_up(server: ChatServer, model: Model) -> None:
    """Two agents with their own tools ask the same model in turn."""
    first = agent_asks("hi")
    renamed = replace(first, tools=(replace(first.tools[0], name="other"),))
    for request in (first, renamed, first):
        await model.ask(request)
    names = [asked.body["tools"][0]["function"]["name"] for asked in server.asked]
    assert names == ["get_weather", "other", "get_weather"]


async def test_a_context_that_is_too_long_is_final_whatever_status_it_comes_with(
    server: ChatServer, model: Model
) -> None:
    """T22: some servers answer 500."""
    server.answer(Reply(status=500, body=b'{"error": {"message": "exceeds the available context size"}}'))
    with pytest.raises(ModelRejected, match="longer than the model's context"):
        await model.ask(agent_asks("hi"))
    assert len(server.asked) == 1
