"""Appointments as they are held, kept, moved, cancelled and listed: nobody has a time twice (features.md A5, A8)."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.store.booking_process import HOURS
from tests.stores import NOON, opened

from greenroom.conversation.appointments import Appointment, AppointmentStatus
from greenroom.errors import HoldLost, NotFound, TimeTaken, UsageError
from greenroom.store.appointment_lists import AppointmentFilter
from greenroom.store.appointments import HOLD_S, Appointments
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Sandbox
from greenroom.store.turn_work import WORK_TURNS, TurnWork

HOUR = timedelta(hours=1)
ALL_DAY = (NOON - timedelta(hours=12), NOON + timedelta(hours=24))

pytestmark = pytest.mark.requirement("A5", "A8")


def boat(start: datetime = NOON, *, title: str = "Boat", representative: str = "", person: str = "ana") -> Appointment:
    return Appointment(
        appointment_id="",
        title=title,
        start=start,
        end=start.astimezone(UTC) + HOUR,
        representative=representative,
        person_id=person,
    )


class LiveTurn:
    """A turn of one conversation that is under way."""

    def __init__(self, store: Store, conversation: str) -> None:
        self._store = store
        self._work = TurnWork()
        self.appointments = store.appointments(
            Partition.LIVE, agent="lakeside", conversation=conversation, with_turn=self._work
        )

    async def kept(self) -> None:
        """What the transaction that keeps the turn does."""
        prepared = self._work.prepared()

        def write(connection: object) -> None:
            for each in prepared:
                each(connection)  # pyright: ignore[reportArgumentType]  # the store's own connection

        await self._store.writer.write(write, *WORK_TURNS)
        self._work.done(len(prepared))


def at_once(store: Store, where: Partition | Sandbox = Partition.LIVE, agent: str = "lakeside") -> Appointments:
    return store.appointments(where, agent=agent)


async def starts(appointments: Appointments) -> list[datetime]:
    return [busy.start for busy in await appointments.busy(*ALL_DAY)]


async def listed(store: Store, where: Partition | Sandbox = Partition.LIVE) -> list[Appointment]:
    page = await store.appointment_lists(where).page(AppointmentFilter())
    return [record.appointment for record in page.appointments]


async def test_of_many_processes_that_book_the_same_times_at_once_each_time_has_one(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path):
        command = [sys.executable, "-m", "tests.store.booking_process", database_url, str(tmp_path)]
        pipe = asyncio.subprocess.PIPE
        bookers = [
            await asyncio.create_subprocess_exec(*command, f"booker-{number}", stdin=pipe, stdout=pipe)
            for number in range(3)
        ]
        for booker in bookers:
            assert booker.stdout is not None
            assert await booker.stdout.readline() == b"ready\n"
        said = await asyncio.gather(*(booker.communicate(b"go\n") for booker in bookers))
        got = sorted(int(hour) for out, _ in said for hour in out.split())
        assert got == list(range(HOURS))
    async with opened(database_url, tmp_path) as store:
        assert [each.start for each in await listed(store)] == [NOON + hour * HOUR for hour in range(HOURS)]


async def test_a_time_that_one_turn_holds_is_taken_for_everybody_else(store: Store) -> None:
    ana, bob = LiveTurn(store, "ana"), LiveTurn(store, "bob")
    await ana.appointments.book(boat())
    assert await starts(bob.appointments) == [NOON]
    with pytest.raises(TimeTaken):
        await bob.appointments.book(boat(NOON + HOUR / 2))
    await bob.appointments.book(boat(NOON + HOUR))
    await bob.appointments.book(boat(NOON, representative="dana"))


async def test_a_held_booking_is_seen_by_its_turn_alone_until_the_turn_is_kept(store: Store) -> None:
    turn = LiveTurn(store, "ana")
    booked = await turn.appointments.book(boat())
    assert await turn.appointments.of_person("ana") == (booked,)
    assert await LiveTurn(store, "ana-2").appointments.of_person("ana") == ()
    assert await listed(store) == []

    await turn.kept()
    assert await LiveTurn(store, "ana-2").appointments.of_person("ana") == (booked,)
    assert await turn.appointments.of_person("ana") == (booked,)
    assert await listed(store) == [booked]


async def test_an_event_that_is_served_again_finds_nothing_of_the_first_try_in_its_way(store: Store) -> None:
    """A process that died in the middle of a turn left a hold: its own conversation isn't kept waiting by it."""
    first = LiveTurn(store, "ana")
    await first.appointments.book(boat())

    again = LiveTurn(store, "ana")
    assert await starts(again.appointments) == []
    booked = await again.appointments.book(boat())
    assert await starts(LiveTurn(store, "bob").appointments) == [NOON]

    with pytest.raises(HoldLost):
        await first.kept()
    await again.kept()
    assert await listed(store) == [booked]


