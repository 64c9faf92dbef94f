"""How the steps of a flow are written: a mapping whose one word says what the step does, its branches beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.documents.descriptions import described_field, described_model
from greenroom.documents.flow import STEPS, FlowLeave, Spoken
from greenroom.documents.forms import Definitions, Form, ListForm, TextForm
from greenroom.documents.model_forms import ModelForm
from greenroom.documents.parts import Doc
from greenroom.documents.reading import REFUSED, Reading, Refused, shown
from greenroom.documents.rich import DESCRIBED_PARTS_SCHEMA
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["FlowForm", "OptionsForm", "SpokenForm"]

_WORDS = ", ".join(f"`{word}`" for word in STEPS)


@dataclass(frozen=True, slots=True)
class FlowForm(Form):
    """A list of steps."""

    kinds: Mapping[str, ModelForm]
    """By the word of the step. Their branches are flows again, so this is filled after it is made."""

    def read(self, written: Written, reading: Reading) -> tuple[Doc, ...] | Refused:
        """The steps."""
        if not isinstance(written.value, YamlList):
            return reading.error(
                written.at, f"a list of steps is wanted here, not {shown(written)}; steps are {_WORDS}"
            )
        if not written.value:
            return reading.error(
                written.at, f"no steps stand here; write some or leave the key out; steps are {_WORDS}"
            )
        steps = [self._step(step, reading) for step in written.value.entries()]
        return REFUSED if REFUSED in steps else tuple(step for step in steps if isinstance(step, Doc))

    def _step(self, written: Written, reading: Reading) -> Doc | Refused:
        keys = written.value if isinstance(written.value, YamlMap) else YamlMap()
        if written.value == _LEAVE:
            keys = YamlMap()
            keys.add(_LEAVE, written.at, Written(None, written.at))
            written = Written(keys, written.at)
        words = [word for word in keys if word in self.kinds]
        if len(words) > 1:
            both = " and ".join(f"`{word}`" for word in words)
            return reading.error(keys.key_at(words[1]), f"a step does one thing, not {both}; begin each with `- `")
        if words:
            return self._of(words[0], written, reading)
        key = next(iter(keys), None)
        if key is None:
            example = "{say: It is cancelled.}"
            return reading.error(written.at, f"a step is a mapping such as {example}, not {shown(written)}")
        if key in _BRANCHING:
            branch = "a branch is `when: {NAME: VALUE}`, with steps under `do` and `otherwise`"
            return reading.error(keys.key_at(key), f"there is no step {key!r}; {branch}")
        hint = did_you_mean(key, self.kinds) or f"; steps are {_WORDS}"
        return reading.error(keys.key_at(key), f"there is no step {key!r}{hint}")

    def _of(self, word: str, written: Written, reading: Reading) -> Doc | Refused:
        """What stands under the word is read by that word's model; `leave` may have nothing under it."""
        if word == _LEAVE and isinstance(written.value, YamlMap) and written.value[word] is None:
            stands, said = YamlMap(), Written("", written.value.key_at(word))
            for key, at, value in written.value.entries():
                stands.add(key, at, said if key == word else value)
            written = Written(stands, written.at)
        return self.kinds[word].read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An array, by reference, since steps hold steps."""
        if "Flow" not in definitions:
            definitions["Flow"] = {}
            items: list[Json] = [*(form.schema(definitions) for form in self.kinds.values()), {"const": _LEAVE}]
            definitions["Flow"] = {
                "type": "array",
                "minItems": 1,
                "description": "Steps, one after another; each is an object with the one word that says what it does.",
                "items": {"anyOf": items},
            }
            leave = definitions[FlowLeave.__name__]["properties"]
            if isinstance(leave, dict):
                nothing: Json = {"type": ["string", "number", "boolean", "null"]}
                leave[_LEAVE] = nothing | {"description": described_field(FlowLeave, _LEAVE)}
        return {"$ref": "#/$defs/Flow"}


_LEAVE = "leave"
_BRANCHING = frozenset({"branch", "if", "condition", "switch"})
"""What people call a branch, whose word is `when`."""
_TEXT = TextForm(min_length=1)


@dataclass(frozen=True, slots=True)
class SpokenForm(Form):
    """A message: text, a list of parts, the parts by their words, or `{template: NAME}`."""

    parts: Form

    def read(self, written: Written, reading: Reading) -> Spoken | Refused:
        """The message."""
        mapping = written.value
        if isinstance(mapping, YamlMap) and "template" in mapping:
            return self._template(mapping, reading)
        if isinstance(mapping, YamlMap):
            listed = YamlList()
            for key, at, value in mapping.entries():
                part = YamlMap()
                part.add(key, at, value)
                listed.add(Written(part, at))
            written = Written(listed, written.at)
        elif not isinstance(mapping, YamlList) and _TEXT.read(written, reading) is REFUSED:
            return REFUSED
        parts = self.parts.read(written, reading)
        if not isinstance(parts, tuple):
            return REFUSED
        return Spoken.model_construct(_fields_set={"parts"}, parts=parts)

    @staticmethod
    def _template(mapping: YamlMap, reading: Reading) -> Spoken | Refused:
        other = next((key for key in mapping if key != "template"), None)
        if other is not None:
            return reading.error(
                mapping.key_at(other), f"a message is a `template` or has parts such as {other!r}, not both"
            )
        name = _TEXT.read(mapping.entry("template"), reading)
        if isinstance(name, Refused):
            return REFUSED
        return Spoken.model_construct(_fields_set={"template"}, template=name)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, a list of parts, one object of parts, or the name of a template."""
        items = DESCRIBED_PARTS_SCHEMA["items"]
        one: dict[str, Json] = dict(items) if isinstance(items, Mapping) else {}
        one.pop("maxProperties", None)
        named: Json = {"type": "string", "description": described_field(Spoken, "template")}
        template: dict[str, Json] = {
            "type": "object",
            "required": ["template"],
            "additionalProperties": False,
            "properties": {"template": named},
        }
        definitions["Spoken"] = {
            "description": described_model(Spoken),
            "anyOf": [self.parts.schema(definitions), one, template],
        }
        return {"$ref": "#/$defs/Spoken"}


@dataclass(frozen=True, slots=True)
class OptionsForm(Form):
    """A list of choices, or where they are found."""

    listed: ListForm
    found: ModelForm

    def read(self, written: Written, reading: Reading) -> object:
        """The choices."""
        if isinstance(written.value, YamlMap):
            return self.found.read(written, reading)
        return self.listed.read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An array or an object."""
        return {"anyOf": [self.listed.schema(definitions), self.found.schema(definitions)]}
