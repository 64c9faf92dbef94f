"""Values to bytes and back. Knows JSON and compression; not what the values mean.

Writing is that of `conversation.json_writing`. Reading goes through pydantic adapters, built when they are first used.
"""

import json
import zlib
from functools import cache
from hashlib import sha256
from typing import TypeVar, cast

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import escaped, json_bytes

__all__ = [
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

_PACK_FROM = 512
"""Bytes from which compression pays."""


def visible(text: str) -> str:
    """The text as both databases can hold it: lone surrogates and NUL as visible escapes."""
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    if text.isascii():
        return text
    return escaped(text)


def encode(value: object) -> bytes:
    """A value of dataclasses, mappings, sequences and scalars as JSON."""
    return json_bytes(value)


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
    return sha256(json_bytes(document.model_dump(mode="json", by_alias=True, exclude_defaults=True))).hexdigest()


def document_json(document: BaseModel) -> bytes:
    """A document as it is stored: what was written and nothing else, since some rules ask which keys were written."""
    return json_bytes(document.model_dump(mode="json", by_alias=True, exclude_unset=True))


@cache
def _adapter(shape: type[object]) -> TypeAdapter[object]:
    return TypeAdapter(shape)
