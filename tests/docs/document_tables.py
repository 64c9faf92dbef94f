"""The tables of docs/reference/documents.md, made from the schemas and the models behind them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from greenroom.conversation.actions import COLLECT_DATA, PROCEDURE, Action, label_of
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent, Capability, DataForm, FormField, ModelChoice
from greenroom.documents.descriptions import described_field, described_model
from greenroom.documents.flow import BRANCHES, STEPS
from greenroom.documents.matcher_forms import MATCHER_WORD_SCHEMAS
from greenroom.documents.parts import Doc, Meant
from greenroom.documents.rich import DESCRIBED_PARTS_SCHEMA
from greenroom.documents.schemas import SCHEMA_KINDS, document_schema
from greenroom.documents.sizes import SIZES
from greenroom.documents.templates import PERSON_NAMES, SYSTEM_NAMES
from greenroom.documents.uses import use_of

__all__ = ["definitions", "table"]

Schema = Mapping[str, Json]


def definitions() -> dict[str, Schema]:
    """Every part of a document by its name in the schemas."""
    kinds = (cast("Mapping[str, Schema]", document_schema(kind)["$defs"]) for kind in SCHEMA_KINDS)
    return {name: schema for kind in kinds for name, schema in kind.items()}


def table(name: str, headings: Mapping[str, str]) -> str:
    """One table of the page.

    Args:
        name: A part of a document, or one of the lists beside them.
        headings: By part, the heading under which the page has it.
    """
    lists = {
        "parts of a message": _parts,
        "matcher words": _matcher_words,
        "actions": _actions,
        "sizes": _sizes,
        "steps of a flow": _steps,
        "channels": _channels,
        "template values": _template_values,
    }
    return "\n".join(lists[name]() if name in lists else _keys(name, headings))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield "|" + "---|" * len(cells)


def _keys(name: str, headings: Mapping[str, str]) -> Iterator[str]:
    schema = definitions()[name]
    required = cast("Sequence[str]", schema.get("required", ()))
    yield from _head("key", "takes", "left out", "meaning")
    for key, inner in cast("Mapping[str, Schema]", schema["properties"]).items():
        left_out = "must be there" if key in required else _default(name, key)
        yield _row(f"`{key}`", _takes(inner, headings), left_out, str(inner["description"]))


def _models(kind: type[Doc]) -> Iterator[type[Doc]]:
    for model in kind.__subclasses__():
        yield model
        yield from _models(model)


def _default(name: str, key: str) -> str:
    model = next((model for model in _models(Doc) if model.__name__ == name), None)
    fields = {} if model is None else {info.alias or field: info for field, info in model.model_fields.items()}
    if key not in fields:
        return ""
    value: object = fields[key].default
    if Meant.DURATION in fields[key].metadata:
        return f"`{cast('float', value) / 3600:g}h`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, (int, float)):
        return f"{value:g}"
    return f"`{value}`" if isinstance(value, str) and value else ""


_IN_PLACE = {"GivenPerson": "`person: text`", "GivenAgent": "`agent: text`"}
_TEXT = ["string", "number", "boolean"]
_TYPES = {"object": "mapping", "array": "list", "string": "text", "integer": "whole number", "boolean": "true or false"}


def _takes(schema: Schema, headings: Mapping[str, str]) -> str:
    """What may be written, in words; that a key may be written without a value goes without saying."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        if name in _IN_PLACE:
            return _IN_PLACE[name]
        heading = headings.get(name)
        return f"[{heading}](#{heading.lower().replace(' ', '-')})" if heading else "mapping"
    if "anyOf" in schema:
        return _one_of([each for each in cast("list[Schema]", schema["anyOf"]) if each != {"type": "null"}], headings)
    if "enum" in schema or "const" in schema:
        return _words(cast("list[Json]", schema.get("enum", [schema.get("const")])))
    if schema.get("required") == ["template"]:
        return "`{template: text}`"
    if schema.get("required") == ["tap"]:
        return _takes(cast("Mapping[str, Schema]", schema["properties"])["tap"], headings)
    if "additionalProperties" in schema and isinstance(schema["additionalProperties"], Mapping):
        return f"names to {_takes(schema['additionalProperties'], headings)}"
    if "items" in schema:
        return f"list of {_takes(cast('Schema', schema['items']), headings)}"
    return _plain(schema)


