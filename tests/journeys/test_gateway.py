"""Live conversations through a real server on loopback, on both databases."""

import asyncio
import hmac
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import orjson
import pytest
from aiohttp import web
from tests.projects import ProjectMaker
from tests.servers.gateway import (
    LOOKS_UP,
    NOTHING,
    SECRET,
    Answered,
    Held,
    desk_project,
    document_of,
    eventually,
    only_conversation,
    serving,
)
from tests.servers.webhooks import endpoint

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.summaries import ClosedBy, Ticked
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import (
    ConversationsRequest,
    list_conversations,
    show_conversation,
)
from greenroom.operations.gateway import open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick
from greenroom.store.partition import Partition


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> ProjectMaker:
    return desk_project(tmp_path, database=database_url)


async def rows(context: Context) -> tuple[int, int]:
    """How many conversations there are, and how many of the people who could have come of them."""
    page = await list_conversations(context, ConversationsRequest(limit=1000))
    people = context.store.people(Partition.LIVE)
    found = [await people.find(f"web:{who}") for who in ("ana", "ben")]
    return len(page.conversations), sum(person is not None for person in found)


@pytest.mark.requirement("A1", "A12")
async def test_a_signed_event_is_answered_by_the_published_agent_and_kept_with_its_record(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        opened_ = await channel.event({"kind": "opened"})
        answered = await channel.said("a boat for Saturday 🛶")

        assert (opened_.status, opened_.texts) == (200, ["Hello, this is Lakeside."])
        assert answered.texts == ["You said: a boat for Saturday 🛶"]
        assert answered.body["conversation"] == opened_.body["conversation"]
        assert answered.body["ended"] is None
        shown = await only_conversation(context)
        assert [kept.turn.index for kept in shown.turns] == [0, 1]
        assert shown.turns[1].record is not None
        assert "You are the desk of a boat rental." in shown.turns[1].record.prompt
        assert (shown.conversation.agent, shown.conversation.identity) == ("desk", "web:ana")
        assert shown.conversation.person_id is not None


@pytest.mark.requirement("A1")
async def test_what_is_not_signed_is_refused_and_leaves_no_trace(desk: ProjectMaker) -> None:
    body = orjson.dumps({"message_id": "m1", "identity": "ana", "event": {"kind": "said", "text": "Hi"}})
    async with serving(desk) as (channel, context):
        right = channel.clock.now()
        late = FrozenClock(right - timedelta(seconds=301))
        early = FrozenClock(right + timedelta(seconds=310))
        wrong = [
            await channel.post(body, signed=""),
            await channel.post(body, signed="t=1,v2=ff"),
            await channel.post(body, signed=f"t={right.timestamp():.0f}"),
            await channel.post(body, signed="v2=ff"),
            await channel.post(body, signed="t=\u0661,v2=ff".encode().decode("latin-1")),
        ]
        for clock, secret in ((late, SECRET), (early, SECRET), (SystemClock(), "another")):
            channel.clock, channel.secret = clock, secret
            wrong.append(await channel.post(body))

        assert [(one.status, one.type) for one in wrong] == [(401, "application/problem+json")] * len(wrong)
        assert all(one.body["detail"].startswith("the signature is not accepted: ") for one in wrong)
        assert await rows(context) == (0, 0)


@pytest.mark.requirement("A1")
async def test_what_was_signed_for_one_channel_or_agent_is_no_use_on_another_that_shares_its_secret(
    desk: ProjectMaker,
) -> None:
    tour = {**document_of(desk), "agent": "tour"}
    desk.write("agents/tour.yaml", tour)
    body = orjson.dumps({"message_id": "m1", "identity": "ana", "event": {"kind": "said", "text": "Hi"}})
    async with serving(desk) as (channel, context):
        await publish(context, PublishRequest(agent="tour"))
        signed = channel.signature(body)
        for name, agent in (("sms", "desk"), ("web_voice", "desk"), ("web", "tour")):
            channel.name, channel.agent = name, agent
            refused = await channel.post(body, signed=signed)
            assert refused.status == 401
            assert "doesn't fit the body, this channel, this agent" in refused.body["detail"]
        assert await rows(context) == (0, 0)
        channel.name, channel.agent = "web", "desk"
        assert (await channel.post(body, signed=signed)).status == 200


@pytest.mark.requirement("A1")
async def test_a_signature_over_time_and_body_is_taken_where_there_is_no_other(desk: ProjectMaker) -> None:
    body = orjson.dumps({"message_id": "m1", "identity": "ana", "event": {"kind": "said", "text": "Hi"}})

    def plain(at: datetime) -> str:
        time = f"{at.timestamp():.0f}"
        return f"t={time},v1={hmac.new(SECRET.encode(), time.encode() + b'.' + body, sha256).hexdigest()}"

    async with serving(desk) as (channel, context):
        now = channel.clock.now()
        refused = [
            await channel.post(body, signed=f"{plain(now)},v2={'0' * 64}"),
            await channel.post(body, signed=plain(now - timedelta(seconds=310))),
            await channel.post(body + b" ", signed=plain(now)),
        ]
        assert [one.status for one in refused] == [401, 401, 401]
        assert refused[2].body["detail"].endswith("its v1 doesn't fit the body and the channel's secret")
        assert await rows(context) == (0, 0)
        assert (await channel.post(body, signed=plain(now))).status == 200


async def test_without_a_live_revision_the_gateway_answers_503_and_keeps_nothing(desk: ProjectMaker) -> None:
    async with serving(desk, published=False) as (channel, context):
        refused = await channel.said("Hi")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert "`greenroom publish desk`" in refused.body["detail"]

        await publish(context, PublishRequest(agent="desk"))

        assert (await channel.said("Hi")).status == 200


async def test_a_channel_without_its_secret_is_named_and_the_agent_stays_live(desk: ProjectMaker) -> None:
    secret = {"secret": "${CHANNEL_SECRET}"}
    desk.write("agents/desk.yaml", {**document_of(desk), "channels": {"web": {"secret": "${MISSING}"}, "sms": secret}})
    trouble = list[str]()
    async with serving(desk, trouble=trouble) as (channel, _):
        refused = await channel.said("Hi")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert refused.body["detail"] == (
            "channel 'web' of agent 'desk' can't be used here: "
            "`channels.web.secret` needs the environment variable MISSING, which is not set"
        )
        channel.name = "sms"
        assert (await channel.said("Hi")).status == 200
    assert len(trouble) == 1


async def test_only_a_publication_changes_who_answers(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        desk.write("agents/desk.yaml", {**document_of(desk), "greeting": "Ahoy!"})
        assert (await channel.event({"kind": "opened"}, identity="ana")).texts == ["Hello, this is Lakeside."]

        async with desk.open() as edited:
            await publish(edited, PublishRequest(agent="desk"))
        assert (await channel.event({"kind": "opened"}, identity="ben")).texts == ["Ahoy!"]

        await publish(context, PublishRequest(agent="desk", revision=1))
        assert (await channel.event({"kind": "opened"}, identity="eve")).texts == ["Hello, this is Lakeside."]


async def test_a_message_id_makes_a_repeat_harmless(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        first = await channel.said("Hi", message_id="same")
        await channel.said("And then", message_id="next")
        again = await channel.said("Hi", message_id="same")
        other = await channel.said("Something else", message_id="same")

        assert again.body == first.body
        assert other.status == 409
        assert "'same' came with another event" in other.body["detail"]
        shown = await only_conversation(context)
        assert len(shown.turns) == 2


async def test_the_same_event_delivered_many_times_at_once_is_served_once(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        answers = await asyncio.gather(*(channel.said("Hi", message_id="same") for _ in range(8)))

        assert [one.status for one in answers] == [200] * 8
        assert len({orjson.dumps(one.body) for one in answers}) == 1
        assert len((await only_conversation(context)).turns) == 1


async def test_two_servers_serve_the_events_of_one_conversation_once_and_in_the_order_of_their_arrival(
    tmp_path: Path, database_url: str
) -> None:
    """Each waits for the other: what the agent has read holds every line once, in order, and nothing is done twice."""

    async def slowly(_: web.Request) -> web.Response:
        await SystemClock().sleep(0.05)
        return web.json_response({"ok": True})

    rules = [
        {"when": {"answered": "look_up"}, "reply": "You said: {{last}}"},
        {"calls": [{"tool": "look_up", "arguments": NOTHING}]},
    ]
    async with endpoint(slowly) as orders:
        tools = {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}
        desk = desk_project(tmp_path, rules=rules, database=database_url, agent={"tools": tools})
        async with serving(desk) as (one, context), serving(desk) as (other, _):
            sending: list[asyncio.Task[Answered]] = []
            for number in range(10):
                channel = (one, other)[number % 2]
                sending.append(
                    asyncio.create_task(channel.said(f"line {number}", message_id=f"m{number}", conversation="c"))
                )
                await eventually(lambda number=number: _arrived(context, number))
            answers = await asyncio.gather(*sending)

            assert [answer.texts for answer in answers] == [[f"You said: line {n}"] for n in range(10)]
            shown = await only_conversation(context)
            assert [kept.turn.index for kept in shown.turns] == list(range(1, 11))
            assert shown.conversation.turns == 10
        assert len(orders.received) == 10


async def _arrived(context: Context, number: int) -> bool:
    page = await list_conversations(context, ConversationsRequest())
    if not page.conversations:
        return False
    shown = await show_conversation(context, page.conversations[0].conversation)
    return len(shown.unserved) + len(shown.turns) > number


async def test_the_open_conversation_with_a_person_goes_on_until_it_has_ended(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        first = await channel.said("Hi")
        ended = await channel.said("bye")
        new = await channel.said("Hi again")
        silent = await channel.said("Still there?", conversation=first.body["conversation"])

        assert ended.body["conversation"] == first.body["conversation"]
        assert (ended.texts, ended.body["ended"]) == (["Goodbye."], "agent_ended")
        assert new.body["conversation"] != first.body["conversation"]
        assert (silent.body["messages"], silent.body["ended"]) == ([], "agent_ended")
        page = await list_conversations(context, ConversationsRequest())
        assert {one.closed_by for one in page.conversations} == {ClosedBy.END, None}


async def test_what_follows_a_hand_over_stays_with_the_people_who_took_over(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        first = await channel.said("human please")
        later = await channel.said("Are you there?")

        assert first.body["ended"] == "handed_over"
        assert later.body["conversation"] == first.body["conversation"]
        assert later.body["messages"] == []
        shown = await only_conversation(context)
        assert shown.conversation.closed_by is ClosedBy.HAND_OVER
        (event,) = shown.unserved
        assert (event.words, event.too_late, event.waits) == ("Are you there?", True, False)


async def test_no_more_is_kept_of_one_conversation_than_will_be_answered_soon(
    tmp_path: Path, database_url: str
) -> None:
    """Whoever writes without end, as any visitor of a public page may, is refused before it costs a turn."""
    held = Held()
    async with endpoint(held.answer) as orders:
        tools = {"look_up": {"description": "Looks up.", "url": orders.url, "method": "POST"}}
        desk = desk_project(tmp_path, rules=LOOKS_UP, database=database_url, agent={"tools": tools})
        async with serving(desk) as (channel, context):
            first = asyncio.create_task(channel.said("ready?", message_id="m0", conversation="c"))
            await asyncio.wait_for(held.came.wait(), 20)
            waiting: list[asyncio.Task[Answered]] = []
            for number in range(1, 20):
                waiting.append(asyncio.create_task(channel.said("Hi", message_id=f"m{number}", conversation="c")))
                await eventually(lambda number=number: _arrived(context, number))

            refused = await channel.said("Hi", message_id="m20", conversation="c")
            other = await channel.said("Hi", conversation="d")
            held.go.set()

            assert (refused.status, refused.headers["Retry-After"]) == (429, "5")
            assert other.status == 200
            assert [(await one).status for one in (first, *waiting)] == [200] * 20
            assert (await channel.said("Hi", message_id="m20", conversation="c")).status == 200
            shown = await show_conversation(context, "desk:web:c")
            assert (len(shown.turns), shown.unserved) == (21, ())


async def test_ids_of_channels_are_kept_apart_and_a_conversation_belongs_to_one_person(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, _):
        web_ = await channel.said("Hi", conversation="7")
        channel.name = "web_voice"
        voice = await channel.said("Hi", conversation="7")
        foreign = await channel.said("Hi", conversation="7", identity="ben")

        assert web_.body["conversation"] == "desk:web:7"
        assert voice.body["conversation"] == "desk:web_voice:7"
        assert foreign.status == 409
        assert (await channel.said("Hi", conversation="desk:web_voice:7")).body["conversation"] == "desk:web_voice:7"


@pytest.mark.requirement("A3", "A4")
async def test_rich_messages_say_how_they_are_tapped_and_taps_arrive_typed(desk: ProjectMaker) -> None:
    async with serving(desk) as (channel, context):
        offered = (await channel.said("marinas")).body["messages"][0]
        parts = {part["kind"]: part for part in offered["parts"]}
        slot = parts["time_picker"]["slots"][0]["tap"]
        chip = parts["carousel"]["cards"][0]["chips"][0]["tap"]

        assert slot == {"kind": "tap", "tapped": "slot", "label": "Saturday, 2 pm", "value": "2026-06-06T14:00"}
        assert chip["card"] == "North"
        assert parts["chips"]["chips"][1] == {
            "label": "Rates",
            "action": "link",
            "target": "https://lakeside.example/rates",
        }
        assert offered["text"].splitlines()[:2] == ["We rent from two marinas.", "North — 12 boats"]
        assert (await channel.event(slot)).texts == ["You said: 2026-06-06T14:00"]
        await channel.event(chip)
        turns = (await only_conversation(context)).turns
        assert [getattr(kept.turn.event, "card", None) for kept in turns] == [None, None, "North"]


@pytest.mark.requirement("A3", "D2")
@pytest.mark.parametrize(("name", "words"), [("sms", "- Saturday, 2 pm"), ("web_voice", "Please say Yes or No.")])
async def test_a_channel_without_rich_elements_gets_words(desk: ProjectMaker, name: str, words: str) -> None:
    async with serving(desk) as (channel, _):
        channel.name = name
        (message,) = (await channel.said("marinas")).body["messages"]

        assert set(message) == {"text"}
        assert words in message["text"]


@pytest.mark.requirement("D2")
async def test_a_message_that_a_voice_can_not_say_is_no_message(tmp_path: Path) -> None:
    rules = [
        {"when": {"answered": "send_message"}, "reply": "I can't show you the tour here."},
        {"calls": [{"tool": "send_message", "arguments": {"parts": [{"media": "https://films.example/tour.mp4"}]}}]},
    ]
    async with serving(desk_project(tmp_path, rules=rules)) as (channel, _):
        channel.name = "web_voice"
        assert (await channel.said("Show me")).texts == ["I can't show you the tour here."]


async def test_a_broken_turn_is_told_kept_and_may_be_delivered_again(desk: ProjectMaker) -> None:
    trouble: list[str] = []
    async with serving(desk, trouble=trouble) as (channel, context):
        broken = await channel.said("break", message_id="b")
        assert (broken.status, broken.type) == (502, "application/problem+json")
        assert broken.body["detail"].startswith("the event 'b' was not answered: ")
        (event,) = (await only_conversation(context)).unserved
        assert event.message_id == "b"
        assert event.error is not None

        assert (await channel.said("Hi")).texts == ["You said: Hi"]
        desk.write("models/agent.yaml", {"rules": [{"reply": "Mended."}]})
    assert [one.partition(": the event 'b' was not answered: ")[0] for one in trouble] == ["POST /gateway/web/desk"]
    async with serving(desk) as (channel, context):
        assert (await channel.said("break", message_id="b")).texts == ["Mended."]
        assert (await only_conversation(context)).unserved == ()


async def test_silence_closes_a_conversation_and_a_later_event_goes_on_or_begins_anew(desk: ProjectMaker) -> None:
    now = SystemClock().now()
    async with serving(desk) as (channel, context):
        first = await channel.said("Hi")
        assert (await _ticked(desk, now + timedelta(hours=23))).closed == 0
        assert (await _ticked(desk, now + timedelta(hours=25))).closed == 1
        assert (await _ticked(desk, now + timedelta(hours=25))).closed == 0
        assert (await only_conversation(context)).conversation.closed_by is ClosedBy.SILENCE

        anew = await channel.said("Back again")
        on = await channel.said("In the old one", conversation=first.body["conversation"])

        assert anew.body["conversation"] != first.body["conversation"]
        assert (on.body["conversation"], on.texts) == (first.body["conversation"], ["You said: In the old one"])
        page = await list_conversations(context, ConversationsRequest())
        assert [one.closed_at for one in page.conversations] == [None, None]


@pytest.mark.requirement("A12")
async def test_turn_records_are_dropped_after_ninety_days_and_nothing_else(desk: ProjectMaker) -> None:
    now = SystemClock().now()
    async with serving(desk) as (channel, context):
        await channel.said("Hi")
        assert (await _ticked(desk, now + timedelta(days=89))).records_dropped == 0
        assert (await _ticked(desk, now + timedelta(days=91))).records_dropped == 1
        (kept,) = (await only_conversation(context)).turns
        assert kept.record is None
        assert not [entry for entry in kept.turn.entries if isinstance(entry, ToolCall)]
        assert kept.turn.messages


async def _ticked(desk: ProjectMaker, at: datetime) -> Ticked:
    """A tick of another process, at another time."""
    clock = FrozenClock(at)
    async with opened(desk.root, environment=desk.environment, clock=clock) as later, open_gateway(later) as gateway:
        return await tick(later, gateway)
