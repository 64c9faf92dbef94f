"""Live tests: what the agent does is real, whom it talks to stays in the sandbox (features.md C13).

Real endpoints on loopback: tools, the place where the team is told, and a mail server.
"""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project
from tests.servers.mail import MailServer, mail_server
from tests.servers.radicale import PASSWORD, USER, calendar_server
from tests.servers.webhooks import Endpoint, endpoint

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.outcomes import Badge, Cause, SampleResult, Status
from greenroom.conversation.rollup import exit_verdict
from greenroom.operations.appointments import AppointmentsRequest, list_appointments
from greenroom.operations.cancelling import cancel_appointment
from greenroom.operations.context import Context
from greenroom.operations.people import PeopleRequest, list_people
from greenroom.reports.lines import plain
from greenroom.reports.text import TextReport
from greenroom.store.partition import Partition
from greenroom.store.timers import TimerFilter

# Apprise still asks a module of Python's about pictures.

LIVE = {"policy": "live-test"}
MONDAY = LIVE | {"now": "2076-11-30T09:00"}
FINE = {"expect": [{"never_says": "never"}]}


def calls(*tools: tuple[str, Mapping[str, object]]) -> list[Mapping[str, object]]:
    return [{"tool": tool, "arguments": arguments} for tool, arguments in tools]


RULES: Sequence[Mapping[str, object]] = [
    *[
        {"when": {"answered": tool}, "reply": "Done."}
        for tool in ("get_order", "refund", "charge", "confirm_charge", "log_visit", "send_email", "update_person")
    ],
    {"when": {"last": "order"}, "calls": calls(("get_order", {"id": "W100"}))},
    {"when": {"last": "money"}, "calls": calls(("refund", {"id": "W100"}), ("log_visit", {}))},
    {"when": {"last": "charge"}, "calls": calls(("charge", {"amount": 5}))},
    {
        "when": {"last": "write"},
        "calls": calls(
            ("update_person", {"status": "customer"}),
            ("collect_contact", {"email": "ana@example.com"}),
            ("submit_form", {"form": "refund-request", "values": {"order": "W100"}}),
            ("notify_team", {"text": "Ana wants her money back"}),
            ("send_email", {"to": "person", "subject": "Your order", "text": "It is on its way."}),
        ),
    },
    {"when": {"last": "human"}, "calls": calls(("hand_over", {"reason": "wants a human"})), "reply": "One moment."},
    *[{"when": {"answered": f"{verb}_appointment"}, "reply": "Done."} for verb in ("book", "move", "cancel")],
    {
        "when": {"last": "book"},
        "calls": calls(("book_appointment", {"title": "Powerboat", "start": "2076-12-05T10:00"})),
    },
    {"when": {"last": "move"}, "calls": calls(("move_appointment", {"start": "2076-12-05T12:00"}))},
    {"when": {"last": "cancel"}, "calls": calls(("cancel_appointment", {}))},
    {"when": {"role": "simulator"}, "say": ""},
    {"reply": "Hello."},
]


@dataclass(frozen=True, kw_only=True)
class Live:
    """A project whose agent reaches real places, and these."""

    maker: ProjectMaker
    tools: Endpoint
    team: Endpoint
    mail: MailServer


@asynccontextmanager
async def live(
    root: Path, cases: Mapping[str, object], *, more: Mapping[str, object] | None = None
) -> AsyncGenerator[Live]:
    async with endpoint() as tools, endpoint() as team, mail_server() as mail:
        agent = {
            "tools": {
                "get_order": {
                    "url": f"{tools.url}/orders/{{id}}",
                    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                    "mocks": [{"result": "never asked"}],
                },
                "refund": {"kind": "integration", "method": "POST", "url": f"{tools.url}/refund"},
                "charge": {"kind": "integration", "confirm_with": "confirm_charge"},
                "confirm_charge": {"kind": "integration", "url": f"{tools.url}/charge"},
                "log_visit": {"url": f"{tools.url}/visits", "method": "POST", "waits": False},
                "show_map": {"kind": "client", "mocks": [{"result": "shown"}]},
            },
            "people": {"fields": {"party_size": {"type": "number"}}},
            "contact": {},
            "forms": {"refund-request": {"fields": {"order": {"required": True}}}},
            "email": {},
            "notifications": {"to": [team.url.replace("http://", "json://")]},
            "hand_over": {"email": ["team@lakeside.example"]},
            **(more or {}),
        }
        settings = {
            "mail": {"smtp": f"smtp://127.0.0.1:{mail.port}", "from": "desk@lakeside.example", "starttls": "never"}
        }
        yield Live(
            maker=written_project(root, rules=RULES, cases=cases, agent=agent, project=settings),
            tools=tools,
            team=team,
            mail=mail,
        )


def case(*script: object, **more: object) -> Mapping[str, object]:
    return {
        "world": LIVE,
        "person": {"first_name": "Ana", "status": "lead", "email": "old@example.com"},
        "script": list(script),
        **FINE,
        **more,
    }


