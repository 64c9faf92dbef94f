"""What is written now, as far as an operation needs it: other documents that are broken are named and stop nobody."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from greenroom.documents.agent import Agent
from greenroom.documents.loading import DocumentKind, LoadedProject, load_project
from greenroom.errors import DocumentsInvalid, NotFound, UsageError
from greenroom.operations.context import Context
from greenroom.operations.narrowing import among

__all__ = ["WrittenAgent", "agent_in", "left_aside", "written_agent", "written_agents"]

_NAMED = 5
"""Of the files that are left aside, so many are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAgent:
    """An agent as it is written now."""

    document: Agent
    warnings: tuple[str, ...]
    """What of the rest of the project can't be read, a line at most."""


async def written_agent(context: Context, name: str) -> WrittenAgent:
    """One agent. Raises `NotFound`, and `DocumentsInvalid` for errors in its own document alone."""
    return agent_in(await context.documents(), name)


def agent_in(project: LoadedProject, name: str) -> WrittenAgent:
    """One agent of a project; raises as `written_agent` does."""
    agents = [each for each in project.broken if each.kind is DocumentKind.AGENT]
    if own := {each.file for each in agents if each.name == name}:
        raise DocumentsInvalid(project.findings_in(own))
    try:
        document = project.agents[among("agent", name, project.agents_seen)]
    except NotFound as nobody:
        hidden = {each.file for each in agents if each.name is None}
        if not hidden:
            raise
        raise UsageError("\n".join(map(str, (nobody, *project.findings_in(hidden))))) from None
    return WrittenAgent(document=document, warnings=left_aside({each.file for each in project.broken}))


async def written_agents(context: Context) -> Mapping[str, Agent]:
    """All of them, by id. Raises `DocumentsInvalid` for errors in any agent's document."""
    kinds = frozenset({DocumentKind.AGENT})
    read = await asyncio.to_thread(load_project, context.root, environment=context.environment, whole=kinds)
    return read.agents


def left_aside(files: Collection[str]) -> tuple[str, ...]:
    """A line that names files with errors that nothing asked for depends on; none when there are none."""
    if not files:
        return ()
    names = sorted(files)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    have = "has errors and is" if len(names) == 1 else "have errors and are"
    return (f"{', '.join(names[:_NAMED])}{more} {have} left aside; `greenroom lint` tells what is wrong",)
