"""What follows from an appointment in the live world (features.md A8): calendar, team and reminders learn of it.

All of it leaves with the turn, or never: what is done outside are errands, reminders are timers.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from greenroom.clock import Clock
from greenroom.conversation.appointments import AppointmentStatus
from greenroom.conversation.durations import spelled_length
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.visible import one_line
from greenroom.documents.agent import Agent
from greenroom.world.calendars import home_of
from greenroom.world.live.notify import Team, queued
from greenroom.world.live.sending import CALENDAR, UnderWay
from greenroom.world.scheduling import Change

__all__ = ["LiveConsequences", "Reminders"]


class Reminders(Protocol):
    """The reminders of appointments, set and taken back with the turn."""

    def set(self, appointment_id: str, due: Mapping[str, datetime]) -> None:
        """Remind at these moments, by name, and at no other."""
        ...

    def cancel(self, appointment_id: str, why: str) -> None:
        """Remind no more."""
        ...


_NEWS = {
    EffectKind.BOOKED: "New appointment",
    EffectKind.MOVED: "Appointment moved",
    EffectKind.CANCELLED: "Appointment cancelled",
}


class LiveConsequences:
    """Sees to them for one agent, in the turn that is served; `world.scheduling.Consequences`."""

    def __init__(
        self,
        agent: Agent,
        *,
        clock: Clock,
        turn: UnderWay,
        team: Team,
        reminders: Reminders | None,
    ) -> None:
        """Consequences for one conversation.

        Args:
            agent: Whose calendars, team and reminders these are.
            clock: What time it is.
            turn: With which everything leaves.
            team: Who is told.
            reminders: Of appointments; None: nobody is reminded of these.
        """
        self._agent = agent
        self._clock = clock
        self._turn = turn
        self._team = team
        self._reminders = reminders

    async def of(self, change: Change) -> Mapping[str, Json]:
        """Have the calendar written, the team told and the person reminded; says what will be."""
        news = f"{_NEWS[change.kind]}: {change.summary}"
        told = self._team.tell("", f"{news}\n\n{await self._team.whereabouts()}", summary=news)
        return {"team": queued(told=told), **self._mirrored(change), **self._reminded(change)}

    def _mirrored(self, change: Change) -> Mapping[str, Json]:
        """In the calendar where it belongs now, and no more in the one where it was."""
        stood = (change.before, change.appointment)
        homes = dict.fromkeys(home_of(self._agent, each.representative) for each in stood if each is not None)
        calendars = tuple(home for home in homes if home is not None)
        if not calendars:
            return {}
        name = change.appointment.appointment_id
        body: dict[str, Json] = {"appointment": name, "calendars": calendars}
        summary = one_line(f"{change.kind.value}: {change.summary}")
        self._turn.add(kind=CALENDAR, lane=name, summary=summary, body=body, shared=True)
        return {"calendar": {"status": "queued"}}

    def _reminded(self, change: Change) -> Mapping[str, Json]:
        """At the times that the agent says; none whose time is past already."""
        if self._reminders is None:
            return {}
        it, now = change.appointment, self._clock.now()
        if it.status is AppointmentStatus.CANCELLED:
            self._reminders.cancel(it.appointment_id, "the appointment was cancelled")
            return {}
        offsets = () if self._agent.scheduling is None else self._agent.scheduling.remind
        times = {spelled_length(before): it.start - timedelta(seconds=before) for before in offsets}
        due = {name: moment for name, moment in times.items() if moment > now}
        # A move takes back what was set for the old time, also when nothing is set for the new one.
        if due or change.kind is EffectKind.MOVED:
            self._reminders.set(it.appointment_id, due)
        return {"reminders": {name: moment.isoformat() for name, moment in due.items()}} if due else {}
