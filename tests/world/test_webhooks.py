"""The real call of a webhook tool (features.md C7, C8)."""

import asyncio
import socket

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.webhooks import Answering, Received, endpoint
from tests.world.makers import tool

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.world.endpoints import ANSWER_BYTES, cut_text
from greenroom.world.requests import CannotSend, request_of
from greenroom.world.webhooks import WebhookAnswer, Webhooks

pytestmark = pytest.mark.requirement("C7")

SECRET = "s3cret-token-91"


async def call(asked: Tool, environment: dict[str, str] | None = None, **arguments: Json) -> WebhookAnswer:
    webhooks = Webhooks()
    try:
        return await webhooks.call(asked, arguments, environment or {})
    finally:
        await webhooks.close()


async def received(written: dict[str, object], path: str, **arguments: Json) -> Received:
    """What reached the endpoint of a tool written like this."""
    async with endpoint() as here:
        answer = await call(tool(url=here.url + path, **written), None, **arguments)
        assert answer == WebhookAnswer(result={"ok": True}, status=200)
        [one] = here.received
        return one


def answering(body: str | bytes, status: int = 200, content_type: str = "application/json") -> Answering:
    async def answer(_request: web.Request) -> web.StreamResponse:
        encoded = body if isinstance(body, bytes) else body.encode()
        return web.Response(body=encoded, status=status, headers={"Content-Type": content_type})

    return answer


async def answered(answer: Answering, environment: dict[str, str] | None = None, **written: object) -> WebhookAnswer:
    async with endpoint(answer) as here:
        return await call(tool(url=here.url + "/orders", **written), environment)


async def test_arguments_go_into_the_path_and_the_rest_into_the_query() -> None:
    one = await received(
        {}, "/orders/{order_id}?lang={lang}", order_id="#10/01 ?", lang="en&x=1", fields=["a", "b c"], n=2
    )
    assert one.method == "GET"
    assert one.target == "/orders/%2310%2F01%20%3F?lang=en%26x%3D1&fields=a&fields=b%20c&n=2"
    assert one.body == ""


async def test_a_post_sends_its_arguments_as_json() -> None:
    one = await received({"method": "POST"}, "/orders", day="Saturday", seats=6, note=None, windy=False)
    assert (one.method, one.body) == ("POST", '{"day":"Saturday","seats":6,"note":null,"windy":false}')
    assert one.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("written", "target", "body"),
    [
        ({"method": "POST", "send": "query"}, "/orders?a=true", ""),
        ({"method": "GET", "send": "body"}, "/orders", '{"a":true}'),
        ({"method": "POST", "send": "path"}, "/orders", ""),
        ({"method": "DELETE"}, "/orders?a=true", ""),
    ],
)
async def test_send_says_where_arguments_go(written: dict[str, object], target: str, body: str) -> None:
    one = await received(written, "/orders", a=True)
    assert (one.target, one.body) == (target, body)


async def test_headers_and_url_take_environment_variables() -> None:
    async with endpoint() as here:
        asked = tool(url="${ORDERS}/orders/{id}", headers={"Authorization": "Bearer ${ORDERS_KEY}"})
        answer = await call(asked, {"ORDERS": here.url, "ORDERS_KEY": SECRET}, id="7")
        assert answer.status == 200
        assert here.received[0].headers["Authorization"] == f"Bearer {SECRET}"
        assert here.targets == ["/orders/7"]