def answered(result: SampleResult) -> dict[str, AnsweredBy]:
    return {call.tool: call.answered_by for turn in result.turns for call in turn.calls}


@pytest.mark.requirement("C13", "C7")
async def test_tools_are_really_called_those_that_write_too(tmp_path: Path) -> None:
    kept_away = {"world": LIVE | {"mocks": [{"tool": "refund", "result": {"ok": "only here"}}]}}
    cases = {"calls": case("my order", "my money"), "kept-away": case("my money", **kept_away)}
    async with live(tmp_path, cases) as here:
        results = (await here.maker.run()).results
        assert answered(results["calls"]) == dict.fromkeys(["get_order", "refund", "log_visit"], AnsweredBy.REAL)
        assert answered(results["kept-away"]) == {"refund": AnsweredBy.MOCK, "log_visit": AnsweredBy.REAL}
        assert sorted(here.tools.targets) == ["/orders/W100", "/refund", "/visits", "/visits"]
    for result in results.values():
        assert (result.status, result.badges) == (Status.PASSED, (Badge.LIVE_TEST,))


@pytest.mark.requirement("C13", "C9")
async def test_a_tool_that_only_asks_for_a_confirmation_asks_as_it_does_live(tmp_path: Path) -> None:
    async with live(tmp_path, {"asks": case("please charge me")}) as here:
        only = (await here.maker.run()).only
        assert answered(only) == {"charge": AnsweredBy.BUILT_IN}
        assert here.tools.received == []


async def nothing_live(context: Context) -> None:
    """No person and no conversation of the live side."""
    assert (await list_people(context, PeopleRequest())).people == ()
    assert (await context.store.conversation_lists(Partition.LIVE).page()).conversations == ()


@pytest.mark.requirement("C13", "A7")
async def test_what_the_agent_writes_down_and_says_stays_in_the_sandbox(tmp_path: Path) -> None:
    """Contacts, forms and fields are not saved, nobody is notified and no mail is sent; the checks see it all."""
    expect = [
        {"state": {"person": {"status": "customer", "email": "ana@example.com"}, "unchanged": True}},
        *[{"effect": kind} for kind in ("contact", "form", "notify", "email")],
    ]
    async with live(tmp_path, {"writes": case("write it down", expect=expect)}) as here:
        only = (await here.maker.run()).only
        assert only.status is Status.PASSED, only
        assert only.errands == ()
        assert here.team.received == []
        assert here.mail.came == []
        async with here.maker.open() as context:
            await nothing_live(context)


@pytest.mark.requirement("C13", "A8")
async def test_a_hand_over_reaches_the_team_with_the_conversation(tmp_path: Path) -> None:
    async with live(tmp_path, {"hands-over": case("Hello", "I want a human")}) as here:
        only = (await here.maker.run()).only
        assert [(done.kind, done.arrived) for done in only.errands] == [("notify", True), ("email", True)]
        (told,) = here.team.received
        assert "wants a human" in told.body
        (mail,) = here.mail.taken
        assert mail.recipients == ("team@lakeside.example",)
        assert "Person: I want a human" in mail.text
        assert "booking/hands-over" in mail.text
        async with here.maker.open() as context:
            await nothing_live(context)
    (effect,) = [effect for turn in only.turns for effect in turn.effects]
    assert not effect.captured


@pytest.mark.requirement("C13", "A8")
async def test_what_is_booked_is_kept_and_listed_and_the_next_test_can_not_have_it(tmp_path: Path) -> None:
    """The team is told of it, and nobody is reminded; whoever booked it is in nobody's records."""
    books = case(
        "Please book it",
        world=MONDAY,
        expect=[
            {"appointment": {"title": "Powerboat", "start": "2076-12-05T10:00"}},
            {"state": {"created": {"appointments": {"status": "booked"}}, "unchanged": True}},
        ],
    )
    cases = {"books": books}
    scheduling = {"scheduling": {"hours": {"daily": "09:00-17:00"}, "remind": ["24h"]}}
    async with live(tmp_path, cases, more=scheduling) as here:
        first = (await here.maker.run()).only
        assert first.status is Status.PASSED, first
        assert [(done.kind, done.arrived) for done in first.errands] == [("notify", True)]
        (told,) = here.team.received
        said = json.loads(told.body)["message"]
        assert said.startswith(
            "New appointment: Powerboat, Sat 5 December 2076, 10:00–11:00\n\nWith: nobody, this is a live test\n"
        )
        again = (await here.maker.run()).only
        assert again.status is Status.FAILED
        async with here.maker.open() as context:
            listed = await list_appointments(context, AppointmentsRequest())
            assert [record.appointment.title for record in listed.page.appointments] == ["Powerboat"]
            await nothing_live(context)
            assert (await context.store.timers().page(TimerFilter())).timers == ()


