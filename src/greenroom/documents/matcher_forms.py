"""How matchers are written and what is wrong with one (features.md H7, C12); deciding is the world's."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import OUT_OF_REACH, moment_of, within_reach
from greenroom.documents.forms import Definitions, Form, JsonForm
from greenroom.documents.matchers import DATE, MATCHER_WORDS
from greenroom.documents.reading import REFUSED, Reading, Refused, shown
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean, nearest

__all__ = ["JSON_TYPES", "MATCHER_WORD_SCHEMAS", "MatcherForm"]

JSON_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null", "mapping", "list")
"""What `{type: …}` may name."""

_DATA = JsonForm()


@dataclass(frozen=True, slots=True)
class MatcherForm(Form):
    """A plain value that must be equal, or a mapping of matcher words that must all hold."""

    takes_null = True
    text: bool = False
    """In a place of text: scalars are taken as written."""
    parameters: bool = False
    """In a required call's parameters."""
    moments: bool = False
    """In the place of a date and time."""

    def read(self, written: Written, reading: Reading) -> Json | Refused:
        """The matcher, as data."""
        if not isinstance(written.value, YamlMap) or not written.value:
            return self._plain(written, reading)
        if all(word in MATCHER_WORDS for word in written.value):
            return self._words(written, written.value, reading)
        self._look_at(written.value, written.at, reading)
        return self._plain(written, reading)

    def _plain(self, written: Written, reading: Reading) -> Json | Refused:
        if written.text == "any" and not self.text:
            reading.warn(
                written.at, "`any` is the text 'any' here; write {any: true} for any value, {equals: any} for it"
            )
        if self.text and written.text is not None and written.value is not None:
            return written.text
        if self.moments and written.value is not None and not _is_moment(written, reading):
            return REFUSED
        return _DATA.read(written, reading)

    @staticmethod
    def _look_at(mapping: YamlMap, at: int, reading: Reading) -> None:
        """Warn of a plain mapping that looks like a matcher."""
        words = [word for word in mapping if word in MATCHER_WORDS]
        others = [word for word in mapping if word not in MATCHER_WORDS]
        if words:
            reading.warn(
                at,
                f"this is compared as plain data, since {others[0]!r} is no matcher word although {words[0]!r} is one; "
                "write {equals: …} around it if that is meant",
            )
        elif len(others) == 1 and nearest(others[0], MATCHER_WORDS) is not None:
            reading.warn(
                at,
                f"this is compared as plain data: {others[0]!r} is no matcher word"
                f"{did_you_mean(others[0], MATCHER_WORDS)}",
            )

    def _words(self, written: Written, mapping: YamlMap, reading: Reading) -> Json | Refused:
        if "within" in mapping and "number" not in mapping:
            return reading.error(written.at, "`within` stands beside `number`: {number: 25, within: 0.01}")
        values = {word: self._word(word, value, reading) for word, _, value in mapping.entries()}
        read = {word: value for word, value in values.items() if not isinstance(value, Refused)}
        return read if len(read) == len(values) else REFUSED

    def _word(self, word: str, value: Written, reading: Reading) -> Json | Refused:
        if word == "regex":
            return self._regex(value, reading)
        if word in {"number", "within"}:
            return _number(word, value, reading)
        if word in {"at_least", "at_most"}:
            bound = _bound(word, value, reading)
            return self._plain(value, reading) if self.moments and bound is not REFUSED else bound
        if word == "one_of":
            return self._one_of(value, reading)
        if word == "type":
            if value.text in JSON_TYPES:
                return value.text
            hint = did_you_mean(value.text or "", JSON_TYPES)
            return reading.error(value.at, f"`type` is one of {', '.join(JSON_TYPES)}, not {shown(value)}{hint}")
        if word in {"present", "absent", "any"}:
            return _flag(word, value, reading)
        if self.text and value.text is not None:
            return value.text
        if word == "equals":
            return self._plain(value, reading) if self.moments else _DATA.read(value, reading)
        return _DATA.read(value, reading) if word == "contains" and self.moments else self.read(value, reading)

    def _regex(self, value: Written, reading: Reading) -> Json | Refused:
        if value.text is None:
            return reading.error(value.at, f"`regex` is text, not {shown(value)}")
        refused = reading.pattern_refusal(value.text, parameters=self.parameters)
        if refused is not None:
            return reading.error(value.at, refused)
        if reading.fits_everything(value.text):
            reading.warn(value.at, f"the regular expression {value.text!r} fits every text, so it proves nothing")
        return value.text

    def _one_of(self, value: Written, reading: Reading) -> Json | Refused:
        if not isinstance(value.value, YamlList) or not value.value:
            return reading.error(value.at, f"`one_of` is a list with at least one value, not {shown(value)}")
        items = [self.read(item, reading) for item in value.value.entries()]
        read = [item for item in items if not isinstance(item, Refused)]
        return read if len(read) == len(items) else REFUSED

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """A mapping of matcher words only, or any other value."""
        definitions["Matcher"] = {
            "description": "A plain value that must be equal, or a mapping of matcher words that must all hold.",
            "if": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"enum": sorted(MATCHER_WORDS)},
            },
            "then": {"properties": dict(MATCHER_WORD_SCHEMAS)},
        }
        return {"$ref": "#/$defs/Matcher"}


