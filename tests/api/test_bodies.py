"""Whatever arrives in place of an event is told as a problem, and nothing of it is kept."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import cast

import jsonschema
import orjson
import pytest
from tests.servers.gateway import (
    Answered,
    Channel,
    desk_project,
    eventually,
    only_conversation,
    serving,
)
from tests.servers.webhooks import endpoint

from greenroom.api.bodies import BODY_BYTES
from greenroom.conversation.events import Said
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
    assert set(answer.body) - {"errors"} == {"type", "title", "status", "detail"}
    return answer.status == answer.body["status"] == status


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is no JSON"),
        (b'{"message_id":', 400, "the body is no JSON"),
        (b"\xff\xfe", 400, "the body is no JSON"),
        (b"{'message_id': 'm1'}", 400, "the body is no JSON"),
        (json.dumps({"message_id": "m1"}).encode("utf-16"), 400, "the body is no JSON"),
        (json.dumps({"message_id": "m1"}).encode("utf-32-be"), 400, "the body is no JSON"),
    ],
)
async def test_what_is_no_json_is_told(desk: tuple[Channel, Context], body: bytes, status: int, said: str) -> None:
    channel, context = desk
    answer = await channel.post(body)

    assert is_problem(answer, status)
    assert answer.body["detail"] == said
    assert await kept(context) == 0


def written(**changed: object) -> bytes:
    """An event as Python's JSON has it: half a character as its escape."""
    return json.dumps(event(**changed)).encode()


NAME = "a text of 1 to 200 characters without control characters"
KINDS = "`opened`, `said`, `tap`"
HALF = "holds half of a surrogate pair (\\ud800 to \\udfff), which is no character; send it whole or leave it out"
TWICE = "stands there twice; which of the two is meant, nobody can tell"
ODD: Mapping[str, tuple[bytes, Mapping[str, str]]] = {
    "a list": (
        b"[]",
        {"#": "the body is a list; an object with `message_id`, `identity`, `conversation`, `event` fits"},
    ),
    "nothing": (
        b"{}",
        {
            "#/message_id": f"`message_id` is missing; it is {NAME}",
            "#/identity": f"`identity` is missing; it is {NAME}",
            "#/event": f"`event` is missing; it is an object with a `kind` of {KINDS}",
        },
    ),
    "no name": (written(message_id=""), {"#/message_id": f"`message_id` is ''; {NAME} fits"}),
    "too long": (
        written(identity="x" * 201),
        {"#/identity": f"`identity` is '{'x' * 40}…' (201 characters); {NAME} fits"},
    ),
    "a number": (written(identity=15550100), {"#/identity": f"`identity` is the number 15550100; {NAME} fits"}),
    "another key": (written(massage_id="m"), {"#/massage_id": "`massage_id` is no key; did you mean 'message_id'?"}),
    "no words": (
        written(event={"kind": "said", "text": "  "}),
        {"#/event/text": "`event.text` is '  '; a text of 1 to 20000 characters that is more than white space fits"},
    ),
    "another kind": (
        written(event={"kind": "shouted", "text": "Hi"}),
        {"#/event/kind": f"`event.kind` is 'shouted'; one of {KINDS} fits"},
    ),
    "no kind": (written(event={"text": "Hi"}), {"#/event/kind": f"`event.kind` is missing; it is one of {KINDS}"}),
    "a tap of nothing": (
        written(event={"kind": "tap", "tapped": "star", "value": "x"}),
        {
            "#/event/tapped": "`event.tapped` is 'star'; one of `chip`, `option`, `slot`, `confirm` fits",
            "#/event/label": "`event.label` is missing; it is a text of 1 to 20000 characters",
        },
    ),
    "half a character in a name": (written(identity="a\ud83d"), {"#/identity": f"`identity` {HALF}"}),
    "half a character in a text": (
        written(event={"kind": "said", "text": "cut \ud83d"}),
        {"#/event/text": f"`event.text` {HALF}"},
    ),
    "half a character in bytes": (
        orjson.dumps(event(message_id="@")).replace(b"@", b"\xed\xa0\xbd"),
        {"#/message_id": f"`message_id` {HALF}"},
    ),
    "half a character in a key": (written(**{"\ud83d": 1}), {"#": f"the body has a key that {HALF}"}),
    "control characters in a name": (
        written(message_id="a\0b", conversation="c\x1b"),
        {
            "#/message_id": f"`message_id` is 'a␀b'; {NAME} fits",
            "#/conversation": f"`conversation` is 'c␛'; {NAME} fits",
        },
    ),
    "keys that stand twice": (
        b'{"message_id":"a","identity":"x","identity":"y","event":{"kind":"said","text":"No","text":"Yes"}}',
        {"#/identity": f"`identity` {TWICE}", "#/event/text": f"`event.text` {TWICE}"},
    ),
    "no JSON number": (
        b'{"message_id":NaN,"identity":-Infinity,"event":1e999}',
        {
            "#/message_id": "`message_id` is NaN, which JSON does not have",
            "#/identity": "`identity` is -Infinity, which JSON does not have",
            "#/event": "`event` is 1e999, more than any number that can be kept",
        },
    ),
    "a number without end": (
        b'{"message_id":' + b"7" * 5000 + b"}",
        {"#/message_id": "`message_id` is a number of 5000 digits"},
    ),
    "deep": (b"[" * 100_000, {"#": "the body is nested deeper than 16 levels"}),
    "rather deep": (
        b'{"event":' + b"[" * 30 + b"]" * 30 + b"}",
        {f"#/event{'/0' * 15}": "`event.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0` is nested deeper than 16 levels"},
    ),
}
"""What is JSON and no event, and what is told of it: by JSON pointer."""


