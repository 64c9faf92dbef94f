"""People of the workspace: listed, counted, exported and changed; live ones, unless the sandbox is asked for (A7)."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT_TO_MESSAGES, PeopleCounts, PeoplePage, Person, PersonRecord
from greenroom.documents.agent import Agent
from greenroom.documents.people_changes import change_faults, changed_person, changes_written
from greenroom.documents.people_filters import FIELDS, conditions_from
from greenroom.documents.people_values import identity_doubt, identity_fault, identity_written
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.narrowing import among, known_person
from greenroom.operations.written import written_agents
from greenroom.reports.people import csv_header, csv_row
from greenroom.store.partition import Partition
from greenroom.store.people import People, Wanted
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.times import stamp
from greenroom.world.people_matching import is_in_segment

__all__ = [
    "PeopleRequest",
    "add_person",
    "change_person",
    "count_people",
    "csv_of_people",
    "declared_fields",
    "each_person",
    "export_people",
    "identity_doubts",
    "list_people",
    "set_fields",
    "show_person",
]

_BATCH = 500
"""Lines written to a file at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleRequest:
    """Which people; left out, everybody. What is given must all hold."""

    search: str = ""
    """Words that are all found in names, contact details, company, title or interest."""
    where: tuple[str, ...] = ()
    """Conditions, each as `documents.people_filters` reads it."""
    segment: str | None = None
    """A segment of the project."""
    audience: str | None = None
    """The same, and of its people those alone who gave their consent to messages."""
    sandbox: bool = False
    """The sandbox partition, in place of the live side."""
    conditions: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Conditions that have been read already."""


async def list_people(
    context: Context, request: PeopleRequest, *, limit: int = 50, after: str | None = None
) -> PeoplePage:
    """A page of them, the newest first. Raises `UsageError` for a condition or mark that can't be read."""
    return await _people(context, sandbox=request.sandbox).page(
        await _filter(context, request), limit=limit, after=after
    )


async def each_person(context: Context, request: PeopleRequest) -> AsyncIterator[PersonRecord]:
    """All of them, one at a time, the newest first. Raises `UsageError` as `list_people` does."""
    wanted = await _filter(context, request)
    async for record in _people(context, sandbox=request.sandbox).each(wanted):
        yield record


async def csv_of_people(context: Context, request: PeopleRequest) -> AsyncIterator[str]:
    """All of them as CSV, a record at a time with its line end, the header first. Raises as `list_people` does."""
    declared = declared_fields(await written_agents(context))
    yield csv_header(declared)
    async for record in each_person(context, request):
        yield csv_row(record, declared)


async def export_people(context: Context, request: PeopleRequest, path: Path) -> int:
    """Write all of them to a CSV file, which appears once it is whole; gives their number.

    Raises:
        UsageError: as `list_people` does, and when the file can't be written.
    """
    there, number = path.with_name(f"{path.name}.part"), -1
    try:
        file = await asyncio.to_thread(there.open, "w", encoding="utf-8", errors="backslashreplace", newline="")
        try:
            async for batch in _batches(csv_of_people(context, request)):
                number += len(batch)
                await asyncio.to_thread(file.writelines, batch)
        finally:
            await asyncio.to_thread(file.close)
        await asyncio.to_thread(there.replace, path)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error
    finally:
        await asyncio.to_thread(_gone, there)
    return number


async def count_people(context: Context, request: PeopleRequest) -> PeopleCounts:
    """How many they are, by status. Raises `UsageError` as `list_people` does."""
    return await _people(context, sandbox=request.sandbox).count(await _filter(context, request))


async def show_person(context: Context, person_id: str, *, sandbox: bool = False) -> PersonRecord:
    """One person, by id or by one of their identities. Raises `NotFound`."""
    where = Partition.asked(sandbox=sandbox)
    return await _people(context, sandbox=sandbox).get(await known_person(context, person_id, where=where))


async def change_person(
    context: Context, person_id: str, changes: Mapping[str, Json], identities: Sequence[str] = ()
) -> PersonRecord:
    """Set fields of a live person, let them be found by these identities too, and give back the record.

    A name is a core field, a declared one (`fields.NAME` is the same), `consent.KIND` or `tags`. Null empties a field.
    An identity is `channel:address`. All of it is done or none.

    Raises:
        NotFound: there is no such person.
        UsageError: a name that no person has, a value of the wrong type, an identity that finds somebody else or isn't
            written so; nothing was changed.
    """
    return await _kept(context, changes, person_id=person_id, identities=identities)


