"""Making a draft live, and looking at what an agent has been (semantics: revisions)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from greenroom.conversation.summaries import Published, RevisionOverview
from greenroom.errors import NotFound, UsageError
from greenroom.operations.context import Context
from greenroom.operations.live_needs import live_warnings, mail_warnings, sends_mail
from greenroom.operations.narrowing import known_agent
from greenroom.operations.written import WrittenAgent, agent_in, written_agent
from greenroom.store.definitions import DefinitionKind, Revision

__all__ = ["PublishRequest", "find_revision", "list_revisions", "publish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What a person asks for."""

    agent: str
    revision: int | None = None
    """An earlier revision, by its number; None: what the files say now."""


async def publish(context: Context, request: PublishRequest) -> Published:
    """Make a revision live, and say what of it won't work on this machine.

    Raises `NotFound` for an agent or a revision that isn't there.
    """
    store, agent = context.store, request.agent
    before = await store.publications.live(agent)
    aside = tuple[str, ...]()
    if request.revision is None:
        written = await written_agent(context, agent)
        revision, aside = await _draft(context, written), written.warnings
    else:
        revision = await find_revision(context, agent, request.revision)
    live = await store.publications.publish(agent, revision)
    return Published(
        agent=agent,
        number=live.number,
        hash=live.hash,
        was=None if before is None else before.number,
        warnings=(*aside, *await _warnings(context, live.hash)),
    )


async def _warnings(context: Context, hash_: str) -> tuple[str, ...]:
    document, mail = await context.store.definitions.agent(hash_), context.project.mail
    of_mail = mail_warnings(mail, context.environment) if sends_mail(document) else ()
    return (*await asyncio.to_thread(live_warnings, document, mail, context.environment), *of_mail)


async def find_revision(context: Context, agent: str, number: int | None) -> Revision:
    """A revision by its number; None: the live one. Raises `NotFound`, and `UsageError` when none is live."""
    known = await context.store.definitions.revisions(DefinitionKind.AGENT, agent)
    if not known:
        await known_agent(context, agent)
    live = await context.store.publications.live(agent) if number is None else None
    if number is None and live is None:
        raise UsageError(f"agent {agent!r} has no live revision; `greenroom publish {agent}` makes its draft live")
    wanted = number if live is None else live.number
    revision = next((each for each in known if each.number == wanted), None)
    if revision is None:
        raise NotFound(f"revision of agent {agent!r} with the number", str(wanted))
    return revision


async def list_revisions(context: Context, agent: str) -> Sequence[RevisionOverview]:
    """Every revision of an agent, the newest first. Raises `NotFound`."""
    store = context.store
    project = await context.documents()
    draft = await _draft(context, agent_in(project, agent)) if agent in project.agents_seen else None
    known = await store.definitions.revisions(DefinitionKind.AGENT, agent)
    if not known:
        await known_agent(context, agent)
    publications = await store.publications.of(agent)
    return tuple(
        RevisionOverview(
            number=revision.number,
            hash=revision.hash,
            seen_at=revision.seen_at,
            published_at=next((each.published_at for each in publications if each.hash == revision.hash), None),
            live=bool(publications) and publications[0].hash == revision.hash,
            draft=draft is not None and draft.hash == revision.hash,
        )
        for revision in known
    )


async def _draft(context: Context, written: WrittenAgent) -> Revision:
    """What the files say now, kept as a revision."""
    synced = await context.store.definitions.sync(agents=[written.document], suites=(), whole=False)
    return synced.agents[written.document.id]
