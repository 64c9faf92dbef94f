"""The actions of `scheduling`: finding times, booking, moving and cancelling (documents.md: built-in actions).

Times are shown to a person by the clock of the zone that their field `time_zone` names, if they have one, else by the
agent's; what a model writes without an offset is read by the same clock. Whom with: whom the model names, else the
person's own representative, else anybody who is free.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo

from greenroom.agents.hosted.parameters import object_schema, text_schema
from greenroom.agents.hosted.render import for_channel
from greenroom.agents.hosted.scene import Done, Scene
from greenroom.conversation.actions import Action
from greenroom.conversation.appointments import (
    Appointment,
    OpenTime,
    appointment_values,
    pinned,
    spelled_span,
    spelled_time,
    upcoming,
    zone_mark,
)
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Slot, TimePicker
from greenroom.conversation.people import Person
from greenroom.documents.agent import Agent
from greenroom.documents.scheduling import spelled_hours
from greenroom.documents.sizes import NAME_CHARS, NOTES_CHARS
from greenroom.documents.zones import known_zone, zone_named
from greenroom.world.availability import instant
from greenroom.world.ports import FreeTimes, NotScheduled, Scheduled

__all__ = ["appointment_words", "booking_parameters", "do_booking", "slots_shown", "times_to_offer", "zone_of"]

_ZONE_FIELD = "time_zone"
"""The people field that says where somebody is, for an agent that declares it."""


class _Unreadable(Exception):
    """What a model wrote is no time; the text says what is."""


def booking_parameters(action: Action, agent: Agent) -> Mapping[str, Json]:
    """The parameters of one of the actions, as a JSON Schema."""
    whom: dict[str, Json] = {}
    if agent.representatives:
        moves = action is Action.MOVE_APPOINTMENT
        left_out = "with whom it was" if moves else "the person's own representative, or anybody who is free"
        about = f"With whom{', when that changes' if moves else ', when it matters'}. Left out: {left_out}."
        whom = {"representative": {"type": "string", "enum": list(agent.representatives), "description": about}}
    start = text_schema("When it begins: the `start` of one of the free times, or YYYY-MM-DDTHH:MM.")
    which = text_schema(
        "Its id, as it stands among what is known of the person. Left out: the only one that is to come."
    )
    match action:
        case Action.FIND_TIMES:
            since = text_schema("From when on: YYYY-MM-DD or YYYY-MM-DDTHH:MM. Left out: as soon as possible.")
            until = text_schema(
                "The last day, YYYY-MM-DD, or before when it begins, YYYY-MM-DDTHH:MM. Left out: any day."
            )
            return object_schema({"from": since, "to": until, **whom})
        case Action.BOOK_APPOINTMENT:
            title = text_schema("What it is for, in a few words.", most=NAME_CHARS)
            notes = text_schema("What whoever has the appointment should know.", most=NOTES_CHARS)
            return object_schema({"start": start, "title": title, "notes": notes, **whom}, required=["start", "title"])
        case Action.MOVE_APPOINTMENT:
            return object_schema({"start": start, "appointment": which, **whom}, required=["start"])
        case _:
            return object_schema({"appointment": which})


def appointment_words(agent: Agent) -> str | None:
    """When appointments may be, in lines, for the agent itself and for its judge; None if it makes none."""
    scheduling = agent.scheduling
    if scheduling is None:
        return None
    lines = [f"- {scheduling.slot_minutes} minutes each; hours are {agent.time_zone} unless another zone is named"]
    own = [(one.name, one.hours, one.time_zone) for one in agent.representatives.values()]
    for name, hours, zone in own or [("", None, "")]:
        told = spelled_hours(scheduling.hours if hours is None else hours) or "never"
        lines.append(f"- {name}{': ' if name else ''}{told}{f' ({zone})' if zone else ''}")
    if scheduling.closed:
        lines.append(f"- closed: {', '.join(day.isoformat() for day in scheduling.closed)}")
    return "\n".join(lines)


async def do_booking(action: Action, arguments: Mapping[str, Json], scene: Scene) -> Done:
    """Do one of the actions; the arguments fit its parameters."""
    person = await scene.world.people.find(scene.identity)
    zone = await zone_of(person, scene.agent)
    written = {name: value for name, value in arguments.items() if isinstance(value, str)}
    try:
        if action is Action.FIND_TIMES:
            return await _find_times(written, scene, person, zone)
        if person is None:
            return Done(error="this person isn't on record and strangers are not put on record; nothing was done")
        return await _CHANGES[action](written, scene, person, zone)
    except _Unreadable as fault:
        return Done(error=f"{fault}; nothing was done")


async def times_to_offer(arguments: Mapping[str, str], scene: Scene) -> Sequence[tuple[Slot, OpenTime]] | str:
    """Free times, each with how it is shown, or why none can be looked for; the arguments are those of `find_times`."""
    person = await scene.world.people.find(scene.identity)
    zone = await zone_of(person, scene.agent)
    try:
        found = await _free(arguments, scene, person, zone)
    except _Unreadable as fault:
        return str(fault)
    if isinstance(found, NotScheduled):
        return found.why
    slots = slots_shown(found.times, zone, scene.agent, scene.world.clock.now())
    return tuple(zip(slots, found.times, strict=True))


async def _free(
    arguments: Mapping[str, str], scene: Scene, person: Person | None, zone: tzinfo
) -> FreeTimes | NotScheduled:
    since = _moment("from", arguments["from"], zone) if "from" in arguments else None
    until = _moment("to", arguments["to"], zone, whole_day=True) if "to" in arguments else None
    if since is not None and until is not None and until <= since:
        raise _Unreadable("`to` is before `from`")
    whom = arguments.get("representative") or _own_representative(person, scene.agent)
    return await scene.world.scheduling.free_times(representative=whom, since=since, until=until)


async def _find_times(arguments: Mapping[str, str], scene: Scene, person: Person | None, zone: tzinfo) -> Done:
    found = await _free(arguments, scene, person, zone)
    if isinstance(found, NotScheduled):
        return Done(error=found.why)
    now = scene.world.clock.now()
    if not found.times:
        return Done(result=_nothing_free(found, zone))
    slots = slots_shown(found.times, zone, scene.agent, now)
    told: list[Json] = [
        {
            "start": slot.start,
            "label": slot.label,
            **({"representative": name} if (name := free.representative) else {}),
        }
        for slot, free in zip(slots, found.times, strict=True)
    ]
    message = for_channel(Message(parts=(TimePicker(slots=slots),)), scene.abilities)
    return Done(result={"times": told, "note": "the person is shown these"}, entries=(message,))


def _nothing_free(found: FreeTimes, zone: tzinfo) -> Json:
    if found.later is None:
        return "nothing is free then, and nothing later; nothing was shown"
    later = pinned(found.later.start, zone).isoformat(timespec="minutes")
    return f"nothing is free then; the next free time is {later}; nothing was shown"


def slots_shown(times: Sequence[OpenTime], zone: tzinfo, agent: Agent, now: datetime) -> tuple[Slot, ...]:
    """Free times as a time picker shows them by the clock of a zone."""
    return tuple(
        Slot(
            start=pinned(each.start, zone).isoformat(timespec="minutes"),
            label=_label(each, zone, agent, now),
        )
        for each in times
    )


def _label(free: OpenTime, zone: tzinfo, agent: Agent, now: datetime) -> str:
    """`Sat 6 June, 14:00`; with the year when it is another, and with the zone when the time alone could mislead."""
    there, today = free.start.astimezone(zone), now.astimezone(zone)
    half_days = agent.scheduling is not None and agent.scheduling.clock == "12h"
    words = spelled_time(there, half_days=half_days, year=there.year != today.year)
    elsewhere = there.utcoffset() != free.start.astimezone(zone_named(agent.time_zone)).utcoffset()
    return f"{words} ({there:%Z})" if elsewhere else words + zone_mark(there, zone)


async def _book(arguments: Mapping[str, str], scene: Scene, person: Person, zone: tzinfo) -> Done:
    whom = arguments.get("representative") or _own_representative(person, scene.agent)
    done: Scheduled | NotScheduled | None = None
    for start in _starts(arguments["start"], zone):
        done = await scene.world.scheduling.book(
            person_id=person.person_id,
            title=arguments["title"],
            start=start,
            representative=whom,
            notes=arguments.get("notes", ""),
        )
        if isinstance(done, Scheduled):
            break
    return _told("booked", done)


async def _move(arguments: Mapping[str, str], scene: Scene, person: Person, zone: tzinfo) -> Done:
    which = await _which(arguments, scene, person)
    done: Scheduled | NotScheduled | None = None
    for start in _starts(arguments["start"], zone):
        done = await scene.world.scheduling.move(
            which, person_id=person.person_id, start=start, representative=arguments.get("representative", "")
        )
        if isinstance(done, Scheduled):
            break
    return _told("moved", done)


async def _cancel(arguments: Mapping[str, str], scene: Scene, person: Person, _zone: tzinfo) -> Done:
    which = await _which(arguments, scene, person)
    return _told("cancelled", await scene.world.scheduling.cancel(which, person_id=person.person_id))


_CHANGES = {
    Action.BOOK_APPOINTMENT: _book,
    Action.MOVE_APPOINTMENT: _move,
    Action.CANCEL_APPOINTMENT: _cancel,
}


def _told(what: str, done: Scheduled | NotScheduled | None) -> Done:
    if isinstance(done, Scheduled):
        return Done(result={what: appointment_values(done.appointment)}, entries=(done.effect,))
    return Done(error=done.why if done is not None else "there is no such time")


async def _which(arguments: Mapping[str, str], scene: Scene, person: Person) -> str:
    """The id of the appointment that is meant."""
    if "appointment" in arguments:
        return arguments["appointment"]
    coming = upcoming(await scene.world.scheduling.of_person(person.person_id), scene.world.clock.now())
    if len(coming) == 1:
        return coming[0].appointment_id
    if not coming:
        raise _Unreadable("this person has no appointment to come")
    raise _Unreadable(f"say which `appointment` is meant: {', '.join(map(_named, coming))}")


def _named(appointment: Appointment) -> str:
    when = spelled_span(appointment.start, appointment.end)
    return f"{appointment.appointment_id} ({appointment.title}, {when})"


def _own_representative(person: Person | None, agent: Agent) -> str:
    own = "" if person is None else person.representative
    return own if own in agent.representatives else ""


async def zone_of(person: Person | None, agent: Agent) -> tzinfo:
    """The zone by whose clock somebody is shown times."""
    own = None if person is None else person.fields.get(_ZONE_FIELD)
    if isinstance(own, str) and own != agent.time_zone:
        # A zone that nobody asked for yet is read from a file.
        there = await asyncio.to_thread(lambda: zone_named(own) if own and known_zone(own) else None)
        if there is not None:
            return there
    return zone_named(agent.time_zone)


def _moment(name: str, written: str, zone: tzinfo, *, whole_day: bool = False) -> datetime:
    """A day or a moment; of a `whole_day` its end."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        moment = _read(name, written)
        return moment if moment.tzinfo is not None else instant(moment, zone)
    _within_reach(name, written, day)
    return instant(datetime.combine(day + timedelta(days=whole_day), time()), zone)


def _starts(written: str, zone: tzinfo) -> Sequence[datetime]:
    """The moments that a start may mean: two, when it has no offset and the clock shows it twice."""
    wall = _read("start", written)
    if wall.tzinfo is not None:
        return (wall,)
    meant = dict.fromkeys([instant(wall, zone), instant(wall, zone, later=True)])
    shown = [moment for moment in meant if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall]
    if not shown:
        raise _Unreadable(f"no clock shows {written} there: clocks are put forward then")
    return shown


def _read(name: str, written: str) -> datetime:
    try:
        moment = datetime.fromisoformat(written.strip())
    except ValueError:
        raise _no_time(name, written) from None
    _within_reach(name, written, moment)
    return moment


def _within_reach(name: str, written: str, day: date) -> None:
    """The first and the last year are none that anybody means, and not every zone has all of them."""
    if not date.min.year < day.year < date.max.year:
        raise _no_time(name, written)


def _no_time(name: str, written: str) -> _Unreadable:
    return _Unreadable(f"`{name}` is a time such as 2026-06-06T14:00, not {written!r}")
