"""What `greenroom people` does once its options are read."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

import typer

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines, say
from greenroom.cli.setting import Setting
from greenroom.conversation.people import PeopleCounts, PersonRecord
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.people import (
    PeopleRequest,
    add_person,
    count_people,
    csv_of_people,
    export_people,
    identity_doubts,
    list_people,
    set_fields,
    show_person,
)
from greenroom.operations.people_import import ImportRequest, import_people
from greenroom.reports.people import count_lines, page_json, page_lines, person_json, person_lines
from greenroom.reports.people_import import import_json, import_lines

__all__ = ["Asked", "answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person asked for."""

    person: str | None
    which: PeopleRequest
    limit: int
    after: str | None
    count: bool
    export: Path | None
    changes: tuple[str, ...]
    identities: tuple[str, ...]
    added: tuple[str, ...]
    imported: Path | None
    preview: bool
    as_json: bool


async def answer(setting: Setting, asked: Asked, *, project: Path | None) -> None:
    """List, count, export or import people, add one, or show and change one. Raises `UsageError`, `NotFound`."""
    async with open_project(setting, project) as context:
        if asked.imported is not None:
            await _import(context, asked, asked.imported, setting.folder)
        elif asked.added:
            record = await add_person(context, (*asked.added, *asked.identities), asked.changes)
            _warn_of((*asked.added, *asked.identities))
            _show(record, context.zone, as_json=asked.as_json)
        elif asked.person is not None:
            await _one(context, asked, asked.person)
        elif asked.export is not None:
            await _export(context, asked.which, asked.export, setting.folder)
        elif asked.count:
            _show_count(await count_people(context, asked.which), as_json=asked.as_json)
        else:
            await _page(context, asked)


async def _import(context: Context, asked: Asked, source: Path, folder: Path) -> None:
    """From a file, or from standard input."""
    name = "standard input" if str(source) == "-" else str(source)
    try:
        data = await asyncio.to_thread(sys.stdin.buffer.read if str(source) == "-" else (folder / source).read_bytes)
    except OSError as error:
        raise UsageError(f"{name} can't be read: {error.strerror}") from error
    imported = await import_people(context, ImportRequest(data=data, file=name, preview=asked.preview))
    if asked.as_json:
        print_json(import_json(imported))
    else:
        print_lines(import_lines(imported), output())


async def _one(context: Context, asked: Asked, person: str) -> None:
    sandbox = asked.which.sandbox
    if sandbox and (asked.changes or asked.identities):
        raise UsageError("people of the sandbox can be looked at, and are changed by their conversation alone")
    record = await show_person(context, person, sandbox=sandbox)
    if asked.changes or asked.identities:
        record = await set_fields(context, record.person.person_id, asked.changes, asked.identities)
        _warn_of(asked.identities)
    _show(record, context.zone, as_json=asked.as_json)


def _warn_of(identities: Sequence[str]) -> None:
    for doubt in identity_doubts(identities):
        say(f"warning: {doubt}")


def _show(record: PersonRecord, zone: tzinfo, *, as_json: bool) -> None:
    if as_json:
        print_json(person_json(record))
    else:
        print_lines(person_lines(record, zone), output())


async def _page(context: Context, asked: Asked) -> None:
    page = await list_people(context, asked.which, limit=asked.limit, after=asked.after)
    if asked.as_json:
        print_json(page_json(page))
    else:
        print_lines(page_lines(page, sandbox=asked.which.sandbox, zone=context.zone), output())


async def _export(context: Context, which: PeopleRequest, to: Path, folder: Path) -> None:
    if str(to) == "-":
        async for line in csv_of_people(context, which):
            typer.echo(line, nl=False)
        return
    number = await export_people(context, which, folder / to)
    say(f"Wrote {number} {'person' if number == 1 else 'people'} to {to}")


def _show_count(counts: PeopleCounts, *, as_json: bool) -> None:
    if as_json:
        print_json({"total": counts.total, "by_status": counts.by_status})
    else:
        print_lines(count_lines(counts), output())
