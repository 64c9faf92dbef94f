"""People in a CSV file, as `greenroom people --export` or a spreadsheet writes it: its columns, and its rows as cells.

What a cell means, and whom a row is about, is decided by whoever imports.
"""

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

from greenroom.conversation.people import CONSENT, CORE_FIELDS
from greenroom.documents.findings import Finding
from greenroom.documents.people_filters import FIELDS
from greenroom.nearest import did_you_mean

__all__ = ["FIRST_COLUMNS", "OTHER_FIELDS", "PASSED_OVER", "PeopleRow", "PeopleSheet", "read_people_csv"]

PASSED_OVER: Final = ("created_at", "updated_at")
"""Columns of an export that nobody can set."""
_LISTS: Final = ("identities", "tags", "consent")
FIRST_COLUMNS: Final = ("id", *PASSED_OVER, *CORE_FIELDS, *_LISTS)
"""What an export begins with; the declared fields follow."""
OTHER_FIELDS: Final = "other_fields"
_DELIMITERS: Final = (",", ";", "\t")
_SAYS_WHICH: Final = re.compile(r"sep=([,;|\t])\r?\n")
"""What a spreadsheet may write first, to say what parts the cells."""
_NOTHING: Final[tuple[int, list[str]]] = (1, [])
_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleRow:
    """One row, about one person."""

    line: int
    """Where it begins in the file, from 1."""
    cells: Mapping[str, str]
    """By column: a core field, `fields.NAME`, `consent.KIND` or one of the other columns of an export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleSheet:
    """What stands in a file."""

    columns: Mapping[str, int]
    """Where each column stands, from 1."""
    rows: Sequence[PeopleRow]
    decimal_comma: bool
    """Whether 2,5 is two and a half, as where cells are parted by semicolons."""
    findings: Sequence[Finding] = field(default_factory=list[Finding])
    """What can't be read of it; the rows are then not all there."""


def read_people_csv(data: bytes, file: str, declared: Collection[str]) -> PeopleSheet:
    """The columns and rows of a file that messages call `file`.

    Commas, semicolons or tabs part the cells, lines end as they like, columns stand in any order.

    Args:
        data: The file: UTF-8, with or without a mark at its beginning, or UTF-16 with one.
        file: What findings call it.
        declared: The people fields that there are.
    """
    reading = _Reading(file, declared)
    text = reading.decoded(data)
    if text is None:
        return reading.sheet({}, [], ",")
    marked = _SAYS_WHICH.match(text)
    # What says how cells are parted is a line of the file too.
    text, before = (text, 0) if marked is None else (text[marked.end() :], 1)
    delimiter = _delimiter(text, declared) if marked is None else marked.group(1)
    records = reading.records(text, delimiter, before)
    line, header = next(records, _NOTHING)
    columns = reading.columns(header, line)
    if not reading.findings and not header:
        reading.found(1, 1, "the file is empty; its first line names the columns")
    rows = [reading.row(number, cells, columns) for number, cells in records]
    return reading.sheet(columns, rows, delimiter)


class _Reading:
    """Reads, and gathers what is wrong."""

    def __init__(self, file: str, declared: Collection[str]) -> None:
        self._file = file
        self._names = _names(declared)
        self._headed: set[int] = set()
        self.findings: list[Finding] = []

    def found(self, line: int, column: int, message: str) -> None:
        self.findings.append(Finding(file=self._file, line=line, column=column, message=message))

    def sheet(self, columns: Mapping[str, int], rows: Sequence[PeopleRow], delimiter: str) -> PeopleSheet:
        return PeopleSheet(columns=columns, rows=rows, decimal_comma=delimiter == ";", findings=self.findings)

    def decoded(self, data: bytes) -> str | None:
        encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as fault:
            line = data.count(b"\n", 0, fault.start) + 1
            self.found(line, 1, "this is no UTF-8; let the spreadsheet save it as CSV in UTF-8")
            return None

    def records(self, text: str, delimiter: str, before: int) -> Iterator[tuple[int, list[str]]]:
        """Each record that isn't blank, with the line on which it begins."""
        reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1 + before
            try:
                cells = next(reader, None)
            except csv.Error as fault:
                self.found(line, 1, f"from here on it is no CSV: {fault}; a cell with quotes in it doubles them")
                return
            if cells is None:
                return
            if any(cell.strip() for cell in cells):
                yield line, cells

    def columns(self, header: Sequence[str], line: int) -> Mapping[str, int]:
        """Where each column stands; one without a name may stand there as long as it is empty."""
        places: dict[str, int] = {}
        self._headed = {place for place, written in enumerate(header, start=1) if written.strip()}
        for place in sorted(self._headed):
            written = header[place - 1]
            name = _column(written, self._names)
            if name is None:
                columns = [one.removeprefix(FIELDS) for one in self._names.values()]
                known = [*dict.fromkeys(columns), "consent.messages"]
                hint = did_you_mean(_folded(written), known) or f"; columns are {', '.join(known)}"
                self.found(line, place, f"people have no column {written.strip()!r}{hint}")
            elif name in places:
                self.found(line, place, f"the column {written.strip()!r} stands there twice")
            else:
                places[name] = place
        return places

    def row(self, line: int, cells: Sequence[str], columns: Mapping[str, int]) -> PeopleRow:
        lost = [place for place, cell in enumerate(cells, start=1) if cell.strip() and place not in self._headed]
        for place in lost:
            self.found(line, place, f"{cells[place - 1].strip()!r} stands in no column that has a name")
        return PeopleRow(
            line=line, cells={name: cells[place - 1] for name, place in columns.items() if place <= len(cells)}
        )


def _delimiter(text: str, declared: Collection[str]) -> str:
    """What parts the cells: with it the first line names most columns."""
    names = _names(declared)
    first = next((line for line in text.splitlines() if line.strip()), "")

    def named(delimiter: str) -> int:
        try:
            cells = next(csv.reader([first], delimiter=delimiter), ())
        # Whatever it is, it names no columns; why it can't be read is told where all of the file is.
        except csv.Error:
            return 0
        return sum(_column(cell, names) is not None for cell in cells)

    return max(_DELIMITERS, key=lambda delimiter: (named(delimiter), first.count(delimiter)))


def _names(declared: Collection[str]) -> Mapping[str, str]:
    """Each column by what may be written for it."""
    return {
        **{name: f"{FIELDS}{name}" for name in declared},
        **{f"{FIELDS}{name}": f"{FIELDS}{name}" for name in declared},
        **{name: name for name in (*FIRST_COLUMNS, OTHER_FIELDS)},
    }


def _column(written: str, names: Mapping[str, str]) -> str | None:
    """The column that somebody means, whatever its case, `First name` for `first_name`."""
    text = written.strip()
    if text in names:
        return names[text]
    if text.casefold().startswith(CONSENT) and text[len(CONSENT) :].strip():
        return CONSENT + text[len(CONSENT) :].strip()
    fits = {column for name, column in names.items() if _folded(name) == _folded(text)}
    return fits.pop() if len(fits) == 1 else None


def _folded(text: str) -> str:
    return re.sub(r"[\s\-]+", "_", text.strip().casefold())
