"""The one matcher language: plain values equal, a mapping of matcher words matches (features.md H7).

Decides, from one written matcher and one JSON value, whether they fit; and says why not, as a sentence. Not aware of
tools, mocks or checks.

A plain value inside a plain mapping or list is compared as it is: matcher words further down are data there. What
lies deeper is reached by a dotted path (`items.0.sku`).

A matcher with `regex` takes an engine's time, half a second at most for each match. Code on an event loop asks
`uses_pattern` and then decides in a thread. `PatternTimeout` and `PatternRefused` go through to the caller: a
matcher that can't be decided is neither a match nor a mismatch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.documents.matchers import DATE, is_matcher
from greenroom.patterns import search
from greenroom.world.equality import same
from greenroom.world.wording import TOO_DEEP, described, difference, named, shown

__all__ = ["ABSENT", "Found", "first_mismatch", "lookup", "mismatch", "mismatch_found", "uses_pattern"]


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path: a value, or nothing. `null` is a value."""

    value: Json
    there: bool = True


_Words = Mapping[str, Json]
_Decider = Callable[[_Words, Found, bool], bool]

ABSENT = Found(None, there=False)
"""Nothing stands there."""


def mismatch(matcher: Json, value: Json, *, text_contains: bool = False) -> str | None:
    """Why a value doesn't fit a matcher, as `expected …, got …`; None when it fits.

    Args:
        matcher: A plain value, which must be equal, or a mapping of matcher words, which must all hold.
        value: What was found.
        text_contains: For the places of text: a plain string means that the text contains it.
    """
    return mismatch_found(matcher, Found(value), text_contains=text_contains)


def mismatch_found(matcher: Json, found: Found, *, text_contains: bool = False) -> str | None:
    """`mismatch` for what may not be there at all."""
    words = _words_of(matcher, text_contains=text_contains)
    try:
        return _why_not(words, found, text_contains=text_contains)
    except RecursionError:
        return f"expected {described(words)}, got {TOO_DEEP}"


def _why_not(words: _Words, found: Found, *, text_contains: bool) -> str | None:
    if all(_DECIDERS[word](words, found, text_contains) for word in words):
        return None
    if not found.there:
        return f"expected {described(words)}, but there is no value"
    note = difference(words["equals"], found.value) if "equals" in words else ""
    return f"expected {described(words)}, got {shown(found.value)}{note}"


def first_mismatch(conditions: Mapping[str, Json], arguments: Json) -> str | None:
    """The first condition that doesn't hold, as ``` `path`: expected …, got … ```; None when all hold.

    Args:
        conditions: Dotted paths to matchers.
        arguments: The value that the paths lead into.
    """
    for path, matcher in conditions.items():
        why = mismatch_found(matcher, lookup(arguments, path))
        if why is not None:
            return f"{named(path)}: {why}"
    return None


def lookup(data: Json, path: str) -> Found:
    """What stands at a dotted path into mappings and lists; a key that contains the dots itself wins."""
    if isinstance(data, Mapping):
        if path in data:
            return Found(data[path])
        at = path.rfind(".")
        while at >= 0:
            found = lookup(data[path[:at]], path[at + 1 :]) if path[:at] in data else ABSENT
            if found.there:
                return found
            at = path.rfind(".", 0, at)
        return ABSENT
    if isinstance(data, str) or not isinstance(data, Sequence):
        return ABSENT
    index, dot, rest = path.partition(".")
    if not (index.isascii() and index.isdigit()) or len(index) > _INDEX_DIGITS or int(index) >= len(data):
        return ABSENT
    return lookup(data[int(index)], rest) if dot else Found(data[int(index)])


_INDEX_DIGITS = 9
"""No list is longer; what has more digits is no index."""


def uses_pattern(matcher: Json) -> bool:
    """Whether deciding this matcher may run a regular expression."""
    if not isinstance(matcher, Mapping) or not is_matcher(matcher):
        return False
    inner = matcher.get("one_of")
    listed = inner if isinstance(inner, Sequence) and not isinstance(inner, str) else ()
    return "regex" in matcher or any(
        uses_pattern(item) for item in (matcher.get("contains"), matcher.get("not"), *listed)
    )


