"""The `state` check: what the world holds once the conversation is over (semantics: checks and matchers).

The world's data are entities in roots: the case's person in `people`, appointments in `appointments`. Below a root
stands an entity's name, below that its values, nested as they are; a mapping of matcher words only is a matcher. Each
level may also stand in one key with the one above it: `person.party_size` is `party_size` under `person`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import Field

from greenroom.conversation.json_values import Json
from greenroom.documents.matchers import is_matcher
from greenroom.documents.parts import JsonValue, Name
from greenroom.documents.written_check import WrittenCheck

__all__ = [
    "COUNTING",
    "PERSON",
    "STATE_ROOTS",
    "Held",
    "StateIs",
    "conditions_in",
    "held_in_roots",
    "is_count",
    "matchers_of_state",
    "whole_path",
]

COUNTING = frozenset({"at_least", "at_most", "one_of", "equals", "not"})
"""Matcher words that compare a number: a mapping of these alone, where a root's entities stand, says how many."""

PERSON = "person"
"""What a case calls its person: the entity of that name in `people`, and a root's place may name it directly."""

STATE_ROOTS: Mapping[str, str] = MappingProxyType({
    "people": "`person` is whom the case is about",
    "appointments": "appointments are named by their order, from 1: first those that the case starts with, then "
    "those that the agent books",
})
"""Where entities are, and how they are named there."""


class StateIs(WrittenCheck):
    """What the world's data are after the conversation, and what of them was created, deleted or left alone."""

    word: ClassVar[str] = "state"
    holds: dict[Name, JsonValue] = Field(default_factory=dict[Name, JsonValue])
    """By root: entities by name with their values, a list of entities that are there, or how many there are.

    Under `person` stand the person's values. A dotted key leads to an entity (`appointments.1`) or to a value of one
    (`person.party_size`).
    """
    created: dict[Name, JsonValue] | None = None
    """By root: what was created there, that and no more. Empty: nothing was created anywhere."""
    deleted: tuple[str, ...] | None = None
    """The entities that were deleted, as `ROOT.NAME`; no others of those roots were. Empty: nothing was deleted."""
    unchanged: Literal[True] | tuple[str, ...] | None = None
    """`true`: nothing has changed but what the same check says. Or the roots, entities or fields that have not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One thing that a `state` check says of what the world holds."""

    at: tuple[str, ...]
    """The keys that it is written under."""
    root: str
    name: str | None
    """Which entity it is about; None when it is about the root: a list of entities, or how many there are."""
    field: str
    """The dotted path within the entity; empty for the entity itself."""
    wanted: Json


def held_in_roots(check: StateIs) -> Iterator[Held]:
    """What is held, however it is written: `person.status: lead` is `people: {person: {status: lead}}`."""
    for key, written in check.holds.items():
        root, _, rest = whole_path(key).partition(".")
        if rest:
            yield _held((key,), root, rest, written)
        elif isinstance(written, Mapping) and not is_count(written):
            for name, wanted in written.items():
                yield _held((key, name), root, name, wanted)
        else:
            yield Held(at=(key,), root=root, name=None, field="", wanted=written)


def _held(at: tuple[str, ...], root: str, path: str, wanted: Json) -> Held:
    name, _, field = path.partition(".")
    return Held(at=at, root=root, name=name, field=field, wanted=wanted)


def whole_path(path: str) -> str:
    """A path with its root: `person.email` is `people.person.email`."""
    return f"people.{path}" if path.partition(".")[0] == PERSON else path


def conditions_in(written: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """The matchers of an entity as it is written, each with the dotted path that it stands at."""
    if isinstance(written, Mapping) and written and not is_matcher(written):
        for key, inner in written.items():
            yield from conditions_in(inner, f"{path}.{key}" if path else key)
    elif path or not _is_empty(written):
        yield path, written


def is_count(written: Json) -> bool:
    """Whether what stands under a root says how many entities there are."""
    if isinstance(written, Mapping):
        return bool(written) and all(word in COUNTING for word in written)
    return not isinstance(written, Sequence) or isinstance(written, str)


def _is_empty(written: Json) -> bool:
    return isinstance(written, Mapping) and not written


def matchers_of_state(check: StateIs) -> Iterator[Json]:
    """Every matcher in it, wherever it stands."""
    for written in (*(held.wanted for held in held_in_roots(check)), *(check.created or {}).values()):
        entities = written if isinstance(written, Sequence) and not isinstance(written, str) else (written,)
        for entity in entities:
            yield from (matcher for _, matcher in conditions_in(entity))
