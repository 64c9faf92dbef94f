"""What leaves beside messages: notifications, mail and hand-overs, through the gateway, to real servers on loopback."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import cast

import orjson
import pytest
from aiohttp import web
from tests.servers.gateway import NOTHING, document_of, eventually, only_conversation, serving
from tests.servers.mail import MailServer, certificate, mail_server
from tests.servers.office import MAILS, PERSON_ADDRESS, office, told
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.summaries import ErrandSummary
from greenroom.operations.context import Context
from greenroom.operations.conversations import show_conversation
from greenroom.operations.publishing import PublishRequest, publish

pytestmark = [
    pytest.mark.requirement("A8"),
    # Apprise still looks for a module of the standard library that goes with Python 3.13.
]


async def errands(context: Context) -> Sequence[ErrandSummary]:
    return (await only_conversation(context)).errands


def all_are(context: Context, status: SentStatus) -> Callable[[], Awaitable[Sequence[ErrandSummary]]]:
    async def look() -> Sequence[ErrandSummary]:
        found = await errands(context)
        return found if found and all(one.status is status for one in found) else ()

    return look


async def tried(context: Context) -> ErrandSummary:
    """The only errand, once something came of a try."""

    async def look() -> Sequence[ErrandSummary]:
        (one,) = await errands(context)
        return (one,) if one.error or one.status is SentStatus.SENT else ()

    return (await eventually(look))[0]


async def test_the_team_is_told_and_the_person_gets_mail_once_the_turn_is_kept(
    tmp_path: Path, database_url: str
) -> None:
    async with endpoint() as team, mail_server() as server:
        desk = office(tmp_path, database=database_url, team=team, mail_port=server.port)
        async with serving(desk) as (channel, context):
            await channel.said("my address")
            assert (await channel.said("tell them")).texts == ["Done: notify_team."]
            assert (await channel.said("mail me")).texts == ["Done: send_email."]
            listed = await eventually(all_are(context, SentStatus.SENT))
            turns = (await only_conversation(context)).turns

    assert [(one.kind, one.summary) for one in listed] == [
        ("notify", "New call: tell them"),
        ("email", f"to {PERSON_ADDRESS}: Ihr Boot für Samstag 🛶"),
    ]
    # What the turn's effect says is what was known when it was kept.
    effects = [effect for kept in turns for effect in kept.turn.effects if effect.effect is not EffectKind.PERSON]
    assert [(effect.effect, effect.data["status"], effect.captured) for effect in effects] == [
        (EffectKind.NOTIFY, "queued", False),
        (EffectKind.EMAIL, "queued", False),
    ]
    (notified,) = (orjson.loads(one.body) for one in team.received)
    assert notified["title"] == "Lakeside Boat Rentals"
    assert notified["message"].startswith("New call: tell them\n\nReference: ")
    assert told(team) == [listed[0].key]
    (taken,) = server.taken
    assert (taken.sender, taken.recipients) == ("desk@lakeside.example", (PERSON_ADDRESS,))
    assert (taken.mail["Subject"], taken.mail["From"], taken.mail["To"]) == (
        "Ihr Boot für Samstag 🛶",
        "Lakeside <desk@lakeside.example>",
        PERSON_ADDRESS,
    )
    assert taken.mail["Message-ID"] == f"<{listed[1].key}@lakeside.example>"
    assert taken.text.replace("\r\n", "\n") == "Liebe Ana,\n\ndas Boot ist gebucht.\n"
    assert taken.raw.isascii()


async def test_a_hand_over_sends_the_team_the_reason_and_the_whole_conversation(tmp_path: Path) -> None:
    async with mail_server() as server:
        desk = office(tmp_path, mail_port=server.port)
        async with serving(desk) as (channel, context):
            await channel.event({"kind": "opened"})
            await channel.said("a boat for Saturday")
            await channel.said("human, please")
            await eventually(all_are(context, SentStatus.SENT))
            conversation = (await only_conversation(context)).conversation.conversation

    first, second = sorted(server.taken, key=lambda taken: taken.recipients)
    assert (first.recipients, second.recipients) == (("boss@lakeside.example",), ("team@lakeside.example",))
    assert first.mail["To"] == "team@lakeside.example, boss@lakeside.example"
    assert first.mail["Subject"] == "Lakeside Boat Rentals: hand-over: wants a person"
    assert first.text.replace("\r\n", "\n") == (
        f"wants a person\n\nWith: web:ana\nConversation: {conversation}\n\n"
        "Agent: Hello, this is Lakeside.\n\n"
        "Person: a boat for Saturday\n\n"
        "Agent: You said: a boat for Saturday\n\n"
        "Person: human, please\n\n"
        "Agent: One moment.\n\n"
        "[handed over: wants a person]\n"
    )


async def test_a_turn_that_was_not_kept_sends_nothing(tmp_path: Path) -> None:
    """The team would be told by the turn's first call; the turn breaks at the answer after it."""
    rules = [
        {"when": {"answered": "notify_team"}, "fault": "rejected"},
        {"when": {"last": "tell"}, "calls": [{"tool": "notify_team", "arguments": {"text": "never"}}]},
    ]
    async with endpoint() as team:
        desk = office(tmp_path, team=team, rules=[], agent={})
        desk.write("models/agent.yaml", {"rules": [*rules, {"reply": "You said: {{last}}"}]})
        async with serving(desk, trouble=[]) as (channel, context):
            assert (await channel.said("tell them")).status == 502
            assert (await channel.said("hello")).texts == ["You said: hello"]
            assert await errands(context) == ()
    assert team.received == []


