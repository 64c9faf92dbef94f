"""How messages are written that stand ready in a document, and how big one may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Part, Text
from greenroom.documents.agent import ExampleReply
from greenroom.documents.forms import Definitions, Form, TextForm
from greenroom.documents.reading import REFUSED, Reading, Refused
from greenroom.documents.rich import DESCRIBED_PARTS_SCHEMA, RichSyntaxError, parts_from
from greenroom.documents.sizes import MESSAGE_CHARS, MESSAGE_ENTRIES
from greenroom.documents.yaml12 import Written, YamlList, YamlMap

__all__ = ["ExampleReplyForm", "PartsForm"]

_TEXT = TextForm()


@dataclass(frozen=True, slots=True)
class PartsForm(Form):
    """The parts of one message, or plain text."""

    def read(self, written: Written, reading: Reading) -> tuple[Part, ...] | Refused:
        """The parts."""
        if (fault := _too_big(written)) is not None:
            return reading.error(*fault)
        try:
            return parts_from(_as_labels(written))
        except RichSyntaxError as error:
            return reading.error(written.walk(error.path).at, error.message)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """A list of parts, or text."""
        # A text by itself is a part too; a model, which is shown the plainer schema, is not told so.
        items: dict[str, Json] = {"anyOf": [_TEXT.schema(definitions), DESCRIBED_PARTS_SCHEMA["items"]]}
        definitions["Parts"] = {**DESCRIBED_PARTS_SCHEMA, "items": items}
        return {"anyOf": [_TEXT.schema(definitions), {"$ref": "#/$defs/Parts"}]}


def _too_big(written: Written) -> tuple[int, str] | None:
    """Where a message is longer than any that is sent, and what to do; None when it isn't."""
    chars = 0
    waiting = [written]
    while waiting:
        here = waiting.pop()
        if isinstance(here.value, YamlList) and len(here.value) > MESSAGE_ENTRIES:
            count = f"there are {len(here.value)} entries; a list in a message has at most {MESSAGE_ENTRIES}"
            return here.value.marks[MESSAGE_ENTRIES], f"{count}, so leave out those from this one on"
        chars += len(here.text or "")
        if isinstance(here.value, YamlMap):
            waiting += [value for _, _, value in here.value.entries()]
        elif isinstance(here.value, YamlList):
            waiting += here.value.entries()
    if chars > MESSAGE_CHARS:
        return (
            written.at,
            f"this message has {chars:,} characters; at most {MESSAGE_CHARS:,} can be sent, so shorten it",
        )
    return None


def _as_labels(written: Written) -> Json:
    """Plain data whose scalars are all text as written, since every scalar of a message is text."""
    value = written.value
    if isinstance(value, YamlMap):
        return {key: _as_labels(item) for key, _, item in value.entries()}
    if isinstance(value, YamlList):
        return [_as_labels(item) for item in value.entries()]
    return None if value is None else written.text


@dataclass(frozen=True, slots=True)
class ExampleReplyForm(Form):
    """An example's reply: text, a list of parts, or `{text, chips, …}` in the order of the message."""

    parts: PartsForm

    def read(self, written: Written, reading: Reading) -> ExampleReply | Refused:
        """The reply."""
        if isinstance(written.value, YamlMap):
            listed = YamlList()
            for key, at, value in written.value.entries():
                part = YamlMap()
                part.add(key, at, value)
                listed.add(Written(part, at))
            written = Written(listed, written.at)
        parts = self.parts.read(written, reading)
        if isinstance(parts, Refused):
            return REFUSED
        words = "\n\n".join(part.text for part in parts if isinstance(part, Text))
        return ExampleReply.model_construct(_fields_set={"text", "parts"}, text=words, parts=parts)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, a list of parts, or one object of parts."""
        items = cast("Mapping[str, Json]", DESCRIBED_PARTS_SCHEMA["items"])
        one: dict[str, Json] = {"type": "object", "minProperties": 1, "additionalProperties": False}
        return {"anyOf": [self.parts.schema(definitions), one | {"properties": items["properties"]}]}