def _words(values: Sequence[Json]) -> str:
    """The words that may be written; what may be written small and in capitals is told once."""
    listed = {str(value).lower() if value is True else str(value) for value in values if value is not None}
    return ", ".join(f"`{word}`" for word in map(str, values) if word in listed and word.upper() not in listed - {word})


def _one_of(choices: Sequence[Schema], headings: Mapping[str, str]) -> str:
    """A choice; a list and its single item are told once."""
    if len(choices) == 2 and choices[0].get("items") == choices[1]:
        return f"{_takes(choices[1], headings)}, one or a list"
    return " or ".join(dict.fromkeys(_takes(each, headings) for each in choices))


def _plain(schema: Schema) -> str:
    kinds = schema.get("type")
    if "pattern" in schema:
        return "length of time"
    if kinds is None:
        return "anything"
    if schema.get("format") == "date":
        return "date"
    listed = [kind for kind in cast("list[str]", kinds if isinstance(kinds, list) else [kinds]) if kind != "null"]
    words = "text" if listed == _TEXT else " or ".join(_TYPES.get(kind, kind) for kind in listed)
    bounds = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}
    limits = [f"{word} {schema[key]:g}" for key, word in bounds.items() if isinstance(schema.get(key), (int, float))]
    return ", ".join([words, *limits])


def _parts() -> Iterator[str]:
    yield from _head("part", "shows")
    items = cast("Mapping[str, Mapping[str, Schema]]", DESCRIBED_PARTS_SCHEMA["items"])
    for word, schema in items["properties"].items():
        yield _row(f"`{word}`", str(schema["description"]))


def _matcher_words() -> Iterator[str]:
    yield from _head("word", "holds when")
    for word, schema in cast("Mapping[str, Schema]", MATCHER_WORD_SCHEMAS).items():
        yield _row(f"`{word}`", str(schema["description"]))


def _sizes() -> Iterator[str]:
    yield from _head("what", "at most")
    for what, most in SIZES.items():
        yield _row(what, f"{most:,}")


def _steps() -> Iterator[str]:
    """Each step with what stands under its word, and the branches beside it."""
    yield from _head("step", "does", "under it", "branches")
    for word, kind in STEPS.items():
        branches = ", ".join(f"`{key}`" for key in BRANCHES if key in kind.model_fields)
        yield _row(f"`{word}`", described_model(kind), described_field(kind, word), branches)


def _actions() -> Iterator[str]:
    """Built-in actions by the capability that brings them."""
    form = DataForm(fields={"x": FormField()})
    agent = Agent(agent="a", model=ModelChoice(name="script:a"), forms={"a": form})
    by_label = {Action.SUBMIT_FORM: f"{COLLECT_DATA} FORM"}
    yield from _head("capability in `uses`", "actions that the model calls", "label in checks")
    for capability in Capability:
        use = use_of(agent, capability)
        actions = sorted(use.actions, key=list(Action).index) if use is not None else []
        labels = [by_label.get(action) or label_of(action) for action in actions]
        told = ", ".join(dict.fromkeys(f"`{label}`" for label in labels if label))
        yield _row(f"`{capability}`", ", ".join(f"`{action}`" for action in actions), told)
    yield _row("always there", "`send_message`, `end_conversation`", "")
    yield _row("a playbook", "the turn runs in it", f"`{PROCEDURE} PLAYBOOK`")


def _channels() -> Iterator[str]:
    yield from _head("channel", "is", "cards, chips, times", "client tools", "asked for a person", "key in `channels`")
    for channel, can in ABILITIES.items():
        shows, runs = ("yes" if able else "no" for able in (can.rich, can.client_tools))
        over = "transfers" if can.transfers else "hands over"
        yield _row(f"`{channel}`", can.name, shows, runs, over, f"`{can.config}`")


def _template_values() -> Iterator[str]:
    yield from _head("template", "stands for")
    for name in PERSON_NAMES:
        yield _row(f"`{{{{person.{name}}}}}`", f"the person's {name.replace('_', ' ')}")
    yield _row("`{{person.FIELD}}`", "a field that the agent declares under `people`")
    meanings = {
        "channel": "the channel's key",
        "now": "date and time, in the agent's time zone",
        "caller_number": "empty, since nobody is really called",
        "dialed_number": "empty, since nobody is really called",
    }
    for name in SYSTEM_NAMES:
        yield _row(f"`{{{{system.{name}}}}}`", meanings[name])
