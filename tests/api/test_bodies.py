"""Whatever arrives in place of an event is told as a problem, and nothing of it is kept."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path
from typing import cast

import jsonschema
import orjson
import pytest
from tests.servers.gateway import Answered, Channel, desk_project, eventually, serving
from tests.servers.webhooks import endpoint

from greenroom.api.bodies import BODY_BYTES
from greenroom.operations.context import Context
from greenroom.operations.conversations import ConversationsRequest, list_conversations
from greenroom.server import ServeOptions


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


@pytest.mark.parametrize(
    ("asked", "begun"),
    [
        (b"", b""),
        (b"", b"POST /gateway/web/desk HTTP/1.1\r\nX-"),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /hea"),
    ],
    ids=["silent", "half a head", "half a second head"],
)
async def test_a_connection_on_which_nobody_comes_to_the_point_is_closed(
    tmp_path: Path, asked: bytes, begun: bytes
) -> None:
    """As many as a machine can hold would else keep everybody out."""
    async with serving(desk_project(tmp_path), options=ServeOptions(port=0, head_seconds=0.2)) as (channel, _):
        host, _, port = channel.url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            if asked:
                writer.write(asked)
                assert b"200 OK" in await asyncio.wait_for(reader.readuntil(b'{"status":"ok"}'), 4)
            writer.write(begun)
            assert await asyncio.wait_for(reader.read(), 4) == b""
        finally:
            writer.close()
            await writer.wait_closed()


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
    schema = {**published, **route["requestBody"]["content"]["application/json"]["schema"]}

    assert [pointer for pointer in pointers(published) if not leads_somewhere(published, pointer)] == []
    jsonschema.validate(event(), schema)
    jsonschema.validate(event(event={"kind": "opened"}, conversation="c"), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(event(message_id=""), schema)
    assert {parameter["name"] for parameter in route["parameters"]} == {"channel", "agent", "Greenroom-Signature"}


def pointers(value: object) -> Iterator[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            if key == "$ref":
                yield str(item)
            yield from pointers(item)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from pointers(item)


def leads_somewhere(document: object, pointer: str) -> bool:
    for step in pointer.removeprefix("#/").split("/"):
        if not isinstance(document, dict) or step not in document:
            return False
        document = cast("dict[str, object]", document)[step]
    return True


@pytest.mark.requirement("A4")
async def test_the_schema_of_messages_is_published_and_holds_for_what_is_sent(tmp_path: Path) -> None:
    async with endpoint() as receiver:
        async with serving(desk_project(tmp_path, outbound=receiver.url)) as (channel, _):
            published = (await channel.request("GET", "/api/openapi.json")).body
            rich = await channel.said("marinas")
            for channel.name in ("rich", "sms"):
                await channel.said("marinas")
            await eventually(lambda: happened(len(receiver.received) == 2))

        def schema(name: str) -> dict[str, object]:
            return {**published, "$ref": f"#/components/schemas/{name}"}

        jsonschema.validate(rich.body, schema("AnswerOut"))
        for sent in receiver.received:
            jsonschema.validate(orjson.loads(sent.body), schema("OutboundOut"))
        (parts,) = [message["parts"] for message in rich.body["messages"]]
        broken = {**rich.body, "messages": [{"text": "", "parts": [{**parts[0], "kind": "chips"}]}]}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema("AnswerOut"))
        assert "outbound" in published["webhooks"]


async def happened(what: bool) -> bool:
    return what


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Content-Type": "application/x-www-form-urlencoded"}, "the body is 'application/x-www-form-urlencoded'; an"),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, "the body is packed ('gzip'); an event is"),
    ],
)
async def test_what_says_that_it_is_no_json_is_refused_once_it_is_known_who_sent_it(
    desk: tuple[Channel, Context], headers: dict[str, str], said: str
) -> None:
    channel, context = desk
    answer = await channel.post(orjson.dumps(event()), **headers)
    assert is_problem(answer, 415)
    assert answer.body["detail"].startswith(said)
    assert is_problem(await channel.post(orjson.dumps(event()), signed="", **headers), 401)
    assert await kept(context) == 0


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "application/cloudevents+json"])
async def test_json_by_any_name_is_taken(desk: tuple[Channel, Context], media: str) -> None:
    assert (await desk[0].post(orjson.dumps(event()), **{"Content-Type": media})).status == 200


@pytest.mark.parametrize("tapped", ["chip", "option", "confirm"])
async def test_a_tap_can_not_show_one_thing_and_mean_another(desk: tuple[Channel, Context], tapped: str) -> None:
    channel, context = desk
    tap = {"kind": "tap", "tapped": tapped, "label": "No", "value": "Yes"}
    answer = await channel.post(orjson.dumps(event(event=tap)))
    assert is_problem(answer, 422)
    assert f"the `value` of a tapped {tapped} is its `label`" in answer.body["detail"]
    assert await kept(context) == 0


async def test_who_is_not_let_in_is_told_what_lets_in(desk: tuple[Channel, Context]) -> None:
    channel, _ = desk
    gateway = await channel.post(orjson.dumps(event()), signed="")
    widget = await channel.request("GET", "/widget/api/desk/messages")
    assert gateway.headers["WWW-Authenticate"] == "Greenroom-Signature"
    assert widget.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_health_is_told(desk: tuple[Channel, Context], method: str) -> None:
    answer = await desk[0].request(method, "/healthz")
    assert (answer.status, answer.body or {"status": "ok"}) == (200, {"status": "ok"})


async def test_unknown_agents_cost_no_reading_of_files(tmp_path: Path) -> None:
    """Anybody may ask for one: a project is read once a minute for it, however often that is."""
    maker = desk_project(tmp_path)
    async with serving(maker) as (channel, _):
        assert (await channel.request("POST", "/gateway/web/other", data=b"{}")).status == 404
        maker.write("agents/other.yaml", {"agent": "other", "model": "script:models/agent.yaml", "prompt": "Hi."})
        assert (await channel.request("POST", "/gateway/web/other", data=b"{}")).status == 404
