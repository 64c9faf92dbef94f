"""How a webhook tool's call is written as an HTTP request (documents.md: agent; semantics: the world).

Pure: from a tool as written, its arguments and the environment to a request, or the reason why there is none.
Reasons name the tool's own words (`${ORDERS_URL}`), never what stands for them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

import orjson

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Send, Tool
from greenroom.world.keys import HEADER
from greenroom.world.wording import TOO_DEEP, as_json

__all__ = ["CannotSend", "HttpRequest", "request_of", "with_variables"]

_VARIABLE = re.compile(r"\$\{([^{}]+)\}")
_PLACEHOLDER = re.compile(r"(?<!\$)\{([^{}]+)\}")
_QUERY_METHODS = frozenset({"GET", "HEAD", "DELETE"})
_SHORTEST_SECRET = 4
"""A shorter value is too common in any text to be looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request, ready to be sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: Mapping[str, str]
    """What must not come back in an answer, by what is written in its place."""


class CannotSend(Exception):
    """The request can't be written; the text says why, in the tool's own words."""


def request_of(
    tool: Tool, arguments: Mapping[str, Json], environment: Mapping[str, str], *, key: str = ""
) -> HttpRequest:
    """The request for one call, with its key in a header unless the tool has such a header. Raises `CannotSend`.

    Arguments named in the URL go there, percent-encoded; the others go where `send` says. With `send: path` they go
    nowhere.
    """
    url, in_url = _filled_url(tool.url or "", arguments, environment)
    method = tool.method.upper()
    send = tool.send or (Send.QUERY if method in _QUERY_METHODS else Send.BODY)
    rest = {name: value for name, value in arguments.items() if name not in in_url}
    headers = {name: _header(name, text, environment) for name, text in tool.headers.items()}
    if key and HEADER.lower() not in {name.lower() for name in headers}:
        headers[HEADER] = key
    body = None
    if send is Send.QUERY and rest:
        url += ("&" if urlsplit(url).query else "?") + urlencode(_query(rest), quote_via=quote, errors="surrogatepass")
    elif send is Send.BODY:
        body = _json_body(rest)
        if "content-type" not in {name.lower() for name in headers}:
            headers["Content-Type"] = "application/json"
    return HttpRequest(method=method, url=url, headers=headers, body=body, secrets=_secrets(tool, environment))


def with_variables(text: str, environment: Mapping[str, str], where: str) -> str:
    """A text with its `${NAME}` filled in. Raises `CannotSend` that names the variable that isn't set."""
    for name in _VARIABLE.findall(text):
        if name not in environment:
            raise CannotSend(f"{where} needs the environment variable {name}, which is not set")
    return _VARIABLE.sub(lambda found: environment[found[1]], text)


def _filled_url(
    written: str, arguments: Mapping[str, Json], environment: Mapping[str, str]
) -> tuple[str, frozenset[str]]:
    url = with_variables(written, environment, "the url")
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise CannotSend(f"the url {written!r} is no http or https address")
    if "{" in parts.netloc:
        raise CannotSend(f"the url {written!r} lets an argument choose the host; write the host out")
    names = frozenset(_PLACEHOLDER.findall(url))
    for name in names:
        if arguments.get(name) is None:
            raise CannotSend(f"the url {written!r} needs {name!r}, which the call doesn't give")
    return _PLACEHOLDER.sub(lambda found: _path_value(found[1], arguments[found[1]]), url), names


def _path_value(name: str, value: Json) -> str:
    text = _as_text(value)
    if text in {"", ".", ".."}:
        raise CannotSend(f"{name!r} is {text!r}, which would lead to another address")
    return quote(text, safe="", errors="surrogatepass")


def _header(name: str, text: str, environment: Mapping[str, str]) -> str:
    value = with_variables(text, environment, f"the header {name!r}")
    if any(character in value for character in "\r\n\0"):
        raise CannotSend(f"the header {name!r} has a line break in it")
    return value


def _secrets(tool: Tool, environment: Mapping[str, str]) -> dict[str, str]:
    """Values of variables in headers and URL, but for addresses, which are no secret."""
    names = {name for text in (tool.url or "", *tool.headers.values()) for name in _VARIABLE.findall(text)}
    values = {environment[name]: f"${{{name}}}" for name in sorted(names)}
    return {value: name for value, name in values.items() if len(value) >= _SHORTEST_SECRET and "://" not in value}


def _query(arguments: Mapping[str, Json]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        pairs += [(name, _as_text(item)) for item in several if item is not None]
    return pairs


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else as_json(value)


def _json_body(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # orjson takes neither lone surrogates nor mappings other than dict, and gives up at 254 levels.
        text = as_json(value)
        if TOO_DEEP in text:
            raise CannotSend("the arguments are nested too deeply") from None
        return text.encode("utf-8")
