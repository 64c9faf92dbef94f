"""A body's JSON, read strictly (RFC 8259, RFC 7493): what two readers could understand differently is refused.

A signature covers bytes. If one key stands twice, whoever checked them may have read one value and we the other; half a
surrogate pair has no bytes at all, so that two names would become one; NaN is no JSON.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from greenroom.api.faults import Fault, Path, unreadable
from greenroom.conversation.json_values import Json
from greenroom.errors import EventMalformed

__all__ = ["strict_json"]

_MOST_LEVELS = 16
"""An event has three."""
_MOST_DIGITS = 40
_HALF = re.compile("[\ud800-\udfff]")
_DEEP = f"is nested deeper than {_MOST_LEVELS} levels"
_HALF_WORDS = (
    "holds half of a surrogate pair (\\ud800 to \\udfff), which is no character; send it whole or leave it out"
)


@dataclass(frozen=True, slots=True)
class _Object:
    """An object with its keys as they stand, also those that stand twice."""

    pairs: Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class _NoValue:
    """Something that looks like a value."""

    words: str


def strict_json(body: bytes) -> Json:
    """The value.

    Raises:
        EventMalformed: it is no JSON in UTF-8.
        EventUnreadable: it is JSON that could be read in two ways, or that nobody would write; with everything there is
            against it.
    """
    try:
        # Left to itself, the reader guesses at UTF-16 and UTF-32 too. Half a surrogate pair is told where it stands.
        text = body.decode("utf-8-sig", "surrogatepass")
        read: object = json.loads(
            text, object_pairs_hook=_Object, parse_int=_whole, parse_float=_real, parse_constant=_constant
        )
    except RecursionError:
        raise unreadable([Fault(path=(), words=_DEEP)]) from None
    except ValueError:
        raise EventMalformed("the body is no JSON") from None
    found: list[Fault] = []
    value = _plain(read, (), found)
    if found:
        raise unreadable(found)
    return value


def _plain(read: object, path: Path, found: list[Fault]) -> Json:
    """The value in plain words of Python; what there is against it goes to `found`."""
    match read:
        case _Object() if len(path) < _MOST_LEVELS:
            return _members(read, path, found)
        case list() if len(path) < _MOST_LEVELS:
            items = cast("list[object]", read)
            return [_plain(item, (*path, at), found) for at, item in enumerate(items)]
        case _Object() | list():
            found.append(Fault(path=path, words=_DEEP))
        case _NoValue():
            found.append(Fault(path=path, words=read.words))
        case str() if _HALF.search(read):
            found.append(Fault(path=path, words=_HALF_WORDS))
        case str() | int() | float() | None:
            return read
        case _:
            raise TypeError(type(read).__name__)
    return None


def _members(read: _Object, path: Path, found: list[Fault]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for key, item in read.pairs:
        if _HALF.search(key):
            found.append(Fault(path=path, words=f"has a key that {_HALF_WORDS}"))
            continue
        if key in members:
            found.append(
                Fault(path=(*path, key), words="stands there twice; which of the two is meant, nobody can tell")
            )
        members[key] = _plain(item, (*path, key), found)
    return members


def _whole(digits: str) -> object:
    return int(digits) if len(digits) <= _MOST_DIGITS else _NoValue(f"is a number of {len(digits)} digits")


def _real(digits: str) -> object:
    if len(digits) > _MOST_DIGITS:
        return _NoValue(f"is a number of {len(digits)} digits")
    value = float(digits)
    return value if math.isfinite(value) else _NoValue(f"is {digits}, more than any number that can be kept")


def _constant(name: str) -> object:
    return _NoValue(f"is {name}, which JSON does not have")
