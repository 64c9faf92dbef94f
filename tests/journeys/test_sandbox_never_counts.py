"""Every operation there is, asked whether it shows the sandbox to somebody who didn't ask for it (features.md A7).

Operations are found by looking, so that a new listing, count, export, statistic, meter or scheduled action fails here
until it is asked too.
"""

import inspect
import pkgutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from sqlalchemy import Float, Integer, LargeBinary, select
from sqlalchemy import inspect as looked_at
from tests.journeys.looks_at_nothing import LOOKS_AT_NOTHING
from tests.projects import written_project

import greenroom.operations
from greenroom.clock import FrozenClock
from greenroom.conversation.appointments import Appointment
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.messages import text_message
from greenroom.conversation.people import Person
from greenroom.conversation.people_import import ImportOutcome
from greenroom.conversation.records import Route, RouteBy, TurnRecord
from greenroom.conversation.reviews import ReviewFilter
from greenroom.conversation.turns import Turn
from greenroom.errors import NotFound, UsageError
from greenroom.operations import appointments, conversations, narrowing, people, results, reviews, statistics
from greenroom.operations.appointments import AppointmentsRequest
from greenroom.operations.cancelling import cancel_appointment
from greenroom.operations.context import Context
from greenroom.operations.conversations import ConversationsRequest
from greenroom.operations.follow_ups import send_follow_ups
from greenroom.operations.gateway import Gateway, open_gateway
from greenroom.operations.outreach import send_outreach
from greenroom.operations.outreach_lists import OutreachRequest, list_outreach, preview_outreach
from greenroom.operations.people import PeopleRequest
from greenroom.operations.people_import import ImportRequest, import_people
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.reminders import send_reminders
from greenroom.operations.reviews import ReviewRequest
from greenroom.operations.statistics import StatisticsRequest
from greenroom.operations.tick import tick
from greenroom.store.partition import Partition, Partitioned, Sandbox, Where, share_of
from greenroom.store.people import Wanted
from greenroom.store.tables import conversations as conversation_rows
from greenroom.store.tables import partitioned_tables, timers
from greenroom.store.times import as_utc
from greenroom.world.ports import ConversationState

pytestmark = pytest.mark.requirement("A7")

MARK = "from-the-sandbox"
"""Stands in every row of the sandbox and in nothing else."""
NEARLY = MARK[:-1]
HERE = Sandbox("left-by-somebody")
MARKS = ("workspace", "partition", "sandbox")

Ask = Callable[[Context], Awaitable[object]]


async def gathered(items: AsyncIterator[object]) -> list[object]:
    return [item async for item in items]


async def exported(context: Context, request: PeopleRequest) -> str:
    """What an export wrote."""
    path = context.folder / "people.csv"
    await people.export_people(context, request, path)
    return path.read_text(encoding="utf-8")


async def refused(asked: Awaitable[object]) -> str:
    """Somebody of the sandbox is nobody: the message says no more than what was asked."""
    with pytest.raises(UsageError):
        await asked
    return ""


async def hinted(asked: Awaitable[object]) -> str:
    """What is said of a name that is nearly one of the sandbox; what is near to it is told."""
    with pytest.raises(NotFound) as said:
        await asked
    return str(said.value)


async def total(counting: Awaitable[int]) -> str:
    """A count, so that one can be told from any other number."""
    return f"total={await counting}"


async def shown_appointment(context: Context, *, sandbox: bool) -> object:
    """The one of the sandbox, by its id."""
    listed = await appointments.list_appointments(context, AppointmentsRequest(sandbox=True))
    (name,) = [record.appointment.appointment_id for record in listed.page.appointments]
    return await appointments.show_appointment(context, name, sandbox=sandbox)


async def cancelled_appointment(context: Context) -> object:
    """The one of the sandbox, by its id."""
    listed = await appointments.list_appointments(context, AppointmentsRequest(sandbox=True))
    (name,) = [record.appointment.appointment_id for record in listed.page.appointments]
    return await cancel_appointment(context, name)


def much_later(context: Context) -> Context:
    """When everything that is there has long been silent and old."""
    return replace(context, clock=FrozenClock(context.clock.now() + timedelta(days=400)))


async def reviewed(context: Context) -> str:
    """How many conversations were reviewed, and how many wait for it."""
    done = await reviews.review_waiting(much_later(context), most=100)
    return f"total={done.reviewed} total={done.waiting}"


async def imported(context: Context) -> str:
    """Whom of the sandbox an import finds: nobody, by identity or by id."""

    by_identity = ImportRequest(data=f"identities\nidentity {MARK}\n".encode(), file="people.csv")
    await refused(import_people(context, by_identity))
    fay = await people.show_person(context, f"identity {MARK}", sandbox=True)
    by_id = ImportRequest(data=f"id,phone\n{fay.person.person_id},1555\n".encode(), file="people.csv", preview=True)
    return f"total={(await import_people(context, by_id)).count(ImportOutcome.UPDATED)}"


