"""One structured answer, with exactly one repair try."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.models.asking import CountingClock, judge_asks
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Usage
from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelMalformed, ModelRejected, ModelUnreachable
from greenroom.models.calls import Structured, Unreadable, ask_structured
from greenroom.models.opening import Models

PASS = said('{"verdict": "pass"}')


def verdict(answer: Json) -> str:
    """A reader as the judge has one."""
    word = answer.get("verdict") if isinstance(answer, Mapping) else None
    if word not in {"pass", "fail"}:
        raise Unreadable(f'the verdict is {word!r}; it must be "pass" or "fail"')
    return str(word)


async def judged(root: Path, *replies: Reply, max_tokens: int | None = None) -> tuple[Structured[str], ChatServer]:
    async with chat_server() as server, Models(root, {}, CountingClock()) as models:
        server.answer(*replies)
        model = await models.open(ModelChoice(name=f"openai:judge@{server.url}"))
        return await ask_structured(model, judge_asks(max_tokens=max_tokens), verdict), server


@pytest.mark.parametrize(
    "text",
    ['{"verdict": "pass"}', '```json\n{"verdict": "pass"}\n```', 'My verdict: {"verdict": "pass"}. Done.'],
    ids=["bare", "fenced", "among words"],
)
async def test_a_readable_answer_is_asked_for_once(tmp_path: Path, text: str) -> None:
    """J02, J12."""
    answer, server = await judged(tmp_path, said(text))
    assert (answer.value, answer.repaired, answer.raw, answer.answered_as) == ("pass", False, text, "schema")
    assert len(server.asked) == 1
    assert answer.model == "loopback-1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Looks fine to me", "no JSON object was found"),
        ("could be PASS ... final: MAYBE", "no JSON object was found"),
        ('{"verdict": "MAYBE"}', "the verdict is 'MAYBE'"),
        ("", "the answer is empty"),
        ('{"verdict": "pass"} or {"verdict": "fail"}', "2 JSON objects"),
    ],
)
async def test_an_unreadable_answer_is_sent_back_once_with_what_is_wrong(tmp_path: Path, text: str, told: str) -> None:
    """J01, J20, J27."""
    answer, server = await judged(tmp_path, said(text), PASS)
    assert (answer.value, answer.repaired) == ("pass", True)
    assert answer.usage == Usage(input_tokens=40, output_tokens=10, calls=2)
    question, own, complaint = server.asked[1].body["messages"][1:]
    assert question["content"] == "1. The agent is polite"
    assert (own["role"], own["content"]) == ("assistant", text or "(nothing)")
    assert told in complaint["content"]


async def test_an_answer_cut_off_at_its_limit_gets_twice_the_room(tmp_path: Path) -> None:
    """J10."""
    answer, server = await judged(tmp_path, Reply(text='{"verd', finish="length"), PASS, max_tokens=100)
    assert (answer.value, answer.repaired) == ("pass", True)
    assert [asked.body["max_tokens"] for asked in server.asked] == [100, 200]
    assert len(server.asked[1].body["messages"]) == 2


async def test_two_unreadable_answers_are_an_error_that_shows_the_second(tmp_path: Path) -> None:
    """J01, J27: never a pass, never a zero."""
    with pytest.raises(ModelMalformed, match=r"after one repair try.*it answered 'Really, fine.'"):
        await judged(tmp_path, said("Fine."), said("Really, fine."), PASS)


async def test_an_answer_cut_off_twice_says_so(tmp_path: Path) -> None:
    """J10."""
    cut = Reply(text='{"verdict": "pa', finish="length")
    with pytest.raises(ModelMalformed, match="cut off at the token limit, with twice the room as well"):
        await judged(tmp_path, cut, cut)


async def test_a_refusal_is_not_asked_again(tmp_path: Path) -> None:
    with pytest.raises(ModelRejected, match=r"it refused to answer; it answered 'No\.'"):
        await judged(tmp_path, Reply(refusal="No."), PASS)


async def test_what_a_failure_cost_is_told_all_the_same(tmp_path: Path) -> None:
    """M07."""
    spent: list[Usage] = []
    async with chat_server() as server, Models(tmp_path, {}, CountingClock()) as models:
        server.answer(said("Fine."), said("Fine."))
        model = await models.open(ModelChoice(name=f"openai:judge@{server.url}"))
        with pytest.raises(ModelMalformed):
            await ask_structured(model, judge_asks(), verdict, spent.append)
    assert sum(spent, Usage()) == Usage(input_tokens=40, output_tokens=10, calls=2)


async def test_a_provider_that_is_down_is_no_malformed_answer(tmp_path: Path) -> None:
    with pytest.raises(ModelUnreachable):
        await judged(tmp_path, *[Reply(status=503, body=b"{}")] * 4)
