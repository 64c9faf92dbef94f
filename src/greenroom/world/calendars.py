"""The business's own calendars (features.md A5, A8): what is taken in them, and appointments written into them.

Reads are real in every world, writes are the live one's. What speaks CalDAV is loaded at the first call: an agent that
keeps its appointments in Greenroom alone never pays for it. Not aware of errands or of tries.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from greenroom.clock import Clock
from greenroom.conversation.appointments import Busy
from greenroom.documents.agent import Agent
from greenroom.documents.hosts import overheard_at
from greenroom.documents.scheduling import ExternalCalendar
from greenroom.errors import CalendarUnreachable
from greenroom.world.requests import CannotSend, with_variables

__all__ = [
    "AgentCalendars",
    "CalendarAccess",
    "CalendarEvent",
    "CalendarWindow",
    "Calendars",
    "KnownAppointments",
    "MirroredEvent",
    "calendar_of",
    "has_calendars",
    "home_of",
]

_FRESH_S = 15.0
"""Seconds for which what was read serves the same turn's next question; so does that it could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarAccess:
    """One calendar, and how to get at it; never shown."""

    url: str
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarWindow:
    """What is asked of a calendar: what is taken between two moments."""

    since: datetime
    until: datetime
    zone: str
    """The time zone of days, and of times that name none."""
    owner: str = ""
    """The owner's email address: an invitation that they declined takes no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEvent:
    """A time that an event takes."""

    start: datetime
    end: datetime
    mirrors: str | None = None
    """The appointment that was written here, at this very time; None for any other event, and for one that somebody
    has moved in their calendar since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredEvent:
    """An appointment as it stands in a calendar."""

    appointment_id: str
    start: datetime
    end: datetime
    title: str
    description: str
    written_at: datetime


class _Protocol(Protocol):
    async def events(self, access: CalendarAccess, window: CalendarWindow) -> Sequence[CalendarEvent]: ...

    async def put(self, access: CalendarAccess, event: MirroredEvent) -> None: ...

    async def remove(self, access: CalendarAccess, appointment_id: str) -> None: ...

    async def close(self) -> None: ...


class Calendars:
    """Real calendars over one session. Whoever opens it closes it; belongs to the event loop of its first call.

    Every method raises `CalendarUnreachable` for a calendar that can't be read or written now.
    """

    def __init__(self) -> None:
        self._loaded: _Protocol | None = None

    async def events(self, access: CalendarAccess, window: CalendarWindow) -> Sequence[CalendarEvent]:
        """The times that are taken; those of a series each by itself."""
        return await (await self._protocol()).events(access, window)

    async def put(self, access: CalendarAccess, event: MirroredEvent) -> None:
        """Write an appointment, in place of what was written of it before."""
        await (await self._protocol()).put(access, event)

    async def remove(self, access: CalendarAccess, appointment_id: str) -> None:
        """Take an appointment out; one that isn't there is no error."""
        await (await self._protocol()).remove(access, appointment_id)

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            await loaded.close()

    async def _protocol(self) -> _Protocol:
        if self._loaded is None:
            loaded = await asyncio.to_thread(_load)
            self._loaded = self._loaded or loaded
        return self._loaded


def _load() -> _Protocol:
    # aiohttp and the libraries for iCalendar take a third of a second to load; most agents have no such calendar.
    from greenroom.world.caldav import CalDav  # noqa: PLC0415

    return CalDav()


def calendar_of(agent: Agent, representative: str, environment: Mapping[str, str]) -> CalendarAccess | None:
    """The calendar of a representative, or the agent's own (`""`); None when there is none besides Greenroom's.

    Raises:
        CalendarUnreachable: it needs an environment variable that isn't set, or its password could be read on its way.
    """
    written = _written(agent, representative)
    if not isinstance(written, ExternalCalendar):
        return None
    place = f"`representatives.{representative}.calendar`" if representative else "`scheduling.calendar`"
    try:
        url, user, password = (
            with_variables(text, environment, place) for text in (written.caldav, written.user, written.password)
        )
    except CannotSend as reason:
        raise CalendarUnreachable(str(reason)) from None
    if overheard_at(url, password=bool(password)) is not None:
        raise CalendarUnreachable(f"the password of {place} would be sent unencrypted; its address must be https")
    return CalendarAccess(url=url, user=user, password=password)


