"""What is wrong with a body, field by field, in words of our own: what was given, and what fits.

What fits is read from the published schema, so that no sentence says anything else than it does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from greenroom.conversation.visible import one_line
from greenroom.errors import EventUnreadable
from greenroom.nearest import did_you_mean

__all__ = ["NOT_BLANK", "NO_CONTROLS", "Fault", "Path", "faults_of", "unreadable"]

Path = tuple[str | int, ...]
"""The way from the body to a value: keys and positions."""

NOT_BLANK = r"\S"
NO_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f]*$"
_PATTERNS: Mapping[str, str] = {NOT_BLANK: " that is more than white space", NO_CONTROLS: " without control characters"}
"""What the patterns of the schema mean."""
_SHOWN_CHARS = 40
_MOST_FAULTS = 8

_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", bool: "a truth value"}

_Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong."""

    path: Path
    words: str
    """Goes on after the name of the field: `is missing; …`."""

    @property
    def pointer(self) -> str:
        """Where, for programs: a JSON pointer (RFC 6901) into the body."""
        return "#" + "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.path)

    @property
    def detail(self) -> str:
        """Where and what, as a sentence for people."""
        name = ".".join(one_line(str(step)) for step in self.path)
        return f"`{_cut(name)}` {self.words}" if name else f"the body {self.words}"


def unreadable(faults: Sequence[Fault]) -> EventUnreadable:
    """What to raise; of very many faults it tells some."""
    told = {fault.pointer: fault.detail for fault in faults[:_MOST_FAULTS]}
    if len(faults) > _MOST_FAULTS:
        whole = f"{told.pop('#')}; " if "#" in told else ""
        told["#"] = f"{whole}and {len(faults) - _MOST_FAULTS} more"
    return EventUnreadable(told)


def faults_of(refused: ValidationError, shape: TypeAdapter[Any]) -> Sequence[Fault]:
    """What a shape has against a value, in the order of its fields."""
    schema = cast("_Schema", shape.json_schema())
    found = refused.errors(include_url=False)
    return [_Place(schema).at(one["loc"]).fault(one) for one in found]


class _Place:
    """A place in the body, and the schema that stands there."""

    def __init__(self, root: _Schema) -> None:
        self._root = root
        self._path: Path = ()
        self._outside = self._here = self._resolved(root)

    def at(self, location: Path) -> "_Place":
        """Where pydantic found something; its way also names the variant of an event, which is no key."""
        for step in location:
            variants = self._variants()
            if step in variants:
                self._here = self._resolved(variants[str(step)])
                continue
            self._path = (*self._path, step)
            self._outside, keys = self._here, self._keys(self._here)
            self._here = self._resolved(keys.get(str(step), {}))
        return self

    def fault(self, found: ErrorDetails) -> Fault:
        match found["type"]:
            case "missing":
                return self._told(f"is missing; it is {self._fits()}")
            case "extra_forbidden":
                keys = self._keys(self._outside)
                near = did_you_mean(str(self._path[-1]), keys)
                return self._told(f"is no key{near or f'; the keys there are {_listed(keys)}'}")
            case "union_tag_not_found" | "union_tag_invalid":
                return self._kind(cast("Mapping[str, object]", found["input"]))
            case "value_error":
                return self._told(f"doesn't fit together: {found.get('ctx', {}).get('error')}")
            case _:
                return self._told(f"{_given(found['input'])}; {self._fits()} fits")

    def _kind(self, given: Mapping[str, object]) -> Fault:
        """Which variant of an event it is: without that nothing else can be said."""
        key: str = self._here["discriminator"]["propertyName"]
        right = f"one of {_listed(self._variants())}"
        words = f"{_given(given[key])}; {right} fits" if key in given else f"is missing; it is {right}"
        return Fault(path=(*self._path, key), words=words)

    def _told(self, words: str) -> Fault:
        return Fault(path=self._path, words=words)

    def _fits(self) -> str:
        return self._words(self._here)

    def _words(self, schema: _Schema) -> str:
        match schema:
            case {"enum": allowed}:
                return f"one of {_listed(allowed)}"
            case {"const": allowed}:
                return f"`{allowed}`"
            case {"anyOf": [first, *_]}:
                return self._words(self._resolved(first))
            case {"type": "string"}:
                meant = _PATTERNS.get(schema.get("pattern", ""), "")
                return f"a text of {schema.get('minLength', 0)} to {schema['maxLength']} characters{meant}"
            case {"properties": keys}:
                return f"an object with {_listed(keys)}"
            case _:
                return f"an object with a `kind` of {_listed(self._variants())}"

    def _variants(self) -> Mapping[str, _Schema]:
        told = self._here.get("discriminator", {})
        return {tag: {"$ref": pointer} for tag, pointer in told.get("mapping", {}).items()}

    def _keys(self, schema: _Schema) -> Mapping[str, _Schema]:
        return schema.get("properties", {})

    def _resolved(self, schema: _Schema) -> _Schema:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self._root["$defs"][name] if name else schema


def _listed(names: Iterator[str] | Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _given(value: object) -> str:
    """What was found, in short."""
    if isinstance(value, str):
        shown = f"is {_cut(one_line(value))!r}"
        return f"{shown} ({len(value)} characters)" if len(value) > _SHOWN_CHARS else shown
    if value is None:
        return "is null"
    return f"is {_KINDS.get(type(value)) or f'the number {value}'}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
