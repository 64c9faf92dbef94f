"""`--record FILE` and `replay:FILE`: the same answers again, and a clear word when there is none."""

import json
import resource
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models.asking import CountingClock, agent_asks, judge_asks
from tests.servers.openai_compatible import Reply, chat_server, said

from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelRejected, ModelSpecInvalid, OutputFault
from greenroom.models.model import AgentSays, Model, ModelAnswer, ModelRequest, RequestedCall, ToolAnswer
from greenroom.models.opening import Models
from greenroom.models.recording import answer_as_json
from greenroom.models.retries import RetryPolicy

KEY = "very-secret-0123456789"


async def recorded(root: Path, replies: Sequence[Reply], requests: Sequence[ModelRequest]) -> list[ModelAnswer]:
    """Ask a server and record to `answers.jsonl`; faults are recorded as nothing."""
    answers: list[ModelAnswer] = []
    environment = {"OPENAI_COMPATIBLE_API_KEY": KEY}
    policy = RetryPolicy(tries=1)
    async with (
        chat_server() as server,
        Models(root, environment, CountingClock(), record=root / "answers.jsonl", policy=policy) as models,
    ):
        server.answer(*replies)
        model = await models.open(ModelChoice(name=f"openai:loop@{server.url}"))
        for request in requests:
            try:
                answers.append(await model.ask(request))
            except ModelRejected:
                continue
    return answers


async def replaying(root: Path, file: str = "answers.jsonl") -> Model:
    async with Models(root, {}, CountingClock()) as models:
        return await models.open(ModelChoice(name=f"replay:{file}"))


def lines(root: Path) -> list[dict[str, Json]]:
    return [json.loads(line) for line in (root / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


async def test_what_was_recorded_is_answered_again_offline(tmp_path: Path) -> None:
    asked = (
        agent_asks("How is Saturday? 🌤 \u2028 ähm"),
        agent_asks("Sunday?"),
        judge_asks(),
    )
    replies = (
        Reply(calls=[("get_weather", {"day": "Saturday"})], usage=None),
        Reply(
            text="Fine.",
            usage={"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
        ),
        said('{"verdict": "pass"}'),
    )
    answers = await recorded(tmp_path, replies, asked)
    model = await replaying(tmp_path)
    assert model.scripted
    again = [await model.ask(request) for request in asked]
    assert [answer_as_json(answer) for answer in again] == [answer_as_json(answer) for answer in answers]
    assert [answer.usage for answer in again] == [answer.usage for answer in answers]


async def test_repeats_of_one_request_are_each_their_own(tmp_path: Path) -> None:
    """R01, R02: five samples, five answers; the second run gives each sample its own again, in any order."""
    samples = [agent_asks("hi", conversation=f"booking/a/{number}/1") for number in range(1, 6)]
    await recorded(tmp_path, [said(f"answer {number}") for number in range(1, 6)], samples)
    model = await replaying(tmp_path)
    again = [(await model.ask(sample)).text for sample in reversed(samples)]
    assert again == [f"answer {number}" for number in range(5, 0, -1)]


async def test_a_conversation_under_another_name_takes_the_answers_in_order(tmp_path: Path) -> None:
    await recorded(tmp_path, [said("one"), said("two")], [agent_asks("hi", conversation=name) for name in "ab"])
    model = await replaying(tmp_path)
    assert [(await model.ask(agent_asks("hi", conversation=name))).text for name in ("x", "y")] == ["one", "two"]


async def test_one_repeat_more_than_was_recorded_is_refused(tmp_path: Path) -> None:
    """R01: no answer is ever given twice."""
    await recorded(tmp_path, [said("one")], [agent_asks("hi")])
    model = await replaying(tmp_path)
    await model.ask(agent_asks("hi"))
    with pytest.raises(ModelRejected, match="has this request once, and it is asked again"):
        await model.ask(agent_asks("hi"))


async def test_the_seed_belongs_to_a_request_and_call_ids_do_not(tmp_path: Path) -> None:
    """R02, T05."""

    def asked(call_id: str, seed: int) -> ModelRequest:
        call = RequestedCall(call_id=call_id, tool="get_weather", arguments={"a": 1, "b": 2})
        answer = ToolAnswer(call_id=call_id, tool="get_weather", text="clear")
        return replace(agent_asks("hi", AgentSays(calls=(call,)), answer), seed=seed)

    await recorded(tmp_path, [said("seven"), said("eight")], [asked("x", 7), asked("x", 8)])
    model = await replaying(tmp_path)
    assert (await model.ask(asked("another", 8))).text == "eight"
    with pytest.raises(ModelRejected, match="the seed differs: '9' was asked"):
        await model.ask(asked("x", 9))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            agent_asks("hi", system="You rent planes."),
            "the system differs: .*planes.* was asked, .*boats.* is recorded",
        ),
        (agent_asks("ho"), "message 1 differs: 'user: ho' was asked, 'user: hi' is recorded"),
        (replace(agent_asks("hi"), tools=()), "the tools differ: "),
        (replace(agent_asks("hi"), role=Role.SIMULATOR), "the role differs: "),
        (agent_asks("hi", AgentSays(text="yes"), "more"), "3 messages were asked and 1 are recorded"),
    ],
    ids=["system", "message", "tools", "role", "longer"],
)
async def test_a_request_that_was_not_recorded_says_which_part_differs(
    tmp_path: Path, changed: ModelRequest, words: str
) -> None:
    """R05."""
    await recorded(tmp_path, [said("one")], [agent_asks("hi")])
    with pytest.raises(ModelRejected, match=words):
        await (await replaying(tmp_path)).ask(changed)