@pytest.mark.requirement("C13")
async def test_what_is_booked_stands_in_the_business_s_calendar(tmp_path: Path) -> None:
    async with calendar_server(tmp_path / "radicale") as server:
        url = await server.make("team")
        calendar = {"caldav": url, "user": USER, "password": "${CALENDAR_PASSWORD}"}
        scheduling = {"scheduling": {"hours": {"daily": "09:00-17:00"}, "calendar": calendar}}
        async with live(tmp_path, {"books": case("Please book it", world=MONDAY)}, more=scheduling) as here:
            here.maker.environment["CALENDAR_PASSWORD"] = PASSWORD
            only = (await here.maker.run()).only
        assert sorted((done.kind, done.arrived) for done in only.errands) == [("calendar", True), ("notify", True)]
        (written,) = server.kept("team")
        assert "SUMMARY:Powerboat" in written
        assert "Ana" not in written
        assert "example.com" not in written


@pytest.mark.requirement("C13", "A7")
async def test_what_a_live_test_booked_can_be_taken_back_and_its_time_booked_again(tmp_path: Path) -> None:
    """The agent was never published, so that no server would do what follows."""
    async with calendar_server(tmp_path / "radicale") as server:
        url = await server.make("team")
        calendar = {"caldav": url, "user": USER, "password": "${CALENDAR_PASSWORD}"}
        scheduling = {"scheduling": {"hours": {"daily": "09:00-17:00"}, "calendar": calendar}}
        books = case("Please book it", world=MONDAY, expect=[{"appointment": {"status": "booked"}}])
        async with live(tmp_path, {"books": books}, more=scheduling) as here:
            here.maker.environment["CALENDAR_PASSWORD"] = PASSWORD
            assert (await here.maker.run()).only.status is Status.PASSED
            async with here.maker.open() as context:
                listed = await list_appointments(context, AppointmentsRequest())
                (record,) = listed.page.appointments
                assert listed.names == {record.appointment.person_id: "live test"}
                done = await cancel_appointment(context, record.appointment.appointment_id)
                assert sorted((each.kind, each.status.value) for each in done.errands) == [
                    ("calendar", "sent"),
                    ("notify", "sent"),
                ]
            assert server.kept("team") == []
            assert json.loads(here.team.received[-1].body)["message"].startswith(
                "Appointment cancelled: Powerboat, Sat 5 December 2076, 10:00–11:00\n\n"
                "With: nobody, this is a live test\nConversation: live-test-"
            )
            assert (await here.maker.run()).only.status is Status.PASSED


@pytest.mark.requirement("C13")
async def test_what_is_booked_in_a_live_test_can_be_moved_and_cancelled_in_it(tmp_path: Path) -> None:
    changes = case(
        "Please book it",
        "Please move it",
        "Please cancel it",
        world=MONDAY,
        expect=[{"state": {"created": {"appointments": {"status": "cancelled", "start": "2076-12-05T12:00"}}}}],
    )
    async with live(tmp_path, {"changes": changes}, more={"scheduling": {"hours": {"daily": "09:00-17:00"}}}) as here:
        only = (await here.maker.run()).only
    assert only.status is Status.PASSED, only
    assert [effect.effect for turn in only.turns for effect in turn.effects] == ["booked", "moved", "cancelled"]
    assert all(not effect.captured for turn in only.turns for effect in turn.effects)
    assert [done.kind for done in only.errands] == ["notify"] * 3


async def test_what_did_not_arrive_is_said(tmp_path: Path) -> None:
    async with live(tmp_path, {"hands-over": case("I want a human")}) as here:
        here.mail.refuse_recipient = lambda _: "550 no such mailbox"
        outcome = await here.maker.run()
        _, mail = outcome.only.errands
        assert not mail.arrived
        assert "550 no such mailbox" in mail.why
        (rolled,) = outcome.run.cases
        assert (rolled.live_test, rolled.undelivered) == (True, 1)
    assert outcome.only.status is Status.PASSED


@pytest.mark.requirement("C13", "H4")
async def test_a_live_test_is_not_tried_again_by_itself(tmp_path: Path) -> None:
    """What its agent did was real, and would be done twice."""
    simulated = {"world": LIVE, "simulate": {"brief": {"wants": "a human", "ends_when": "it has one"}}, **FINE}
    async with live(tmp_path, {"simulated": simulated}) as here:
        here.maker.write(
            "greenroom.yaml",
            {"models": {"judge": "script:models/agent.yaml", "simulator": "script:models/agent.yaml"}},
        )
        only = (await here.maker.run()).only
    assert only.error is not None
    assert only.error.cause is Cause.SIMULATOR
    assert only.key.attempt == 1


@pytest.mark.requirement("C13")
async def test_a_report_says_so_loudly(tmp_path: Path) -> None:
    cases = {"calls": case("my order"), "sandboxed": {"script": ["Hello"], **FINE}}
    async with live(tmp_path, cases) as here:
        outcome = await here.maker.run()
    verdict = exit_verdict(outcome.run.counts)
    said = list(plain(TextReport(run=outcome.run, version="0", verdict=verdict).begin()))
    assert any(line.startswith("LIVE TEST: in 1 of 2 cases what the agent did was real") for line in said)
