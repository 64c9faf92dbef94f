r"""Values to bytes and back. Knows JSON and compression; not what the values mean.

Writing is orjson over the frozen dataclasses. What orjson refuses is written in a slower way that loses nothing a
person could read: a lone surrogate becomes its visible escape, the six characters `\ud83d` (P26); an integer
beyond 64 bits stays an integer; whatever lies deeper than `MAX_DEPTH` levels is replaced by a text that says so.
NaN and the infinities become null, as JSON has none.

Reading goes through pydantic adapters, which are built when they are first used.
"""

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from greenroom.conversation.json_values import Json

__all__ = [
    "MAX_DEPTH",
    "content_hash",
    "decode",
    "decode_json",
    "decode_text",
    "document_json",
    "encode",
    "encode_text",
    "pack",
    "unpack",
    "visible",
]

T = TypeVar("T")

MAX_DEPTH = 150
"""Levels of nesting that are kept of a value that orjson can't write (it gives up at 254, the reader at 200)."""

_PACK_FROM = 512
"""Bytes from which compression pays."""

_CUT = "(deeper than 150 levels: cut)"


def visible(text: str) -> str:
    """The text as both databases can hold it: lone surrogates and NUL as visible escapes."""
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    if text.isascii():
        return text
    return _escaped(text)


def encode(value: object) -> bytes:
    """A value of dataclasses, mappings, sequences and scalars as JSON."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        return json.dumps(_writable(value, MAX_DEPTH), ensure_ascii=False, separators=(",", ":")).encode()


def encode_text(value: object) -> str:
    """The same, for a text column."""
    return encode(value).decode()


def pack(data: bytes) -> bytes:
    """Bytes as they are stored; compressed when they are many."""
    return data if len(data) < _PACK_FROM else zlib.compress(data, 1)


def unpack(stored: bytes) -> bytes:
    """What `pack` was given. JSON never begins as compressed data does."""
    return zlib.decompress(stored) if stored[:1] == b"\x78" else stored


def decode(shape: type[T], data: bytes) -> T:
    """A value of this shape from its JSON."""
    adapter = _adapter(shape)
    try:
        return cast("T", adapter.validate_json(data))
    except ValidationError:
        # The JSON reader stops at 200 levels; Python's goes on. What is really wrong fails here again.
        return cast("T", adapter.validate_python(json.loads(data)))


def decode_text(shape: type[T], text: str) -> T:
    """The same, from a text column."""
    return decode(shape, text.encode())


def decode_json(data: bytes) -> Json:
    """Plain JSON."""
    try:
        return orjson.loads(data)
    except ValueError:
        return json.loads(data)


def content_hash(document: BaseModel) -> str:
    """What identifies a document's content.

    The order of playbooks, tools and a mock's keys belongs to it: the agent reads them in that order. The order in
    which a document's own keys are written doesn't.

    What stands at its default is left out, so that a Greenroom which knows more keys edits nobody's document.
    """
    return sha256(_json(document.model_dump(mode="json", by_alias=True, exclude_defaults=True))).hexdigest()


def document_json(document: BaseModel) -> bytes:
    """A document as it is stored: what was written and nothing else, since some rules ask which keys were written."""
    return _json(document.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _json(dumped: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(dumped)
    except TypeError:
        plain = _writable(dumped, MAX_DEPTH)
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _adapter(shape: type[object]) -> TypeAdapter[object]:
    return TypeAdapter(shape)


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
        return _escaped(value)
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
        return {_escaped(str(key)): _writable(item, depth) for key, item in items}
    if isinstance(value, Sequence | frozenset | set):
        return [_writable(item, depth) for item in cast("Sequence[object]", value)]
    raise TypeError(f"{type(value).__name__} is no JSON")
