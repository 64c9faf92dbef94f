"""Statistics of conversations by day; live ones, and the sandbox's alone when it is asked for (features.md A7)."""

import asyncio
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from greenroom.conversation.daily import DailyStatistics, DayFigures
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.narrowing import in_order, known_agent
from greenroom.operations.published import published_agent
from greenroom.store.partition import Partition
from greenroom.store.statistics import Span
from greenroom.store.times import as_utc

__all__ = ["MOST_DAYS", "StatisticsRequest", "daily_statistics"]

MOST_DAYS = 1_100
"""Three years."""
_USUAL_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsRequest:
    """Which days, and of whom; left out, the last seven days of all agents."""

    agent: str | None = None
    since: date | None = None
    """The first day."""
    until: date | None = None
    """The last day; left out, today."""
    days: int | None = None
    """How many, up to `until` or from `since` on."""
    sandbox: bool = False
    """Conversations of the sandbox that are there now, in place of the live ones."""


async def daily_statistics(context: Context, request: StatisticsRequest) -> DailyStatistics:
    """What went on each day, in the agent's time zone or the project's.

    Raises:
        NotFound: nobody ever wrote an agent of this id.
        UsageError: these are no days, or too many.
    """
    where = Partition.asked(sandbox=request.sandbox)
    name = await _time_zone(context, request.agent, where)
    zone = await asyncio.to_thread(ZoneInfo, name)
    first, last = _period(request, context.clock.now().astimezone(zone).date())
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    spans = [Span(_midnight(day, zone), _midnight(day + timedelta(days=1), zone)) for day in days]
    figures = await context.store.statistics(where).figures(spans, agent=request.agent)
    return DailyStatistics(
        agent=request.agent,
        sandbox=request.sandbox,
        time_zone=name,
        since=first,
        until=last,
        days=tuple(DayFigures(day=day, figures=each) for day, each in zip(days, figures, strict=True)),
    )


def _period(request: StatisticsRequest, today: date) -> tuple[date, date]:
    if request.since is not None and request.until is not None and request.days is not None:
        raise UsageError("--since, --until and --days together say too much; leave one of them out")
    if request.days is not None and not 1 <= request.days <= MOST_DAYS:
        raise UsageError(f"{request.days} days are asked for; from 1 to {MOST_DAYS} can be shown")
    days = request.days or _USUAL_DAYS
    try:
        if request.since is not None:
            until = today if request.days is None else request.since + timedelta(days=days - 1)
            period = request.since, request.until or until
        else:
            last = request.until or today
            period = last - timedelta(days=days - 1), last
        # The midnight after the last day is wanted too.
        count = (period[1] + timedelta(days=1) - period[0]).days
    except OverflowError:
        raise UsageError("these days lie beyond what a calendar holds") from None
    in_order(*period)
    if count > MOST_DAYS:
        raise UsageError(f"{period[0]} to {period[1]} are {count} days; at most {MOST_DAYS} can be shown at a time")
    return period


def _midnight(day: date, zone: ZoneInfo) -> str:
    """When a day begins: days on which clocks are changed have 23 or 25 hours."""
    begins = datetime(day.year, day.month, day.day, tzinfo=zone)
    try:
        return as_utc(begins)
    except OverflowError:
        raise UsageError("these days lie beyond what a calendar holds") from None


async def _time_zone(context: Context, agent: str | None, where: Partition) -> str:
    """The one that the agent's published document names, else the project's."""
    if agent is None:
        return context.project.time_zone
    live = await published_agent(context, agent)
    if live is None:
        await known_agent(context, agent, where=where)
        return context.project.time_zone
    return live.time_zone if "time_zone" in live.model_fields_set else context.project.time_zone
