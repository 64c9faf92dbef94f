"""How a line is written that may be a template: `say: text` or `say: {template: text}` (documents.md).

A line's model has the text under its own key, and `is_template` beside it.
"""

from collections.abc import Mapping
from typing import NamedTuple, cast

from greenroom.conversation.json_values import Json
from greenroom.documents.data_templates import TEMPLATE
from greenroom.documents.forms import Definitions, TextForm
from greenroom.documents.model_forms import ModelForm
from greenroom.documents.reading import Reading
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["Line", "line_of", "line_schema", "line_text", "template_schema"]


class Line(NamedTuple):
    """A line's mapping with plain text in it."""

    written: Written
    given: Mapping[str, object]
    """What its model is told besides: that the text is a template."""


def line_of(written: Written, key: str, reading: Reading) -> Line | None:
    """The line whose text stands under this key; None after saying why, when it is written in no such way."""
    mapping = written.value
    if not isinstance(mapping, YamlMap) or key not in mapping:
        return Line(written, {})
    text = line_text(mapping.entry(key), reading)
    if text is None:
        return None
    flat = YamlMap()
    for name, at, value in mapping.entries():
        flat.add(name, at, text.written if name == key else value)
    return Line(Written(flat, written.at), text.given)


def line_text(written: Written, reading: Reading) -> Line | None:
    """The text of a value that is text or `{template: text}`; None after saying why, when it is another mapping."""
    mapping = written.value
    if not isinstance(mapping, YamlMap):
        return Line(written, {})
    wrong = [key for key in mapping if key != TEMPLATE]
    for key in wrong:
        hint = did_you_mean(key, [TEMPLATE]) or f"; a line is text or `{{{TEMPLATE}: text}}`"
        reading.error(mapping.key_at(key), f"unknown key {key!r}{hint}")
    if not mapping:
        reading.error(written.at, f"a line is text or `{{{TEMPLATE}: text}}`, not an empty mapping")
    return None if wrong or not mapping else Line(mapping.entry(TEMPLATE), {"is_template": True})


def line_schema(form: ModelForm, key: str, definitions: Definitions) -> dict[str, Json]:
    """The schema of a line's model, whose text under this key may be a template."""
    whole = form.schema(definitions)
    described = definitions[form.model.__name__]
    properties = cast("Mapping[str, Mapping[str, Json]]", described["properties"])
    meaning = properties[key]["description"]
    text = {name: value for name, value in properties[key].items() if name != "description"}
    described["properties"] = {**properties, key: {"anyOf": [text, template_schema()], "description": meaning}}
    return whole


def template_schema() -> dict[str, Json]:
    """An object with the one key `template`."""
    text = TextForm(min_length=1).schema({})
    meaning = "Text with `{{person.first_name}}` and the like in it."
    return {
        "type": "object",
        "required": [TEMPLATE],
        "additionalProperties": False,
        "properties": {TEMPLATE: text | {"description": meaning}},
    }
