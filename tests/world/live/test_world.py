"""The live world: endpoints are called, the rest leaves with the turn (features.md A8)."""

from collections.abc import Callable

import pytest
from tests.servers.webhooks import endpoint
from tests.world.makers import UnderWay, ask, desk, tool

from greenroom.conversation.calls import AnsweredBy
from greenroom.world.live.world import LiveWorld
from greenroom.world.ports import Email
from greenroom.world.tools import ACKNOWLEDGED, UNAVAILABLE

Live = Callable[..., LiveWorld]


@pytest.mark.requirement("A8")
async def test_notifications_hand_overs_and_transfers_leave_with_the_turn_and_no_sooner(
    live: Live, turn: UnderWay
) -> None:
    around = live(desk(notifications={"to": ("${TEAM}", "${SECOND}")}))
    effects = [
        await around.notify.team("New call booked for Tuesday 2 pm"),
        await around.hand_overs.hand_over("wants a person"),
        await around.hand_overs.transfer("billing", "Dana"),
    ]
    about = [
        ("New call booked for Tuesday 2 pm", "The desk", "New call booked for Tuesday 2 pm"),
        ("hand-over: wants a person", "The desk: hand-over", "wants a person\n\nWith: web:ana\nConversation: talk-1"),
        ("transfer: Dana: billing", "The desk: transfer", "Dana: billing\n\nWith: web:ana\nConversation: talk-1"),
    ]
    assert turn.errands == [
        ("notify", summary, {"place": place, "title": title, "text": text})
        for summary, title, text in about
        for place in (0, 1)
    ]
    assert [(effect.captured, effect.data["status"]) for effect in effects] == [(False, "queued")] * 3


@pytest.mark.requirement("A8")
async def test_a_hand_over_gives_the_team_the_conversation_by_mail(live: Live, turn: UnderWay) -> None:
    to = ("team@lakeside.example", "dana@lakeside.example")
    effect = await live(desk(hand_over={"email": to})).hand_overs.hand_over("wants\na person")
    assert [(kind, body["recipient"], body["to"], body["transcript"]) for kind, _, body in turn.errands] == [
        ("email", recipient, to, True) for recipient in to
    ]
    assert turn.errands[0][2]["subject"] == "The desk: hand-over: wants\na person"
    assert effect.data == {"reason": "wants\na person", "email": to, "status": "queued"}


async def test_a_mail_leaves_with_the_turn_to_each_recipient_by_itself(live: Live, turn: UnderWay) -> None:
    effect = await live(desk()).mail.send(Email(to=("a@x.example", "b@x.example"), subject="Hi", text="Hello"))
    assert [(kind, summary) for kind, summary, _ in turn.errands] == [
        ("email", "to a@x.example: Hi"),
        ("email", "to b@x.example: Hi"),
    ]
    assert (effect.captured, effect.data["status"]) == (False, "queued")


@pytest.mark.requirement("A8")
async def test_the_team_is_told_of_forms_and_of_contacts_that_have_no_record(live: Live, turn: UnderWay) -> None:
    around = live(desk(notifications={"to": ("json://127.0.0.1:9",)}))
    person = await around.people.create("web:ana")
    effects = [
        await around.intake.form("refund-request", {"order": "W100", "amount": 4}),
        await around.intake.contact(None, {"email": "ana@example.com"}),
        await around.intake.contact(person.person_id, {"email": "ana@example.com"}),
    ]
    assert [(body["title"], body["text"]) for _, _, body in turn.errands] == [
        ("The desk: refund-request", "order: W100\namount: 4\n\nWith: web:ana\nConversation: talk-1"),
        ("The desk: contact details", "email: ana@example.com\n\nWith: web:ana\nConversation: talk-1"),
    ]
    assert [(effect.captured, effect.data.get("status")) for effect in effects] == [
        (False, "queued"),
        (False, "queued"),
        (False, None),
    ]


@pytest.mark.requirement("A8")
async def test_what_leaves_for_nobody_says_so(live: Live, turn: UnderWay) -> None:
    notified = await live(desk()).notify.team("hello")
    handed = await live(desk()).hand_overs.hand_over("wants a person")
    assert turn.errands == []
    assert notified.data == {
        "status": "not sent",
        "why": "the agent has no `notifications: {to: [...]}`, so nobody is told",
    }
    assert handed.data["why"] == (
        "the agent has neither `notifications: {to: [...]}` nor `hand_over: {email: [...]}`, so nobody is told"
    )


@pytest.mark.requirement("C9")
async def test_a_write_without_an_endpoint_asks_to_be_confirmed_live(live: Live) -> None:
    around = live(desk())
    asked = await ask(around.tools, tool(kind="integration", confirm_with="confirm_event"), "create_event")
    assert (asked.answered_by, asked.error) == (AnsweredBy.BUILT_IN, None)
    assert asked.result == {
        "needs_confirmation": True,
        "message": "Nothing was written yet. Ask the person to confirm, then call confirm_event.",
    }


async def test_tools_really_reach_their_endpoint_whatever_mocks_they_have(live: Live, turn: UnderWay) -> None:
    async with endpoint() as here:
        around = live(desk())
        webhook = await ask(around.tools, tool(url=here.url + "/a", mocks=[{"result": "mocked"}]), id="1")
        writing = await ask(around.tools, tool(url=here.url + "/b", kind="integration", method="POST"), id="1")
        forgotten = await ask(around.tools, tool(url=here.url + "/c", waits=False), "visit", id="1")
        assert here.targets == ["/a?id=1", "/b"]
    # What nobody waits for leaves with the turn.
    assert turn.errands == [("call", 'visit {"id": "1"}', {"tool": "visit", "arguments": {"id": "1"}})]
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
