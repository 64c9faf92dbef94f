"""`send_email` in a conversation: to whom an agent may write, and what a mail may hold (A8)."""

import pytest
from tests.agents.stage import Stage, calls, desk, in_turn, says, world_of

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.documents.suite import PersonStart

pytestmark = pytest.mark.requirement("A8")

AGENT = desk(
    representatives={"dana": {"name": "Dana", "email": "dana@lakeside.example"}, "eve": {"name": "Eve"}},
    email={"to": ("sales@lakeside.example",)},
    people={"auto_create": False},
)
ANA = PersonStart(first_name="Ana", email="ana@example.com")


async def mailed(arguments: dict[str, Json], person: PersonStart | None = ANA) -> Turn:
    model = in_turn(
        calls(("send_email", {"subject": "Your boat", "text": "It is booked.", **arguments})), says("Done.")
    )
    session = await Stage(AGENT, model, world=world_of(AGENT, person=person)).opened()
    return await session.send(Said(text="Mail it"))


@pytest.mark.parametrize(
    ("to", "address"),
    [
        (None, "ana@example.com"),
        ("person", "ana@example.com"),
        ("Ana@Example.com", "ana@example.com"),
        ("dana", "dana@lakeside.example"),
        ("SALES@lakeside.example", "sales@lakeside.example"),
    ],
)
async def test_mail_goes_to_the_person_the_team_and_the_addresses_that_are_written(
    to: str | None, address: str
) -> None:
    turn = await mailed({} if to is None else {"to": to})
    (effect,) = turn.effects
    assert (effect.effect, effect.summary, effect.captured) == (EffectKind.EMAIL, "Your boat", True)
    assert effect.data == {"to": (address,), "subject": "Your boat", "text": "It is booked."}
    assert f"[email to {address}: Your boat]" in render_transcript([turn])
    assert turn.calls[0].result == "the mail will be sent"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            {"to": "mallory@evil.example"},
            "you can't write to 'mallory@evil.example'; `to` is person or dana or sales@lakeside.example",
        ),
        ({"to": "dana@lakeside.example, mallory@evil.example"}, "you can't write to 'dana@lakeside.example, mallory"),
        ({"to": "sales@lakeside.example\r\nBcc: mallory@evil.example"}, "you can't write to 'sales@lakeside.example"),
        ({"to": "danna"}, "did you mean 'dana'?"),
        ({"to": "eve"}, "the representative 'eve' has no `email`"),
        ({"subject": "Hi\r\nBcc: mallory@evil.example"}, "the subject has a sign in it that no mail can carry"),
        ({"subject": "Hi\u2028Bcc: x"}, "the subject has a sign in it that no mail can carry there: U+2028"),
        ({"subject": " "}, "a mail has a subject and a text"),
        ({"subject": "x" * 201}, "the subject has 201 characters; a mail takes 200"),
        ({"text": "x" * 20_001}, "the text has 20001 characters; a mail takes 20000"),
        ({"text": "\x00"}, "the text has a sign in it that no mail can carry there: U+0000"),
        ({"subject": None}, "subject: None is not of type 'string'"),
    ],
)
async def test_any_other_mail_is_an_error_to_the_model_and_goes_to_nobody(arguments: dict[str, Json], why: str) -> None:
    turn = await mailed(arguments)
    assert turn.effects == ()
    assert why in (turn.calls[0].error or "")


@pytest.mark.parametrize(
    ("person", "why"),
    [
        (None, "no email address of the person is on record; ask for it and keep it first"),
        (PersonStart(first_name="Ana"), "no email address of the person is on record"),
        (
            PersonStart(first_name="Ana", email="ana@example.com, bob@example.com"),
            "the person's address on record can't be written to",
        ),
    ],
)
async def test_a_person_without_an_address_gets_no_mail(person: PersonStart | None, why: str) -> None:
    turn = await mailed({}, person)
    assert turn.effects == ()
    assert (turn.calls[0].error or "").startswith(why)
    assert (turn.calls[0].error or "").endswith("nothing was sent")


async def test_an_address_that_was_kept_a_moment_ago_is_the_one() -> None:
    model = in_turn(
        calls(("update_person", {"email": "new@example.com"})),
        calls(("send_email", {"subject": "Hi", "text": "Hello"})),
        says("Done."),
    )
    session = await Stage(AGENT, model, world=world_of(AGENT, person=ANA)).opened()
    turn = await session.send(Said(text="My address is new@example.com"))
    assert turn.effects[-1].data["to"] == ("new@example.com",)


@pytest.mark.parametrize("written", [True, False])
def test_an_agent_without_playbooks_offers_mail_only_when_it_is_written(written: bool) -> None:
    agent = HostedAgent(AGENT if written else desk())
    assert ("send_email" in agent.offer(None, Channel.WEB).names) is written
