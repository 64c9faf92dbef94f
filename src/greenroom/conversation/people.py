"""A person, and the one rendering of a person that agent, case preview and judge share (features.md A5, E4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from greenroom.conversation.json_values import Json

__all__ = ["CORE_FIELDS", "Person", "full_name", "rendered_person", "with_field"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody the agent deals with. Notes, tags and consent are never rendered to the agent."""

    person_id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    """On a sandbox person: profile information that identifies no one (features.md A7)."""
    company: str = ""
    title: str = ""
    product_interest: str = ""
    status: str = ""
    representative: str = ""
    fields: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Declared people fields, by the name they are written with."""
    consent: Mapping[str, bool] = field(default_factory=dict[str, bool])
    notes: str = ""
    tags: tuple[str, ...] = ()


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


def with_field(person: Person, name: str, value: Json) -> Person:
    """The person with one field set, core or declared; the caller has checked that name and value are allowed."""
    if name in CORE_FIELDS:
        text = "" if value is None else value if isinstance(value, str) else str(value)
        return replace(person, **{name: text})  # pyright: ignore[reportArgumentType]  # all core fields are text
    return replace(person, fields={**person.fields, name: value})


def full_name(person: Person) -> str:
    """First and last name, as far as they are known."""
    return " ".join(part for part in (person.first_name, person.last_name) if part)


def rendered_person(person: Person) -> str:
    """What the agent reads of a person: one `name: value` line each; empty when nothing is known."""
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
    return "\n".join(f"{name}: {value}" for name, value in known.items() if value)