def _is_moment(written: Written, reading: Reading) -> bool:
    """Whether a date and time is written, or a date; says so when not."""
    text = written.text or ""
    moment = moment_of(text) if DATE.match(text) else None
    if moment is None:
        message = f"a date and time is wanted here, such as 2026-06-06T14:00, or a date, not {shown(written)}"
        return reading.error(written.at, message) is not REFUSED
    return within_reach(moment) or reading.error(written.at, f"{shown(written)} {OUT_OF_REACH}") is not REFUSED


def _number(word: str, value: Written, reading: Reading) -> Json | Refused:
    number = value.value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return reading.error(value.at, f"`{word}` is a number, not {shown(value)}")
    if word == "within" and number < 0:
        return reading.error(value.at, f"`within` is 0 or more, not {shown(value)}")
    return number


def _bound(word: str, value: Written, reading: Reading) -> Json | Refused:
    if value.text is not None and DATE.match(value.text):
        return value.text
    if isinstance(value.value, bool) or not isinstance(value.value, (int, float)):
        return reading.error(value.at, f"`{word}` is a number or a date such as 2026-06-06, not {shown(value)}")
    return value.value


def _flag(word: str, value: Written, reading: Reading) -> Json | Refused:
    if value.value is True or (value.value is False and word != "any"):
        return value.value
    wanted = "true" if word == "any" else "true or false"
    return reading.error(value.at, f"`{word}` is {wanted}, not {shown(value)}")


MATCHER_WORD_SCHEMAS: Mapping[str, Json] = MappingProxyType({
    "equals": {"description": "The value is equal; numbers by value. Also for data that looks like a matcher."},
    "contains": {"description": "A text contains this text, or a list has an entry that matches."},
    "regex": {
        "description": "A text has a place that fits this regular expression, in JavaScript's dialect.",
        "type": ["string", "number", "boolean"],
        "minLength": 1,
    },
    "one_of": {"description": "One of these matches.", "type": "array", "minItems": 1},
    "number": {"description": "The value is this number.", "type": "number"},
    "within": {"description": "Beside `number`: how far off it may be.", "type": "number", "minimum": 0},
    "at_least": {"description": "The value is this number or date, or more.", "type": ["number", "string"]},
    "at_most": {"description": "The value is this number or date, or less.", "type": ["number", "string"]},
    "type": {"description": "The value has this type.", "enum": list(JSON_TYPES)},
    "present": {"description": "There is a value, `null` included; `false`: there is none.", "type": "boolean"},
    "absent": {"description": "There is no value; `false`: there is one.", "type": "boolean"},
    "any": {"description": "There is a value other than `null`.", "const": True},
    "not": {"description": "This doesn't match; a value that isn't there matches nothing."},
})
"""What stands under each matcher word, and what it means."""