async def test_errors_and_refusals_are_never_recorded(tmp_path: Path) -> None:
    """R06."""
    refused = Reply(status=400, body=b'{"error": "no"}')
    await recorded(
        tmp_path, [refused, Reply(refusal="I won't."), said("fine")], [agent_asks(text) for text in ("a", "b", "c")]
    )
    assert [line["answer"] for line in lines(tmp_path)] == [
        {
            "text": "fine",
            "calls": [],
            "usage": {"input_tokens": 20, "output_tokens": 5},
            "finish": "stop",
            "model": "loopback-1",
            "answered_as": "text",
        }
    ]


async def test_no_key_is_ever_written(tmp_path: Path) -> None:
    await recorded(tmp_path, [said(f"your key is {KEY}")], [agent_asks(f"my key is {KEY}")])
    assert KEY not in (tmp_path / "answers.jsonl").read_text(encoding="utf-8")
    assert "your key is …" in str(lines(tmp_path))


async def test_a_disk_that_is_full_is_named_with_the_file_and_what_was_recorded_stays_whole(tmp_path: Path) -> None:
    async with chat_server() as server:
        server.answer(said("one"), said("two, " * 2000))
        async with Models(
            tmp_path, {"OPENAI_COMPATIBLE_API_KEY": KEY}, CountingClock(), record=tmp_path / "answers.jsonl"
        ) as models:
            model = await models.open(ModelChoice(name=f"openai:loop@{server.url}"))
            await model.ask(agent_asks("hi"))
            with (
                files_of_at_most(4096),
                pytest.raises(OutputFault, match=r"can't record to .*answers\.jsonl: File too large; .* --record$"),
            ):
                await model.ask(agent_asks("more"))
    assert len(lines(tmp_path)) == 1


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """As a disk that has no more room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    await recorded(tmp_path, [said("one")], [agent_asks("hi")])
    with pytest.raises(ModelSpecInvalid, match="is there already"):
        async with Models(tmp_path, {}, CountingClock(), record=tmp_path / "answers.jsonl"):
            pass
    assert len(lines(tmp_path)) == 1


async def test_a_recording_that_cannot_be_written_is_said_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ModelSpecInvalid, match="can't record to"):
        async with Models(tmp_path, {}, CountingClock(), record=tmp_path / "file" / "answers.jsonl"):
            pass


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ('{"messages": []}\nnot json\n\n{"a": 1}\n', r"answers\.jsonl:2:1: .*\nanswers\.jsonl:4:1: neither"),
        ('{"request": {}, "answer": {"finish": "soon"}}', "soon"),
    ],
)
async def test_a_file_that_holds_no_answers_is_refused_by_its_lines(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "answers.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(ModelSpecInvalid, match=words):
        await replaying(tmp_path)


LOG = [
    {"role": "system", "content": "An airline's policy."},
    {"role": "user", "content": "I want to  book."},
    {"role": "assistant", "content": "Your user id?"},
    {"role": "user", "content": "mia_1"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"b":1, "a":2}'}}],
    },
    {"role": "tool", "tool_call_id": "c", "name": "find", "content": "a lot"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c", "name": "pay", "content": "done"},
    {"role": "assistant", "content": "Booked."},
    {"role": "user", "content": "Thanks"},
]


def write_logs(root: Path, *logs: Sequence[object]) -> None:
    text = "\n".join(json.dumps({"messages": log}) for log in logs)
    (root / "log.jsonl").write_text(text, encoding="utf-8")


async def test_a_chat_log_plays_its_agent_whatever_tools_and_system_prompt_say(tmp_path: Path) -> None:
    """T05: the log's ids repeat; the calls given have their own."""
    write_logs(tmp_path, LOG)
    model = await replaying(tmp_path, "log.jsonl")
    messages = [AgentSays(text="Hi, a greeting of ours."), *agent_asks("I want to book.").messages]
    answers: list[ModelAnswer] = []
    for line in (None, "mia_1"):
        messages += agent_asks(line).messages if line else ()
        while True:
            answer = await model.ask(agent_asks(*messages))
            answers.append(answer)
            messages.append(AgentSays(text=answer.text, calls=answer.calls))
            messages += [ToolAnswer(call_id=call.call_id, tool=call.tool, text="mocked") for call in answer.calls]
            if not answer.calls:
                break
    assert [answer.text for answer in answers] == ["Your user id?", "", "", "Booked."]
    calls = [call for answer in answers for call in answer.calls]
    assert [(call.tool, call.arguments) for call in calls] == [("find", {"b": 1, "a": 2}), ("pay", {})]
    assert len({call.call_id for call in calls}) == 2
    assert all(answer.usage.input_tokens > 0 for answer in answers)
    with pytest.raises(ModelRejected, match=r"line 1 of log\.jsonl agrees so far and ends there"):
        await model.ask(agent_asks(*messages, "Thanks"))


async def test_words_that_leave_the_log_are_shown_beside_what_it_has(tmp_path: Path) -> None:
    """R05."""
    write_logs(tmp_path, LOG, [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}])
    model = await replaying(tmp_path, "log.jsonl")
    with pytest.raises(
        ModelRejected, match="nearest is line 1, which agrees for 2 messages and then has 'mia_1' where 'ben'"
    ):
        await model.ask(agent_asks("I want to book.", AgentSays(text="Your user id?"), "ben"))
    with pytest.raises(ModelRejected, match="can't play the judge"):
        await model.ask(judge_asks())


async def test_logs_that_agree_so_far_take_turns(tmp_path: Path) -> None:
    """R01."""
    write_logs(
        tmp_path,
        *([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": text}] for text in ("one", "two")),
    )
    model = await replaying(tmp_path, "log.jsonl")
    assert [(await model.ask(agent_asks("Hello"))).text for _ in range(3)] == ["one", "two", "one"]
