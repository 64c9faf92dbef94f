"""How a value may be written, read with its place and in our own words, and described for editors.

A form reads one written value and says as JSON Schema what it takes, so that the two can't drift apart. The forms of
documents are made from the models' annotations (`model_forms`); short forms stand beside the models they belong to.
Above: everything that reads documents. Below: YAML with places.
"""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import TypeVar

from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import OUT_OF_REACH, within_reach
from greenroom.documents.reading import REFUSED, Reading, Refused, colon_hint, shown
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean

__all__ = [
    "ChoiceForm",
    "Definitions",
    "DurationForm",
    "FlagForm",
    "Form",
    "JsonForm",
    "ListForm",
    "MapForm",
    "MomentForm",
    "NumberForm",
    "Rule",
    "TextForm",
    "channel_rule",
    "id_rule",
    "name_rule",
    "tool_name_rule",
]

T = TypeVar("T")

Definitions = dict[str, dict[str, Json]]
"""The `$defs` of a schema that is being written."""
Rule = Callable[[str], str | None]
"""What is wrong with a text, or nothing."""


class Form(ABC):
    """One way to write a value."""

    takes_null = False
    """Whether nothing is a value here and not the same as a key that is left out."""

    @abstractmethod
    def read(self, written: Written, reading: Reading) -> object:
        """The value, or `REFUSED` after saying why."""

    @abstractmethod
    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """JSON Schema of what may be written; adds to the definitions what it refers to."""


@dataclass(frozen=True, slots=True)
class TextForm(Form):
    """Text, taken as written: `0123` and `yes` too."""

    takes_null = False
    min_length: int = 0
    limit: str | None = None
    """Name of the project's limit on its length."""
    rule: Rule | None = None
    environment: bool = False
    """May hold `${NAME}`."""
    secret: bool = False
    """Is only ever written as `${NAME}`."""
    max_length: int | None = None

    def read(self, written: Written, reading: Reading) -> str | Refused:
        """The text."""
        text = written.text
        if text is None:
            return reading.error(written.at, f"text is wanted here, not {shown(written)}{colon_hint(written)}")
        if len(text.strip()) < self.min_length:
            return reading.error(written.at, "text is wanted here, and nothing is written")
        most: int | None = getattr(reading.limits, self.limit) if self.limit else None
        if most is not None and len(text) > most:
            return reading.error(
                written.at, f"this text has {len(text)} characters; the limit `{self.limit}` is {most}"
            )
        if self.max_length is not None and len(text) > self.max_length:
            message = f"this text has {len(text):,} characters; at most {self.max_length:,} can be here, so shorten it"
            return reading.error(written.at, message)
        wrong = self.rule(text) if self.rule else None
        if wrong:
            return reading.error(written.at, wrong)
        if self.environment:
            reading.wants_environment(written.at, text, secret=self.secret)
        return reading.text_once(text)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Any scalar: what is no text to YAML is taken as written."""
        bounds: dict[str, Json] = {"minLength": self.min_length} if self.min_length else {}
        if self.max_length is not None:
            bounds["maxLength"] = self.max_length
        return {"type": ["string", "number", "boolean"], **bounds}


@dataclass(frozen=True, slots=True)
class NumberForm(Form):
    """A number within bounds."""

    whole: bool = False
    least: float | None = None
    more_than: float | None = None
    most: float | None = None

    def read(self, written: Written, reading: Reading) -> int | float | Refused:
        """The number."""
        value, what = written.value, "a whole number" if self.whole else "a number"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            quoted = " (write it without quotes)" if isinstance(value, str) and _NUMBER.fullmatch(value) else ""
            return reading.error(written.at, f"{what} is wanted here, not {shown(written)}{quoted}")
        if self.whole and value != int(value):
            return reading.error(written.at, f"{what} is wanted here, not {shown(written)}")
        if (bounds := self._broken(value)) is not None:
            return reading.error(written.at, f"{shown(written)} is out of bounds: {bounds}")
        return int(value) if self.whole else float(value)

    def _broken(self, value: float) -> str | None:
        if self.least is not None and value < self.least:
            return f"at least {self.least:g}"
        if self.more_than is not None and value <= self.more_than:
            return f"more than {self.more_than:g}"
        return f"at most {self.most:g}" if self.most is not None and value > self.most else None

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """A number with its bounds."""
        bounds = {"minimum": self.least, "exclusiveMinimum": self.more_than, "maximum": self.most}
        kind = "integer" if self.whole else "number"
        return {"type": kind, **{key: bound for key, bound in bounds.items() if bound is not None}}


_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class FlagForm(Form):
    """`true` or `false`."""

    only_true: bool = False

    def read(self, written: Written, reading: Reading) -> bool | Refused:
        """The flag."""
        if self.only_true and written.value is not True:
            return reading.error(written.at, f"only `true` can be written here, not {shown(written)}")
        if not isinstance(written.value, bool):
            hint = " (in YAML 1.2 only true and false are)" if written.text in {"yes", "no", "on", "off"} else ""
            return reading.error(written.at, f"true or false is wanted here, not {shown(written)}{hint}")
        return written.value

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """A boolean."""
        return {"const": True} if self.only_true else {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class ChoiceForm(Form):
    """One of some words."""

    choices: Mapping[str, object]
    """What may be written, and what it means."""
    later: frozenset[str] = frozenset()
    """What a later version will take."""

    def read(self, written: Written, reading: Reading) -> object:
        """What the word means."""
        text = written.text or ""
        if text in self.choices:
            return self.choices[text]
        if text in self.later:
            return reading.error(written.at, f"`{text}` is not supported by this version of Greenroom")
        hint = did_you_mean(text, self.choices)
        allowed = (
            f"one of {', '.join(self.choices)} is" if len(self.choices) > 1 else f"`{next(iter(self.choices))}` is"
        )
        return reading.error(written.at, f"{allowed} wanted here, not {shown(written)}{hint}")

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An enumeration."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True, slots=True)
class MomentForm(Form):
    """A date and time; without an offset it stays as it is, until it is known whose clock is meant."""

    def read(self, written: Written, reading: Reading) -> datetime | Refused:
        """The moment."""
        try:
            moment = datetime.fromisoformat(written.text or "")
        except ValueError:
            example = "2026-06-06T14:00 or 2026-06-06T14:00:00-05:00"
            return reading.error(written.at, f"a date and time is wanted here, such as {example}, not {shown(written)}")
        return moment if within_reach(moment) else reading.error(written.at, f"{shown(written)} {OUT_OF_REACH}")

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text."""
        return {"type": "string"}


