"""`{{person.first_name}}` and `${NAME}` in texts.

A template is a dotted path under `person` or `system` in double braces, and nothing else: any other braces are text,
nothing is escaped, there are no blocks or filters (P11, P12, P15, P16). `${NAME}` is a variable of the environment;
documents, hashes and the store keep it as written, and whoever makes the call fills it in at that moment.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import orjson

from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import TOLD_FIELDS
from greenroom.errors import UsageError

__all__ = [
    "PERSON_NAMES",
    "ROOTS",
    "SYSTEM_NAMES",
    "environment_names",
    "fill",
    "fill_named",
    "filled_environment",
    "filled_value",
    "named_templates",
    "system_values",
    "template_names",
]

PERSON_NAMES = ("name", *TOLD_FIELDS)
"""What stands under `person` besides the declared people fields, which are `person.FIELD` and `person.fields.FIELD`."""
SYSTEM_NAMES = ("channel", "now", "caller_number", "dialed_number")
"""What stands under `system`."""
ROOTS = ("person", "system")

_TEMPLATE = re.compile(r"\{\{[ \t]*((?:person|system)(?:\.[^\s{}.]+)+)[ \t]*\}\}")
_NAMED = re.compile(r"\{\{[ \t]*([A-Za-z_][\w-]*(?:\.[^\s{}.]+)*)[ \t]*\}\}", re.ASCII)
"""In a flow, where names of its own stand beside `person` and `system`."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def template_names(text: str) -> tuple[str, ...]:
    """The dotted names that a text wants filled in, in order; the reader of a document refuses unknown ones (S20)."""
    return tuple(_TEMPLATE.findall(text)) if "{{" in text else ()


def fill(text: str, values: Mapping[str, Json]) -> str:
    """The text with its templates filled in.

    Args:
        text: Any text; braces that are no template stay as they are.
        values: By root (`person`, `system`), mappings all the way down. What is not known is empty; a root that is
            missing leaves its templates as they are.
    """
    if "{{" not in text:
        return text
    return _TEMPLATE.sub(lambda found: _value(found[1], found[0], values), text)


def _value(path: str, written: str, values: Mapping[str, Json]) -> str:
    if path.partition(".")[0] not in values:
        return written
    return _in_words(_at(path, values))


def _named_value(path: str, written: str, values: Mapping[str, Json]) -> str:
    value = _at(path, values)
    label = value.get("label") if isinstance(value, Mapping) else None
    return label if isinstance(label, str) else _value(path, written, values)


def _in_words(value: Json) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=dict).decode()
    except TypeError:
        # A lone surrogate, or deeper than orjson goes.
        return json.dumps(value, default=str)


_INDEX_DIGITS = 9
"""No list is longer; what has more digits is no index."""


def _at(path: str, values: Mapping[str, Json]) -> Json:
    value: Json = values
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.isdecimal() and len(step) <= _INDEX_DIGITS:
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def named_templates(text: str) -> tuple[str, ...]:
    """The dotted names, whatever their root, that a text of a flow wants filled in, in order."""
    return tuple(_NAMED.findall(text)) if "{{" in text else ()


def fill_named(text: str, values: Mapping[str, Json]) -> str:
    """`fill` with every root that the values have; what was chosen from a list is shown by its `label`."""
    if "{{" not in text:
        return text
    return _NAMED.sub(lambda found: _named_value(found[1], found[0], values), text)


def filled_value(written: Json, values: Mapping[str, Json]) -> Json:
    """A value with the texts in it filled in by `fill_named`.

    A text that is one template and nothing else becomes the value itself: a number stays a number.
    """
    if isinstance(written, str):
        whole = _NAMED.fullmatch(written.strip())
        root = whole[1].partition(".")[0] if whole is not None else ""
        return _at(whole[1], values) if whole is not None and root in values else fill_named(written, values)
    if isinstance(written, Mapping):
        return {key: filled_value(item, values) for key, item in written.items()}
    return [filled_value(item, values) for item in written] if isinstance(written, Sequence) else written


def system_values(channel: Channel, now: datetime) -> Mapping[str, Json]:
    """What stands under `system`, for the agent's prompt and a case's scenario alike (features.md D2).

    Nobody is really called, so the numbers are empty on every channel.
    """
    return {
        "channel": str(channel),
        "now": now.isoformat(timespec="minutes"),
        "caller_number": "",
        "dialed_number": "",
    }


def environment_names(text: str) -> tuple[str, ...]:
    """The names of the variables that a text wants from the environment."""
    return tuple(_VARIABLE.findall(text))


def filled_environment(text: str, environment: Mapping[str, str]) -> str:
    """The text with every `${NAME}` filled in; raises `UsageError` that names a missing one (P20)."""
    missing = [name for name in environment_names(text) if name not in environment]
    if missing:
        raise UsageError(f"the environment variable {missing[0]} is not set; set it, or write the value in its place")
    return _VARIABLE.sub(lambda found: environment[found[1]], text)