@pytest.mark.parametrize(
    ("written", "error"),
    [
        (
            {"url": "http://127.0.0.1:9/", "headers": {"X-Key": "${NOWHERE}"}},
            "the header 'X-Key' needs the environment variable NOWHERE, which is not set",
        ),
        ({"url": "${NOWHERE}/x"}, "the url needs the environment variable NOWHERE, which is not set"),
        ({"url": "ftp://host/x"}, "the url 'ftp://host/x' is no http or https address"),
        ({"url": "/orders"}, "the url '/orders' is no http or https address"),
        ({"url": "http://[::1/"}, "the url 'http://[::1/' is no http or https address"),
        (
            {"url": "https://{host}/x"},
            "the url 'https://{host}/x' lets an argument choose the host; write the host out",
        ),
        (
            {"url": "http://127.0.0.1:9/{id}"},
            "the url 'http://127.0.0.1:9/{id}' needs 'id', which the call doesn't give",
        ),
        (
            {"url": "http://127.0.0.1:9/", "headers": {"X": "${BROKEN}"}},
            "the header 'X' has a line break in it",
        ),
    ],
)
async def test_what_can_t_be_sent_is_told_in_the_tool_s_own_words(written: dict[str, object], error: str) -> None:
    """P20: a missing variable is an error that names it, never an empty text."""
    assert await call(tool(**written), {"BROKEN": f"{SECRET}\r\nX: 1"}) == WebhookAnswer(error=error)


@pytest.mark.parametrize("value", ["", ".", ".."])
async def test_an_argument_never_leads_to_another_address(value: str) -> None:
    answer = await call(tool(url="http://127.0.0.1:9/orders/{id}"), id=value)
    assert answer == WebhookAnswer(error=f"'id' is {value!r}, which would lead to another address")


@given(st.text(min_size=1), st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.none()))
def test_no_argument_escapes_its_place(value: str, others: dict[str, Json]) -> None:
    asked = tool(url="https://orders.example/orders/{id}/lines", method="GET")
    try:
        request = request_of(asked, {**others, "id": value}, {})
    except CannotSend:
        assert value in {".", ".."}
        return
    before, _, after = request.url.partition("/orders/")
    assert before == "https://orders.example"
    assert after.isascii()
    segment, _, rest = after.partition("/")
    assert not set(segment) & set("?#")
    assert rest.split("?")[0] == "lines"


@pytest.mark.parametrize(
    ("body", "content_type", "result"),
    [
        ('{"status": "shipped"}', "application/json", {"status": "shipped"}),
        ('{"status": "shipped"}', "text/plain", {"status": "shipped"}),
        ("sunny", "text/plain; charset=utf-8", "sunny"),
        ("not json", "application/json", "not json"),
        ("{broken", "application/json", "{broken"),
        ("NaN", "application/json", "NaN"),
        ("false", "application/json", False),
        ("0", "application/json", 0),
        ('""', "application/json", ""),
        ("[]", "application/json", []),
        ("null", "application/json", None),
        ("", "application/json", None),
        ('{"a": "\\ud83d"}', "application/json", {"a": "\ud83d"}),
        ("caf\xe9".encode("latin-1"), "text/plain; charset=latin-1", "café"),
        (b"caf\xe9", "text/plain; charset=no-such", "caf\ufffd"),
        (b"caf\xe9", "text/plain; charset=hex", "caf\ufffd"),
        ("[" * 5000, "application/json", "[" * 5000),
        ("[" * 200 + "]" * 200, "application/json", "[" * 200 + "]" * 200),
        ('{"a": 1e999}', "application/json", '{"a": 1e999}'),
        (f"[{'9' * 400}]", "application/json", f"[{'9' * 400}]"),
    ],
)
async def test_an_answer_is_json_where_it_can_be_read_as_such(
    body: str | bytes, content_type: str, result: Json
) -> None:
    """P01, P26: falsy answers stay apart, odd ones stay text."""
    answer = await answered(answering(body, content_type=content_type))
    assert (answer.result, type(answer.result), answer.error) == (result, type(result), None)


async def test_a_status_of_400_and_more_is_an_error_with_its_body() -> None:
    answer = await answered(answering('{"why": "sold out"}', status=409))
    assert answer == WebhookAnswer(result={"why": "sold out"}, status=409, error="the endpoint answered HTTP 409")


