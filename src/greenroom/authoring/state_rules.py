"""Whether what a `state` check speaks of can be there: what a person and an appointment have (features.md B3, E1)."""

from collections.abc import Iterator, Mapping, Sequence

from greenroom.authoring.never_rules import value_notes
from greenroom.authoring.notes import Note, Path, Target, error, representative_notes, warning
from greenroom.conversation.json_values import Json
from greenroom.documents.people_values import path_fault
from greenroom.documents.state import PERSON, StateIs, conditions_in, held_in_roots, is_count, whole_path
from greenroom.documents.suite import Case
from greenroom.nearest import did_you_mean

__all__ = ["state_notes"]

_APPOINTMENT_FIELDS = ("title", "start", "end", "representative", "status", "notes")


def state_notes(path: Path, check: StateIs, case: Case, target: Target) -> Iterator[Note]:
    """Fields that nobody has, deletions that never happen, and a stranger who is put on record all the same."""
    if path[0] == "expect" and case.person is None and target.agent.people.auto_create and _wants_nobody(check):
        yield warning(
            path,
            "this never holds: the case begins with nobody, and whoever writes is put on record "
            "(`people: {auto_create: true}`); add `person: visitor` to the case, or `created: {people: 1}` here",
        )
    for held in held_in_roots(check):
        where = (*path, *held.at)
        if held.name is None:
            yield from _several(where, held.root, held.wanted, target)
        else:
            yield from _fields(where, held.root, held.wanted, target, above=held.field)
    for root, written in (check.created or {}).items():
        yield from _several((*path, "created", root), root, written, target)
    for index, written in enumerate(check.unchanged if isinstance(check.unchanged, tuple) else ()):
        yield from _place((*path, "unchanged", index), written, target)
    for index, written in enumerate(check.deleted or ()):
        instead = "people stay" if written.startswith(("people", PERSON)) else "one that is cancelled stays, as such"
        yield warning((*path, "deleted", index), f"this never holds: {written} can't be deleted; {instead}")


def _wants_nobody(check: StateIs) -> bool:
    """Whether it forbids that a person is put on record."""
    if check.created is not None and not check.created:
        return True
    kept = ("people", PERSON)
    unchanged = check.unchanged is True or any(place in kept for place in check.unchanged or ())
    return unchanged and "people" not in (check.created or {})


def _several(path: Path, root: str, written: Json, target: Target) -> Iterator[Note]:
    if is_count(written):
        return
    if isinstance(written, Sequence) and not isinstance(written, str):
        for index, entity in enumerate(written):
            yield from _fields((*path, index), root, entity, target)
    else:
        yield from _fields(path, root, written, target)


def _fields(path: Path, root: str, entity: Json, target: Target, *, above: str = "") -> Iterator[Note]:
    """Args: above: the path within the entity that is part of the key already."""
    for field, matcher in conditions_in(entity, above):
        place = (*path, *_steps(entity, field[len(above) :].removeprefix(".")))
        if field and (fault := _field_fault(root, field, target)) is not None:
            yield error(place, fault)
        elif field == "representative":
            yield from representative_notes(place, matcher, target)
        elif root == "people":
            yield from value_notes(place, field, matcher, target)


def _place(path: Path, written: str, target: Target) -> Iterator[Note]:
    root, _, rest = whole_path(written).partition(".")
    field = rest.partition(".")[2]
    fault = _field_fault(root, field, target) if field else None
    if fault is not None:
        yield error(path, fault)


def _field_fault(root: str, field: str, target: Target) -> str | None:
    if root == "people":
        return path_fault(field, target.agent.people.fields)
    if root == "appointments" and field not in _APPOINTMENT_FIELDS:
        hint = did_you_mean(field, _APPOINTMENT_FIELDS) or f"; fields are {', '.join(_APPOINTMENT_FIELDS)}"
        return f"an appointment has no field {field!r}{hint}"
    return None


def _steps(entity: Json, field: str) -> Iterator[str]:
    """The keys as they are written, which may hold dots themselves."""
    while field and isinstance(entity, Mapping):
        key = next((key for key in entity if field == key or field.startswith(f"{key}.")), None)
        if key is None:
            return
        yield key
        entity, field = entity[key], field[len(key) + 1 :]
