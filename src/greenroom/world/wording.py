"""How matchers, values and their differences read in a sentence (features.md H7; field lessons T07, P10, P26).

Nothing is decided here.
"""

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.conversation.json_writing import escaped
from greenroom.documents.matchers import is_matcher
from greenroom.world.equality import same, type_name

__all__ = ["TOO_DEEP", "as_json", "described", "difference", "named", "shown"]

TOO_DEEP = "a value nested too deeply to be read"
_SHOWN_CHARACTERS = 160
"""Of a value in a sentence; the whole value stands in the result."""


def as_json(value: Json) -> str:
    """A value as JSON on one line, safe to write as UTF-8: a lone surrogate is shown as its escape (P26).

    A value that is nested so deeply that Python can't write it becomes a text that says so.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=_plain)
    except RecursionError:
        return f'"{TOO_DEEP}"'
    return escaped(text)


def shown(value: Json) -> str:
    """A value as JSON, cut after some 160 characters."""
    text = as_json(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}… ({len(text)} characters)"


def named(key: str) -> str:
    """A key or path between backticks, on one line whatever stands in it."""
    return f"`{as_json(key)[1:-1]}`"


def described(words: Mapping[str, Json]) -> str:
    """What a matcher asks for, every word of it: `text that matches the pattern "^a" and any value but null`."""
    parts = (_DESCRIBED[word](wanted, words) for word, wanted in words.items() if word != "within")
    return " and ".join(parts) or f"a matcher that can be read ({shown(words)} can't: `within` needs `number`)"


def difference(wanted: Json, got: Json) -> str:
    """In brackets, how two values differ where that can't be seen: types, lengths, first character, path (T07)."""
    if same(wanted, got):
        return ""
    if isinstance(wanted, str) and isinstance(got, str):
        return "" if _plainly_different(wanted, got) else f" ({_text_difference(wanted, got)})"
    if type_name(wanted) != type_name(got):
        return f" ({type_name(wanted)} against {type_name(got)})"
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        return _first_difference(wanted, got)
    if isinstance(wanted, Sequence) and isinstance(got, Sequence):
        return _first_difference(_numbered(wanted), _numbered(got))
    return ""


def _numbered(items: Sequence[Json]) -> Mapping[str, Json]:
    return {str(index): item for index, item in enumerate(items)}


def _first_difference(wanted: Mapping[str, Json], got: Mapping[str, Json]) -> str:
    for key in [*wanted, *(key for key in got if key not in wanted)]:
        if key not in got:
            return f" ({named(key)} is missing)"
        if key not in wanted:
            return f" ({named(key)} is not expected)"
        if not same(wanted[key], got[key]):
            return (
                f" (at {named(key)}: {shown(wanted[key])} against {shown(got[key])}{difference(wanted[key], got[key])})"
            )
    return ""


def _plainly_different(wanted: str, got: str) -> bool:
    """Whether a reader sees the difference: short, printable ASCII, neither spaces nor capitals alone."""
    if len(wanted) > _SHOWN_CHARACTERS or len(got) > _SHOWN_CHARACTERS:
        return False
    if not (wanted.isascii() and got.isascii() and wanted.isprintable() and got.isprintable()):
        return False
    return "".join(wanted.split()).casefold() != "".join(got.split()).casefold()


def _text_difference(wanted: str, got: str) -> str:
    sizes = f"texts of {len(wanted)} and {len(got)} characters"
    for at, (one, other) in enumerate(zip(wanted, got, strict=False), start=1):
        if one != other:
            return f"{sizes}; character {at} is {_character(one)} against {_character(other)}"
    longer, end = (wanted, len(got)) if len(wanted) > len(got) else (got, len(wanted))
    return f"{sizes}; the {'expected' if longer is wanted else 'other'} one goes on with {_character(longer[end])}"


def _character(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" {name}" if name else "")


def _word_equals(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"exactly {shown(wanted)}"


def _word_contains(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"something that contains {_nested(wanted)}"


def _word_regex(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"text that matches the pattern {shown(wanted)}" if isinstance(wanted, str) else _unreadable("regex", wanted)


def _word_one_of(wanted: Json, _words: Mapping[str, Json]) -> str:
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        return _unreadable("one_of", wanted)
    return f"one of {', '.join(_nested(item) for item in wanted)}"


def _word_number(wanted: Json, words: Mapping[str, Json]) -> str:
    within = f" within {shown(words['within'])}" if "within" in words else ""
    return f"the number {shown(wanted)}{within}"


def _word_at_least(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"{shown(wanted)} or more"


def _word_at_most(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"{shown(wanted)} or less"


def _word_type(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"a value of type {wanted}"


def _word_present(wanted: Json, _words: Mapping[str, Json]) -> str:
    return _presence(wanted) if isinstance(wanted, bool) else _unreadable("present", wanted)


def _word_absent(wanted: Json, _words: Mapping[str, Json]) -> str:
    return _presence(not wanted) if isinstance(wanted, bool) else _unreadable("absent", wanted)


def _word_any(wanted: Json, _words: Mapping[str, Json]) -> str:
    return "any value but null" if wanted is True else _unreadable("any", wanted)


def _word_not(wanted: Json, _words: Mapping[str, Json]) -> str:
    return f"anything but {_nested(wanted)}"


_DESCRIBED: Mapping[str, Callable[[Json, Mapping[str, Json]], str]] = MappingProxyType({
    "equals": _word_equals,
    "contains": _word_contains,
    "regex": _word_regex,
    "one_of": _word_one_of,
    "number": _word_number,
    "at_least": _word_at_least,
    "at_most": _word_at_most,
    "type": _word_type,
    "present": _word_present,
    "absent": _word_absent,
    "any": _word_any,
    "not": _word_not,
})


def _presence(wanted: bool) -> str:
    return "a value" if wanted else "no value at all"


def _unreadable(word: str, wanted: Json) -> str:
    return f"what can't be read (`{word}: {shown(wanted)}`)"


def _nested(wanted: Json) -> str:
    return described(wanted) if isinstance(wanted, Mapping) and is_matcher(wanted) else shown(wanted)


def _plain(value: Json) -> Json:
    """Mappings and sequences that `json` doesn't know, as those it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Sequence) else str(value)