async def test_a_dead_notification_address_holds_up_neither_mail_nor_messages(tmp_path: Path) -> None:
    """It is tried again with the same key until it takes it; meanwhile everything else leaves."""
    failing = True

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=500 if failing else 200)

    async with endpoint(answer) as team, endpoint() as receiver, mail_server() as server:
        desk = office(tmp_path, team=team, mail_port=server.port)
        desk.environment["OUTBOUND"] = receiver.url
        document = document_of(desk)
        channels = cast("dict[str, dict[str, str]]", document["channels"])
        desk.write(
            "agents/desk.yaml",
            {**document, "channels": {**channels, "sms": {**channels["sms"], "outbound": "${OUTBOUND}"}}},
        )
        async with serving(desk) as (channel, context):
            channel.name = "sms"
            await channel.said("tell them")
            await eventually(lambda: _count(told(team), 1))
            await channel.said("mail Dana")

            async def others_left() -> bool:
                return bool(server.taken) and len(receiver.received) == 2

            await eventually(others_left)
            waiting = (await errands(context))[0]
            assert (waiting.status, waiting.error) == (
                SentStatus.WAITING,
                "its address in `notifications.to` did not take it",
            )
            failing = False
            await eventually(all_are(context, SentStatus.SENT))
    assert len(told(team)) > 1
    assert set(told(team)) == {waiting.key}


async def _count(found: Sequence[object], least: int) -> bool:
    return len(found) >= least


async def test_a_dead_place_of_the_team_holds_up_no_other_and_is_healed_by_publishing_the_right_one(
    tmp_path: Path,
) -> None:
    async with endpoint() as team, endpoint() as second:
        desk = office(tmp_path, team=team, agent={"notifications": {"to": ["json://127.0.0.1:9", "${TEAM}"]}})
        async with serving(desk) as (channel, context):
            await channel.said("tell them")
            await eventually(lambda: _count(told(team), 1))
            right = {"notifications": {"to": [second.url.replace("http://", "json://"), "${TEAM}"]}}
            desk.write("agents/desk.yaml", {**document_of(desk), **right})
            async with desk.open() as edited:
                await publish(edited, PublishRequest(agent="desk"))
            await eventually(all_are(context, SentStatus.SENT))
    assert len(told(team)) == len(told(second)) == 1
    assert told(team) != told(second)


async def test_a_variable_that_is_not_set_is_told_and_the_notification_waits(tmp_path: Path) -> None:
    desk = office(tmp_path, agent={"notifications": {"to": ["json://${NOWHERE}/team"]}})
    async with serving(desk, trouble=[]) as (channel, context):
        await channel.said("tell them")

        async def why() -> str | None:
            return (await errands(context))[0].error

        assert await eventually(why) == "`notifications.to` needs the environment variable NOWHERE, which is not set"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("550 5.1.1 no such user here", SentStatus.REFUSED),
        ("451 try later", SentStatus.WAITING),
        # Not of the mail, but of how the project logs in.
        ("530 5.7.0 authentication required", SentStatus.WAITING),
    ],
)
@pytest.mark.parametrize("at", ["recipient", "mail"])
async def test_what_the_mail_server_says_stands_with_the_errand(
    tmp_path: Path, said: str, status: SentStatus, at: str
) -> None:
    """A 5xx is final; a 4xx is tried again, until it is taken, under the same Message-ID."""
    async with mail_server() as server:
        if at == "recipient":
            server.refuse_recipient = lambda _: said
        else:
            server.answer = lambda _: said
        desk = office(tmp_path, mail_port=server.port)
        async with serving(desk) as (channel, context):
            await channel.said("mail Dana")

            found = await tried(context)
            assert (found.status, found.error) == (status, said)
            server.relent()
            if status is SentStatus.WAITING:
                await eventually(all_are(context, SentStatus.SENT))
                assert {taken.mail["Message-ID"] for taken in server.came} == {f"<{found.key}@lakeside.example>"}


