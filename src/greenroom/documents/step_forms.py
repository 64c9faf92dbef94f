"""How a step of an order rule is written: a mapping with one key, `called`, `effect`, `agent` or `person`."""

from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.documents.forms import Definitions, Form
from greenroom.documents.model_forms import ModelForm
from greenroom.documents.parts import Doc
from greenroom.documents.reading import Reading, Refused, key_at, shown
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["StepForm"]


@dataclass(frozen=True, slots=True)
class StepForm(Form):
    """One step. What stands under its key is read by that key's model."""

    kinds: Mapping[str, ModelForm]

    def read(self, written: Written, reading: Reading) -> Doc | Refused:
        """The step."""
        keys = tuple(written.value) if isinstance(written.value, YamlMap) else ()
        words = ", ".join(f"`{word}`" for word in self.kinds)
        if len(keys) != 1 or not isinstance(written.value, YamlMap):
            several = f"; it has {len(keys)} keys, and each step has one of its own" if len(keys) > 1 else ""
            found = several or f", not {shown(written)}"
            return reading.error(
                written.at, f"a step is a mapping with one of {words}, such as {{called: get_order}}{found}"
            )
        (key,) = keys
        if key not in self.kinds:
            return reading.error(
                key_at(written, key),
                f"there is no step {key!r}{did_you_mean(key, self.kinds) or f'; steps are {words}'}",
            )
        value = written.value.entry(key)
        if value.value is None and not value.text:
            return reading.error(
                value.at,
                f"`{key}` wants a value here; for anything the {key} says write {{any: true}}"
                if key in _SPOKEN
                else f"`{key}` wants a value here",
            )
        return self.kinds[key].read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with one of the keys."""
        return {"anyOf": [form.schema(definitions) for form in self.kinds.values()]}


_SPOKEN = ("agent", "person")
