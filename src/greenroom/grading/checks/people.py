"""Checks on the person as persisted (features.md A5, E1)."""

from collections.abc import Mapping

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person, full_name
from greenroom.documents.checks import PersonIs
from greenroom.documents.matchers import is_matcher
from greenroom.documents.parts import Matcher
from greenroom.grading.checks.scope import Decision, Scope
from greenroom.nearest import did_you_mean
from greenroom.world.matching import Found, lookup, mismatch_found

__all__ = ["decide_person"]

_CORE = (
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


def decide_person(check: PersonIs, scope: Scope) -> Decision:
    """Each field as it was persisted when the conversation was over."""
    person = scope.evidence.person
    if person is None:
        return Decision(passed=False, detail="no person was persisted")
    stored = _stored(person)
    reasons = [why for field, matcher in check.fields.items() if (why := _why_not(field, matcher, stored))]
    return Decision(passed=not reasons, detail="; ".join(reasons))


def _stored(person: Person) -> dict[str, Json]:
    core: dict[str, Json] = {name: value for name in _CORE if (value := getattr(person, name))}
    if name := full_name(person):
        core["name"] = name
    return {"consent": person.consent, "tags": person.tags, **core, **person.fields}


def _why_not(field: str, matcher: Matcher, stored: Mapping[str, Json]) -> str:
    found = lookup(stored, field)
    if field in _CORE and not found.there and not _asks_for_presence(matcher):
        # An empty core field is not known; for all words but `present` and `absent` that is empty text.
        found = Found("")
    why = mismatch_found(matcher, found)
    if why is None:
        return ""
    known = field.split(".", maxsplit=1)[0] in stored or field in _CORE
    return f"{field}: {why}{'' if known else did_you_mean(field, [*_CORE, *stored])}"


def _asks_for_presence(matcher: Matcher) -> bool:
    return isinstance(matcher, Mapping) and is_matcher(matcher) and bool({"present", "absent"} & set(matcher))
