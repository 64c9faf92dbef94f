"""How cases and what they expect are written: script lines, taps, history, the person, checks in their short forms."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from greenroom.conversation.appointments import AppointmentStatus
from greenroom.conversation.events import TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Shape
from greenroom.conversation.moments import moment_of
from greenroom.documents.checks import CHECKS, AppointmentIs, Called, Reply
from greenroom.documents.data_templates import TEMPLATE
from greenroom.documents.descriptions import described_field, described_model
from greenroom.documents.forms import ChoiceForm, Definitions, Form, NumberForm, TextForm
from greenroom.documents.line_forms import Line, line_of, line_schema, line_text, template_schema
from greenroom.documents.matcher_forms import MATCHER_WORD_SCHEMAS, MatcherForm
from greenroom.documents.matchers import MATCHER_WORDS
from greenroom.documents.model_forms import ModelForm
from greenroom.documents.parts import Doc
from greenroom.documents.reading import REFUSED, Reading, Refused, colon_hint, key_at, shown
from greenroom.documents.suite import GivenAgent, GivenPerson, Say, TapLine
from greenroom.documents.unsupported import not_supported
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.nearest import did_you_mean

__all__ = [
    "ExpectationForm",
    "HistoryForm",
    "PersonForm",
    "ReplyForm",
    "ScriptLineForm",
    "appointment_fits",
    "budget_fits",
    "counts_fit",
]


def _keys(mapping: Written) -> tuple[str, ...]:
    return tuple(mapping.value) if isinstance(mapping.value, YamlMap) else ()


def _only(mapping: Written, allowed: tuple[str, ...], reading: Reading) -> bool:
    """Whether a mapping has no other keys; says so when it has."""
    wrong = [key for key in _keys(mapping) if key not in allowed]
    for key in wrong:
        hint = did_you_mean(key, allowed) or f"; keys are {', '.join(allowed)}"
        reading.error(key_at(mapping, key), f"unknown key {key!r}{hint}")
    return not wrong


@dataclass(frozen=True, slots=True)
class ExpectationForm(Form):
    """One entry of `expect`: a mapping whose one key is the check's word."""

    words: Mapping[str, Form]

    def read(self, written: Written, reading: Reading) -> object:
        """The check or criterion."""
        if not isinstance(written.value, YamlMap):
            return reading.error(
                written.at,
                f"an entry of `expect` is a check's word with its value, such as `judge: {written.text or '…'}`, "
                f"not {shown(written)}",
            )
        if len(written.value) != 1:
            several = ", ".join(f"`{word}`" for word in written.value) or "none"
            return reading.error(written.at, f"an entry of `expect` has one key, not {several}; begin each with `- `")
        ((word, at, value),) = written.value.entries()
        if word not in self.words:
            later = not_supported("Expectation", word)
            hint = did_you_mean(word, self.words) or f"; checks are {', '.join(self.words)}"
            return reading.error(at, later or f"there is no check {word!r}{hint}")
        return self.words[word].read(value, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with one of the words."""
        meanings: dict[str, dict[str, Json]] = {check.word: {"description": described_model(check)} for check in CHECKS}
        definitions["Expectation"] = {
            "type": "object",
            "description": "A check or a criterion: one word and its value.",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": False,
            "properties": {word: form.schema(definitions) | meanings[word] for word, form in self.words.items()},
        }
        return {"$ref": "#/$defs/Expectation"}


_REPLY_KEYS = (*sorted(MATCHER_WORDS), "shape", "turn")
_SHAPE = ChoiceForm({shape.value: shape for shape in Shape})
_WHICH_TURN = ChoiceForm({word: word for word in ("last", "any", "all")})
_TURN_NUMBER = NumberForm(whole=True, least=0)
_TEXT_MATCHER = MatcherForm(text=True)


def _reply(values: dict[str, object], reading: Reading) -> Reply:
    return Reply.model_construct(_fields_set=reading.names_once(values), **values)


@dataclass(frozen=True, slots=True)
class ReplyForm(Form):
    """`reply: text` or `reply: {contains | regex | equals | …, shape, turn}`."""

    def read(self, written: Written, reading: Reading) -> Reply | Refused:
        """The check."""
        mapping = written.value
        if not isinstance(mapping, YamlMap):
            text = _TEXT_MATCHER.read(written, reading)
            return REFUSED if isinstance(text, Refused) else _reply({"text": text}, reading)
        if not _only(written, _REPLY_KEYS, reading):
            return REFUSED
        words = YamlMap()
        for key, at, value in mapping.entries():
            if key not in {"shape", "turn"}:
                words.add(key, at, value)
        if not words and "shape" not in mapping:
            return reading.error(written.at, "`reply` wants `contains`, `regex`, `equals` or `shape`")
        values: dict[str, object] = {}
        if words:
            values["text"] = _TEXT_MATCHER.read(Written(words, written.at), reading)
        if "turn" in mapping:
            values["turn"] = self._turn(mapping.entry("turn"), reading)
        if "shape" in mapping:
            name, shape = self._shape(mapping.entry("shape"), reading)
            values[name] = shape
        return REFUSED if REFUSED in values.values() else _reply(values, reading)

    @staticmethod
    def _turn(written: Written, reading: Reading) -> object:
        number = isinstance(written.value, int) and not isinstance(written.value, bool)
        return (_TURN_NUMBER if number else _WHICH_TURN).read(written, reading)

    @staticmethod
    def _shape(written: Written, reading: Reading) -> tuple[str, object]:
        if _keys(written) == ("not",) and isinstance(written.value, YamlMap):
            return "not_shape", _SHAPE.read(written.value.entry("not"), reading)
        return "shape", _SHAPE.read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, or an object."""
        shape = _SHAPE.schema(definitions)
        negated: dict[str, Json] = {
            "type": "object",
            "required": ["not"],
            "additionalProperties": False,
            "properties": {"not": shape | {"description": described_field(Reply, "not_shape")}},
        }
        meanings: dict[str, dict[str, Json]] = {
            key: {"description": described_field(Reply, key)} for key in ("shape", "turn")
        }
        return {
            "anyOf": [
                TextForm().schema(definitions),
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {
                        **MATCHER_WORD_SCHEMAS,
                        "shape": {"anyOf": [shape, negated]} | meanings["shape"],
                        "turn": {"anyOf": [_WHICH_TURN.schema(definitions), _TURN_NUMBER.schema(definitions)]}
                        | meanings["turn"],
                    },
                },
            ]
        }


