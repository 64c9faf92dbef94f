"""People as lines, as JSON and as CSV."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from io import StringIO

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import (
    CORE_FIELDS,
    PeopleCounts,
    PeoplePage,
    PersonRecord,
    full_name,
)
from greenroom.documents.csv_cells import consents_cell, items_cell, text_cell
from greenroom.documents.people_csv import FIRST_COLUMNS, OTHER_FIELDS
from greenroom.reports.lines import Line, Tone, cells, cut, line, padded, span
from greenroom.reports.moments import minute
from greenroom.reports.pages import more_line

__all__ = [
    "cleanup_words",
    "count_lines",
    "csv_cells",
    "csv_header",
    "csv_row",
    "page_json",
    "page_lines",
    "person_json",
    "person_lines",
]

_COLUMN = 28
"""No column of the list is wider."""


def page_lines(page: PeoplePage, *, sandbox: bool, zone: tzinfo = UTC) -> Iterator[Line]:
    """One line a person, in columns; a sentence when there is none."""
    if not page.people:
        yield line(f"There are no such people{' in the sandbox' if sandbox else ''}.")
        return
    rows = [_row(record) for record in page.people]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for record, row in zip(page.people, rows, strict=True):
        shown = (padded(text, width) for text, width in zip(row, widths, strict=True) if width)
        yield line("  ".join(shown), span(f"  {minute(record.created_at, zone)}", Tone.QUIET))
    if page.next is not None:
        yield more_line(page.next)


def count_lines(counts: PeopleCounts) -> Iterator[Line]:
    """The number of people, then by status."""
    yield line("1 person" if counts.total == 1 else f"{counts.total} people")
    width = max((cells(str(number)) for number in counts.by_status.values()), default=0)
    for status, number in counts.by_status.items():
        yield line(f"  {padded(str(number), width, right=True)}  ", status or span("without a status", Tone.QUIET))


def cleanup_words(sandboxes: int, rows: int, held: int) -> str:
    """What a cleanup did, in a sentence or two."""
    done = f"Removed {rows} {'entry' if rows == 1 else 'entries'} of {_sandboxes(sandboxes)}."
    nothing = "Nothing was left over."
    kept = f" {_sandboxes(held)} in use or just abandoned: left alone; ask again in a minute." if held else ""
    return f"{done if sandboxes else nothing}{kept}"


def _sandboxes(number: int) -> str:
    return f"{number} {'sandbox' if number == 1 else 'sandboxes'}"


def person_lines(record: PersonRecord, zone: tzinfo = UTC) -> Iterator[Line]:
    """Everything that is known of one person, a line each."""
    person = record.person
    known: dict[str, str] = {name: getattr(person, name) for name in CORE_FIELDS}
    known |= {f"fields.{name}": _text(value) for name, value in person.fields.items()}
    known |= {
        f"consent.{kind}": _consent(person.consent_at.get(kind), given, zone) for kind, given in person.consent.items()
    }
    known |= {"tags": ", ".join(person.tags), "identities": ", ".join(record.identities)}
    known |= {"created": minute(record.created_at, zone), "updated": minute(record.updated_at, zone)}
    yield line(span(full_name(person) or person.person_id, Tone.TITLE), span(f"  {person.person_id}", Tone.QUIET))
    told = {name: value for name, value in known.items() if value}
    width = max(map(cells, told))
    for name, value in told.items():
        yield line(f"  {padded(name, width)}  ", value)


def page_json(page: PeoplePage) -> Mapping[str, Json]:
    """A page, and where the next one begins."""
    return {"people": [person_json(record) for record in page.people], "next": page.next}


def person_json(record: PersonRecord) -> Mapping[str, Json]:
    """Everything that is known of one person."""
    person = record.person
    consent = {kind: {"given": given, "at": person.consent_at.get(kind)} for kind, given in person.consent.items()}
    return {
        "id": person.person_id,
        **{name: getattr(person, name) for name in CORE_FIELDS},
        "fields": person.fields,
        "consent": consent,
        "tags": person.tags,
        "identities": record.identities,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def csv_header(declared: Sequence[str]) -> str:
    """The first line: what every person has, then the declared fields, then what else is kept."""
    return _csv_line([*FIRST_COLUMNS, *(f"fields.{name}" for name in declared), OTHER_FIELDS])


def csv_row(record: PersonRecord, declared: Sequence[str]) -> str:
    """One person as one record of RFC 4180, its line end included (features.md A7: live people alone are exported)."""
    return _csv_line(csv_cells(record, declared).values())


def csv_cells(record: PersonRecord, declared: Sequence[str]) -> Mapping[str, str]:
    """One person by column, in the order of the header.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    person = record.person
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    core = {name: text_cell(getattr(person, name)) for name in CORE_FIELDS}
    lists = {
        "identities": items_cell(record.identities),
        "tags": items_cell(person.tags),
        "consent": consents_cell(person.consent),
    }
    fields = {f"fields.{name}": _cell(person.fields.get(name)) for name in declared}
    others = {name: value for name, value in person.fields.items() if name not in declared}
    return {"id": text_cell(person.person_id), **times, **core, **lists, **fields, OTHER_FIELDS: _text(others or None)}


def _csv_line(cells: Iterable[str]) -> str:
    written = StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()


def _cell(value: Json) -> str:
    # A number is no formula; as JSON, a list or a mapping begins with a bracket.
    return text_cell(value) if isinstance(value, str) else _text(value)


def _row(record: PersonRecord) -> tuple[str, ...]:
    person = record.person
    contact = person.email or person.phone or (record.identities[0] if record.identities else "")
    texts = (person.person_id, full_name(person), person.company, person.status, contact)
    return (texts[0], *(cut(text, _COLUMN) for text in texts[1:]))


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _consent(at: str | None, given: bool, zone: tzinfo) -> str:
    said = "given" if given else "refused"
    return f"{said}, {minute(at, zone)}" if at else said
