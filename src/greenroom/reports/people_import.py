"""What came of people that were imported, as lines and as JSON."""

from collections.abc import Iterator, Mapping

from greenroom.conversation.json_values import Json
from greenroom.conversation.people_import import ImportedPeople, ImportedPerson, ImportOutcome
from greenroom.reports.lines import Line, Tone, line, span

__all__ = ["import_json", "import_lines"]

_SHOWN = 50


def import_lines(imported: ImportedPeople) -> Iterator[Line]:
    """How many people were created, updated and left as they were; of a dry run also each, the first fifty of them.

    What is worth a look comes first, the first fifty too.
    """
    yield from (line(span(each, Tone.WARNING)) for each in imported.warnings[:_SHOWN])
    if len(imported.warnings) > _SHOWN:
        yield line(span(f"… and {len(imported.warnings) - _SHOWN} more such warnings", Tone.WARNING))
    if imported.preview:
        told = [each for each in imported.people if each.outcome is not ImportOutcome.UNCHANGED]
        for each in told[:_SHOWN]:
            yield line(f"  line {each.line}  {each.outcome}  {each.name}", span(_changed(each), Tone.QUIET))
        if len(told) > _SHOWN:
            yield line(span(f"  … and {len(told) - _SHOWN} more", Tone.QUIET))
    created, updated, unchanged = (imported.count(outcome) for outcome in ImportOutcome)
    counts = f"{_people(created)} created, {updated} updated, {unchanged} unchanged"
    yield line(f"Nothing is kept of a dry run; there would be {counts}." if imported.preview else f"{counts}.")


def import_json(imported: ImportedPeople) -> Mapping[str, Json]:
    """The same, with every row of the file."""
    return {
        "dry_run": imported.preview,
        "warnings": imported.warnings,
        **{str(outcome): imported.count(outcome) for outcome in ImportOutcome},
        "people": [
            {
                "line": each.line,
                "outcome": str(each.outcome),
                "id": each.person_id,
                "name": each.name,
                "changed": each.changed,
            }
            for each in imported.people
        ],
    }


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"


def _changed(each: ImportedPerson) -> str:
    return f"  {', '.join(each.changed)}" if each.changed else ""
