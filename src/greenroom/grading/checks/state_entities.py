"""How the entities of each root are looked into: what their values are called, and when one is as a matcher says.

A person's fields have short names, and an empty one is empty text; an appointment's times are compared as moments,
however they are written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from types import MappingProxyType

from greenroom.conversation.appointments import pinned
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import moment_of, same_moment
from greenroom.conversation.people import NAME_PARTS, with_other_names
from greenroom.documents.matchers import is_matcher
from greenroom.documents.state import conditions_in
from greenroom.world.availability import instant
from greenroom.world.matching import ABSENT, Found, lookup, mismatch_found
from greenroom.world.people_matching import person_mismatch

__all__ = ["as_the_clock_shows", "entity_misfits", "fields_meant", "moment_mismatch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """One kind of entity."""

    called: Callable[[Mapping[str, Json]], Mapping[str, Json]]
    """Its values with every name that people have for them."""
    mismatch: Callable[[str, Json, Mapping[str, Json]], str | None]
    """Why what stands at a path of them doesn't fit; None when it does."""
    meant: Callable[[str, Mapping[str, Json]], Sequence[str]]
    """The paths that a name stands for."""


def entity_misfits(
    root: str, written: Json, values: Mapping[str, Json] | None, *, field: str = ""
) -> list[tuple[str, str]]:
    """Why an entity is not as it is written, each with the path within it; empty when it is.

    Args:
        root: Where the entity stands.
        written: Nested values and matchers.
        values: What is known of it; None when it isn't there.
        field: The path within the entity that what is written stands at; empty for the entity itself.
    """
    kind = _KINDS.get(root, _PLAIN)
    if values is None:
        if not field and isinstance(written, Mapping) and is_matcher(written):
            return [("", why)] if (why := mismatch_found(written, ABSENT)) is not None else []
        return [("", "there is none")]
    called = kind.called(values)
    misfits: list[tuple[str, str]] = []
    for path, matcher in conditions_in(written, field):
        why = kind.mismatch(path, matcher, called) if path else mismatch_found(matcher, Found(called))
        if why is not None:
            misfits.append((path, why))
    return misfits


def fields_meant(root: str, written: Json, values: Mapping[str, Json], *, field: str = "") -> Iterator[str]:
    """The paths of an entity that what is written speaks of, as they stand in its values."""
    meant = _KINDS.get(root, _PLAIN).meant
    for path, _ in conditions_in(written, field):
        yield from meant(path, values)


def moment_mismatch(matcher: Json, found: Found) -> str | None:
    """`mismatch_found` for a value that is a moment: it may be written in another zone, without one, or as a day."""
    moment = moment_of(found.value) if isinstance(found.value, str) else None
    if moment is None:
        return mismatch_found(matcher, found)
    why = mismatch_found(_aligned(matcher, moment, str(found.value)), found)
    # Told in the words of the case, where these differ as texts too.
    return None if why is None else mismatch_found(matcher, found) or why


def _aligned(matcher: Json, moment: datetime, value: str) -> Json:
    """The matcher with every moment in it as the value is written, so that equal ones are equal text."""
    if isinstance(matcher, str):
        same = same_moment(matcher, value) or (len(matcher) == _DAY and value.startswith(f"{matcher}T"))
        return value if same else matcher
    if not isinstance(matcher, Mapping) or not is_matcher(matcher):
        return matcher
    words: dict[str, Json] = {}
    for word, wanted in matcher.items():
        if word in {"equals", "not"}:
            words[word] = _aligned(wanted, moment, value)
        elif word == "one_of" and isinstance(wanted, Sequence) and not isinstance(wanted, str):
            words[word] = [_aligned(item, moment, value) for item in wanted]
        elif word in {"at_least", "at_most"} and isinstance(wanted, str):
            words[word] = _in_the_zone(wanted, moment)
        else:
            words[word] = wanted
    return words


_DAY = len("2026-06-06")


def as_the_clock_shows(matcher: Json, zone: tzinfo) -> Json:
    """A matcher of moments with every time that a zone's clock skips in it as the time that the clock shows then."""
    if isinstance(matcher, str):
        moment = moment_of(matcher) if len(matcher) > _DAY else None
        if moment is None or moment.tzinfo is not None:
            return matcher
        shown = pinned(instant(moment, zone), zone)
        return matcher if shown.replace(tzinfo=None) == moment else shown.isoformat()
    if isinstance(matcher, Mapping):
        return {word: as_the_clock_shows(wanted, zone) for word, wanted in matcher.items()}
    return [as_the_clock_shows(item, zone) for item in matcher] if isinstance(matcher, list) else matcher


def _in_the_zone(bound: str, moment: datetime) -> str:
    wanted = None if len(bound) == _DAY else moment_of(bound)
    if wanted is None:
        return bound
    if wanted.tzinfo is None or moment.tzinfo is None:
        return wanted.replace(tzinfo=None).isoformat()
    return wanted.astimezone(moment.tzinfo).isoformat()


def _appointment_mismatch(path: str, matcher: Json, values: Mapping[str, Json]) -> str | None:
    found = lookup(values, path)
    return moment_mismatch(matcher, found) if path in {"start", "end"} else mismatch_found(matcher, found)


def _meant_of_person(path: str, values: Mapping[str, Json]) -> Sequence[str]:
    if path == "name":
        return NAME_PARTS
    fields = values.get("fields")
    declared = isinstance(fields, Mapping) and path.partition(".")[0] in fields
    return (f"fields.{path}",) if declared else (path, f"fields.{path}")


_PLAIN = _Kind(
    called=lambda values: values,
    mismatch=lambda path, matcher, values: mismatch_found(matcher, lookup(values, path)),
    meant=lambda path, _: (path,),
)
_KINDS: Mapping[str, _Kind] = MappingProxyType({
    "people": _Kind(called=with_other_names, mismatch=person_mismatch, meant=_meant_of_person),
    "appointments": _Kind(called=lambda values: values, mismatch=_appointment_mismatch, meant=lambda path, _: (path,)),
})
