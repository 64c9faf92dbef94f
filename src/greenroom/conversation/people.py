"""A person, and the one rendering of a person that agent, case preview and judge share (features.md A5, E4)."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from greenroom.conversation.appointments import Appointment, spelled_span
from greenroom.conversation.json_values import Json

__all__ = [
    "CONSENT",
    "CONSENT_TO_MESSAGES",
    "CORE_FIELDS",
    "NAME_PARTS",
    "TOLD_FIELDS",
    "PeopleCounts",
    "PeoplePage",
    "Person",
    "PersonRecord",
    "full_name",
    "known_values",
    "person_values",
    "rendered_person",
    "search_key",
    "searched_text",
    "with_consent",
    "with_field",
    "with_other_names",
    "with_written",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody the agent deals with. Notes, tags and consent are never rendered to the agent."""

    person_id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    """Profile information: it finds nobody, live or in a sandbox; only a bound identity does (features.md A7)."""
    company: str = ""
    title: str = ""
    product_interest: str = ""
    status: str = ""
    representative: str = ""
    """The key of one of the agent's representatives; empty when nobody is assigned."""
    fields: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Declared people fields, by the name they are written with."""
    consent: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """By kind, such as `messages`: given, or refused. A kind that isn't there was never asked for."""
    consent_at: Mapping[str, str] = field(default_factory=dict[str, str])
    """By kind, when that was said: ISO 8601, UTC."""
    notes: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRecord:
    """A person as the store keeps them."""

    person: Person
    identities: tuple[str, ...]
    """What channels know the person by, each as `channel:address`; sorted."""
    created_at: str
    updated_at: str
    """Both ISO 8601, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePage:
    """Some people, the newest first."""

    people: tuple[PersonRecord, ...]
    next: str | None
    """What to ask for to read on; None when these were the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCounts:
    """How many people there are."""

    total: int
    by_status: Mapping[str, int]
    """The most frequent first; people without a status under the empty text."""


CORE_FIELDS = (
    "first_name",
    "last_name",
    "email",
    "phone",
    "company",
    "title",
    "product_interest",
    "status",
    "representative",
    "notes",
)
"""The text fields that every person has; any other name is a declared field."""


TOLD_FIELDS = tuple(name for name in CORE_FIELDS if name != "notes")
"""Those of them that an agent is told of; notes are for the team alone (semantics: the judge)."""

NAME_PARTS = ("first_name", "last_name")
"""What a whole name is made of."""

CONSENT = "consent."
"""Stands before a kind of consent, where one is named like a field."""
CONSENT_TO_MESSAGES = "messages"
"""The kind of consent without which nobody is in an audience."""


def with_field(person: Person, name: str, value: Json) -> Person:
    """The person with one field set, core or declared; the caller has checked that name and value are allowed."""
    if name in CORE_FIELDS:
        text = "" if value is None else value if isinstance(value, str) else str(value)
        return replace(person, **{name: text})  # pyright: ignore[reportArgumentType]  # all core fields are text
    return replace(person, fields={**person.fields, name: value})


def with_consent(person: Person, kind: str, given: bool, at: str) -> Person:
    """The person with one kind of consent given or refused at this time; said again, the first time stands."""
    if person.consent.get(kind) is given and kind in person.consent_at:
        return person
    return replace(person, consent={**person.consent, kind: given}, consent_at={**person.consent_at, kind: at})


def with_written(person: Person, name: str, value: Json, at: str) -> Person:
    """The person with one thing written that an agent may write: a field, or `consent.KIND`, said at this time."""
    if name.startswith(CONSENT):
        return with_consent(person, name.removeprefix(CONSENT), value is True, at)
    return with_field(person, name, value)


def full_name(person: Person) -> str:
    """First and last name, as far as they are known."""
    return " ".join(part for part in (person.first_name, person.last_name) if part)


def rendered_person(person: Person, appointments: Sequence[Appointment] = ()) -> str:
    """What the agent reads of a person: one `name: value` line each; empty when nothing is known.

    Args:
        person: Who it is.
        appointments: Those that are still to come, in the order in which they are.
    """
    known = {
        "Name": full_name(person),
        "Email": person.email,
        "Phone": person.phone,
        "Company": person.company,
        "Title": person.title,
        "Interested in": person.product_interest,
        "Status": person.status,
        "Representative": person.representative,
        **{name: "" if value is None else str(value) for name, value in person.fields.items()},
    }
    lines = [f"{name}: {value}" for name, value in known.items() if value]
    return "\n".join([*lines, *(_appointment(each) for each in appointments)])


def _appointment(appointment: Appointment) -> str:
    """`Appointment: Powerboat, Sat 6 June 2026, 14:00–15:00, with dana (id appointment-1)`."""
    when = spelled_span(appointment.start, appointment.end)
    whom = f", with {appointment.representative}" if appointment.representative else ""
    return f"Appointment: {appointment.title}, {when}{whom} (id {appointment.appointment_id})"


def person_values(person: Person) -> dict[str, Json]:
    """What checks and segments look into: what is known, by the names that people write.

    A declared field stands under its own name and under `fields`; a core field that is empty is not there.
    """
    return with_other_names(known_values(person))


def known_values(person: Person) -> dict[str, Json]:
    """Each thing that is known, once, so that what has changed can be told; an empty core field is not there."""
    core: dict[str, Json] = {name: value for name in CORE_FIELDS if (value := getattr(person, name))}
    return {"consent": person.consent, "tags": person.tags, "fields": person.fields, **core}


def with_other_names(known: Mapping[str, Json]) -> dict[str, Json]:
    """`known_values` with what people call things besides: the whole name, and declared fields by their own names."""
    fields = known.get("fields")
    name = " ".join(str(known[part]) for part in NAME_PARTS if part in known)
    return {**known, **({"name": name} if name else {}), **(fields if isinstance(fields, Mapping) else {})}


_SEARCHED = ("first_name", "last_name", "email", "phone", "company", "title", "product_interest")


def searched_text(person: Person) -> str:
    """What a search looks into: names, contact details, company, title and interest, as a search key."""
    return search_key(" ".join(getattr(person, name) for name in _SEARCHED))


def search_key(text: str) -> str:
    """The text without case, accents and needless space, so that `jose` finds `José`."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return " ".join(plain.casefold().split())