async def set_fields(
    context: Context, person_id: str, pairs: Sequence[str], identities: Sequence[str] = ()
) -> PersonRecord:
    """`change_person` with changes as somebody writes them in a line, `FIELD=VALUE` each; raises as that does."""
    return await change_person(context, person_id, await _written(context, pairs), identities)


async def add_person(context: Context, identities: Sequence[str], pairs: Sequence[str] = ()) -> PersonRecord:
    """Put somebody live on record who is found by these identities, with fields as `set_fields` takes them.

    Raises:
        UsageError: an identity finds somebody already, or isn't written so; a name or a value that no person has.
    """
    spelled = [*identities, *map(identity_written, identities)]
    bound = await _people(context).bound(spelled)
    if bound:
        identity, person_id = next(iter(bound.items()))
        raise UsageError(
            f"the identity {identity!r} is bound to the person {person_id!r} already; "
            f"`greenroom people {identity} --set FIELD=VALUE` changes them"
        )
    return await _kept(context, await _written(context, pairs), identities=identities)


def identity_doubts(identities: Sequence[str]) -> Sequence[str]:
    """Why some of these, which people wrote, may find nobody, a sentence each."""
    written = dict.fromkeys(map(identity_written, identities))
    return [doubt for identity in written if (doubt := identity_doubt(identity)) is not None]


def declared_fields(agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """The people fields that these agents declare, in the order in which they are written."""
    declared = (name for agent in agents.values() for name in agent.people.fields)
    return tuple(dict.fromkeys(declared))


async def _written(context: Context, pairs: Sequence[str]) -> Mapping[str, Json]:
    return changes_written((await written_agents(context)).values(), pairs) if pairs else {}


async def _kept(
    context: Context, changes: Mapping[str, Json], *, person_id: str | None = None, identities: Sequence[str] = ()
) -> PersonRecord:
    people, plain = _people(context), {name.removeprefix(FIELDS): value for name, value in changes.items()}
    agents = (await written_agents(context)).values() if plain else ()
    faults = [fault for identity in identities if (fault := identity_fault(identity))]
    faults += change_faults(agents, plain)
    if faults:
        raise UsageError(f"{'; '.join(faults)}; nothing was changed")
    at = stamp(context.clock)
    # What finds somebody already is what a channel sent, in whatever spelling.
    sent = await people.bound(identities)
    wanted = Wanted(
        person_id=person_id,
        identities=tuple(one if one in sent else identity_written(one) for one in identities),
        change=lambda person: changed_person(person, plain, at=at),
    )
    (kept,) = await people.keep([wanted])
    return await people.get(kept)


async def _batches(lines: AsyncIterator[str]) -> AsyncIterator[list[str]]:
    batch: list[str] = []
    async for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _gone(path: Path) -> None:
    """A part that is left when it could not be finished, or never begun in a folder that isn't there."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _people(context: Context, *, sandbox: bool = False) -> People:
    return context.store.people(Partition.asked(sandbox=sandbox))


async def _filter(context: Context, request: PeopleRequest) -> PeopleFilter:
    asked = [request.conditions]
    if request.where:
        declared = declared_fields(await written_agents(context))
        # A regular expression is looked at by the JavaScript engine, which blocks.
        asked += await asyncio.to_thread(lambda: [conditions_from(text, declared) for text in request.where])
    asked += [_segment(context, name) for name in (request.segment, request.audience) if name is not None]
    if request.audience is not None:
        asked.append({f"consent.{CONSENT_TO_MESSAGES}": True})
    conditions = [each for each in asked if each]
    statuses = {status for each in conditions if isinstance(status := each.get("status"), str) and status}
    # An index finds a status that is written plainly; the conditions decide all the same.
    return PeopleFilter(
        search=request.search,
        status=next(iter(statuses)) if len(statuses) == 1 else None,
        keep=(lambda person: _is_in_all(person, conditions)) if conditions else None,
    )


def _is_in_all(person: Person, conditions: list[Mapping[str, Json]]) -> bool:
    return all(is_in_segment(person, each) for each in conditions)


def _segment(context: Context, name: str) -> Mapping[str, Json]:
    segments = context.project.segments
    return segments[among("segment", name, segments)]
