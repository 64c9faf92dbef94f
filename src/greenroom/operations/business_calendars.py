"""What an agent may know of the business's own calendars; the same live and in a sandbox (features.md A8)."""

from greenroom.documents.agent import Agent
from greenroom.operations.context import Context
from greenroom.store.partition import Partition
from greenroom.world.calendars import AgentCalendars, Calendars, has_calendars

__all__ = ["calendars_of"]


def calendars_of(context: Context, agent: Agent, calendars: Calendars) -> AgentCalendars | None:
    """What they say is taken; None for an agent whose appointments stand in Greenroom alone."""
    if agent.scheduling is None or not has_calendars(agent):
        return None
    return AgentCalendars(
        agent,
        calendars,
        environment=context.environment,
        clock=context.clock,
        known=context.store.appointments(Partition.LIVE, agent=agent.id).known,
    )