async def counted(context: Context, request: StatisticsRequest) -> str:
    """Every figure of a statistic."""
    total = (await statistics.daily_statistics(context, request)).total
    sums = [sum(counts.values()) for counts in (total.begun, total.outcomes, total.messages_in, total.messages_out)]
    sums += [sum(total.turn_times.values()), *asdict(total.reviews).values(), total.appointments_booked]
    return " ".join(f"total={count}" for count in sums)


async def ticked(context: Context) -> str:
    """What a pass over everything that happens by itself did."""
    async with open_gateway(context) as gateway:
        done = await tick(much_later(context), gateway)
    return " ".join(f"total={count}" for count in asdict(done).values())


Sending = Callable[[Context, Gateway], Awaitable[int]]


async def said(context: Context, sending: Sending) -> str:
    """How much live agents say by themselves now."""
    async with open_gateway(context) as gateway:
        return await total(sending(context, gateway))


EVERYBODY = PeopleRequest()
SEARCHED = PeopleRequest(search="a")
CHOSEN = PeopleRequest(where=("fields.party_size: {at_least: 1}",))
SEGMENT = PeopleRequest(segment="leads")
AUDIENCE = PeopleRequest(audience="leads")
REQUESTS = (EVERYBODY, SEARCHED, CHOSEN, SEGMENT, AUDIENCE)

ASKED: Mapping[str, tuple[Ask, ...]] = {
    "people.list_people": tuple((lambda context, of=of: people.list_people(context, of)) for of in REQUESTS),
    "people.each_person": tuple((lambda context, of=of: gathered(people.each_person(context, of))) for of in REQUESTS),
    "people.csv_of_people": tuple(
        (lambda context, of=of: gathered(people.csv_of_people(context, of))) for of in REQUESTS
    ),
    "people.export_people": tuple((lambda context, of=of: exported(context, of)) for of in REQUESTS),
    "people.count_people": tuple((lambda context, of=of: people.count_people(context, of)) for of in REQUESTS),
    "people.show_person": (lambda context: refused(people.show_person(context, f"identity {MARK}")),),
    "people.change_person": (lambda context: refused(people.change_person(context, f"{MARK}-1", {"status": "x"})),),
    "people.set_fields": (lambda context: refused(people.set_fields(context, f"{MARK}-1", [], ["sms:1"])),),
    "people.add_person": (lambda context: refused(people.add_person(context, ("no identity",))),),
    "people_import.import_people": (imported,),
    "appointments.list_appointments": (
        lambda context: appointments.list_appointments(context, AppointmentsRequest()),
        lambda context: refused(
            appointments.list_appointments(context, AppointmentsRequest(person=f"identity {MARK}"))
        ),
    ),
    "appointments.show_appointment": (lambda context: refused(shown_appointment(context, sandbox=False)),),
    "cancelling.cancel_appointment": (lambda context: refused(cancelled_appointment(context)),),
    "narrowing.known_agent": (lambda context: hinted(narrowing.known_agent(context, NEARLY)),),
    "narrowing.known_representative": (lambda context: hinted(narrowing.known_representative(context, NEARLY)),),
    "narrowing.known_person": (
        lambda context: hinted(narrowing.known_person(context, f"identity {NEARLY}")),
        lambda context: hinted(narrowing.known_person(context, NEARLY)),
    ),
    "conversations.list_conversations": (
        lambda context: conversations.list_conversations(context, ConversationsRequest()),
        lambda context: conversations.list_conversations(context, ConversationsRequest(agent="desk")),
        *(
            (lambda context, of=of: conversations.list_conversations(context, ConversationsRequest(review=of)))
            for of in ReviewFilter
        ),
    ),
    "conversations.show_conversation": (
        lambda context: refused(conversations.show_conversation(context, f"talk {MARK}")),
    ),
    "conversations.close_silent": (lambda context: total(conversations.close_silent(much_later(context))),),
    "conversations.drop_old_records": (lambda context: total(conversations.drop_old_records(much_later(context))),),
    "reviews.review_waiting": (reviewed,),
    "reviews.review_conversation": (
        lambda context: refused(
            reviews.review_conversation(context, ReviewRequest(conversation=f"talk {MARK}", criteria=("Polite.",)))
        ),
    ),
    "statistics.daily_statistics": (
        lambda context: counted(context, StatisticsRequest()),
        lambda context: counted(context, StatisticsRequest(agent="desk", days=900)),
    ),
    "tick.tick": (ticked,),
    "outreach.send_outreach": (lambda context: said(context, send_outreach),),
    "outreach_lists.list_outreach": (lambda context: list_outreach(context, OutreachRequest(agent="desk")),),
    "outreach_lists.preview_outreach": (lambda context: preview_outreach(context, OutreachRequest(agent="desk")),),
    "reminders.send_reminders": (lambda context: said(context, send_reminders),),
    "follow_ups.send_follow_ups": (lambda context: said(context, send_follow_ups),),
    "results.list_runs": (results.list_runs,),
    "results.find_run": (lambda context: refused(results.find_run(context, "last")),),
}
"""How each operation that looks at what is stored is asked, without a word of the sandbox."""

