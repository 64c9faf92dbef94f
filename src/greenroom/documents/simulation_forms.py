"""How a brief's sections are written, and what they must say (features.md D1; S20)."""

import re
from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.documents.forms import Definitions, Form, TextForm, name_rule
from greenroom.documents.parts import Doc
from greenroom.documents.reading import REFUSED, Reading, Refused, shown
from greenroom.documents.simulation import Brief, Detail
from greenroom.documents.templates import PERSON_NAMES, ROOTS, SYSTEM_NAMES, environment_names
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import nearest

__all__ = ["DetailsForm", "brief_fits"]

_TEXT = TextForm(min_length=1)


@dataclass(frozen=True, slots=True)
class DetailsForm(Form):
    """One text, a list of texts, or a mapping of names to texts."""

    def read(self, written: Written, reading: Reading) -> tuple[Detail, ...] | Refused:
        """The entries; those of a mapping keep their names."""
        named = isinstance(written.value, YamlMap)
        entries = [(key, _named(key, at, reading), self._text(value, reading)) for key, at, value in _entries(written)]
        if not entries:
            return reading.error(written.at, f"text is wanted here, one or several, not {shown(written)}")
        details: list[Detail] = []
        for key, fine, text in entries:
            if isinstance(text, Refused) or not fine:
                return REFUSED
            given = {"name": key} if named else {}
            details.append(Detail.model_construct(_fields_set={"text", *given}, text=text, **given))
        return tuple(details)

    def _text(self, value: Written, reading: Reading) -> str | Refused:
        if isinstance(value.value, YamlMap) and len(value.value) == 1:
            ((key, _, text),) = value.value.entries()
            if text.text is not None:
                example = f"'{key}: {text.text}'"
                return reading.error(
                    value.at, f"quote a text with a colon in it: {example}, or write names and values without `- `"
                )
        if value.value is None and not value.text:
            why = (
                "text is wanted here, and nothing is written; `#` begins a comment, so quote a text that begins with it"
            )
            return reading.error(value.at, why)
        return _TEXT.read(value, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, an array, or an object."""
        text = _TEXT.schema(definitions)
        scalar: dict[str, Json] = {"type": ["string", "number", "boolean"]}
        return {
            "anyOf": [
                text,
                {"type": "array", "items": text, "minItems": 1},
                {"type": "object", "minProperties": 1, "additionalProperties": scalar},
            ]
        }


def _entries(written: Written) -> list[tuple[str, int, Written]]:
    value = written.value
    if isinstance(value, YamlMap):
        return list(value.entries())
    if isinstance(value, YamlList):
        return [("", item.at, item) for item in value.entries()]
    return [("", written.at, written)]


def _named(key: str, at: int, reading: Reading) -> bool:
    problem = name_rule(key) if key else None
    if problem is not None:
        reading.error(at, problem)
    return problem is None


_LIKE_A_TEMPLATE = re.compile(r"\{\{[ \t]*([A-Za-z_]\w*(?:\.[^\s{}.]+)*)[ \t]*\}\}")


def brief_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """A brief says what the person wants, and every template in it names something; people fields are lint's."""
    if not isinstance(model, Brief):
        return True
    fine = True
    if not model.text.strip() and not model.wants.strip():
        reading.error(written.at, "a brief is text, or sections with at least `wants`: what the person is after")
        fine = False
    for told in model.texts():
        text = told.text
        at = written.walk(told.path).at if isinstance(written.value, YamlMap) else written.at
        for name in _LIKE_A_TEMPLATE.findall(text):
            problem = _problem(name)
            if problem is not None:
                reading.error(at, problem)
                fine = False
        for name in environment_names(text):
            reading.error(
                at, f"${{{name}}} is filled in in headers, URLs and credentials only, never in what a person says"
            )
            fine = False
    return fine


def _problem(name: str) -> str | None:
    root, _, rest = name.partition(".")
    if (root == "person" and rest) or (root == "system" and rest in SYSTEM_NAMES):
        return None
    known = [f"system.{key}" for key in SYSTEM_NAMES] + [f"person.{key}" for key in PERSON_NAMES]
    near = nearest(name, known) or next((full for full in known if full.endswith(f".{name}")), None)
    hint = f"; did you mean {{{{{near}}}}}?" if near else f"; names begin with {' or '.join(ROOTS)}"
    return f"{{{{{name}}}}} names nothing{hint}"
