"""How a listing is narrowed: by names that there are and by days in their order, else it is refused.

An empty list would say that somebody has nothing, where nobody is called so. A name is right as long as anything knows
it: a document as it is written, one of those that were kept, or what was kept under it, so that history stays within
reach after its agent, its representative or its person is gone.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date

from greenroom.documents.people_values import identity_written
from greenroom.errors import NotFound, UsageError
from greenroom.nearest import nearest, there_are
from greenroom.operations.context import Context
from greenroom.running.selection import NO_AGENTS
from greenroom.store.definitions import DefinitionKind
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter

__all__ = ["among", "in_order", "known_agent", "known_person", "known_representative"]


def among(what: str, name: str, known: Iterable[str]) -> str:
    """The name, which is one of these. Raises `NotFound` with the nearest of them."""
    names = set(known)
    if name in names:
        return name
    none = NO_AGENTS if what == "agent" else ""
    raise NotFound(what, name, nearest(name, sorted(names)), hint=there_are(names) or none)


def in_order(
    first: date, last: date, *, written: tuple[str, str] | None = None, hint: str = "the first day comes first"
) -> None:
    """Raises `UsageError` when the first of two days, or of two moments, is later than the last."""
    if first > last:
        begin, end = (str(first), str(last)) if written is None else written
        raise UsageError(f"{begin} lies after {end}; {hint}")


async def known_agent(context: Context, agent: str, *, where: Partition = Partition.LIVE) -> str:
    """An agent that somebody wrote once. Raises `NotFound`."""
    names = {each.name for each in await context.store.definitions.known(DefinitionKind.AGENT, archived=True)}
    if agent not in names:
        names |= (await context.documents()).agents_seen.keys()
    if agent not in names:
        names.update(await context.store.kept_names(where).agents())
    return among("agent", agent, names)


async def known_representative(context: Context, key: str, *, where: Partition = Partition.LIVE) -> str:
    """A representative of any agent, by key. Raises `NotFound`."""
    written = (await context.documents()).agents
    names = {each for agent in written.values() for each in agent.representatives}
    if key not in names:
        names.update(await context.store.kept_names(where).representatives())
    if key not in names:
        definitions = context.store.definitions
        for definition in await definitions.known(DefinitionKind.AGENT, archived=True):
            names.update((await definitions.agent(definition.hash)).representatives)
    return among("representative", key, names)


async def known_person(context: Context, person: str, *, where: Partition = Partition.LIVE) -> str:
    """The id of somebody who is named by it or by one of their identities. Raises `NotFound`."""
    people, names = context.store.people(where), context.store.kept_names(where)
    for identity in dict.fromkeys([person, identity_written(person)]):
        if (bound := await people.find(identity)) is not None:
            return bound.person_id
    with suppress(NotFound):
        return (await people.get(person)).person.person_id
    if await names.has_appointments(person):
        return person
    near = nearest(person, await names.identities_near(person))
    if near is None and person.strip():
        called = await people.page(PeopleFilter(search=person), limit=1)
        near = called.people[0].person.person_id if called.people else None
    raise NotFound("person", person, near)