async def test_a_long_answer_is_cut_and_no_character_is_split() -> None:
    """P25."""
    answer = await answered(answering("🚤" * 300_000, content_type="text/plain"))
    assert isinstance(answer.result, str)
    assert answer.result == "🚤" * (ANSWER_BYTES // 4) + f"… [cut after {ANSWER_BYTES} bytes]"


@given(st.text(st.characters(codec="utf-8")), st.integers(min_value=0, max_value=50))
def test_cutting_by_bytes_never_splits_a_character(text: str, size: int) -> None:
    """P25."""
    cut = cut_text(text.encode(), "utf-8", size)
    kept = cut.removesuffix(f"… [cut after {size} bytes]")
    assert text.startswith(kept)
    assert cut == text or size - 3 <= len(kept.encode()) <= size


async def test_an_endpoint_that_does_not_answer_in_time_is_given_up() -> None:
    async def never(_request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response()

    async with endpoint(never) as here:
        asked = tool(url=here.url, timeout=0.05)
        assert await call(asked) == WebhookAnswer(error=f"{here.url} did not answer within 0.05 s")


async def test_an_endpoint_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/orders"
        assert await call(tool(url=url)) == WebhookAnswer(error=f"could not call {url}: connection refused")


async def test_an_endpoint_that_hangs_up_is_told() -> None:
    async def hang_up(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    answer = await answered(hang_up)
    assert answer.error is not None
    assert answer.error.startswith("could not call http://127.0.0.1")


def redirecting(target: str, status: int = 302) -> Answering:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path != "/orders":
            return web.json_response({"method": request.method, "body": await request.text()})
        return web.Response(status=status, headers={"Location": target})

    return answer


@pytest.mark.parametrize(
    ("status", "method", "body"),
    [(301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "{}"), (308, "POST", "{}")],
)
async def test_a_redirect_on_the_same_host_is_followed(status: int, method: str, body: str) -> None:
    answer = await answered(redirecting("/moved", status), method="POST")
    assert answer.result == {"method": method, "body": body}


@pytest.mark.parametrize(
    "target", ["http://elsewhere.example/orders", "//elsewhere.example/", "http://localhost/orders"]
)
async def test_a_redirect_to_another_host_is_refused(target: str) -> None:
    answer = await answered(redirecting(target))
    assert answer == WebhookAnswer(error="the endpoint redirected to another host, which is refused")


async def test_a_redirect_to_another_name_with_the_same_port_is_refused() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": f"http://localhost:{request.url.port}/moved"})

    assert (await answered(answer)).error == "the endpoint redirected to another host, which is refused"


async def test_a_redirect_to_another_port_of_the_host_is_refused() -> None:
    async with endpoint() as other:
        answer = await answered(redirecting(other.url))
        assert answer.error == "the endpoint redirected to another host, which is refused"
        assert other.received == []


async def test_redirects_in_a_circle_end() -> None:
    answer = await answered(redirecting("/orders"))
    assert answer == WebhookAnswer(error="the endpoint redirected more than 5 times")


async def test_a_secret_never_comes_back() -> None:
    """An endpoint that echoes its headers, one that isn't there, one that redirects: none gives the key away."""

    async def echo(request: web.Request) -> web.StreamResponse:
        return web.json_response(dict(request.headers))

    written = {"headers": {"Authorization": "Bearer ${KEY}", "X-\x00": "${KEY}"}}
    echoed = await answered(echo, {"KEY": SECRET}, headers={"Authorization": "Bearer ${KEY}"})
    assert isinstance(echoed.result, dict)
    assert echoed.result["Authorization"] == "Bearer ${KEY}"
    for url in ("http://127.0.0.1:9/?key=${KEY}", "http://${KEY}.invalid/", "http://127.0.0.1:9/\x00${KEY}"):
        refused = await call(tool(url=url, timeout=2, **written), {"KEY": SECRET})
        assert refused.error is not None
        assert SECRET not in refused.error


async def test_cookies_are_not_kept() -> None:
    async def giving(request: web.Request) -> web.StreamResponse:
        response = web.json_response(dict(request.cookies))
        response.set_cookie("session", "1")
        return response

    webhooks = Webhooks()
    async with endpoint(giving) as here:
        answers = [await webhooks.call(tool(url=here.url), {}, {}) for _ in range(2)]
    await webhooks.close()
    assert [answer.result for answer in answers] == [{}, {}]


async def test_closing_twice_or_unused_does_nothing() -> None:
    webhooks = Webhooks()
    await webhooks.close()
    await webhooks.close()
