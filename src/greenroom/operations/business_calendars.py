"""What an agent may know of the business's own calendars; the same live and in a sandbox (features.md A8)."""

from collections.abc import Iterator, Mapping

from greenroom.documents.agent import Agent
from greenroom.errors import CalendarUnreachable
from greenroom.operations.context import Context
from greenroom.store.partition import Partition
from greenroom.world.calendars import AgentCalendars, Calendars, calendar_of, has_calendars

__all__ = ["calendar_warnings", "calendars_of"]


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


def calendar_warnings(agent: Agent, environment: Mapping[str, str]) -> Iterator[str]:
    """Why appointments can't be made for a time that stands in a calendar of the business's own."""
    for key in ("", *agent.representatives):
        try:
            calendar_of(agent, key, environment)
        except CalendarUnreachable as reason:
            yield f"agent {agent.id!r} makes no appointments: {reason.why}"
