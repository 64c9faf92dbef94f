"""Whether the templates in a case's data name something (semantics: two levels of lint)."""

from collections.abc import Iterator

from greenroom.authoring.notes import Note, Path, Target, error
from greenroom.documents.data_templates import line_templates, mock_templates, unknown_names
from greenroom.documents.suite import Case

__all__ = ["template_notes"]


def template_notes(case: Case, target: Target) -> Iterator[Note]:
    """Errors of names that mean nothing, in script, history and the results of mocks."""
    declared = tuple(target.agent.people.fields)
    for path, text in _templates(case):
        yield from (error(path, fault) for fault in unknown_names(text, declared))


def _templates(case: Case) -> Iterator[tuple[Path, str]]:
    yield from line_templates(case)
    for index, mock in enumerate(case.world.mocks):
        yield from ((("world", "mocks", index, *place), text) for place, text in mock_templates(mock))
