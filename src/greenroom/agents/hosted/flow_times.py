"""Times and appointments as a flow offers them (features.md A5, A8)."""

from collections.abc import Mapping, Sequence

from greenroom.agents.hosted.booking import slots_shown, times_to_offer, zone_of
from greenroom.agents.hosted.scene import Scene
from greenroom.conversation.appointments import Appointment, OpenTime, appointment_values, upcoming
from greenroom.conversation.flows import FlowChoice
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import moment_of
from greenroom.documents.flow import Booked, Moved, TakenBack, TimesAsked
from greenroom.documents.templates import fill_named, filled_value

__all__ = ["appointments_to_come", "booking_arguments", "named_appointment", "time_choices"]


async def time_choices(asked: TimesAsked, scene: Scene, values: Mapping[str, Json]) -> tuple[FlowChoice, ...] | str:
    """Free times to choose from, or why none can be looked for."""
    day = fill_named(asked.day, values)
    written = {
        "from": day or fill_named(asked.from_, values),
        "to": day or fill_named(asked.to, values),
        "representative": fill_named(asked.representative, values),
    }
    found = await times_to_offer({name: text for name, text in written.items() if text}, scene)
    if isinstance(found, str):
        return found
    return tuple(
        FlowChoice(
            label=slot.label,
            value={
                "start": slot.start,
                "end": time.end.isoformat(),
                "representative": time.representative,
                "label": slot.label,
            },
            start=slot.start,
        )
        for slot, time in found
    )


async def appointments_to_come(scene: Scene) -> Sequence[Mapping[str, Json]]:
    """The person's, as choices: what is known of each, with a label of title and time."""
    person = await scene.world.people.find(scene.identity)
    if person is None:
        return ()
    now = scene.world.clock.now()
    coming = upcoming(await scene.world.scheduling.of_person(person.person_id), now)
    zone = await zone_of(person, scene.agent)
    slots = slots_shown([_time(each) for each in coming], zone, scene.agent, now)
    return [
        appointment_values(each) | {"label": f"{each.title}, {slot.label}"}
        for each, slot in zip(coming, slots, strict=True)
    ]


async def named_appointment(result: Json, scene: Scene) -> Json:
    """What an action answered of an appointment, under the names that later steps use; else the answer as it is."""
    values = next(iter(result.values()), None) if isinstance(result, Mapping) else None
    start = values.get("start") if isinstance(values, Mapping) else None
    moment = moment_of(start) if isinstance(start, str) else None
    if not isinstance(values, Mapping) or moment is None or moment.tzinfo is None:
        return result
    zone = await zone_of(await scene.world.people.find(scene.identity), scene.agent)
    (slot,) = slots_shown([OpenTime(start=moment, end=moment)], zone, scene.agent, scene.world.clock.now())
    return {**values, "label": f"{values.get('title', '')}, {slot.label}"}


def booking_arguments(asked: Booked | Moved | TakenBack, values: Mapping[str, Json]) -> Mapping[str, Json]:
    """The parameters of the action; a chosen time says with whom, and a chosen appointment is meant by its id."""
    written = {
        (info.alias or name): filled_value(getattr(asked, name), values)
        for name, info in type(asked).model_fields.items()
        if name != "as_"
    }
    start, appointment = written.get("start"), written.get("appointment")
    if isinstance(start, Mapping):
        written["start"] = start.get("start", "")
        written["representative"] = written.get("representative") or start.get("representative", "")
    if isinstance(appointment, Mapping):
        written["appointment"] = appointment.get("id", "")
    return {name: value for name, value in written.items() if value is not None and value != ""}


def _time(appointment: Appointment) -> OpenTime:
    return OpenTime(start=appointment.start, end=appointment.end)
