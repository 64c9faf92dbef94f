"""What `greenroom people` does once its options are read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines, say
from greenroom.cli.setting import Setting
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import PeopleCounts
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.people import (
    PeopleRequest,
    bind_identity,
    count_people,
    csv_of_people,
    export_people,
    list_people,
    set_fields,
    show_person,
)
from greenroom.reports.people import count_lines, page_json, page_lines, person_json, person_lines

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
    as_json: bool


async def answer(setting: Setting, asked: Asked, *, project: Path | None) -> None:
    """List, count or export people, or show one. Raises `UsageError`, `NotFound`."""
    if asked.person is None and (asked.changes or asked.identities):
        raise UsageError("`--set` and `--bind` change one person; name them: greenroom people PERSON --set status=lead")
    async with open_project(setting, project) as context:
        if asked.person is not None:
            await _one(context, asked, asked.person)
        elif asked.export is not None:
            await _export(context, asked.which, asked.export, setting.folder)
        elif asked.count:
            _show_count(await count_people(context, asked.which), as_json=asked.as_json)
        else:
            await _page(context, asked)


async def _one(context: Context, asked: Asked, person: str) -> None:
    sandbox = asked.which.sandbox
    if sandbox and (asked.changes or asked.identities):
        raise UsageError("people of the sandbox can be looked at, and are changed by their conversation alone")
    record = await show_person(context, person, sandbox=sandbox)
    if asked.changes:
        record = await set_fields(context, record.person.person_id, asked.changes)
    for identity in asked.identities:
        record = await bind_identity(context, record.person.person_id, identity)
    if asked.as_json:
        _print_json(person_json(record))
    else:
        print_lines(person_lines(record), output())


async def _page(context: Context, asked: Asked) -> None:
    page = await list_people(context, asked.which, limit=asked.limit, after=asked.after)
    if asked.as_json:
        _print_json(page_json(page))
    else:
        print_lines(page_lines(page, sandbox=asked.which.sandbox), output())


async def _export(context: Context, which: PeopleRequest, to: Path, folder: Path) -> None:
    if str(to) == "-":
        async for line in csv_of_people(context, which):
            typer.echo(line, nl=False)
        return
    number = await export_people(context, which, folder / to)
    say(f"Wrote {number} {'person' if number == 1 else 'people'} to {to}")


def _show_count(counts: PeopleCounts, *, as_json: bool) -> None:
    if as_json:
        _print_json({"total": counts.total, "by_status": counts.by_status})
    else:
        print_lines(count_lines(counts), output())


def _print_json(value: Mapping[str, Json]) -> None:
    print_json(json.dumps(value, ensure_ascii=False, indent=2))
