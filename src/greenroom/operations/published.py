"""What is live: the document of each published agent, as the store keeps it. Only `publish` changes it."""

from collections.abc import Sequence

from greenroom.documents.agent import Agent
from greenroom.operations.context import Context

__all__ = ["published_agent", "published_agents"]


async def published_agent(context: Context, agent: str) -> Agent | None:
    """An agent as it is live now; None when nothing of it was ever published."""
    live = await context.store.publications.live(agent)
    return None if live is None else await context.store.definitions.agent(live.hash)


async def published_agents(context: Context) -> Sequence[Agent]:
    """Everybody who is live now."""
    found = [await published_agent(context, name) for name in await context.store.publications.agents()]
    return [agent for agent in found if agent is not None]
