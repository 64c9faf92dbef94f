"""The live world: endpoints are called, the team is told (features.md A8)."""

from collections.abc import Callable

import orjson
import pytest
from tests.servers.webhooks import Endpoint, endpoint
from tests.world.makers import ask, desk, tool

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.json_values import Json
from greenroom.world.live.world import LiveWorld
from greenroom.world.tools import ACKNOWLEDGED, UNAVAILABLE

# Apprise still looks for a module of the standard library that goes with Python 3.13.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

Live = Callable[..., LiveWorld]


def told(here: Endpoint) -> list[tuple[Json, Json]]:
    return [(body["title"], body["message"]) for body in (orjson.loads(one.body) for one in here.received)]


def address(here: Endpoint) -> str:
    return here.url.replace("http://", "json://")


@pytest.mark.requirement("A8")
async def test_the_team_is_told_of_notifications_hand_overs_and_transfers(live: Live) -> None:
    async with endpoint() as here:
        around = live(desk(notifications={"to": ("${TEAM}",)}), {"TEAM": address(here)})
        effects = [
            await around.notify.team("New call booked for Tuesday 2 pm"),
            await around.hand_overs.hand_over("wants a person"),
            await around.hand_overs.transfer("billing", "Dana"),
        ]
        assert told(here) == [
            ("The desk", "New call booked for Tuesday 2 pm"),
            ("The desk: hand-over", "wants a person\n\nConversation: talk-1"),
            ("The desk: transfer", "Dana: billing\n\nConversation: talk-1"),
        ]
    assert [(effect.captured, effect.data["delivered"]) for effect in effects] == [(False, True)] * 3


@pytest.mark.requirement("A8")
async def test_the_team_is_told_of_forms_and_of_contacts_that_have_no_record(live: Live) -> None:
    async with endpoint() as here:
        around = live(desk(notifications={"to": (address(here),)}))
        person = await around.people.create("web:ana")
        effects = [
            await around.intake.form("refund-request", {"order": "W100", "amount": 4}),
            await around.intake.contact(None, {"email": "ana@example.com"}),
            await around.intake.contact(person.person_id, {"email": "ana@example.com"}),
        ]
        assert told(here) == [
            ("The desk: refund-request", "order: W100\namount: 4\n\nConversation: talk-1"),
            ("The desk: contact details", "email: ana@example.com\n\nConversation: talk-1"),
        ]
    assert [(effect.captured, effect.data.get("delivered")) for effect in effects] == [
        (False, True),
        (False, True),
        (False, None),
    ]


@pytest.mark.requirement("C9")
async def test_a_write_without_an_endpoint_asks_to_be_confirmed_live(live: Live) -> None:
    around = live(desk())
    asked = await ask(around.tools, tool(kind="integration", confirm_with="confirm_event"), "create_event")
    assert (asked.answered_by, asked.error) == (AnsweredBy.BUILT_IN, None)
    assert asked.result == {
        "needs_confirmation": True,
        "message": "Nothing was written yet. Ask the person to confirm, then call confirm_event.",
    }


@pytest.mark.requirement("A8")
@pytest.mark.parametrize(
    ("to", "why"),
    [
        ((), "the agent has no `notifications: {to: [...]}`, so nobody was told"),
        (("${NOWHERE}",), "`notifications.to` needs the environment variable NOWHERE, which is not set"),
        (("nonsense",), "an address in `notifications.to` can't be read by Apprise"),
        (("json://127.0.0.1:9",), "an address in `notifications.to` did not take the message"),
    ],
)
async def test_a_notification_that_reaches_nobody_says_so(live: Live, to: tuple[str, ...], why: str) -> None:
    effect = await live(desk(notifications={"to": to})).notify.team("hello")
    assert (effect.summary, effect.data) == ("hello", {"delivered": False, "why": why})


async def test_an_agent_without_notifications_hands_over_and_says_that_nobody_heard(live: Live) -> None:
    effect = await live(desk()).hand_overs.hand_over("wants a person")
    assert (effect.summary, effect.data["delivered"], effect.data["reason"]) == (
        "wants a person",
        False,
        "wants a person",
    )


async def test_tools_really_reach_their_endpoint_whatever_mocks_they_have(live: Live) -> None:
    async with endpoint() as here:
        around = live(desk())
        webhook = await ask(around.tools, tool(url=here.url + "/a", mocks=[{"result": "mocked"}]), id="1")
        writing = await ask(around.tools, tool(url=here.url + "/b", kind="integration", method="POST"), id="1")
        forgotten = await ask(around.tools, tool(url=here.url + "/c", waits=False), id="1")
        await around.close()
        assert here.targets == ["/a?id=1", "/b", "/c?id=1"]
    assert [call.answered_by for call in (webhook, writing, forgotten)] == [AnsweredBy.REAL] * 3
    assert [call.result for call in (webhook, writing, forgotten)] == [{"ok": True}, {"ok": True}, ACKNOWLEDGED]


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ({"kind": "client"}, "no client is connected that could run it"),
        ({"kind": "integration"}, "the tool has no `url`"),
    ],
)
async def test_a_tool_without_an_endpoint_is_not_available(live: Live, written: dict[str, object], why: str) -> None:
    answer = await ask(live(desk()).tools, tool(**written))
    assert (answer.result, answer.error, answer.unanswered) == (UNAVAILABLE, why, True)


async def test_a_written_field_stays_on_record(live: Live) -> None:
    around = live(desk())
    person = await around.people.create("visitor-1")
    written = await around.people.write(person.person_id, "party_size", 6)
    await around.close()
    found = await live(desk()).people.find("visitor-1")
    assert found == written.person
    assert not written.effect.captured