@pytest.mark.parametrize("name", ODD)
async def test_what_is_no_event_is_told_field_by_field_in_words(desk: tuple[Channel, Context], name: str) -> None:
    channel, context = desk
    body, faults = ODD[name]
    answer = await channel.post(body)

    assert is_problem(answer, 422)
    assert answer.body["errors"] == [{"pointer": at, "detail": told} for at, told in faults.items()]
    assert answer.body["detail"] == f"this is no event: {'; '.join(faults.values())}"
    assert await kept(context) == 0


async def test_of_very_much_that_is_wrong_some_is_told(desk: tuple[Channel, Context]) -> None:
    answer = await desk[0].post(written(**{f"key {number}": number for number in range(1000)}))
    assert is_problem(answer, 422)
    assert len(answer.body["errors"]) == 9
    assert answer.body["detail"].endswith("; and 992 more")


async def test_what_a_visitor_s_page_sends_is_told_in_the_same_words(desk: tuple[Channel, Context]) -> None:
    channel, context = desk
    session = (await channel.request("POST", "/widget/api/desk/session")).body["token"]
    headers = {"Authorization": f"Bearer {session}"}

    async def told(message_id: str, body: bytes) -> object:
        at = f"/widget/api/desk/messages/{message_id}"
        answer = await channel.request("POST", at, data=body, headers=headers)
        assert is_problem(answer, 422)
        return answer.body["errors"]

    fits = "a text of 1 to 100 characters without control characters fits"
    assert await told("a%00b", b'{"kind":"opened"}') == [
        {"pointer": "#/message_id", "detail": f"`message_id` is 'a␀b'; {fits}"}
    ]
    assert await told("1", b'{"kind":"opened","kind":"said"}') == [{"pointer": "#/kind", "detail": f"`kind` {TWICE}"}]
    assert await told("1", b'{"kind":"said","text":7}') == [
        {
            "pointer": "#/text",
            "detail": "`text` is the number 7; a text of 1 to 20000 characters that is more than white space fits",
        }
    ]
    assert await kept(context) == 0


async def test_a_huge_body_is_refused_whether_it_says_its_size_or_not(desk: tuple[Channel, Context]) -> None:
    channel, context = desk

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 65_536

    assert is_problem(await channel.post(b" " * (BODY_BYTES + 1)), 413)
    assert is_problem(await channel.request("POST", "/gateway/web/desk", data=endless()), 413)
    assert await kept(context) == 0


async def test_any_text_arrives_and_is_kept_as_it_was_written(tmp_path: Path, database_url: str) -> None:
    """Nothing that a person writes breaks a turn, and both databases keep it: NUL, which a column can't hold, too."""
    odd = "e\u0301 ß 漢字 🛶 \u202e \u0000 \\x00 {{ person.name }} ${HOME}"
    async with serving(desk_project(tmp_path, database=database_url)) as (channel, context):
        for said in (odd, "whole \ud83d\udef6".encode("utf-16", "surrogatepass").decode("utf-16")):
            assert (
                await channel.post(written(message_id=said[:5], event={"kind": "said", "text": said}))
            ).status == 200
        shown = await only_conversation(context)
        assert [kept_.turn.event for kept_ in shown.turns] == [Said(text=odd), Said(text="whole 🛶")]


async def test_names_of_any_kind_are_kept_apart(tmp_path: Path, database_url: str) -> None:
    names = ("a/b", "a\\x00b", "ä", "a\u0308", "A", "a", "a ", "../x", "' OR 1=1 --", "\ufffd", "\\ud83d", "\u202eb")
    async with serving(desk_project(tmp_path, database=database_url)) as (channel, context):
        for name in names:
            answer = await channel.post(written(message_id=name, identity=name, conversation=name))
            assert answer.status == 200, answer.body
        assert await kept(context) == len(names)


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