async def test_what_could_not_be_done_for_three_days_is_given_up_and_says_so(tmp_path: Path) -> None:
    long_ago = FrozenClock(SystemClock().now() - timedelta(days=4))
    desk = office(tmp_path, mail_port=9)
    async with serving(desk, clock=long_ago) as (channel, _):
        channel.clock = long_ago
        await channel.said("mail Dana")
    async with serving(desk) as (_, context):
        (given_up,) = await eventually(all_are(context, SentStatus.REFUSED))
    assert given_up.error is not None
    assert given_up.error.startswith("given up after ")
    assert given_up.error.endswith("it can't be reached: connection refused")


async def test_without_a_mail_server_mail_waits_and_says_why(tmp_path: Path) -> None:
    desk, trouble = office(tmp_path, agent=MAILS), list[str]()
    async with serving(desk, trouble=trouble) as (channel, context):
        await channel.said("mail Dana")

        async def why() -> str | None:
            return (await errands(context))[0].error

        assert await eventually(why) == "the project has no `mail: {smtp: …, from: …}`"
    assert trouble == ["agent 'desk' sends mail, which waits: the project has no `mail: {smtp: …, from: …}`"]


async def test_what_mail_and_notifications_miss_on_this_machine_is_told_at_the_start(tmp_path: Path) -> None:
    desk, trouble = office(tmp_path, mail_port=9, mail={"smtp": "smtps://desk:${SECRET}@h"}), list[str]()
    desk.write("agents/desk.yaml", {**document_of(desk), "notifications": {"to": ["json://${NOWHERE}/team"]}})
    async with serving(desk, trouble=trouble):
        pass
    assert trouble == [
        "no mail can leave: `mail.smtp` needs the environment variable SECRET, which is not set",
        "agent 'desk': `notifications.to` needs the environment variable NOWHERE, which is not set; until it is set "
        "where `greenroom serve` runs, the team is not told there",
    ]


async def mailed(server: MailServer, root: Path, **settings: object) -> ErrandSummary:
    """One mail to Dana, once the server has been asked."""
    desk = office(root, mail_port=server.port, mail=settings)
    desk.environment |= {"SMTP_PASSWORD": "p@ss:/word", "MAIL_HOST": "mail.lakeside.example"}
    async with serving(desk) as (channel, context):
        await channel.said("mail Dana")

        return await tried(context)


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_mail_is_handed_in_encrypted_with_user_and_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    file, tls = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    login = ("desk@lakeside", "p@ss:/word")
    async with mail_server(tls=tls, from_the_first_byte=scheme == "smtps", login=login) as server:
        written = f"{scheme}://desk%40lakeside:${{SMTP_PASSWORD}}@localhost:{server.port}"
        sent = await mailed(server, tmp_path, smtp=written, starttls="required")
        assert (sent.status, sent.error) == (SentStatus.SENT, None)
        (taken,) = server.taken
        assert (taken.encrypted, taken.user) == (True, "desk@lakeside")


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_a_server_whose_certificate_nobody_knows_gets_no_mail(tmp_path: Path, scheme: str) -> None:
    _, tls = certificate(tmp_path)
    async with mail_server(tls=tls, from_the_first_byte=scheme == "smtps") as server:
        found = await mailed(server, tmp_path, smtp=f"{scheme}://localhost:{server.port}", starttls="required")
        assert found.status is SentStatus.WAITING
        assert (found.error or "").startswith("no encrypted connection could be made: its certificate is not accepted")
        assert server.came == []


async def test_a_server_without_encryption_gets_no_mail_unless_that_is_written(tmp_path: Path) -> None:
    async with mail_server() as server:
        found = await mailed(server, tmp_path, starttls="required")
        assert (found.status, found.error) == (
            SentStatus.WAITING,
            "it knows no encryption (STARTTLS); `mail.starttls: never` is for one on this machine or network",
        )
        assert server.came == []


async def test_a_password_is_never_sent_unencrypted_to_another_machine(tmp_path: Path) -> None:
    async with mail_server() as server:
        found = await mailed(server, tmp_path, smtp="smtp://desk:${SMTP_PASSWORD}@${MAIL_HOST}:25")
        assert found.error == "its password would be sent unencrypted; see `mail.starttls`"


async def test_a_wrong_password_is_told_and_the_mail_waits(tmp_path: Path) -> None:
    async with mail_server(login=("desk", "another")) as server:
        found = await mailed(server, tmp_path, smtp=f"smtp://desk:${{SMTP_PASSWORD}}@127.0.0.1:{server.port}")
        assert found.status is SentStatus.WAITING
        assert (found.error or "").startswith("it did not take user and password: 535")
        assert "p@ss" not in (found.error or "")


