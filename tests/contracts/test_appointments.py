"""What every store of appointments does, in memory for a case and in the database (`world.ports.AppointmentStore`)."""

from datetime import UTC, timedelta

import pytest
from tests.stores import NOON

from greenroom.conversation.appointments import Appointment, AppointmentStatus, Busy
from greenroom.errors import NotFound, TimeTaken
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.store.turn_work import TurnWork
from greenroom.world.ports import AppointmentStore
from greenroom.world.sandbox.scheduling import MemoryAppointments

HOUR = timedelta(hours=1)
DAY = (NOON - 12 * HOUR, NOON + 12 * HOUR)

pytestmark = pytest.mark.requirement("A5", "A8")


@pytest.fixture(params=["memory", "live", "turn", "sandbox"])
def appointments(request: pytest.FixtureRequest, store: Store) -> AppointmentStore:
    """Each of them, empty."""
    if request.param == "memory":
        return MemoryAppointments()
    if request.param == "sandbox":
        return store.appointments(Sandbox("chat-1"), agent="desk", conversation="c")
    work = TurnWork() if request.param == "turn" else None
    return store.appointments(Partition.LIVE, agent="desk", conversation="c", with_turn=work)


def boat(hours: float = 0, *, representative: str = "", person: str = "ana") -> Appointment:
    start = NOON + timedelta(hours=hours)
    return Appointment(
        appointment_id="",
        title="Boat",
        start=start,
        end=start + HOUR,
        representative=representative,
        person_id=person,
        notes="Six people",
    )


def when(hours: float, representative: str = "") -> dict[str, object]:
    start = NOON + timedelta(hours=hours)
    return {"start": start, "end": start + HOUR, "representative": representative}


async def test_a_booking_has_an_id_and_is_its_persons(appointments: AppointmentStore) -> None:
    later = await appointments.book(boat(2))
    booked = await appointments.book(boat())
    await appointments.book(boat(1, person="bob"))
    assert booked.appointment_id
    assert booked.appointment_id != later.appointment_id
    assert (booked.title, booked.notes, booked.start) == ("Boat", "Six people", NOON)
    assert list(await appointments.of_person("ana")) == [booked, later]
    assert list(await appointments.of_person("nobody")) == []


async def test_a_time_is_given_once_to_each_representative(appointments: AppointmentStore) -> None:
    await appointments.book(boat(representative="dana"))
    with pytest.raises(TimeTaken):
        await appointments.book(boat(0.5, representative="dana", person="bob"))
    await appointments.book(boat(representative="bob"))
    await appointments.book(boat(1, representative="dana"))
    await appointments.book(boat(-1, representative="dana"))


async def test_what_is_taken_is_told_between_two_moments(appointments: AppointmentStore) -> None:
    await appointments.book(boat(representative="dana"))
    await appointments.book(boat(5))
    assert list(await appointments.busy(NOON + HOUR / 2, NOON + 5 * HOUR)) == [
        Busy(start=NOON, end=NOON + HOUR, representative="dana")
    ]
    assert list(await appointments.busy(NOON + HOUR, NOON + 5 * HOUR)) == []
    assert {busy.start.astimezone(UTC) for busy in await appointments.busy(*DAY)} == {NOON, NOON + 5 * HOUR}


async def test_a_move_gives_the_old_time_back(appointments: AppointmentStore) -> None:
    booked = await appointments.book(boat())
    other = await appointments.book(boat(3))
    with pytest.raises(TimeTaken):
        await appointments.move(booked.appointment_id, **when(2.5))  # pyright: ignore[reportArgumentType]
    moved = await appointments.move(booked.appointment_id, **when(0.5, "dana"))  # pyright: ignore[reportArgumentType]
    assert (moved.appointment_id, moved.start, moved.representative) == (
        booked.appointment_id,
        NOON + HOUR / 2,
        "dana",
    )
    assert list(await appointments.of_person("ana")) == [moved, other]
    await appointments.book(boat(person="bob"))


async def test_a_cancelled_time_can_be_had_again(appointments: AppointmentStore) -> None:
    booked = await appointments.book(boat())
    cancelled = await appointments.cancel(booked.appointment_id)
    assert cancelled.status is AppointmentStatus.CANCELLED
    assert (await appointments.cancel(booked.appointment_id)).status is AppointmentStatus.CANCELLED
    assert list(await appointments.busy(*DAY)) == []
    again = await appointments.book(boat())
    assert again.appointment_id != booked.appointment_id
    assert {each.appointment_id: each.status for each in await appointments.of_person("ana")} == {
        booked.appointment_id: AppointmentStatus.CANCELLED,
        again.appointment_id: AppointmentStatus.BOOKED,
    }


async def test_what_is_not_there_or_cancelled_is_not_moved(appointments: AppointmentStore) -> None:
    booked = await appointments.book(boat())
    await appointments.cancel(booked.appointment_id)
    for name in ("appointment-99", booked.appointment_id):
        with pytest.raises(NotFound):
            await appointments.move(name, **when(1))  # pyright: ignore[reportArgumentType]
    with pytest.raises(NotFound):
        await appointments.cancel("appointment-99")