_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd])")
_LONGEST = 36_500 * 86_400.0
"""A hundred years. Moments that lie further from today than calendars reach would break whoever counts with them."""
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, slots=True)
class DurationForm(Form):
    """A length of time: a number and its unit."""

    def read(self, written: Written, reading: Reading) -> float | Refused:
        """The seconds."""
        found = _DURATION.fullmatch((written.text or "").strip())
        seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
        if seconds <= 0:
            example = "such as 24h, 30m, 90s or 2d"
            return reading.error(written.at, f"a length of time is wanted here, {example}, not {shown(written)}")
        if seconds > _LONGEST:
            return reading.error(written.at, f"a length of time is at most 36500d, not {shown(written)}")
        return seconds

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text of that form."""
        return {"type": "string", "pattern": f"^{_DURATION.pattern}$"}


@dataclass(frozen=True, slots=True)
class JsonForm(Form):
    """Any JSON value, as data."""

    takes_null = True

    def read(self, written: Written, reading: Reading) -> Json | Refused:
        """The value without its places."""
        before = len(reading.findings)
        value = self._plain(written, reading)
        return REFUSED if any(found.severity == "error" for found in reading.findings[before:]) else value

    def _plain(self, written: Written, reading: Reading) -> Json:
        value = written.value
        if isinstance(value, YamlMap):
            return {key: self._plain(item, reading) for key, _, item in value.entries()}
        if isinstance(value, YamlList):
            return [self._plain(item, reading) for item in value.entries()]
        if isinstance(value, float) and not isfinite(value):
            reading.error(written.at, f"{written.source} is no JSON value; quote it if it is text")
        elif written.source is not None and _LEADING_ZERO.fullmatch(written.source):
            reading.warn(written.at, f"{written.source} is the number {value} here; quote it if it is text")
        return value

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Anything."""
        return {}


_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")


