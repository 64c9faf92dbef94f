"""JSON out of text that a model or a server wrote, and back: lenient reading, never a guess; all of it can be written.

Reading takes code fences and words around one object (J02, J12) and survives lone surrogates (P26). It never takes
one of several candidates: that would be grading an example from the reasoning (J20).
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn, TypeGuard, cast

import orjson

from greenroom.conversation.json_values import Json, JsonObject

__all__ = [
    "NotJson",
    "as_list",
    "as_object",
    "encoded",
    "json_as_sent",
    "json_in",
    "ordered",
    "read_arguments",
    "read_json",
    "read_object",
    "sendable",
]

_FENCE: Final = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)```", re.DOTALL)


class NotJson(ValueError):
    """The text holds no single JSON value; the message says what was found."""


def encoded(value: object) -> bytes:
    """UTF-8 JSON; lone surrogates become U+FFFD, since no encoding has them (P26)."""
    return _dumped(value, orjson.OPT_NON_STR_KEYS)


def ordered(value: object) -> str:
    """JSON text with the keys of every object in order, to compare values by (T26)."""
    return _dumped(value, orjson.OPT_SORT_KEYS).decode()


def _dumped(value: object, option: int) -> bytes:
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        whole = _whole(value)
    try:
        return orjson.dumps(whole, option=option)
    except orjson.JSONEncodeError:
        # A whole number of more than 64 bits, as in a document.
        in_order = bool(option & orjson.OPT_SORT_KEYS)
        return json.dumps(whole, ensure_ascii=False, sort_keys=in_order, separators=(",", ":")).encode()


def _whole_number(digits: str) -> int | float:
    """What orjson reads: beyond 64 bits the nearest number that there is."""
    value = int(digits) if len(digits) <= _DIGITS_OF_64_BITS else None
    return value if value is not None and -(2**63) <= value < 2**64 else _real(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("it holds a number that is larger than any")
    return value


_DIGITS_OF_64_BITS: Final = 20
_MOST_LEVELS: Final = 150


def read_json(data: bytes | str) -> Json:
    """One JSON text, strictly; lone surrogates become U+FFFD.

    Raises:
        NotJson: it is something else, `NaN` and a number beyond all bounds included, or deeper than 150 levels.
    """
    try:
        return _bounded(orjson.loads(data))
    except orjson.JSONDecodeError:
        return cast("Json", _whole(_leniently(data)))


def json_as_sent(text: str) -> Json:
    """The same with lone surrogates as they are."""
    try:
        return _bounded(orjson.loads(text))
    except orjson.JSONDecodeError:
        return _leniently(text)


def _leniently(data: bytes | str) -> Json:
    """JSON that orjson refuses, for a lone surrogate as a rule."""
    try:
        return _bounded(json.loads(data, parse_constant=_no_constant, parse_int=_whole_number, parse_float=_real))
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None


def _bounded(value: object) -> Json:
    """The value, unless it is so deep that what looks at it later, level by level, would come to an end before it."""
    level: list[object] = [value]
    for _ in range(_MOST_LEVELS + 1):
        inside: list[object] = []
        for one in level:
            if isinstance(one, dict):
                inside += cast("dict[str, object]", one).values()
            elif _is_list(one):
                inside += one
        level = inside
        if not level:
            return cast("Json", value)
    raise NotJson(f"it is nested deeper than {_MOST_LEVELS} levels")


def read_object(text: str) -> JsonObject | None:
    """The text as one JSON object, or None."""
    try:
        return as_object(read_json(text))
    except NotJson:
        return None


def read_arguments(raw: object) -> Json:
    """A tool call's arguments: the object; the text itself when it is none; nothing is an object without entries."""
    if not isinstance(raw, str):
        return {} if raw is None else cast("Json", raw)
    if not raw.strip():
        return {}
    parsed = read_object(raw)
    return raw if parsed is None else parsed


def json_in(text: str) -> Json:
    """The one JSON value in an answer: the whole text, a single code fence, or a single object among words.

    Raises:
        NotJson: there is none, it is cut off, or there are several.
    """
    stripped = text.strip().removeprefix("\ufeff").strip()
    if not stripped:
        raise NotJson("the answer is empty")
    try:
        return read_json(stripped)
    except NotJson as error:
        problem = str(error)
    fences = [found.group(1) for found in _FENCE.finditer(stripped)]
    if len(fences) == 1:
        return read_json(fences[0].strip())
    found = _objects_in(stripped)
    if len(found) == 1:
        return found[0]
    if found:
        raise NotJson(f"{len(found)} JSON objects were found where one was asked for")
    raise NotJson(f"no JSON object was found ({problem})" if "{" in stripped else "no JSON object was found")


def as_object(value: object) -> JsonObject | None:
    """The value when it is an object."""
    return cast("JsonObject", value) if isinstance(value, Mapping) else None


def as_list(value: object) -> Sequence[Json]:
    """The value when it is a list, else an empty one."""
    return cast("Sequence[Json]", value) if _is_list(value) else ()


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _objects_in(text: str) -> list[Json]:
    """Every outermost object that stands among other words."""
    decoder = json.JSONDecoder(parse_constant=_no_constant, parse_int=_whole_number, parse_float=_real)
    found: list[Json] = []
    at = text.find("{")
    while at >= 0:
        try:
            value, end = cast("tuple[Json, int]", decoder.raw_decode(text, at))
        except json.JSONDecodeError as error:
            if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
                raise NotJson("the JSON is cut off before its end") from None
            end = at + 1
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(cast("Json", _whole(_bounded(value))))
        at = text.find("{", end)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def sendable(text: str) -> str:
    """The text with pairs of surrogates joined and lone ones replaced, so that it can be UTF-8 (P26)."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(value: object) -> object:
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, Mapping):
        return {_whole(key): _whole(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in cast("Sequence[object]", value)]
    return value
