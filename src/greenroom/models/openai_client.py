"""Our own client for OpenAI-compatible chat completions: aiohttp, orjson, and nothing between.

Knows how bytes travel and what may be tried again; the wire format is `openai_wire`'s.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.errors import ModelMalformed, ModelRejected
from greenroom.models.asking import Manner, asked
from greenroom.models.json_text import NotJson, as_object, encoded, read_json
from greenroom.models.model import ModelAnswer, ModelRequest
from greenroom.models.openai_wire import Dialect, LimitKey, NoAnswer, RequestEncoder, answer_of, joined_stream, learned
from greenroom.models.pacing import Pace
from greenroom.models.refusals import Refusal, read_refusal, without_secrets
from greenroom.models.retries import PassingFault

__all__ = ["OPENAI_BASE", "Endpoint", "OpenAIModel", "Sessions", "endpoint_for"]

OPENAI_BASE: Final = "https://api.openai.com/v1"
_CONNECT_SECONDS: Final = 15.0
_LESSONS: Final = 6
"""At most so many refusals in a row are taken as a lesson about the server's dialect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model answers, and the key it asks for."""

    url: str
    """Of the chat completions themselves."""
    shown: str
    """The address as people wrote it."""
    key: str | None
    key_variable: str
    limit_key: LimitKey = "max_tokens"


def endpoint_for(base: str, key: str | None, key_variable: str) -> Endpoint:
    """The endpoint under a base URL such as `http://127.0.0.1:8000/v1`; a query in it is kept."""
    parts = urlsplit(base)
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    shown = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    limit_key: LimitKey = "max_completion_tokens" if parts.hostname == "api.openai.com" else "max_tokens"
    return Endpoint(
        url=urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")),
        shown=shown,
        key=key,
        key_variable=key_variable,
        limit_key=limit_key,
    )


class Sessions:
    """The one aiohttp session of a run; made at the first call, since it belongs to the running loop."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    def get(self) -> aiohttp.ClientSession:
        """The session. Connections are kept and never limited here: concurrency is the run's to limit."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=60),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=True,
            )
        return self._session

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        *,
        name: str,
        model: str,
        endpoint: Endpoint,
        manner: Manner,
        sessions: Sessions,
        clock: Clock,
        pace: Pace,
    ) -> None:
        """`pace` is that of the endpoint, shared with whoever else asks it."""
        self._name = name
        self._endpoint = endpoint
        self._manner = manner
        self._sessions = sessions
        self._clock = clock
        self._pace = pace
        self._encoder = RequestEncoder(model)
        self._dialect = Dialect(limit_key=endpoint.limit_key)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if endpoint.key:
            self._headers["Authorization"] = f"Bearer {endpoint.key}"

    @property
    def name(self) -> str:
        """The model as it was written."""
        return self._name

    @property
    def scripted(self) -> bool:
        """A real model."""
        return False

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer; see `Model`."""
        request = self._manner.applied(request)

        async def attempt(_number: int) -> ModelAnswer:
            return await self._answer(request)

        return await asked(
            self._name, self._clock, self._manner.policy, attempt, pace=self._pace, conversation=request.conversation
        )

    async def _answer(self, request: ModelRequest) -> ModelAnswer:
        """One try. A refused parameter is a lesson about the server, which is remembered once it has worked."""
        dialect = known = self._dialect
        first: Refusal | None = None
        for _ in range(_LESSONS):
            got = await self._post(self._encoder.encode(request, dialect, request.max_tokens))
            if not isinstance(got, Refusal):
                if dialect is not known:
                    # Only a lesson is kept: another call may have learned one while this one was under way.
                    self._dialect = dialect
                return self._read(got, request, dialect)
            first = first or got
            simpler = learned(dialect, request, got.said) if got.about_form else None
            if simpler is None:
                break
            dialect = simpler
        if first is not None and first.quota:
            self._pace.shut(first.why)
        raise ModelRejected(self._name, first.why if first is not None else "it refused every form of the request")

    def _read(self, body: Json, request: ModelRequest, dialect: Dialect) -> ModelAnswer:
        try:
            return answer_of(body, request, dialect)
        except NoAnswer as problem:
            raise PassingFault(str(problem), becomes=ModelMalformed) from None

    async def _post(self, body: bytes) -> Json | Refusal:
        """The decoded body, or the refusal that stands; what may pass is raised as `PassingFault`."""
        try:
            async with self._sessions.get().post(
                self._endpoint.url, data=body, headers=self._headers, allow_redirects=False
            ) as response:
                data = await response.read()
                status, headers = response.status, {name.lower(): value for name, value in response.headers.items()}
        except aiohttp.ClientConnectorCertificateError as error:
            raise PassingFault(self._unreachable(f"its certificate is not trusted ({error})"), again=False) from error
        except aiohttp.InvalidURL as error:
            raise PassingFault(self._unreachable("that is no URL"), again=False) from error
        except aiohttp.ClientConnectorError as error:
            raise PassingFault(self._unreachable(_reason(error))) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise PassingFault(f"the connection to {self._endpoint.shown} broke off ({_kind(error)})") from error
        if not 200 <= status < 300:
            return self._refused(status, headers, data)
        return self._decoded(data, headers.get("content-type", ""))

    def _decoded(self, data: bytes, content_type: str) -> Json | Refusal:
        try:
            streamed = content_type.startswith("text/event-stream")
            body = joined_stream(data) if streamed else read_json(data)
        except NoAnswer as problem:
            raise PassingFault(f"{self._endpoint.shown} answered, but {problem}") from None
        except NotJson:
            start = without_secrets(data[:80].decode("utf-8", "replace"), self._endpoint.key or "")
            shown = f"its answer is no JSON: {start!r}" if data.strip() else "its answer is empty"
            raise PassingFault(f"{self._endpoint.shown} answered, but {shown}", becomes=ModelMalformed) from None
        error = (as_object(body) or {}).get("error")
        if error:
            # Gateways send a provider's error inside an answer that says 200.
            code = (as_object(error) or {}).get("code")
            status = code if isinstance(code, int) and 400 <= code < 600 else 502
            return self._refused(status, {}, encoded(body))
        return body

    def _refused(self, status: int, headers: Mapping[str, str], data: bytes) -> Refusal:
        refusal = read_refusal(
            status,
            headers,
            data,
            where=self._endpoint.shown,
            key_variable=self._endpoint.key_variable,
            now=self._clock.now(),
            key=self._endpoint.key or "",
        )
        if refusal.passing:
            raise PassingFault(refusal.why, retry_after=refusal.retry_after, limits=refusal.limits)
        return refusal

    def _unreachable(self, why: str) -> str:
        return f"can't reach {self._endpoint.shown}: {why}; check that the server runs there and that the URL is right"


def _reason(error: aiohttp.ClientConnectorError) -> str:
    cause = error.os_error
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused"
    return (cause.strerror or str(cause)).lower()


def _kind(error: Exception) -> str:
    return str(error) or type(error).__name__
