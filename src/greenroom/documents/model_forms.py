"""The forms of documents, made once from the annotations of their models.

Fields, bounds, defaults and marks stand in the models only.
What no annotation can say (a short form of its own, a rule between two keys) is handed in: forms by annotation,
checks by model.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Literal, NamedTuple, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo

from greenroom.conversation.addresses import address_fault, mailbox_fault
from greenroom.conversation.json_values import Json
from greenroom.documents.descriptions import described_field, described_model
from greenroom.documents.forms import (
    ChoiceForm,
    Definitions,
    FlagForm,
    Form,
    JsonForm,
    ListForm,
    MapForm,
    MomentForm,
    NumberForm,
    Rule,
    TextForm,
    channel_rule,
    id_rule,
    name_rule,
    tool_name_rule,
)
from greenroom.documents.parts import Doc, Limited, Meant, Unread, partly_read
from greenroom.documents.reading import REFUSED, Reading, Refused, shown
from greenroom.documents.smtp_urls import smtp_fault
from greenroom.documents.unsupported import LATER, not_supported
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.nearest import nearest

__all__ = ["Check", "Forms", "ModelForm", "Partly", "value_of"]

Check = Callable[[Doc, Written, Reading], bool]
"""A rule between the keys of one model; says what is wrong and gives back whether all is well."""


class Partly(NamedTuple):
    """A document as far as it could be read."""

    doc: Doc | None
    """None: nothing of it."""
    fine: bool
    """Whether nothing is wrong with it."""


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Field:
    """One key of a model."""

    name: str
    """The attribute."""
    form: Form
    required: bool


def value_of(mapping: Written, key: str) -> Written:
    """The value of a key that may be missing."""
    if isinstance(mapping.value, YamlMap) and key in mapping.value:
        return mapping.value.entry(key)
    return Written(None, mapping.at)


@dataclass(frozen=True, slots=True)
class ModelForm(Form):
    """A mapping with known keys; a short form when the model has one."""

    model: type[Doc]
    fields: Mapping[str, _Field]
    """By the key that is written."""
    check: Check | None = None
    defaults: Mapping[str, object] = field(default_factory=dict[str, object])
    """Frozen values that all documents share, by attribute; pydantic would copy them for each."""

    def read(self, written: Written, reading: Reading) -> Doc | Refused:
        """The model."""
        return self.read_with(written, reading, {})

    def read_with(self, written: Written, reading: Reading, given: Mapping[str, object]) -> Doc | Refused:
        """The model, with the attributes that are not written."""
        doc, fine = self.read_partly(written, reading, given)
        return REFUSED if doc is None or not fine else doc

    def read_partly(self, written: Written, reading: Reading, given: Mapping[str, object] = _NOTHING) -> Partly:
        """The same, as far as it can be read; what is wrong stands in the reading."""
        mapping = self._as_mapping(written)
        if not isinstance(mapping.value, YamlMap):
            wanted = "a mapping is" if self.model.short is None else f"text or a mapping with `{self.model.short}` is"
            reading.error(written.at, f"{wanted} wanted here, not {shown(written)}; keys are {self._keys()}")
            return Partly(None, False)
        values: dict[str, object] = dict(given)
        unread, all_fine = frozenset[str](), True
        for key, at, value in mapping.value.entries():
            known = self.fields.get(key)
            if known is None:
                reading.error(at, self._unknown(key))
                all_fine = False
                unread |= self._meant_by(key, mapping.value)
            elif value.value is not None or known.form.takes_null or known.required:
                values[known.name], fine = self._read(known, value, reading)
                all_fine = all_fine and fine
                if values[known.name] is REFUSED:
                    unread |= {known.name}
        for key, known in self.fields.items():
            if known.required and key not in mapping.value:
                reading.error(written.at, f"`{key}` is missing")
                unread |= {known.name}
        if unread or not all_fine:
            return self._checked_partly(partly_read(self.model, values, unread), written, reading)
        # The forms have checked what pydantic would; validating again doubles the time of a large suite.
        model = self.model.model_construct(_fields_set=reading.names_once(values), **{**self.defaults, **values})
        return Partly(model, self.check is None or self.check(model, written, reading))

    def _read(self, known: _Field, written: Written, reading: Reading) -> tuple[object, bool]:
        """A key's value and whether nothing is wrong with it; of entries that are read each for itself, all of them."""
        form, entry = known.form, known.form.item if isinstance(known.form, MapForm) else None
        if known.name not in self.model.in_parts or not isinstance(form, MapForm) or not isinstance(entry, ModelForm):
            value = form.read(written, reading)
            return value, value is not REFUSED
        entries, fine = form.each(written, reading, entry.read_partly)
        if entries is None:
            return REFUSED, False
        nothing = partly_read(entry.model, {}, entry.model.model_fields)
        read = {name: nothing if one.doc is None else one.doc for name, one in entries.items()}
        return read, fine and all(one.fine for one in entries.values())

    def _meant_by(self, unknown: str, mapping: YamlMap) -> frozenset[str]:
        """What may be written under an unknown key: the attribute of the nearest one, else any that isn't written."""
        near = self._near(unknown)
        if near is not None:
            return frozenset({self.fields[near].name} if near not in mapping else ())
        return frozenset(known.name for key, known in self.fields.items() if key not in mapping)

    def _near(self, unknown: str) -> str | None:
        return self.model.by_other_words.get(unknown) or nearest(unknown, self.fields)

    def _checked_partly(self, doc: Doc, written: Written, reading: Reading) -> Partly:
        """The rules between keys, as far as these could be read."""
        if self.check is not None:
            with suppress(Unread):
                self.check(doc, written, reading)
        return Partly(doc, False)

    def _as_mapping(self, written: Written) -> Written:
        short = self.model.short
        if short is None or (isinstance(written.value, YamlMap) and not self.model.whole):
            return written
        mapping = YamlMap()
        mapping.add(short, written.at, written)
        return Written(mapping, written.at)

    def _keys(self) -> str:
        return ", ".join(self.fields)

    def _unknown(self, key: str) -> str:
        later = not_supported(self.model.__name__, key)
        if later is not None:
            return later
        near = self._near(key)
        if near is not None:
            return f"unknown key {key!r}; did you mean {near!r}?"
        under = self.model.others_under
        declared = f"; what the agent declares stands under `{under}`" if under else ""
        return f"unknown key {key!r}{declared}; keys are {self._keys()}"

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object, by reference."""
        name = self.model.__name__
        if name not in definitions:
            definitions[name] = {}
            properties: dict[str, Json] = {
                key: self._property(known, definitions) for key, known in self.fields.items()
            }
            required = [key for key, known in self.fields.items() if known.required]
            definitions[name] = {
                "type": "object",
                "description": described_model(self.model),
                "properties": properties,
                "required": required,
                "additionalProperties": False,
            }
        reference: dict[str, Json] = {"$ref": f"#/$defs/{name}"}
        if self.model.short is None:
            return reference
        short = self.fields[self.model.short].form.schema(definitions)
        return short if self.model.whole else {"anyOf": [short, reference]}

    def _property(self, known: _Field, definitions: Definitions) -> dict[str, Json]:
        """What a key takes, and what it means."""
        schema = known.form.schema(definitions)
        meaning: dict[str, Json] = {"description": described_field(self.model, known.name)}
        return (schema if known.required else _or_nothing(schema)) | meaning


_KEY_RULES: Mapping[object, Rule] = {
    Meant.ID: id_rule,
    Meant.NAME: name_rule,
    Meant.TOOL_NAME: tool_name_rule,
    Meant.CHANNEL: channel_rule,
}
_TEXT_RULES: Mapping[Meant, Rule] = {
    Meant.ID: id_rule,
    Meant.NAME: name_rule,
    Meant.ADDRESS: address_fault,
    Meant.MAILBOX: mailbox_fault,
    Meant.SMTP_URL: smtp_fault,
}


def _or_nothing(schema: dict[str, Json]) -> dict[str, Json]:
    """A key that may be left out may also be written without a value."""
    kind, choices = schema.get("type"), schema.get("enum")
    if isinstance(kind, str):
        return schema | {"type": [kind, "null"]}
    if isinstance(kind, list):
        return schema | {"type": [*kind, "null"]}
    if isinstance(choices, list):
        return schema | {"enum": [*choices, None]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema


class Forms:
    """Makes forms of annotations. Immutable once made; one stands behind all documents."""

    def __init__(
        self,
        special: Mapping[object, Form],
        checks: Mapping[type[Doc], Check],
        given: Mapping[type[Doc], frozenset[str]],
    ) -> None:
        self._special = special
        """Forms that no annotation can say, by the annotation they stand for."""
        self._checks = checks
        self._given = given
        """Attributes that the reader sets and nobody writes, by model."""

    def of_model(self, model: type[Doc]) -> ModelForm:
        """A model's own form."""
        given = self._given.get(model, frozenset())
        fields = {
            info.alias or name: _Field(name, self.of_field(info), info.is_required())
            for name, info in model.model_fields.items()
            if name not in given
        }
        defaults = {
            name: info.default
            for name, info in model.model_fields.items()
            if not info.is_required() and info.default_factory is None
        }
        return ModelForm(model, fields, self._checks.get(model), defaults)

    def of_field(self, info: FieldInfo) -> Form:
        """The form of one field."""
        return self._of(info.annotation, tuple(info.metadata))

    def _of(self, annotation: object, marks: Sequence[object] = ()) -> Form:
        if get_origin(annotation) is Annotated:
            inner, *more = get_args(annotation)
            return self._of(inner, (*marks, *more))
        if annotation in self._special:
            return self._special[annotation]
        meant = next((mark for mark in marks if isinstance(mark, Meant)), None)
        if meant in self._special:
            return self._special[meant]
        if annotation is str:
            return _text_form(meant, marks)
        if annotation is int or annotation is float:
            return _number_form(annotation is int, marks)
        if annotation in _LEAVES:
            return _LEAVES[annotation]
        return self._composed(annotation, marks)

    def _composed(self, annotation: object, marks: Sequence[object]) -> Form:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in {Union, UnionType}:
            (inner,) = [argument for argument in arguments if argument is not NoneType]
            return self._of(inner, marks)
        if origin is Literal:
            return FlagForm(only_true=True) if arguments == (True,) else ChoiceForm({word: word for word in arguments})
        if origin is tuple:
            return ListForm(self._of(arguments[0]), _least(marks), Meant.ONE_OR_MORE in marks, _most(marks))
        if origin is dict:
            _, *key_marks = get_args(arguments[0]) or (str,)
            rule = next((_KEY_RULES[mark] for mark in key_marks if mark in _KEY_RULES), None)
            conditions = Meant.CONDITIONS in marks
            return MapForm(self._of(arguments[1]), rule, _least(marks), _most(marks), conditions)
        if isinstance(annotation, type) and issubclass(annotation, StrEnum):
            later = LATER.get(annotation.__name__, frozenset[str]())
            return ChoiceForm({word.value: word for word in annotation}, later)
        if isinstance(annotation, type) and issubclass(annotation, Doc):
            return self.of_model(annotation)
        raise TypeError(f"no form is known for {annotation!r}")


