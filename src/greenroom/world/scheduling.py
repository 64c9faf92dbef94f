"""Appointments of an agent, live and in a sandbox alike (features.md A5, A8): `world.ports.Scheduling`.

What differs between the two worlds is handed in: where appointments are kept, what else is taken, and what follows from
a change. When somebody is free follows from hours and zones (`availability`), what is kept, and the calendars of the
business. Representatives are tried in the order in which they are written.
"""

import asyncio
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Protocol

from greenroom.clock import Clock
from greenroom.conversation.appointments import (
    Appointment,
    AppointmentStatus,
    Busy,
    OpenTime,
    appointment_values,
    pinned,
    spelled_span,
    spelled_time,
    upcoming,
    zone_mark,
)
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import StopReason
from greenroom.documents.agent import Agent
from greenroom.documents.scheduling import Scheduling
from greenroom.documents.zones import zone_named
from greenroom.errors import CalendarUnreachable, CaseFault, NotFound, TimeTaken
from greenroom.nearest import did_you_mean
from greenroom.world.availability import Calendar, free_times, times_of
from greenroom.world.ports import AppointmentStore, BusyCalendars, FreeTimes, NotScheduled, Scheduled, TakenTimes

__all__ = ["AgentScheduling", "Change", "Consequences"]

_AT_ONCE = timedelta(microseconds=1)
_NEARBY = timedelta(days=1)
_NEARBY_TIMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was done to an appointment."""

    kind: EffectKind
    """`booked`, `moved` or `cancelled`."""
    appointment: Appointment
    """As it is now."""
    before: Appointment | None = None
    """As it was; None for a new one."""
    summary: str
    """In words, as the effect's line has it."""


class Consequences(Protocol):
    """What follows from a change in the live world: the calendar, the team and reminders learn of it."""

    async def of(self, change: Change) -> Mapping[str, Json]:
        """See to it, with the turn; what is to be told of it in the effect's data."""
        ...


