"""Checks that never hold, whatever the agent does: a value that no person has, a turn that is never reached."""

from collections.abc import Iterator, Mapping

from greenroom.authoring.notes import Note, Path, Target, expectations, warning
from greenroom.conversation.json_values import Json
from greenroom.documents.checks import Reply
from greenroom.documents.matchers import is_matcher
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.people_values import value_fault
from greenroom.documents.suite import Case

__all__ = ["unreached_turn_notes", "value_notes"]


def value_notes(path: Path, name: str, matcher: Json, target: Target) -> Iterator[Note]:
    """Warnings of what a declared field of a person would have to be equal to, and can't hold."""
    field = name.removeprefix("fields.")
    declared = target.agent.people.fields.get(field)
    if declared is None:
        return
    for place, value in _equal_to(matcher):
        if (fault := value_fault(field, value, declared)) is not None:
            yield warning((*path, *place), f"no person ever has this: {fault}")


def _equal_to(matcher: Json) -> Iterator[tuple[Path, Json]]:
    if not isinstance(matcher, Mapping) or not is_matcher(matcher):
        yield (), matcher
        return
    if "equals" in matcher:
        yield ("equals",), matcher["equals"]
    listed = matcher.get("one_of")
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        yield from ((("one_of", index, *place), value) for place, value in _equal_to(item))


def unreached_turn_notes(case: Case, target: Target) -> Iterator[Note]:
    """Warnings of replies that a script is too short for; how long a simulated person talks nobody knows."""
    del target
    yield from as_far_as_read(_unreached(case))


def _unreached(case: Case) -> Iterator[Note]:
    if case.simulate is not None:
        return
    # Each line is a turn; without any, the one reply to the history or to the outreach is looked at.
    last = len(case.script) or 1
    for path, entry in expectations(case):
        if isinstance(entry, Reply) and isinstance(entry.turn, int) and entry.turn > last:
            lines = "1 line" if len(case.script) == 1 else f"{len(case.script)} lines"
            why = f"the script has {lines}" if case.script else "the case has no script"
            yield warning((*path, "turn"), f"this never holds: {why}, so there is no turn after {last}")
