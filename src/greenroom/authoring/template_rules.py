"""Whether the templates in a case's data name something, and what they come to (semantics: two levels of lint)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from greenroom.authoring.notes import Note, Path, Target, error, warning
from greenroom.documents.data_templates import line_templates, mock_templates, unknown_names
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.suite import Case
from greenroom.documents.template_values import template_values
from greenroom.documents.templates import fill_named
from greenroom.world.sandbox.people import starting_person

__all__ = ["template_notes"]


def template_notes(case: Case, target: Target) -> Iterator[Note]:
    """Errors of names that mean nothing, in script, history and the results of mocks."""
    declared = tuple(target.agent.people.fields)
    for path, text in _templates(case):
        yield from (error(path, fault) for fault in unknown_names(text, declared))
    yield from as_far_as_read(_said(case, target, declared))


_ANY_TIME = datetime(2026, 6, 6, tzinfo=UTC)
"""In words as long as any other."""


def _said(case: Case, target: Target, declared: Sequence[str]) -> Iterator[Note]:
    """Lines that are too long, or nothing, once they are filled in from the person as the case has them."""
    templates = [(path, text) for path, text in line_templates(case) if path[0] == "script"]
    if not templates:
        return
    values = template_values(target.agent, case.channel, starting_person(case, ""), _ANY_TIME)
    most = None if target.limits is None else target.limits.line_chars
    for path, text in templates:
        said = fill_named(text, values)
        if most is not None and len(said) > most:
            filled = f"this line has {len(said)} characters once it is filled in"
            yield error(path, f"{filled}; the limit `line_chars` is {most}")
        elif not said.strip() and not any(unknown_names(text, declared)):
            yield warning(path, "nothing is left of this line once it is filled in, so the person says nothing")


def _templates(case: Case) -> Iterator[tuple[Path, str]]:
    yield from line_templates(case)
    for index, mock in enumerate(case.world.mocks):
        yield from ((("world", "mocks", index, *place), text) for place, text in mock_templates(mock))