class AgentScheduling:
    """The appointments of one agent in one world."""

    def __init__(
        self,
        agent: Agent,
        *,
        clock: Clock,
        store: AppointmentStore,
        taken: Sequence[TakenTimes] = (),
        calendars: BusyCalendars | None = None,
        consequences: Consequences | None = None,
        graded: bool = False,
    ) -> None:
        """Scheduling for one conversation.

        Args:
            agent: Whose hours and representatives count.
            clock: What time it is for the agent; a case may hold it still.
            store: Where appointments are kept, and who keeps two from having one time.
            taken: What else is taken, besides what the store keeps.
            calendars: The business's own calendars.
            consequences: What follows from a change; left out, changes are captured and nothing does.
            graded: A verdict is to follow. A test says nothing of an agent that saw a broken calendar, so that it
                breaks off then; else the agent is told, and makes the best of it.
        """
        self._agent = agent
        self._settings = agent.scheduling or _NONE
        self._clock = clock
        self._store = store
        self._taken = (store, *taken)
        self._calendars = calendars
        self._consequences = consequences
        self._graded = graded
        self._zone = zone_named(agent.time_zone)
        self._slot = timedelta(minutes=self._settings.slot_minutes)
        self._bookable = tuple(agent.representatives) or ("",)

    async def free_times(
        self,
        *,
        representative: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        most: int | None = None,
    ) -> FreeTimes | NotScheduled:
        """Times that begin between two moments, `until` aside; as many as the agent offers, or `most`."""
        whom = self._whom(representative)
        if isinstance(whom, NotScheduled):
            return whom
        earliest, latest = self._bounds()
        begin = earliest if since is None else min(max(earliest, since), latest)
        end = latest if until is None else min(latest, until)
        try:
            # All that may be asked next, not just this question's days: a calendar is then read once for a turn.
            busy = await self._busy(whom, earliest, latest + self._slot)
        except CalendarUnreachable as fault:
            return self._out_of_reach(fault)
        times = list(_first(self._free(whom, busy, begin, end), most or self._settings.offer))
        later = None if times else next(self._free(whom, busy, max(begin, end), latest), None)
        return FreeTimes(
            times=tuple(self._shown(time) for time in times), later=None if later is None else self._shown(later)
        )

    async def book(
        self, *, person_id: str, title: str, start: datetime, representative: str = "", notes: str = ""
    ) -> Scheduled | NotScheduled:
        """A new appointment at one of the free times."""
        start = start.astimezone(UTC)
        whom = self._whom(representative)
        if isinstance(whom, NotScheduled):
            return whom
        for each in await self._coming(person_id):
            if each.start == start:
                return NotScheduled(why=f"this person has {self._spelled(each)} already; nothing was booked")
        free = await self._free_at(start, whom)
        if isinstance(free, NotScheduled):
            return free
        for name in free:
            wanted = Appointment(
                appointment_id="",
                title=title,
                start=pinned(start, self._zone),
                end=pinned(start + self._slot, self._zone),
                representative=name,
                person_id=person_id,
                notes=notes,
            )
            try:
                booked = await self._store.book(wanted)
            except TimeTaken:
                continue
            return await self._done(EffectKind.BOOKED, booked, None)
        return NotScheduled(why=f"{self._when(start)} was taken just now; nothing was booked")

    async def move(
        self, appointment_id: str, *, person_id: str, start: datetime, representative: str = ""
    ) -> Scheduled | NotScheduled:
        """Another time for one of the person's; with the same representative unless another is named."""
        start = start.astimezone(UTC)
        before = await self._own(appointment_id, person_id)
        if isinstance(before, NotScheduled):
            return before
        same = before.representative if before.representative in self._bookable else ""
        whom = self._whom(representative or same)
        if isinstance(whom, NotScheduled):
            return whom
        if before.start == start and before.representative in whom:
            return NotScheduled(why=f"{self._spelled(before)} is at that time already; nothing was moved")
        free = await self._free_at(start, whom, without=before)
        if isinstance(free, NotScheduled):
            return free
        end = start + self._slot
        for name in free:
            try:
                moved = await self._store.move(
                    before.appointment_id,
                    start=pinned(start, self._zone),
                    end=pinned(end, self._zone),
                    representative=name,
                )
            except TimeTaken:
                continue
            except NotFound:
                return NotScheduled(why=f"{self._spelled(before)} was cancelled meanwhile; nothing was moved")
            return await self._done(EffectKind.MOVED, moved, before)
        return NotScheduled(why=f"{self._when(start)} was taken just now; nothing was moved")

    async def cancel(self, appointment_id: str, *, person_id: str) -> Scheduled | NotScheduled:
        """Take back one of the person's."""
        before = await self._own(appointment_id, person_id)
        if isinstance(before, NotScheduled):
            return before
        return await self.take_back(before)

    async def take_back(self, before: Appointment) -> Scheduled | NotScheduled:
        """Take back anybody's, as the business itself may."""
        refused = self._not_to_come(before)
        if refused is not None:
            return refused
        return await self._done(EffectKind.CANCELLED, await self._store.cancel(before.appointment_id), before)

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """All of a person's, the earliest first: past and cancelled ones too."""
        return tuple(self._local(each) for each in await self._store.of_person(person_id))

    async def _coming(self, person_id: str) -> Sequence[Appointment]:
        return upcoming(await self.of_person(person_id), self._clock.now())

    async def _own(self, appointment_id: str, person_id: str) -> Appointment | NotScheduled:
        """One of the person's that can still be moved or cancelled."""
        mine = await self.of_person(person_id)
        found = next((each for each in mine if each.appointment_id == appointment_id), None)
        if found is None:
            coming = [f"{each.appointment_id} ({self._spelled(each)})" for each in upcoming(mine, self._clock.now())]
            there_are = f"there are {', '.join(coming)}" if coming else "this person has none to come"
            return NotScheduled(why=f"there is no appointment {appointment_id!r}; {there_are}")
        return self._not_to_come(found) or found

    def _not_to_come(self, appointment: Appointment) -> NotScheduled | None:
        """Why it can't be moved or cancelled any more; None when it can."""
        if appointment.status is AppointmentStatus.CANCELLED:
            return NotScheduled(why=f"{self._spelled(appointment)} is cancelled already")
        if appointment.end <= self._clock.now():
            return NotScheduled(why=f"{self._spelled(appointment)} is over")
        return None

    def _whom(self, representative: str) -> Sequence[str] | NotScheduled:
        """Whose time is looked at."""
        if self._agent.scheduling is None:
            return NotScheduled(why="no appointments are made here")
        if not representative:
            return self._bookable
        if representative in self._bookable:
            return (representative,)
        names = [name for name in self._bookable if name]
        there_are = f"; there are {', '.join(names)}" if names else "; there are none"
        hint = did_you_mean(representative, names) or there_are
        return NotScheduled(why=f"there is no representative {representative!r}{hint}")

    def _bounds(self) -> tuple[datetime, datetime]:
        """From when on and before when a new appointment may begin."""
        now = self._clock.now().astimezone(UTC)
        return now + timedelta(seconds=self._settings.notice), now + timedelta(seconds=self._settings.ahead)

    async def _free_at(
        self, start: datetime, whom: Sequence[str], *, without: Appointment | None = None
    ) -> Sequence[str] | NotScheduled:
        """Who of them is free then, or why nobody is and what is free nearby."""
        earliest, latest = self._bounds()
        now, when = self._clock.now(), self._when(start)
        if start < earliest:
            why = f"{when} is over" if start < now else f"{when} is too soon"
            return NotScheduled(why=f"{why}; the earliest is {self._when(earliest)}")
        if start >= latest:
            return NotScheduled(why=f"{when} is too far ahead; it must be before {self._when(latest)}")
        try:
            busy = await self._busy(whom, max(earliest, start - _NEARBY), latest + self._slot)
        except CalendarUnreachable as fault:
            return self._out_of_reach(fault)
        if without is not None:
            busy = _without(busy, without)
        seeing = [name for name in whom if next(times_of(self._calendar(name), start, start + _AT_ONCE), None)]
        free = [name for name in seeing if next(self._free([name], busy, start, start + _AT_ONCE), None)]
        if free:
            return free
        why = f"{when} is taken" if seeing else f"no appointment begins at {when}"
        near = sorted(
            self._free(whom, busy, max(earliest, start - _NEARBY), min(latest, start + _NEARBY)),
            key=lambda time: abs(time.start - start),
        )[:_NEARBY_TIMES] or list(_first(self._free(whom, busy, start, latest), 1))
        told = ", ".join(
            self._shown(time).start.isoformat(timespec="minutes") for time in sorted(near, key=attrgetter("start"))
        )
        return NotScheduled(why=f"{why}; " + (f"free are {told}" if told else "nothing else is free"))

    def _free(self, whom: Sequence[str], busy: Sequence[Busy], since: datetime, until: datetime) -> Iterator[OpenTime]:
        """Free times of any of them, each moment once."""
        each = [free_times(self._calendar(name), _of(busy, name), since, until) for name in whom]
        before: datetime | None = None
        for time in heapq.merge(*each, key=attrgetter("start")):
            if time.start != before:
                before = time.start
                yield time

    def _calendar(self, representative: str) -> Calendar:
        settings, one = self._settings, self._agent.representatives.get(representative)
        own = None if one is None else one.hours
        return Calendar(
            hours=settings.hours if own is None else own,
            zone=zone_named(one.time_zone) if one is not None and one.time_zone else self._zone,
            closed=frozenset(settings.closed),
            slot=self._slot,
            representative=representative,
        )

    def _out_of_reach(self, fault: CalendarUnreachable) -> NotScheduled:
        """What the agent is told. Raises `CaseFault` with cause `platform` where a verdict is to follow."""
        if self._graded:
            raise CaseFault("platform", str(fault), stopped=StopReason.PLATFORM_ERROR) from fault
        return NotScheduled(why=f"{fault}; nothing was done")

    async def _busy(self, whom: Sequence[str], since: datetime, until: datetime) -> Sequence[Busy]:
        """All that is taken, by whoever says so. Raises `CalendarUnreachable`."""
        found = [each for taken in self._taken for each in await taken.busy(since, until)]
        if self._calendars is None:
            return found
        calendars = self._calendars
        names = dict.fromkeys([*whom, ""])
        outside = await asyncio.gather(*(calendars.busy(name, since, until) for name in names))
        for name, times in zip(names, outside, strict=True):
            found += [replace(each, representative=name) for each in times]
        return found

    async def _done(self, kind: EffectKind, appointment: Appointment, before: Appointment | None) -> Scheduled:
        now = self._local(appointment)
        summary = self._spelled(now)
        data: dict[str, Json] = {**appointment_values(now), "person": now.person_id}
        if kind is EffectKind.MOVED and before is not None:
            was = self._local(before)
            summary = f"{summary}, instead of {self._when(was.start)}"
            data["before"] = {
                "start": was.start.isoformat(),
                "end": was.end.isoformat(),
                "representative": was.representative,
            }
        change = Change(kind=kind, appointment=now, before=before, summary=summary)
        if self._consequences is not None:
            data |= await self._consequences.of(change)
        effect = Effect(effect=kind, summary=summary, data=data, captured=self._consequences is None)
        return Scheduled(appointment=now, effect=effect)

    def _local(self, appointment: Appointment) -> Appointment:
        start, end = pinned(appointment.start, self._zone), pinned(appointment.end, self._zone)
        return replace(appointment, start=start, end=end)

    def _shown(self, time: OpenTime) -> OpenTime:
        return replace(time, start=pinned(time.start, self._zone), end=pinned(time.end, self._zone))

    def _when(self, moment: datetime) -> str:
        words = spelled_time(pinned(moment, self._zone), half_days=self._half_days)
        return words + zone_mark(moment, self._zone)

    def _spelled(self, appointment: Appointment) -> str:
        """`Powerboat, Sat 6 June 2026, 14:00–15:00, with Dana Whitfield`."""
        here = self._local(appointment)
        when = spelled_span(here.start, here.end, half_days=self._half_days, zone=self._zone)
        one = self._agent.representatives.get(appointment.representative)
        whom = appointment.representative if one is None else one.name
        return f"{appointment.title}, {when}{f', with {whom}' if whom else ''}"

    @property
    def _half_days(self) -> bool:
        return self._settings.clock == "12h"


_NONE = Scheduling()
"""Of an agent that makes no appointments: nobody is ever free."""


def _first(times: Iterable[OpenTime], most: int) -> Iterator[OpenTime]:
    return (time for _, time in zip(range(most), times, strict=False))


def _of(busy: Iterable[Busy], representative: str) -> Iterable[Busy]:
    """What keeps a representative from seeing somebody: their own, and what is taken for everybody."""
    return (each for each in busy if not representative or each.representative in {"", representative})


def _without(busy: Sequence[Busy], appointment: Appointment) -> Sequence[Busy]:
    """An appointment doesn't stand in the way of its own new time."""
    own = Busy(start=appointment.start, end=appointment.end, representative=appointment.representative)
    at = next((index for index, each in enumerate(busy) if each == own), None)
    return busy if at is None else [*busy[:at], *busy[at + 1 :]]