_LEAVES: Mapping[object, Form] = {bool: FlagForm(), datetime: MomentForm(), Json: JsonForm()}


_BOUND_NAMES: Mapping[type, str] = {Ge: "ge", Gt: "gt", Le: "le", MinLen: "min_length", MaxLen: "max_length"}


def _bound(marks: Sequence[object], kind: type) -> float | None:
    found = next((mark for mark in marks if isinstance(mark, kind)), None)
    return None if found is None else cast("float", getattr(found, _BOUND_NAMES[kind]))


def _least(marks: Sequence[object]) -> int:
    return int(_bound(marks, MinLen) or 0)


def _most(marks: Sequence[object]) -> int | None:
    most = _bound(marks, MaxLen)
    return None if most is None else int(most)


def _text_form(meant: Meant | None, marks: Sequence[object]) -> TextForm:
    limit = next((mark.limit for mark in marks if isinstance(mark, Limited)), None)
    secret = meant is Meant.CREDENTIAL
    environment = secret or meant is Meant.FILLED_FROM_ENVIRONMENT
    rule = None if meant is None else _TEXT_RULES.get(meant)
    return TextForm(_least(marks), limit, rule, environment, secret, _most(marks))


def _number_form(whole: bool, marks: Sequence[object]) -> NumberForm:
    return NumberForm(whole, _bound(marks, Ge), _bound(marks, Gt), _bound(marks, Le))
