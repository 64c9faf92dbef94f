"""How the parts of an agent are written that have a syntax of their own, and the rules between a tool's keys."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.documents.agent import KnowledgeEntry, Thing, Tool
from greenroom.documents.descriptions import described_field, described_model
from greenroom.documents.forms import Definitions, Form, JsonForm, TextForm
from greenroom.documents.mocks import Fault, HttpFixture, OwnMock
from greenroom.documents.model_forms import ModelForm, value_of
from greenroom.documents.parts import Doc
from greenroom.documents.reading import REFUSED, Reading, Refused, key_at, shown
from greenroom.documents.text_files import text_of_file
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean

__all__ = [
    "KnowledgeForm",
    "MethodForm",
    "SchemaForm",
    "ThingForm",
    "fixture_fits",
    "mock_fits",
    "tool_fits",
]

_DATA = JsonForm()
_TEXT = TextForm()


@dataclass(frozen=True, slots=True)
class KnowledgeForm(Form):
    """Text, `{title, text}` or `{title, file}`; a file is read now, so that a revision holds what it said."""

    entry: ModelForm

    def read(self, written: Written, reading: Reading) -> Doc | Refused:
        """The entry, with the file's text in it."""
        mapping = written.value
        if not isinstance(mapping, YamlMap) or "file" not in mapping:
            if isinstance(mapping, YamlMap) and "text" not in mapping:
                return reading.error(written.at, "a piece of knowledge has `text` or `file`")
            return self.entry.read(written, reading)
        if "text" in mapping:
            return reading.error(mapping.key_at("file"), "a piece of knowledge has `text` or `file`, not both")
        named = mapping.entry("file")
        path = _TEXT.read(named, reading)
        text = REFUSED if isinstance(path, Refused) else text_of_file(path, named.at, reading)
        if isinstance(text, Refused):
            return REFUSED
        inner = YamlMap()
        for key, at, value in mapping.entries():
            inner.add(*(("text", at, Written(text, value.at)) if key == "file" else (key, at, value)))
        return self.entry.read(Written(inner, written.at), reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, or an object with text or a file."""
        text = _TEXT.schema(definitions)
        return {
            "anyOf": [
                text,
                {
                    "type": "object",
                    "description": described_model(KnowledgeEntry),
                    "additionalProperties": False,
                    "properties": {
                        "title": text | {"description": described_field(KnowledgeEntry, "title")},
                        "text": text | {"description": described_field(KnowledgeEntry, "text")},
                        "file": {
                            "type": "string",
                            "minLength": 1,
                            "description": "In place of `text`: a file to read it from; its path begins here.",
                        },
                    },
                    "oneOf": [{"required": ["text"]}, {"required": ["file"]}],
                },
            ]
        }


@dataclass(frozen=True, slots=True)
class ThingForm(Form):
    """A name and whatever else is worth saying."""

    def read(self, written: Written, reading: Reading) -> Thing | Refused:
        """The thing; every key but `name` is a detail."""
        if not isinstance(written.value, YamlMap):
            return reading.error(written.at, f"a mapping with `name` is wanted here, not {shown(written)}")
        if "name" not in written.value:
            return reading.error(written.at, "`name` is missing")
        name = TextForm(min_length=1).read(written.value.entry("name"), reading)
        details = {key: _DATA.read(value, reading) for key, _, value in written.value.entries() if key != "name"}
        if isinstance(name, Refused) or REFUSED in details.values():
            return REFUSED
        return Thing.model_construct(_fields_set={"name", "details"}, name=name, details=details)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with a name and free keys."""
        name = _TEXT.schema(definitions) | {"description": described_field(Thing, "name")}
        return {
            "type": "object",
            "description": described_model(Thing),
            "required": ["name"],
            "properties": {"name": name},
        }


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_ANY = "ANY"


@dataclass(frozen=True, slots=True)
class MethodForm(Form):
    """An HTTP method, in any case."""

    def read(self, written: Written, reading: Reading) -> str | Refused:
        """The method in capitals."""
        method = (written.text or "").upper()
        if method in _METHODS or method == _ANY:
            return method
        hint = did_you_mean(method, _METHODS)
        return reading.error(
            written.at, f"an HTTP method is wanted here, such as GET or POST, not {shown(written)}{hint}"
        )

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """The methods, in capitals and not."""
        return {"enum": [*_METHODS, *(method.lower() for method in _METHODS), "any", _ANY]}


_JSON_SCHEMA_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


@dataclass(frozen=True, slots=True)
class SchemaForm(Form):
    """A tool's parameters as JSON Schema: an object whose properties are the parameters."""

    def read(self, written: Written, reading: Reading) -> dict[str, Json] | Refused:
        """The schema, as written."""
        if not isinstance(written.value, YamlMap):
            return reading.error(written.at, f"a JSON Schema of an object is wanted here, not {shown(written)}")
        before = len(reading.findings)
        if value_of(written, "type").value not in (None, "object"):
            message = "the parameters of a tool are an object: `{type: object, properties: {…}}`"
            reading.error(key_at(written, "type"), message)
        elif "properties" not in written.value and not _SCHEMA_ROOTS & written.value.keys():
            example = "{type: object, properties: {NAME: {type: string}}}"
            reading.error(written.at, f"the parameters of a tool are a JSON Schema: {example}")
        for at, message in _schema_faults(written):
            reading.error(at, message)
        for at, message in _pattern_faults(written, reading):
            reading.error(at, message)
        data = _DATA.read(written, reading)
        if isinstance(data, Refused) or any(found.severity == "error" for found in reading.findings[before:]):
            return REFUSED
        return {"type": "object", **cast("dict[str, Json]", data)}

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object."""
        return {
            "type": "object",
            "properties": {
                "type": {"const": "object", "description": "Always `object`; may be left out."},
                "properties": {"type": "object", "description": "The parameters by name, each with its JSON Schema."},
                "required": {"type": "array", "description": "The parameters that every call must have."},
            },
        }


_SCHEMA_ROOTS = frozenset({"type", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref"})


def _schema_faults(schema: Written) -> Iterator[tuple[int, str]]:
    """Where a schema can't be read as one, with the words for it."""
    if not isinstance(schema.value, YamlMap):
        if not isinstance(schema.value, bool):
            yield schema.at, f"a JSON Schema is a mapping such as {{type: string}}, not {shown(schema)}"
        return
    kind = value_of(schema, "type")
    for name in kind.value.entries() if isinstance(kind.value, YamlList) else [kind]:
        if "type" in schema.value and name.text not in _JSON_SCHEMA_TYPES:
            hint = did_you_mean(name.text or "", _JSON_SCHEMA_TYPES)
            yield (
                name.at,
                f"{shown(name)} is no type of JSON Schema{hint or '; types are ' + ', '.join(_JSON_SCHEMA_TYPES)}",
            )
    yield from _property_faults(schema)
    if "items" in schema.value:
        yield from _schema_faults(schema.value.entry("items"))
    if "enum" in schema.value and not isinstance(schema.value["enum"], YamlList):
        yield schema.value.entry("enum").at, "`enum` is a list of values"


_BY_NAME = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keywords of JSON Schema that hold schemas under names of the writer's."""
_VALUES = ("default", "const", "enum", "examples", "example")
"""Keywords that hold values, in which nothing is a keyword."""


def _pattern_faults(schema: Written, reading: Reading) -> Iterator[tuple[int, str]]:
    """Regular expressions that would not be read as meant, or could run without a bound (features.md C12).

    Every schema inside is looked at, whatever keyword it stands under: any of them may be referred to.
    """
    if not isinstance(schema.value, YamlMap):
        return
    for keyword, at, inner in schema.value.entries():
        if keyword == "pattern":
            yield from _one_pattern(inner, reading)
        elif keyword == "patternProperties":
            yield (
                at,
                "`patternProperties` can't stand in a tool's parameters; name them under `properties`, and say under "
                "`additionalProperties` what others look like",
            )
        elif keyword in _BY_NAME and isinstance(inner.value, YamlMap):
            for _, _, named in inner.value.entries():
                yield from _pattern_faults(named, reading)
        elif keyword not in _VALUES:
            for each in inner.value.entries() if isinstance(inner.value, YamlList) else [inner]:
                yield from _pattern_faults(each, reading)


def _one_pattern(pattern: Written, reading: Reading) -> Iterator[tuple[int, str]]:
    if not isinstance(pattern.value, str):
        yield pattern.at, f"`pattern` is a regular expression, not {shown(pattern)}"
    elif pattern.value and (refusal := reading.pattern_refusal(pattern.value)) is not None:
        yield pattern.at, refusal


def _property_faults(schema: Written) -> Iterator[tuple[int, str]]:
    properties, required = value_of(schema, "properties"), value_of(schema, "required")
    names = properties.value if isinstance(properties.value, YamlMap) else YamlMap()
    if properties.value is not None and not isinstance(properties.value, YamlMap):
        yield properties.at, f"`properties` is a mapping of names to schemas, not {shown(properties)}"
    for _, _, inner in names.entries():
        yield from _schema_faults(inner)
    if required.value is None:
        return
    if not isinstance(required.value, YamlList):
        yield required.at, f"`required` is a list of names, not {shown(required)}"
        return
    for name in required.value.entries():
        if name.text is None or (properties.value is not None and name.text not in names):
            yield name.at, f"`required` names {name.text!r}, which is no property{did_you_mean(name.text or '', names)}"


def mock_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """One answer or fault, or a sequence of them."""
    if not isinstance(model, OwnMock) or not isinstance(written.value, YamlMap):
        return True
    faults = list(_mock_faults(model, written.value))
    for key, message in faults:
        reading.error(key_at(written, key), message)
    return not faults


_SEQUENCES = {"results": "result", "statuses": "status", "faults": "fault"}
_ANSWERS = ("result", "results", "status", "statuses", "error")


def _mock_faults(mock: OwnMock, written: YamlMap) -> Iterator[tuple[str, str]]:
    """What is wrong with a mock, each with the key where it stands."""
    for several, one in _SEQUENCES.items():
        if several in written and one in written:
            yield several, f"a mock has `{one}` or `{several}`, not both"
        listed: tuple[object, ...] | None = getattr(mock, several)
        if listed is not None and not listed:
            yield several, f"`{several}` is empty; write at least one"
    if "then" in written and not any(several in written for several in _SEQUENCES):
        yield "then", "`then` says what follows the last of `results`; write `results: […]`"
    always_breaks = mock.fault is not Fault.NONE or (mock.faults is not None and Fault.NONE not in mock.faults)
    answer = next((key for key in _ANSWERS if key in written), None)
    if always_breaks and answer is not None:
        yield answer, f"a call that ends in a `fault` has no answer; leave `{answer}` out"


def fixture_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """A fixture says which requests it answers, and with one body or a list."""
    if not isinstance(model, HttpFixture):
        return True
    if (model.url_contains is None) == (model.url_regex is None):
        reading.error(written.at, "an HTTP fixture has `url_contains` or `url_regex`, one of them")
        return False
    refused = None if model.url_regex is None else reading.pattern_refusal(model.url_regex)
    if refused is not None:
        reading.error(value_of(written, "url_regex").at, refused)
        return False
    if model.bodies is not None and isinstance(written.value, YamlMap) and "body" in written.value:
        reading.error(key_at(written, "bodies"), "an HTTP fixture has `body` or `bodies`, not both")
        return False
    return True


_IN_PATH = re.compile(r"(?<!\$)\{([^{}]*)\}")


def tool_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """The rules between a tool's keys (semantics: the world)."""
    if not isinstance(model, Tool):
        return True
    fine = True
    for at, message in _tool_faults(model, written):
        reading.error(at, message)
        fine = False
    return fine


def _tool_faults(tool: Tool, written: Written) -> Iterator[tuple[int, str]]:
    if tool.kind != "client" and tool.url is None and tool.kind == "webhook":
        yield written.at, "a webhook tool has a `url`"
    if tool.kind == "client" and tool.url is not None:
        yield key_at(written, "url"), "a client tool runs in the person's client and has no `url`"
    if tool.confirm_with is not None and tool.kind != "integration":
        yield key_at(written, "confirm_with"), "only an integration tool has `confirm_with`"
    if tool.confirm_with is not None and tool.read_only:
        yield key_at(written, "confirm_with"), "a tool that only reads needs no `confirm_with`"
    if tool.read_only and tool.kind == "client":
        yield key_at(written, "read_only"), "only webhook and integration tools have `read_only`"
    if not tool.waits and tool.kind == "integration":
        yield key_at(written, "waits"), "an integration tool always waits for its answer"
    properties = tool.parameters.get("properties")
    names = list(properties) if isinstance(properties, Mapping) else []
    for name in _IN_PATH.findall(tool.url or ""):
        if name not in names:
            yield (
                value_of(written, "url").at,
                f"{{{name}}} in the URL is no parameter of this tool{did_you_mean(name, names)}",
            )
