"""The real call of a webhook tool over aiohttp (features.md C7, C8; field lessons T11, P20, P25, P26).

Loaded by `webhooks` at the first call. Never raises for what an endpoint did: it answers with a value.
"""

import codecs
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

import aiohttp

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Tool
from greenroom.models.json_text import NotJson, json_as_sent
from greenroom.world.http_session import HttpSession, why_broken
from greenroom.world.mocks import FAILING_STATUS
from greenroom.world.requests import CannotSend, HttpRequest, request_of
from greenroom.world.webhooks import WebhookAnswer

__all__ = ["ANSWER_BYTES", "EndpointCalls", "cut_text"]

ANSWER_BYTES = 1_000_000
"""Of an answer's body; what is longer is cut and told as text."""

_REDIRECTS = 5
_REPEATING = frozenset({307, 308})
"""The request is sent again as it was; the other redirects are followed with GET."""
_REDIRECTING = frozenset({301, 302, 303}) | _REPEATING


class EndpointCalls:
    """Real calls over one session, made at the first call. Whoever opens it closes it.

    Belongs to the event loop of its first call. Cookies are not kept: no conversation hears of another.
    """

    def __init__(self) -> None:
        self._session = HttpSession()

    async def call(
        self, tool: Tool, arguments: Mapping[str, Json], environment: Mapping[str, str], *, key: str
    ) -> WebhookAnswer:
        """Call the tool's endpoint and give back what it answered, or why it didn't."""
        try:
            request = request_of(tool, arguments, environment, key=key)
        except CannotSend as reason:
            return WebhookAnswer(error=str(reason))
        try:
            return await self._send(request, tool.timeout)
        except CannotSend as reason:
            return WebhookAnswer(error=str(reason))
        except TimeoutError:
            return WebhookAnswer(error=f"{tool.url} did not answer within {tool.timeout:g} s")
        except (aiohttp.ClientError, ValueError, OSError) as fault:
            return WebhookAnswer(error=f"could not call {tool.url}: {why_broken(fault)}")

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        await self._session.close()

    async def _send(self, request: HttpRequest, seconds: float) -> WebhookAnswer:
        method, url, body = request.method, request.url, request.body
        timeout = aiohttp.ClientTimeout(total=seconds)
        for _ in range(_REDIRECTS + 1):
            async with self._session.opened().request(
                method, url, data=body, headers=request.headers, allow_redirects=False, timeout=timeout
            ) as response:
                target = response.headers.get("Location")
                if response.status not in _REDIRECTING or target is None:
                    return _answer(await _read(response), response, request)
                url = _followed(url, target)
                if response.status not in _REPEATING:
                    method, body = "GET", None
        raise CannotSend(f"the endpoint redirected more than {_REDIRECTS} times")


def cut_text(body: bytes, charset: str, size: int) -> str:
    """A body as text, cut after so many bytes without splitting a character, and saying so (P25)."""
    if len(body) <= size:
        return body.decode(charset, errors="replace")
    kept = codecs.getincrementaldecoder(charset)("replace").decode(body[:size])
    return f"{kept}… [cut after {size} bytes]"


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """At most one byte more than an answer may have, whatever the endpoint sends."""
    body = bytearray()
    while len(body) <= ANSWER_BYTES and (piece := await response.content.read(ANSWER_BYTES + 1 - len(body))):
        body += piece
    return bytes(body)


def _answer(body: bytes, response: aiohttp.ClientResponse, request: HttpRequest) -> WebhookAnswer:
    text = cut_text(body, _charset(response), ANSWER_BYTES)
    for value, name in request.secrets.items():
        text = text.replace(value, name)
    error = f"the endpoint answered HTTP {response.status}" if response.status >= FAILING_STATUS else None
    return WebhookAnswer(result=_parsed(text, response.content_type), status=response.status, error=error)


def _parsed(text: str, content_type: str) -> Json:
    if not text.strip():
        return None
    if "json" not in content_type and text.lstrip()[0] not in "{[":
        return text
    try:
        return json_as_sent(text)
    except NotJson:
        return text


def _charset(response: aiohttp.ClientResponse) -> str:
    try:
        b" ".decode(response.charset or "utf-8")
    except LookupError:
        return "utf-8"
    return response.charset or "utf-8"


def _followed(url: str, target: str) -> str:
    """Where a redirect leads. Raises `CannotSend` for another host and for a step down from https."""
    following = urljoin(url, target)
    before, after = urlsplit(url), urlsplit(following)
    if after.hostname != before.hostname or (after.scheme == before.scheme and after.port != before.port):
        raise CannotSend("the endpoint redirected to another host, which is refused")
    if after.scheme not in {"http", "https"} or (before.scheme == "https" and after.scheme == "http"):
        raise CannotSend("the endpoint redirected away from https, which is refused")
    return following
