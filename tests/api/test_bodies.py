"""Whatever arrives in place of an event is told as a problem, and nothing of it is kept."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import jsonschema
import orjson
import pytest
from tests.servers.gateway import Answered, Channel, desk_project, serving

from greenroom.api.bodies import BODY_BYTES
from greenroom.operations.context import Context
from greenroom.operations.conversations import ConversationsRequest, list_conversations


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[tuple[Channel, Context]]:
    async with serving(desk_project(tmp_path)) as served:
        yield served


def event(**changed: object) -> dict[str, object]:
    said = {"kind": "said", "text": "Hi"}
    return {"message_id": "m1", "identity": "ana", "event": said, **changed}


async def kept(context: Context) -> int:
    return len((await list_conversations(context, ConversationsRequest())).conversations)


def is_problem(answer: Answered, status: int) -> bool:
    assert answer.type == "application/problem+json"
    assert set(answer.body) == {"type", "title", "status", "detail"}
    return answer.status == answer.body["status"] == status


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is no JSON"),
        (b'{"message_id":', 400, "the body is no JSON"),
        (b"\xff\xfe", 400, "the body is no JSON"),
        (b"[" * 100_000, 400, "the body is no JSON"),
        (b"[]", 422, "the body: Input should be"),
        (b"null", 422, "the body: Input should be"),
        (orjson.dumps(event(message_id="")), 422, "message_id: String should have at least 1 character"),
        (orjson.dumps(event(identity="x" * 201)), 422, "identity: String should have at most 200 characters"),
        (orjson.dumps(event(massage_id="m")), 422, "massage_id: Extra inputs are not permitted"),
        (orjson.dumps(event(event={"kind": "said", "text": " \n "})), 422, "event.said.text: String should match"),
        (orjson.dumps(event(event={"kind": "shouted", "text": "Hi"})), 422, "does not match any of the expected tags"),
        (orjson.dumps(event(event={"kind": "tap", "tapped": "star"})), 422, "event.tap.tapped: Input should be"),
    ],
)
async def test_what_is_no_event_is_told_with_what_is_wrong(
    desk: tuple[Channel, Context], body: bytes, status: int, said: str
) -> None:
    channel, context = desk
    answer = await channel.post(body)

    assert is_problem(answer, status)
    assert said in answer.body["detail"]
    assert await kept(context) == 0


async def test_a_huge_body_is_refused_whether_it_says_its_size_or_not(desk: tuple[Channel, Context]) -> None:
    channel, context = desk

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 65_536

    assert is_problem(await channel.post(b" " * (BODY_BYTES + 1)), 413)
    assert is_problem(await channel.request("POST", "/gateway/web/desk", data=endless()), 413)
    assert await kept(context) == 0


async def test_any_text_arrives_as_it_was_written(desk: tuple[Channel, Context]) -> None:
    """P26: half an emoji becomes a sign for it, and nothing that a person writes breaks a turn."""
    channel, _ = desk
    odd = "e\u0301 ß 漢字 🛶 \u202e \u0000 {{ person.name }} ${HOME}"
    texts = {
        odd: odd,
        "cut \ud83d": "cut \ufffd",
        "whole \ud83d\udef6": "whole 🛶",
    }
    for number, (written, read) in enumerate(texts.items()):
        told = event(message_id=f"t{number}", event={"kind": "said", "text": written})
        answer = await channel.post(json.dumps(told).encode())
        assert answer.status == 200, answer.body
        assert answer.texts == [f"You said: {read}"]


async def test_names_of_any_kind_are_kept_apart(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    for name in ("a/b", "a\u0000b", "ä", "a\ud83d", "../x", "' OR 1=1 --"):
        told = event(message_id=name, identity=name, conversation=name)
        answer = await channel.post(json.dumps(told).encode())
        assert answer.status == 200, answer.body
    assert await kept(context) == 6


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/gateway/web/dekk", 404, "there is no agent 'dekk'; did you mean 'desk'?"),
        ("/gateway/wep/desk", 404, "there is no channel 'wep'; did you mean 'web'?"),
        ("/gateway/auto/desk", 404, "there is no channel 'auto'"),
        ("/gateway/phone_inbound/desk", 404, "there is no channel of agent 'desk' called 'phone_inbound'"),
        ("/nothing", 404, "Not Found"),
    ],
)
async def test_what_is_not_there_is_told_as_a_problem(
    desk: tuple[Channel, Context], path: str, status: int, said: str
) -> None:
    channel, _ = desk
    answer = await channel.request("POST", path, data=b"{}")
    assert is_problem(answer, status)
    assert answer.body["detail"].startswith(said)


async def test_another_method_is_told_as_a_problem(desk: tuple[Channel, Context]) -> None:
    answer = await desk[0].request("GET", "/gateway/web/desk")
    assert is_problem(answer, 405)
    assert answer.headers["Allow"] == "POST"


async def test_the_schema_of_events_is_published_and_holds_for_what_is_taken(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    published = (await channel.request("GET", "/api/openapi.json")).body
    route = published["paths"]["/gateway/{channel}/{agent}"]["post"]
    schema = route["requestBody"]["content"]["application/json"]["schema"]

    jsonschema.validate(event(), schema)
    jsonschema.validate(event(event={"kind": "opened"}, conversation="c"), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(event(message_id=""), schema)
    assert {parameter["name"] for parameter in route["parameters"]} == {"channel", "agent", "Greenroom-Signature"}


async def test_health_is_told(desk: tuple[Channel, Context]) -> None:
    answer = await desk[0].request("GET", "/healthz")
    assert (answer.status, answer.body) == (200, {"status": "ok"})
