"""How a `state` check is written: roots with their entities, beside `created`, `deleted` and `unchanged`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.documents.descriptions import described_field
from greenroom.documents.forms import Definitions, Form, ListForm, NumberForm, TextForm
from greenroom.documents.matcher_forms import MatcherForm
from greenroom.documents.matchers import MATCHER_WORDS
from greenroom.documents.reading import REFUSED, Reading, Refused, shown
from greenroom.documents.state import COUNTING, PERSON, STATE_ROOTS, StateIs, whole_path
from greenroom.documents.unsupported import not_supported
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["StateForm"]

_ROOTS = (*STATE_ROOTS, PERSON)
_CHANGES = ("created", "deleted", "unchanged")
_MATCHER = MatcherForm()
_MOMENT = MatcherForm(moments=True)
_MOMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType({"appointments": ("start", "end")})
"""Of a root's entities, the values that are dates and times."""
_COUNT = NumberForm(whole=True, least=0)
_PATHS = ListForm(TextForm(min_length=1))

_NAMES: Mapping[str, Callable[[str], bool]] = MappingProxyType({
    "people": lambda name: name == PERSON,
    "appointments": lambda name: name.isascii() and name.isdigit() and not name.startswith("0"),
})
"""Whether an entity of the root may have such a name."""
_ENTITY_PATH = "(people[.]person|appointments[.][1-9][0-9]*)"
"""The same as the published schema says it, of an entity's whole path."""


