r"""JSON out of any value there is here, for the store, reports and screens alike; nothing that was said stops it (P26).

orjson writes it, over the frozen dataclasses. What orjson refuses is written in a slower way that loses nothing a
person could read: a lone surrogate becomes its visible escape, the six characters `\ud83d`; an integer beyond 64 bits
stays an integer; whatever lies deeper than `MAX_DEPTH` levels is replaced by a text that says so. NaN and the
infinities become null, as JSON has none.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import cast

import orjson

from greenroom.conversation.json_values import Json

__all__ = ["MAX_DEPTH", "escaped", "json_bytes"]

MAX_DEPTH = 150
"""Levels of nesting that are kept of a value that orjson can't write (it gives up at 254, the reader at 200)."""

_CUT = f"(deeper than {MAX_DEPTH} levels: cut)"


def json_bytes(value: object, *, indented: bool = False) -> bytes:
    """A value of dataclasses, mappings, sequences and scalars as JSON in UTF-8; `indented` for people."""
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_INDENT_2 if indented else None)
    except TypeError:
        indent, separators = (2, (",", ": ")) if indented else (None, (",", ":"))
        plain = _writable(value, MAX_DEPTH)
        return json.dumps(plain, ensure_ascii=False, indent=indent, separators=separators).encode()


def escaped(text: str) -> str:
    """The text as UTF-8 can hold it: lone surrogates as visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(value: object) -> object:
    """What orjson doesn't know: read-only mappings and other sequences."""
    if isinstance(value, Mapping):
        return {str(key): item for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence | frozenset | set):
        return list(cast("Sequence[object]", value))
    raise TypeError(f"{type(value).__name__} is no JSON")


def _writable(value: object, depth: int) -> Json:
    """The same value in what `json` writes and every reader reads."""
    if isinstance(value, Enum):
        return _writable(value.value, depth)
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    return _CUT if depth == 0 else _writable_inside(value, depth - 1)


def _writable_inside(value: object, depth: int) -> Json:
    if is_dataclass(value):
        return {field.name: _writable(getattr(value, field.name), depth) for field in fields(value)}
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {escaped(str(key)): _writable(item, depth) for key, item in items}
    if isinstance(value, Sequence | frozenset | set):
        return [_writable(item, depth) for item in cast("Sequence[object]", value)]
    raise TypeError(f"{type(value).__name__} is no JSON")