ASKED_FOR: Mapping[str, tuple[Ask, ...]] = {
    "people.list_people": (lambda context: people.list_people(context, PeopleRequest(sandbox=True)),),
    "people.each_person": (lambda context: gathered(people.each_person(context, PeopleRequest(sandbox=True))),),
    "people.csv_of_people": (lambda context: gathered(people.csv_of_people(context, PeopleRequest(sandbox=True))),),
    "people.export_people": (lambda context: exported(context, PeopleRequest(sandbox=True)),),
    "people.count_people": (lambda context: people.count_people(context, PeopleRequest(sandbox=True)),),
    "people.show_person": (lambda context: people.show_person(context, f"identity {MARK}", sandbox=True),),
    "appointments.list_appointments": (
        lambda context: appointments.list_appointments(context, AppointmentsRequest(sandbox=True)),
    ),
    "appointments.show_appointment": (lambda context: shown_appointment(context, sandbox=True),),
    "conversations.list_conversations": (
        lambda context: conversations.list_conversations(context, ConversationsRequest(sandbox=True)),
    ),
    "conversations.show_conversation": (
        lambda context: conversations.show_conversation(context, f"talk {MARK}", sandbox=True),
    ),
    "statistics.daily_statistics": (
        lambda context: counted(context, StatisticsRequest(sandbox=True)),
        lambda context: counted(context, StatisticsRequest(sandbox=True, agent="desk")),
    ),
    "narrowing.known_person": (
        lambda context: hinted(narrowing.known_person(context, f"identity {NEARLY}", where=Partition.SANDBOX)),
    ),
}
"""The same, with the sandbox asked for: then it is shown."""


def operations() -> Iterator[str]:
    """Every public function of the operations that is handed an opened project."""
    for found in pkgutil.iter_modules(greenroom.operations.__path__):
        module = import_module(f"greenroom.operations.{found.name}")
        for name in getattr(module, "__all__", ()):
            function = getattr(module, name)
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                takes = inspect.get_annotations(function).values()
                yield from (f"{found.name}.{name}" for taken in takes if taken is Context)


def test_every_operation_is_asked() -> None:
    known = {*ASKED, *LOOKS_AT_NOTHING}
    assert set(operations()) - known == set(), "say in ASKED how it is asked, or in LOOKS_AT_NOTHING why it isn't"
    assert known - set(operations()) == set(), "these are no operations any more"
    assert set(ASKED_FOR) <= set(ASKED)


def _filled(table: Partitioned, context: Context) -> Mapping[str, object]:
    """A row whose every text is the mark, and which is due: nobody could make sense of it, and nobody may try."""
    columns = looked_at(context.store.database.readers).get_columns(table.name)
    filled = {column["name"]: _filler(column["type"], table.name) for column in columns if column["name"] not in MARKS}
    now = context.clock.now().isoformat(timespec="milliseconds")
    times = {name: now for name in filled if name == "at" or name.endswith("_at")}
    free = {name: None for name in ("held_by", "held_until") if name in filled}
    named = {"conversation": f"talk {MARK}"} if "conversation" in filled else {}
    return {**filled, **times, **free, **named, **AS_IF_LIVE.get(table.name, {})}


AS_IF_LIVE: Mapping[str, Mapping[str, object]] = {
    "reviews": {"status": "waiting", "criteria": f'["{MARK}"]', "verdict": None, "body": None},
}
"""What has to stand in a row for somebody to take it up, if it were seen."""


def _filler(kind: object, table: str) -> object:
    if isinstance(kind, LargeBinary):
        return MARK.encode()
    return 1 if isinstance(kind, Integer | Float) else f"{MARK}-{table}"


def seed_rows(context: Context) -> None:
    """One row in each table that the real seeds leave empty."""
    share = share_of(context.store.workspace, HERE)
    for table in reversed(partitioned_tables):
        with context.store.database.writer.begin() as connection:
            rows = table.of(share)
            if connection.execute(select(rows.source).limit(1)).first() is None:
                connection.execute(rows.insert(_filled(table, context)))