async def test_an_agent_may_have_its_own_sender_and_address_for_answers(tmp_path: Path) -> None:
    own = {"from": "Bootsverleih Müller <boote@lakeside.example>", "reply_to": "answers@lakeside.example"}
    async with mail_server() as server:
        desk = office(tmp_path, mail_port=server.port, agent={"email": own}, mail={"reply_to": "no@lakeside.example"})
        async with serving(desk) as (channel, context):
            await channel.said("mail Dana")
            await eventually(all_are(context, SentStatus.SENT))
        (taken,) = server.taken
    assert taken.sender == "boote@lakeside.example"
    assert str(taken.mail["From"]) == "Bootsverleih Müller <boote@lakeside.example>"
    assert taken.mail["Reply-To"] == "answers@lakeside.example"


@pytest.mark.requirement("A1")
async def test_tool_calls_carry_a_key_that_tells_them_apart(tmp_path: Path) -> None:
    """Two calls with the same arguments in one turn are two calls; a tool's own header of that name goes first."""
    calls = [{"tool": "pay", "arguments": {"amount": 4}}, {"tool": "pay", "arguments": {"amount": 4}}]
    rules: Sequence[object] = [
        {"when": {"answered": "pay"}, "reply": "Paid."},
        {"when": {"answered": "own"}, "reply": "Done."},
        {"when": {"last": "pay"}, "calls": calls},
        {"when": {"last": "own"}, "calls": [{"tool": "own", "arguments": NOTHING}]},
    ]
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    async with endpoint() as shop:
        tools = {
            "pay": {"url": shop.url, "method": "POST", "parameters": schema},
            "own": {"url": shop.url, "method": "POST", "headers": {"idempotency-key": "mine"}},
        }
        desk = office(tmp_path, agent={"tools": tools}, rules=rules)
        async with serving(desk) as (channel, _):
            await channel.said("pay")
            await channel.said("pay")
            await channel.said("own")
    keys = [one.headers.get("Idempotency-Key") or one.headers["idempotency-key"] for one in shop.received]
    assert len(set(keys)) == 5
    assert all(key.startswith("call-") for key in keys[:4])
    assert keys[4] == "mine"


@pytest.mark.requirement("C8")
async def test_a_call_that_nobody_waits_for_is_made_once_the_turn_is_kept_and_until_it_is_taken(tmp_path: Path) -> None:
    """The agent never hears of it; a turn that breaks off after it never made it."""
    rules: Sequence[object] = [
        {"when": {"answered": "visit", "last": "break"}, "fault": "rejected"},
        {"when": {"answered": "visit"}, "reply": "Noted."},
        {"when": {"last": {"regex": "^visit"}}, "calls": [{"tool": "visit", "arguments": {"page": "boats"}}]},
        {"when": {"last": "break"}, "calls": [{"tool": "visit", "arguments": {"page": "never"}}]},
    ]
    failing = True

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=503 if failing else 200)

    async with endpoint(answer) as shop:
        schema = {"type": "object", "properties": {"page": {"type": "string"}}}
        tool = {"url": shop.url, "method": "POST", "waits": False, "parameters": schema}
        desk = office(tmp_path, agent={"tools": {"visit": tool}}, rules=rules)
        async with serving(desk, trouble=[]) as (channel, context):
            assert (await channel.said("break")).status == 502
            assert (await channel.said("visit", conversation="c")).texts == ["Noted."]
            await eventually(lambda: _count(shop.received, 1))
            failing = False

            async def done() -> Sequence[ErrandSummary]:
                found = (await show_conversation(context, "desk:web:c")).errands
                return [one for one in found if one.status is SentStatus.SENT]

            (called,) = await eventually(done)
    assert called.summary == 'visit {"page": "boats"}'
    assert {(one.body, one.headers["Idempotency-Key"]) for one in shop.received} == {('{"page":"boats"}', called.key)}


@pytest.mark.requirement("A1")
async def test_opening_a_conversation_again_changes_nothing(tmp_path: Path) -> None:
    async with serving(office(tmp_path)) as (channel, context):
        first = await channel.event({"kind": "opened"}, conversation="c")
        await channel.said("hello", conversation="c")
        again = await channel.event({"kind": "opened"}, conversation="c")
        await channel.said("human", conversation="c")
        too_late = await channel.event({"kind": "opened"}, conversation="c")
        shown = await only_conversation(context)
    assert first.texts == ["Hello, this is Lakeside."]
    assert (again.status, again.texts, too_late.texts) == (200, [], [])
    assert [kept.turn.index for kept in shown.turns] == [0, 1, 2]
    assert shown.unserved == ()