@dataclass(frozen=True, slots=True)
class ListForm(Form):
    """A list; a single value may stand for a list of one when `single` says so."""

    item: Form
    least: int = 0
    single: bool = False
    most: int | None = None

    def read(self, written: Written, reading: Reading) -> tuple[object, ...] | Refused:
        """The items."""
        value = written.value
        if not isinstance(value, YamlList):
            if self.single and value is not None:
                item = self.item.read(written, reading)
                return REFUSED if item is REFUSED else (item,)
            return reading.error(written.at, f"a list is wanted here, not {shown(written)}")
        if len(value) < self.least:
            return reading.error(written.at, "this list is empty; write at least one entry")
        if self.most is not None and len(value) > self.most:
            return reading.error(value.marks[self.most], _too_many(len(value), self.most))
        items = [self.item.read(item, reading) for item in value.entries()]
        return REFUSED if REFUSED in items else tuple(items)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An array, or one item."""
        item = self.item.schema(definitions)
        array: dict[str, Json] = {"type": "array", "items": item, **({"minItems": self.least} if self.least else {})}
        if self.most is not None:
            array["maxItems"] = self.most
        return {"anyOf": [array, item]} if self.single else array


def _too_many(count: int, most: int) -> str:
    return f"there are {count:,} entries; at most {most:,} can be here, so leave out those from this one on"


@dataclass(frozen=True, slots=True)
class MapForm(Form):
    """A mapping whose keys are the writer's own."""

    item: Form
    rule: Rule | None = None
    least: int = 0
    most: int | None = None
    conditions: bool = False
    """It says whom something is for."""

    def read(self, written: Written, reading: Reading) -> dict[str, object] | Refused:
        """The entries, in the order in which they are written."""
        items, fine = self.each(written, reading, self.item.read)
        return REFUSED if items is None or not fine or any(one is REFUSED for one in items.values()) else items

    def each(
        self, written: Written, reading: Reading, read: Callable[[Written, Reading], T]
    ) -> tuple[dict[str, T] | None, bool]:
        """What each entry is read as, and whether nothing is wrong with the mapping itself; None: it is none."""
        if not isinstance(written.value, YamlMap):
            wanted = "a mapping" if not self.conditions else "a mapping of conditions such as {status: lead}"
            by_name = "; the conditions of a segment are written out" if self.conditions and written.text else ""
            reading.error(written.at, f"{wanted} is wanted here, not {shown(written)}{by_name}")
            return None, False
        if len(written.value) < self.least:
            reading.error(written.at, "this mapping is empty; write at least one entry")
            return None, False
        fine = self.keys_fit(written.value, reading)
        if self.most is not None and len(written.value) > self.most:
            reading.error(written.value.marks[2 * self.most], _too_many(len(written.value), self.most))
            return None, False
        # What is missing in an entry is told at its name.
        items = {
            key: read(item._replace(at=at) if isinstance(item.value, YamlMap) else item, reading)
            for key, at, item in written.value.entries()
        }
        return items, fine

    def keys_fit(self, mapping: YamlMap, reading: Reading) -> bool:
        """Whether every key follows the rule, and no two differ only in case; says so when not."""
        fine, seen = True, dict[str, str]()
        for key, at, _ in mapping.entries():
            wrong = self.rule(key) if self.rule else None
            twin = seen.setdefault(" ".join(key.split()).casefold(), key)
            if wrong is None and twin != key:
                wrong = f"{key!r} and {twin!r} differ only in case or spaces; names are compared without them"
            if wrong:
                fine = False
                reading.error(at, wrong)
        return fine

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with free keys."""
        bounds: dict[str, Json] = {"minProperties": self.least} if self.least else {}
        if self.most is not None:
            bounds["maxProperties"] = self.most
        names: dict[str, Json] = {"propertyNames": {"pattern": _ID.pattern}} if self.rule is id_rule else {}
        return {"type": "object", "additionalProperties": self.item.schema(definitions), **names, **bounds}


_ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_TOOL_NAME = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


def id_rule(text: str) -> str | None:
    """Ids are lower-case words joined by hyphens."""
    if _ID.fullmatch(text):
        return None
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one))
    better = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    hint = f"; write {better!r}" if better else ""
    return f"the id {text!r} is not lower-case words joined by hyphens{hint}"


def name_rule(text: str) -> str | None:
    """A name is one line of text."""
    return None if text.strip() and text.isprintable() else f"the name {text!r} is not one line of text"


def channel_rule(text: str) -> str | None:
    """A key of an agent's `channels`; `phone` serves calls in and out."""
    keys = list(dict.fromkeys(abilities.config for abilities in ABILITIES.values()))
    return (
        None if text in keys else f"there is no channel {text!r}{did_you_mean(text, keys)}; keys are {', '.join(keys)}"
    )


def tool_name_rule(text: str) -> str | None:
    """A tool's name goes to the model's provider."""
    if _TOOL_NAME.fullmatch(text):
        return None
    better = re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")[:64]
    hint = f"; write {better!r}" if better else ""
    return f"the tool name {text!r} has other signs than letters, digits, `_` and `-`, or more than 64{hint}"