SPEAKS_BY_ITSELF: Mapping[str, object] = {
    "channels": {"sms": {"secret": "${CHANNEL_SECRET}", "outbound": "http://127.0.0.1:9/nobody"}},
    "outreach": {"spring": {"to": {"status": "lead"}, "opening": "Hello you.", "hours": "00:00-24:00"}},
    "follow_ups": {"nudge": {"after": "4h", "message": "Still there?", "hours": "00:00-24:00"}},
}


async def seed_silence(context: Context, where: Where) -> None:
    """Somebody whom the live agent would write to, and a conversation in which they have been silent for hours."""
    identity, conversation = f"sms:{MARK}", f"silence {MARK}"
    people_there = context.store.people(where)
    somebody = Person(person_id="", first_name=MARK, status="lead", consent={"messages": True})
    person = await people_there.add(somebody, f"identity {MARK}")
    await people_there.keep([Wanted(person_id=person.person_id, identities=(identity,))])
    await context.store.conversations(ConversationState, where, agent="desk").save(
        ConversationState(conversation=conversation, channel=Channel.SMS, identity=identity),
        Turn(index=1, event=Said(text=MARK), entries=(text_message(MARK),)),
    )
    hours_ago = {"updated_at": as_utc(context.clock.now() - timedelta(hours=5))}
    rows = conversation_rows.of(share_of(context.store.workspace, where))
    await context.store.writer.write(lambda connection: connection.execute(rows.update(hours_ago)))


async def seed_timers(context: Context) -> None:
    """One of each kind, whose time has come."""
    rows = timers.of(share_of(context.store.workspace, HERE))
    now = as_utc(context.clock.now())
    for kind, name in (("outreach", "spring"), ("follow_up", "nudge"), ("reminder", "24h")):
        due = {"kind": kind, "agent": "desk", "name": name, "subject": MARK, "status": "waiting", "due_at": now}
        insert = rows.insert({**due, "created_at": now})
        await context.store.writer.write(lambda connection, insert=insert: connection.execute(insert))


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[Context]:
    """A project in whose sandbox there is something in every table, and nothing live."""
    maker = written_project(
        tmp_path,
        rules=[{"reply": "Hello."}],
        cases={"one": {"script": ["Hi"], "expect": [{"reply": "x"}]}},
        project={"segments": {"leads": {"status": "lead"}}},
        agent=SPEAKS_BY_ITSELF,
    )
    maker.environment["CHANNEL_SECRET"] = "s3cret"
    async with maker.open() as opened:
        await opened.store.people(HERE).add(
            Person(
                person_id="",
                first_name=MARK,
                status="lead",
                phone="+15550100",
                fields={"party_size": 4},
                consent={"messages": True},
                notes=MARK,
            ),
            f"identity {MARK}",
        )
        await opened.store.conversations(ConversationState, HERE, agent=MARK).save(
            ConversationState(conversation=f"talk {MARK}", channel=Channel.WEB, identity=f"identity {MARK}"),
            Turn(index=1, event=Said(text=MARK)),
            TurnRecord(turn=1, prompt=MARK, route=Route(playbook=None, by=RouteBy.NONE), offered=()),
        )
        await opened.store.appointments(HERE, agent=MARK).book(
            Appointment(
                appointment_id="",
                title=MARK,
                start=opened.clock.now() + timedelta(days=1),
                end=opened.clock.now() + timedelta(days=1, hours=1),
            )
        )
        await seed_silence(opened, HERE)
        await seed_timers(opened)
        seed_rows(opened)
        await publish(opened, PublishRequest(agent="desk"))
        yield opened


async def test_there_is_something_to_be_seen_in_every_table(context: Context) -> None:
    with context.store.database.reading() as connection:
        for table in partitioned_tables:
            rows = connection.execute(select(table.of(share_of("test", Partition.SANDBOX)).source)).all()
            assert MARK in str(rows), f"nothing of the sandbox stands in {table.name}"


@pytest.mark.parametrize("operation", ASKED)
async def test_the_sandbox_is_not_seen_by_who_did_not_ask_for_it(operation: str, context: Context) -> None:
    for ask in ASKED[operation]:
        told = repr(await ask(context))
        assert MARK not in told
        assert "total=1" not in told


@pytest.mark.parametrize("sending", [send_outreach, send_follow_ups])
async def test_the_same_on_the_live_side_is_written_to(sending: Sending, context: Context) -> None:
    """Else nothing would be proved of what agents say by themselves."""
    await seed_silence(context, Partition.LIVE)
    assert await said(context, sending) == "total=1"


@pytest.mark.parametrize("operation", ASKED_FOR)
async def test_the_sandbox_is_seen_by_who_asks_for_it(operation: str, context: Context) -> None:
    for ask in ASKED_FOR[operation]:
        told = repr(await ask(context))
        assert MARK in told or "total=1" in told