def _words_of(matcher: Json, *, text_contains: bool) -> Mapping[str, Json]:
    if isinstance(matcher, Mapping) and is_matcher(matcher):
        return matcher
    return {"contains" if text_contains and isinstance(matcher, str) else "equals": matcher}


def _equals(words: _Words, found: Found, _text: bool) -> bool:
    return found.there and same(words["equals"], found.value)


def _contains(words: _Words, found: Found, _text: bool) -> bool:
    wanted, value = words["contains"], found.value
    if isinstance(value, str):
        return found.there and isinstance(wanted, str) and wanted in value
    if isinstance(value, Sequence):
        return any(mismatch(wanted, member) is None for member in value)
    return False


def _regex(words: _Words, found: Found, _text: bool) -> bool:
    pattern, value = words["regex"], found.value
    return found.there and isinstance(pattern, str) and isinstance(value, str) and search(pattern, value)


def _one_of(words: _Words, found: Found, text: bool) -> bool:
    listed = words["one_of"]
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        return False
    return any(mismatch_found(item, found, text_contains=text) is None for item in listed)


def _number(words: _Words, found: Found, _text: bool) -> bool:
    wanted, value, within = (_exactly(number) for number in (words["number"], found.value, words.get("within", 0)))
    return wanted is not None and value is not None and within is not None and abs(value - wanted) <= within


def _within(words: _Words, _found: Found, _text: bool) -> bool:
    return "number" in words


def _at_least(words: _Words, found: Found, _text: bool) -> bool:
    return _not_less(found.value, words["at_least"])


def _at_most(words: _Words, found: Found, _text: bool) -> bool:
    return _not_less(words["at_most"], found.value)


def _not_less(one: Json, other: Json) -> bool:
    """Of two numbers, or of two dates written alike; anything else can't be compared."""
    if isinstance(one, str) and isinstance(other, str):
        return bool(DATE.match(one)) and bool(DATE.match(other)) and one >= other
    first, second = _exactly(one), _exactly(other)
    return first is not None and second is not None and first >= second


def _type(words: _Words, found: Found, _text: bool) -> bool:
    fits = _TYPES.get(words["type"]) if isinstance(words["type"], str) else None
    return found.there and fits is not None and fits(found.value)


def _present(words: _Words, found: Found, _text: bool) -> bool:
    return words["present"] is found.there


def _absent(words: _Words, found: Found, _text: bool) -> bool:
    return words["absent"] is not found.there and isinstance(words["absent"], bool)


def _any(words: _Words, found: Found, _text: bool) -> bool:
    return words["any"] is True and found.there and found.value is not None


def _not(words: _Words, found: Found, text: bool) -> bool:
    return mismatch_found(words["not"], found, text_contains=text) is not None


_DECIDERS: Mapping[str, _Decider] = MappingProxyType({
    "equals": _equals,
    "contains": _contains,
    "regex": _regex,
    "one_of": _one_of,
    "number": _number,
    "within": _within,
    "at_least": _at_least,
    "at_most": _at_most,
    "type": _type,
    "present": _present,
    "absent": _absent,
    "any": _any,
    "not": _not,
})


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_mapping(value: Json) -> bool:
    return isinstance(value, Mapping)


_TYPES: Mapping[str, Callable[[Json], bool]] = MappingProxyType({
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: isinstance(value, int | float) and _is_number(value) and value == value // 1,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": _is_list,
    "list": _is_list,
    "object": _is_mapping,
    "mapping": _is_mapping,
})
"""JSON Schema's names of types, and the two that YAML writers use."""


def _exactly(number: Json) -> Fraction | None:
    """A number as it is written, so that 44.09 is within 0.01 of 44.08; None for what is none."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if isinstance(number, int):
        return Fraction(number)
    return Fraction(str(number)) if isfinite(number) else None