async def test_a_hold_that_has_run_out_is_free_and_its_late_turn_is_not_kept(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        slept = LiveTurn(store, "ana")
        await slept.appointments.book(boat())
        async with opened(database_url, tmp_path, at=NOON + timedelta(seconds=HOLD_S)) as later:
            # Ids of a clock that stands still begin anew in each store.
            later.clock.new_id("appointment")
            bob = LiveTurn(later, "bob")
            assert await starts(bob.appointments) == []
            booked = await bob.appointments.book(boat(person="bob"))
            await bob.kept()
            with pytest.raises(HoldLost, match="held a time that is taken by now; nothing was kept"):
                await slept.kept()
            assert await listed(later) == [booked]


async def test_a_turn_that_took_longer_than_its_hold_is_kept_when_nobody_was_in_its_way(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path) as store:
        slow = LiveTurn(store, "ana")
        booked = await slow.appointments.book(boat())
        async with opened(database_url, tmp_path, at=NOON + timedelta(seconds=2 * HOLD_S)) as later:
            assert await starts(LiveTurn(later, "bob").appointments) == []
        await slow.kept()
        assert await listed(store) == [booked]


async def test_a_move_has_both_times_until_the_turn_is_kept_and_then_the_new_one(store: Store) -> None:
    booked = await at_once(store).book(boat())
    turn, bob = LiveTurn(store, "ana"), LiveTurn(store, "bob")
    later = NOON + 3 * HOUR
    moved = await turn.appointments.move(booked.appointment_id, start=later, end=later + HOUR, representative="")

    assert (moved.appointment_id, moved.start, moved.person_id) == (booked.appointment_id, later, "ana")
    assert await starts(bob.appointments) == [NOON, later]
    assert await starts(turn.appointments) == [later]
    assert await turn.appointments.of_person("ana") == (moved,)

    await turn.kept()
    assert await starts(bob.appointments) == [later]
    assert await listed(store) == [moved]


async def test_an_appointment_is_not_in_the_way_of_its_own_move(store: Store) -> None:
    booked = await at_once(store).book(boat())
    half_past = NOON + HOUR / 2
    turn = LiveTurn(store, "ana")
    to = {"end": half_past + HOUR, "representative": ""}
    moved = await turn.appointments.move(booked.appointment_id, start=half_past, **to)  # pyright: ignore[reportArgumentType]
    assert moved.start == half_past
    await turn.kept()
    assert await listed(store) == [moved]


async def test_what_a_turn_books_moves_and_cancels_becomes_true_in_that_order(store: Store) -> None:
    turn = LiveTurn(store, "ana")
    booked = await turn.appointments.book(boat())
    later = NOON + 2 * HOUR
    await turn.appointments.move(booked.appointment_id, start=later, end=later + HOUR, representative="dana")
    cancelled = await turn.appointments.cancel(booked.appointment_id)
    assert await turn.appointments.cancel(booked.appointment_id) == cancelled
    # The cancelled time is free for the turn that freed it.
    again = await turn.appointments.book(boat(later, representative="dana", title="Other boat"))

    await turn.kept()
    assert await listed(store) == [cancelled, again]
    assert (cancelled.status, cancelled.start, cancelled.representative) == (AppointmentStatus.CANCELLED, later, "dana")


async def test_a_cancellation_takes_effect_with_the_turn(store: Store) -> None:
    booked = await at_once(store).book(boat())
    turn = LiveTurn(store, "ana")
    cancelled = await turn.appointments.cancel(booked.appointment_id)
    assert await turn.appointments.of_person("ana") == (cancelled,)
    with pytest.raises(TimeTaken):
        await LiveTurn(store, "bob").appointments.book(boat())
    await turn.kept()
    await LiveTurn(store, "bob").appointments.book(boat())


async def test_a_move_of_what_was_cancelled_meanwhile_is_not_kept(store: Store) -> None:
    booked = await at_once(store).book(boat())
    turn = LiveTurn(store, "ana")
    later = NOON + 2 * HOUR
    await turn.appointments.move(booked.appointment_id, start=later, end=later + HOUR, representative="")
    await at_once(store).cancel(booked.appointment_id)
    with pytest.raises(HoldLost, match="which is cancelled by now"):
        await turn.kept()
    assert [each.status for each in await listed(store)] == [AppointmentStatus.CANCELLED]


async def test_what_is_not_there_or_cancelled_can_not_be_moved(store: Store) -> None:
    mine = at_once(store)
    booked = await mine.book(boat())
    to = {"start": NOON, "end": NOON + HOUR, "representative": ""}
    with pytest.raises(NotFound):
        await mine.move("appointment-99", **to)  # pyright: ignore[reportArgumentType]
    with pytest.raises(NotFound):
        await at_once(store, agent="other").cancel(booked.appointment_id)
    assert await mine.known(["appointment-99", booked.appointment_id]) == {booked.appointment_id}
    assert await at_once(store, agent="other").known([booked.appointment_id]) == frozenset()
    await mine.cancel(booked.appointment_id)
    with pytest.raises(NotFound):
        await mine.move(booked.appointment_id, **to)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("A7")
async def test_a_sandbox_blocks_itself_alone_and_takes_its_appointments_with_it(store: Store) -> None:
    one, two = Sandbox("one"), Sandbox("two")
    for sandbox in (one, two):
        await store.sandboxes.open(sandbox)
        await at_once(store, sandbox).book(boat())
    with pytest.raises(TimeTaken):
        await at_once(store, one).book(boat())
    await at_once(store).book(boat())

    assert len(await listed(store)) == 1
    assert len(await listed(store, Partition.SANDBOX)) == 2
    await store.sandboxes.remove(one)
    await store.sandboxes.remove(two)
    assert await listed(store, Partition.SANDBOX) == []
    assert len(await listed(store)) == 1


async def test_an_appointment_at_a_wall_clock_time_keeps_its_instant_when_the_clocks_change(store: Store) -> None:
    """The hour that comes twice in autumn: its first pass and its second are two times."""
    chicago = ZoneInfo("America/Chicago")
    first = datetime(2026, 11, 1, 1, 30, tzinfo=chicago)
    second = first.replace(fold=1)
    mine = at_once(store)
    booked = [await mine.book(boat(moment)) for moment in (second, first)]
    assert [each.start.isoformat() for each in booked] == ["2026-11-01T01:30:00-06:00", "2026-11-01T01:30:00-05:00"]
    kept = await mine.of_person("ana")
    assert [each.start.astimezone(UTC).hour for each in kept] == [6, 7]
    with pytest.raises(TimeTaken):
        await mine.book(boat(datetime(2026, 11, 1, 7, 45, tzinfo=UTC)))


async def test_a_list_is_read_page_by_page_the_earliest_first(store: Store) -> None:
    mine = at_once(store)
    for number in (3, 1, 2, 0):
        await mine.book(boat(NOON + number * HOUR, title=f"Boat {number}"))
    lists, titles, after = store.appointment_lists(Partition.LIVE), list[str](), None
    for size in (2, 2):
        page = await lists.page(AppointmentFilter(), limit=size, after=after)
        titles += [record.appointment.title for record in page.appointments]
        after = page.next
    assert titles == ["Boat 0", "Boat 1", "Boat 2", "Boat 3"]
    assert after is None
    with pytest.raises(UsageError, match="'x' is not where a page of appointments ended"):
        await lists.page(AppointmentFilter(), after="x")


@pytest.mark.parametrize(
    ("wanted", "titles"),
    [
        (AppointmentFilter(agent="lakeside"), ["noon", "one", "two"]),
        (AppointmentFilter(person_id="bob"), ["two", "other"]),
        (AppointmentFilter(representative="dana"), ["one"]),
        (AppointmentFilter(status=AppointmentStatus.CANCELLED), ["two"]),
        (AppointmentFilter(since=NOON + HOUR, until=NOON + 3 * HOUR), ["one", "two"]),
    ],
)
async def test_a_list_can_be_narrowed(store: Store, wanted: AppointmentFilter, titles: list[str]) -> None:
    mine = at_once(store)
    await mine.book(boat(title="noon"))
    await mine.book(boat(NOON + HOUR, title="one", representative="dana"))
    two = await mine.book(boat(NOON + 2 * HOUR, title="two", person="bob"))
    await mine.cancel(two.appointment_id)
    await at_once(store, agent="hillside").book(boat(NOON + 3 * HOUR, title="other", person="bob"))

    page = await store.appointment_lists(Partition.LIVE).page(wanted)
    assert [record.appointment.title for record in page.appointments] == titles
    lists = store.appointment_lists(Partition.LIVE)
    assert (await lists.get(two.appointment_id)).agent == "lakeside"
    with pytest.raises(NotFound):
        await store.appointment_lists(Partition.SANDBOX).get(two.appointment_id)