def budget_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """`max` says of at least one thing how much of it is allowed."""
    if any(value is not None for _, value in model):
        return True
    reading.error(written.at, f"`max` says how much of what: {', '.join(type(model).model_fields)}")
    return False


def counts_fit(model: Doc, written: Written, reading: Reading) -> bool:
    """`exactly` excludes the other two, and no more can be wanted than allowed."""
    keys = _keys(written)
    if "exactly" in keys and ("at_least" in keys or "at_most" in keys):
        reading.error(key_at(written, "exactly"), "`exactly` stands alone, without `at_least` and `at_most`")
        return False
    if isinstance(model, Called) and model.at_most is not None and model.at_most < model.least:
        hint = "" if "at_least" in keys else "; `at_least` is 1 unless it is written, and `not_called` forbids a call"
        message = f"`at_most` {model.at_most} is less than `at_least` {model.least}{hint}"
        reading.error(key_at(written, "at_most"), message)
        return False
    return True


def appointment_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """A status that an appointment can have, and counts that can hold."""
    if (
        isinstance(model, AppointmentIs)
        and isinstance(model.status, str)
        and model.status not in set(AppointmentStatus)
    ):
        at = written.walk(["status"]).at if isinstance(written.value, YamlMap) else written.at
        statuses = [status.value for status in AppointmentStatus]
        hint = did_you_mean(model.status, statuses) or f"; it is {' or '.join(statuses)}"
        reading.error(at, f"no appointment is {model.status!r}{hint}")
        return False
    return counts_fit(model, written, reading)