def home_of(agent: Agent, representative: str) -> str | None:
    """In whose calendar an appointment is written: the representative's, else the agent's (`""`); None: in none."""
    for key in dict.fromkeys((representative, "")):
        if isinstance(_written(agent, key), ExternalCalendar):
            return key
    return None


def has_calendars(agent: Agent) -> bool:
    """Whether any time of the agent's stands in a calendar of the business's own."""
    return any(isinstance(_written(agent, key), ExternalCalendar) for key in ("", *agent.representatives))


def _written(agent: Agent, representative: str) -> object:
    if not representative:
        return None if agent.scheduling is None else agent.scheduling.calendar
    found = agent.representatives.get(representative)
    return None if found is None else found.calendar


KnownAppointments: TypeAlias = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Which of these appointments are ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What was read of one calendar, and when."""

    since: datetime
    until: datetime
    at: float
    busy: Sequence[Busy] | CalendarUnreachable


class AgentCalendars:
    """What the calendars of one agent and its representatives say; `world.ports.BusyCalendars`.

    Appointments of our own that were written there are left out: Greenroom knows best when they are, so that none is
    in the way of its own move. One that somebody has moved in the calendar takes its time there too.
    """

    def __init__(
        self,
        agent: Agent,
        calendars: Calendars,
        *,
        environment: Mapping[str, str],
        clock: Clock,
        known: KnownAppointments,
    ) -> None:
        self._agent = agent
        self._calendars = calendars
        self._environment = environment
        self._clock = clock
        self._known = known
        self._reads: dict[str, _Read] = {}
        self._reading: dict[str, asyncio.Lock] = {}

    async def busy(self, representative: str, since: datetime, until: datetime) -> Sequence[Busy]:
        """The times that are taken in the calendar of a representative, or of the agent (`""`).

        Raises:
            CalendarUnreachable: it can't be read now, in words that can be told to the model.
        """
        access = calendar_of(self._agent, representative, self._environment)
        if access is None:
            return ()
        async with self._reading.setdefault(representative, asyncio.Lock()):
            read = self._reads.get(representative)
            now = self._clock.monotonic()
            if read is None or now - read.at > _FRESH_S or since < read.since or until > read.until:
                # What is asked moves on with the clock: read as far ahead as it gets while this is fresh.
                until_then = until + timedelta(seconds=_FRESH_S)
                found = await self._tried(access, representative, since, until_then)
                read = self._reads[representative] = _Read(since=since, until=until_then, at=now, busy=found)
        if isinstance(read.busy, CalendarUnreachable):
            raise CalendarUnreachable(read.busy.why)
        return tuple(each for each in read.busy if each.end > since and each.start < until)

    async def _tried(
        self, access: CalendarAccess, representative: str, since: datetime, until: datetime
    ) -> Sequence[Busy] | CalendarUnreachable:
        try:
            return await self._read(access, representative, since, until)
        # The cases of a run would wait for a dead calendar one after the other.
        except CalendarUnreachable as reason:
            return reason

    async def _read(
        self, access: CalendarAccess, representative: str, since: datetime, until: datetime
    ) -> Sequence[Busy]:
        owner = self._agent.representatives.get(representative)
        zone = (owner.time_zone if owner is not None else "") or self._agent.time_zone or "UTC"
        window = CalendarWindow(since=since, until=until, zone=zone, owner="" if owner is None else owner.email)
        events = await self._calendars.events(access, window)
        mirrored = {event.mirrors for event in events if event.mirrors is not None}
        ours = await self._known(mirrored) if mirrored else ()
        return tuple(
            Busy(start=event.start, end=event.end, representative=representative)
            for event in events
            if event.mirrors not in ours
        )
