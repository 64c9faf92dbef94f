"""Checks on the person as persisted (features.md A5, E1)."""

from greenroom.conversation.people import person_values
from greenroom.documents.checks import PersonIs
from greenroom.grading.checks.scope import Decision, Scope
from greenroom.world.people_matching import person_mismatch

__all__ = ["decide_person"]


def decide_person(check: PersonIs, scope: Scope) -> Decision:
    """Each field as it was persisted when what is looked at was over."""
    person = scope.person
    if person is None:
        return Decision(passed=False, detail="no person was persisted")
    stored = person_values(person)
    reasons = [
        f"{path}: {why}"
        for path, matcher in check.fields.items()
        if (why := person_mismatch(path, matcher, stored)) is not None
    ]
    return Decision(passed=not reasons, detail="; ".join(reasons))