_TAP_KEYS = (*(kind.value for kind in TapKind), "card", "otherwise")


@dataclass(frozen=True, slots=True)
class ScriptLineForm(Form):
    """A line that is said, as text or `{say, expect}`, or a tap with its fallback."""

    say: ModelForm
    tap: ModelForm
    expectations: Form

    def read(self, written: Written, reading: Reading) -> Say | TapLine | Refused:
        """The line."""
        if "tap" in _keys(written):
            return self._tap(written, reading)
        if not isinstance(written.value, YamlMap):
            return self._said(Line(written, {}), reading)
        if TEMPLATE in written.value and "say" not in written.value:
            return self._said(Line(_renamed(written.value, TEMPLATE, "say", written.at), _AS_TEMPLATE), reading)
        if "say" not in written.value:
            meant = did_you_mean(next(iter(written.value), ""), ("say", TEMPLATE, "tap")) or colon_hint(written)
            return reading.error(written.at, f"a script line is text, `say: …`, `template: …` or `tap: …`{meant}")
        return self._said(line_of(written, "say", reading), reading)

    def _said(self, line: Line | None, reading: Reading) -> Say | Refused:
        said = REFUSED if line is None else self.say.read_with(line.written, reading, line.given)
        return said if isinstance(said, Say) else REFUSED

    def _tap(self, written: Written, reading: Reading) -> TapLine | Refused:
        if not isinstance(written.value, YamlMap) or not _only(written, ("tap", "expect"), reading):
            return REFUSED
        tap, values = written.value.entry("tap"), dict[str, object]()
        if not isinstance(tap.value, YamlMap):
            example = "{chip: North, otherwise: the north one}"
            return reading.error(tap.at, f"`tap` is a mapping, such as {example}, not {shown(tap)}")
        kinds = [kind for kind in TapKind if kind in tap.value]
        fine = _only(tap, _TAP_KEYS, reading)
        if len(kinds) != 1:
            reading.error(tap.at, "`tap` names one thing to tap: chip, option, slot or confirm")
            fine = False
        if "otherwise" not in tap.value:
            reading.error(tap.at, "`otherwise` is missing: what the person says when the thing to tap is not there")
            fine = False
        if fine and kinds[0] is TapKind.SLOT:
            fine = _is_slot(tap.value.entry(kinds[0].value), reading)
        if not fine:
            return REFUSED
        flat = YamlMap()
        flat.add("tapped", tap.at, Written(kinds[0].value, tap.at))
        flat.add("target", *_entry(tap.value, kinds[0].value))
        if "card" in tap.value:
            flat.add("card", *_entry(tap.value, "card"))
        otherwise = line_text(tap.value.entry("otherwise"), reading)
        if otherwise is None:
            return REFUSED
        flat.add("otherwise", tap.value.key_at("otherwise"), otherwise.written)
        values |= otherwise.given
        if "expect" in written.value:
            values["expect"] = self.expectations.read(written.value.entry("expect"), reading)
        line = self.tap.read_with(Written(flat, tap.at), reading, values)
        return line if isinstance(line, TapLine) and REFUSED not in values.values() else REFUSED

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text or an object."""
        text = TextForm(min_length=1).schema(definitions)
        kinds: dict[str, dict[str, Json]] = dict.fromkeys(_TAP_KEYS, text)
        kinds["otherwise"] = {"anyOf": [text, template_schema()]}
        definitions["Tap"] = {
            "type": "object",
            "required": ["otherwise"],
            "additionalProperties": False,
            "description": described_model(TapLine),
            "properties": {key: kinds[key] | {"description": meaning} for key, meaning in _tap_meanings().items()},
            "oneOf": [{"required": [kind.value]} for kind in TapKind],
        }
        tap: dict[str, Json] = {
            "type": "object",
            "required": ["tap"],
            "additionalProperties": False,
            "properties": {
                "tap": {"$ref": "#/$defs/Tap", "description": described_model(TapLine)},
                "expect": self.expectations.schema(definitions) | {"description": described_field(TapLine, "expect")},
            },
        }
        said = cast("list[Json]", line_schema(self.say, "say", definitions)["anyOf"])
        expect: dict[str, Json] = self.expectations.schema(definitions) | {
            "description": described_field(Say, "expect")
        }
        template = template_schema()
        template["properties"] = {**cast("Mapping[str, Json]", template["properties"]), "expect": expect}
        return {"anyOf": [*said, template, tap]}


_LOOKS_LIKE_A_TIME = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[T ][\d:.+-]*Z?)?", re.ASCII)


def _is_slot(written: Written, reading: Reading) -> bool:
    """Whether what is tapped can be a slot: a label may be any text, but not one that looks like a time and is none."""
    text = (written.text or "").strip()
    if not _LOOKS_LIKE_A_TIME.fullmatch(text) or moment_of(text) is not None:
        return True
    message = f"there is no time {text!r}; a slot is its start such as 2026-06-06T14:00, its label, or `first`"
    return reading.error(written.at, message) is not REFUSED


def _tap_meanings() -> dict[str, str]:
    return {
        "chip": "The label of a chip.",
        "option": "The label of one of the options.",
        "slot": "The start of a time of the time picker, its label, or `first`.",
        "confirm": "The label of a confirmation, or `yes` or `no`.",
        "card": described_field(TapLine, "card"),
        "otherwise": described_field(TapLine, "otherwise"),
    }


_AS_TEMPLATE: Mapping[str, object] = {"is_template": True}


def _renamed(mapping: YamlMap, old: str, new: str, at: int) -> Written:
    """The mapping with one key called otherwise."""
    renamed = YamlMap()
    for key, key_at_, value in mapping.entries():
        renamed.add(new if key == old else key, key_at_, value)
    return Written(renamed, at)


def _entry(mapping: YamlMap, key: str) -> tuple[int, Written]:
    return mapping.key_at(key), mapping.entry(key)


@dataclass(frozen=True, slots=True)
class HistoryForm(Form):
    """One step of `history`: `person: …` or `agent: …`."""

    person: ModelForm
    agent: ModelForm

    def read(self, written: Written, reading: Reading) -> GivenPerson | GivenAgent | Refused:
        """The step."""
        keys = _keys(written)
        if keys not in {("person",), ("agent",)}:
            return reading.error(written.at, f"a step of `history` is `person: …` or `agent: …`, not {shown(written)}")
        line = line_of(written, keys[0], reading)
        form = self.person if keys == ("person",) else self.agent
        step = REFUSED if line is None else form.read_with(line.written, reading, line.given)
        return step if isinstance(step, (GivenPerson, GivenAgent)) else REFUSED

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with one key."""
        person = line_schema(self.person, "person", definitions)
        return {"anyOf": [person, line_schema(self.agent, "agent", definitions)]}


_VISITOR = "visitor"


@dataclass(frozen=True, slots=True)
class PersonForm(Form):
    """`visitor`, or what is known of the person."""

    start: ModelForm

    def read(self, written: Written, reading: Reading) -> object:
        """The person a case starts with."""
        if written.text == _VISITOR:
            return _VISITOR
        if written.text is not None:
            return reading.error(
                written.at,
                f"`person` is `visitor` or a mapping with {', '.join(self.start.fields)}, not {shown(written)}",
            )
        return self.start.read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """The word, or an object."""
        return {"anyOf": [{"const": _VISITOR}, self.start.schema(definitions)]}