@dataclass(frozen=True, slots=True)
class StateForm(Form):
    """The check."""

    def read(self, written: Written, reading: Reading) -> StateIs | Refused:
        """The check."""
        if not isinstance(written.value, YamlMap) or not written.value:
            found = "nothing stands in it" if isinstance(written.value, YamlMap) else f"this is {shown(written)}"
            keys = f"{', '.join(f'`{root}`' for root in _ROOTS)}, {_or(_CHANGES)}"
            return reading.error(written.at, f"`state` is a mapping with {keys}, such as {{unchanged: true}}; {found}")
        values: dict[str, object] = {}
        holds: dict[str, object] = {}
        for key, at, value in written.value.entries():
            if key in _CHANGES:
                values[key] = _READERS[key](value, reading)
            elif key in STATE_ROOTS:
                holds[key] = _root(key, value, reading)
            elif key.partition(".")[0] in _ROOTS:
                holds[key] = _at_path(key, at, value, reading)
            else:
                values[key] = _unknown(key, at, reading)
        if REFUSED in values.values() or REFUSED in holds.values():
            return REFUSED
        read = {"holds": holds, **values}
        return StateIs.model_construct(_fields_set=reading.names_once(read), **read)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with roots and what became of them."""
        matcher = _MATCHER.schema(definitions)
        entity: dict[str, Json] = {"type": "object", "additionalProperties": matcher}
        found: dict[str, Json] = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "array", "items": entity}]}
        by_name: dict[str, Json] = {
            "type": "object",
            "patternProperties": {"[.]": matcher},
            "additionalProperties": entity,
        }
        roots: dict[str, Json] = {
            root: {"description": f"{naming[0].upper()}{naming[1:]}.", "anyOf": [found, by_name]}
            for root, naming in STATE_ROOTS.items()
        }
        created: dict[str, Json] = {"type": "object", "additionalProperties": {"anyOf": [found, entity]}}
        changes: dict[str, dict[str, Json]] = {
            "created": created,
            "deleted": _PATHS.schema(definitions),
            "unchanged": {"anyOf": [{"const": True}, _PATHS.schema(definitions)]},
        }
        return {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {
                PERSON: entity | {"description": "Values of the case's person, as `people: {person: …}`."},
                **roots,
                **{key: inner | {"description": described_field(StateIs, key)} for key, inner in changes.items()},
            },
            "patternProperties": {f"^{_ENTITY_PATH}$": entity, f"^(person|{_ENTITY_PATH})[.].": matcher},
        }


def _unknown(key: str, at: int, reading: Reading) -> Refused:
    root, _, rest = key.partition(".")
    if root in _CHANGES and rest:
        example = f"{{{rest}: …}}" if root == "created" else f"[{rest}]"
        return reading.error(at, f"`{root}` is a key by itself; write `{root}: {example}`")
    known = (*_ROOTS, *_CHANGES)
    hint = did_you_mean(root, known) or f"; there are {', '.join(known)}"
    return reading.error(at, not_supported("StateIs", root) or f"`state` has no {root!r}{hint}")


def _at_path(path: str, at: int, written: Written, reading: Reading) -> object:
    """An entity or a value of one, at the dotted path that leads to it."""
    root, _, rest = whole_path(path).partition(".")
    name, _, field = rest.partition(".")
    if not _NAMES[root](name):
        return reading.error(at, f"there can't be `{root}.{name}`: {STATE_ROOTS[root]}")
    if path.endswith("."):
        return reading.error(at, f"a path can't end with a dot, as {path!r} does")
    if not field:
        return _entity(written, reading, "the person" if path == PERSON else f"`{path}`", root)
    return _MOMENT.read(written, reading) if field in _MOMENTS.get(root, ()) else _nested(written, reading)


def _root(root: str, written: Written, reading: Reading) -> object:
    """Entities by name, a list of entities, or a count."""
    value = written.value
    if not isinstance(value, YamlMap) or _is_count(value):
        return _several(root, written, reading, f"{{{_example(root)}}}")
    entities: dict[str, object] = {}
    for name, at, entity in value.entries():
        if "." in name or _NAMES[root](name):
            entities[name] = _at_path(f"{root}.{name}", at, entity, reading)
        else:
            found_by = f"; by what it holds, an entity is found in a list: `{root}: [{{{name}: …}}]`"
            entities[name] = reading.error(at, f"there can't be `{root}.{name}`: {STATE_ROOTS[root]}{found_by}")
    if not entities:
        return reading.error(written.at, f"`{root}` says nothing; write {{{_example(root)}}}, a list, or how many")
    return REFUSED if REFUSED in entities.values() else entities


def _created(written: Written, reading: Reading) -> object:
    if not isinstance(written.value, YamlMap):
        return reading.error(
            written.at, f"`created` is a mapping of {_or(tuple(STATE_ROOTS))} to what is new, not {shown(written)}"
        )
    created: dict[str, object] = {}
    for root, at, value in written.value.entries():
        if root not in STATE_ROOTS:
            hint = did_you_mean(root, STATE_ROOTS) or f"; there are {', '.join(STATE_ROOTS)}"
            later = not_supported("StateIs", root)
            created[root] = reading.error(at, later or f"nothing is created under {root!r}{hint}")
        elif isinstance(value.value, YamlMap) and not _is_count(value.value):
            created[root] = _one_new(root, value, value.value, reading)
        else:
            created[root] = _several(root, value, reading, "a mapping of its values")
    return REFUSED if REFUSED in created.values() else created


def _one_new(root: str, written: Written, values: YamlMap, reading: Reading) -> object:
    if values and all(word in MATCHER_WORDS for word in values):
        return reading.error(
            written.at, f"what is new is described by its values, {{{_VALUE[root]}}}; for none at all write `{root}: 0`"
        )
    return _entity(written, reading, "what is new", root)


def _several(root: str, written: Written, reading: Reading, one: str) -> object:
    """A list of entities, each by what it holds; or how many there are."""
    if isinstance(written.value, YamlMap):
        return _MATCHER.read(written, reading)
    if not isinstance(written.value, YamlList):
        if isinstance(written.value, (int, float)):
            return _COUNT.read(written, reading)
        return reading.error(written.at, f"`{root}` takes {one}, a list of such, or how many; not {shown(written)}")
    if not written.value:
        return reading.error(written.at, f"this list is empty; for none at all write `{root}: 0`")
    entities = [_entity(item, reading, "an entity", root) for item in written.value.entries()]
    return REFUSED if REFUSED in entities else entities


def _entity(written: Written, reading: Reading, which: str, root: str = "") -> object:
    """The values of one entity, nested; or a matcher such as `{absent: true}`."""
    if not isinstance(written.value, YamlMap):
        return reading.error(written.at, f"{which} is described by a mapping of its values, not {shown(written)}")
    return _nested(written, reading, _MOMENTS.get(root, ()))


def _nested(written: Written, reading: Reading, moments: Sequence[str] = ()) -> object:
    """Values and matchers; those under the keys of `moments` are dates and times."""
    mapping = written.value
    if not isinstance(mapping, YamlMap) or not mapping or all(word in MATCHER_WORDS for word in mapping):
        return _MATCHER.read(written, reading)
    values = {
        key: _MOMENT.read(value, reading) if key in moments else _nested(value, reading)
        for key, _, value in mapping.entries()
    }
    return REFUSED if any(value is REFUSED for value in values.values()) else values


def _paths(written: Written, reading: Reading) -> object:
    """Roots, entities and fields by dotted paths."""
    paths = _PATHS.read(written, reading)
    if isinstance(paths, Refused) or not isinstance(written.value, YamlList):
        return REFUSED
    fine = [_is_path(item, reading) for item in written.value.entries()]
    return paths if all(fine) else REFUSED


def _is_path(written: Written, reading: Reading) -> bool:
    path = written.text or ""
    root, _, rest = path.partition(".")
    name = rest.partition(".")[0]
    if root not in _ROOTS:
        hint = did_you_mean(root, _ROOTS) or f"; there are {', '.join(_ROOTS)}"
        reading.error(written.at, not_supported("StateIs", root) or f"nothing stands under {root!r}{hint}")
    elif root in STATE_ROOTS and name and not _NAMES[root](name):
        reading.error(written.at, f"there can't be `{root}.{name}`: {STATE_ROOTS[root]}")
    elif path.endswith("."):
        reading.error(written.at, f"a path can't end with a dot, as {path!r} does")
    else:
        return True
    return False


def _deleted(written: Written, reading: Reading) -> object:
    paths = _paths(written, reading)
    if paths is REFUSED or not isinstance(written.value, YamlList):
        return REFUSED
    for item in written.value.entries():
        path = item.text or ""
        if path != PERSON and path.count(".") != 1:
            return reading.error(item.at, f"`deleted` names entities, such as `appointments.1`, not {path!r}")
    return paths


def _unchanged(written: Written, reading: Reading) -> object:
    if written.value is True:
        return True
    if not isinstance(written.value, YamlList) or not written.value:
        return reading.error(
            written.at, f"`unchanged` is true, or a list of what has not changed: {_or(_ROOTS)}; not {shown(written)}"
        )
    return _paths(written, reading)


_READERS: Mapping[str, Callable[[Written, Reading], object]] = MappingProxyType({
    "created": _created,
    "deleted": _deleted,
    "unchanged": _unchanged,
})


def _is_count(mapping: YamlMap) -> bool:
    """Words that compare a number, and so how many there are; `{absent: true}` and the like are about one entity."""
    return bool(mapping) and all(word in COUNTING for word in mapping)


def _example(root: str) -> str:
    name = PERSON if root == "people" else "1"
    return f"{name}: {{{_VALUE[root]}}}"


_VALUE: Mapping[str, str] = MappingProxyType({"people": "status: customer", "appointments": "status: booked"})
"""What one could say of an entity."""


def _or(words: tuple[str, ...]) -> str:
    return " or ".join((", ".join(f"`{word}`" for word in words[:-1]), f"`{words[-1]}`"))
