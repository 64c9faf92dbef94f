"""Messages that leave by webhook, to an endpoint on loopback that fails on purpose."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from aiohttp import web
from tests.days import desk_at
from tests.servers.gateway import SECRET, Held, desk_project, document_of, eventually, only_conversation, serving
from tests.servers.webhooks import Received, endpoint

from greenroom.clock import SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.sent import SentStatus
from greenroom.errors import NotSigned
from greenroom.operations.context import Context, opened
from greenroom.operations.gateway import Admitted, ChannelEvent, open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick
from greenroom.store.inbound import Delivery
from greenroom.world.signing import HEADER, Signer, verify


async def test_messages_leave_by_webhook_signed_and_in_order(tmp_path: Path, database_url: str) -> None:
    async with endpoint() as receiver:
        desk = desk_project(tmp_path, database=database_url, outbound=f"{receiver.url}/in")
        async with serving(desk) as (channel, context):
            channel.name = "rich"
            answers = [await channel.said(text) for text in ("one", "two", "marinas")]
            await eventually(lambda: _received(receiver.received, 3))

            assert [(one.body["delivery"], one.body["messages"]) for one in answers] == [("webhook", [])] * 3
            sent = await eventually(lambda: _all_sent(context))

        bodies = [orjson.loads(one.body) for one in receiver.received]
        assert [body["message"]["text"].splitlines()[0] for body in bodies] == [
            "You said: one",
            "You said: two",
            "We rent from two marinas.",
        ]
        assert [part["kind"] for part in bodies[2]["message"]["parts"]][:2] == ["text", "carousel"]
        assert {(body["agent"], body["channel"], body["identity"]) for body in bodies} == {("desk", "rich", "ana")}
        assert [one.headers["Idempotency-Key"] for one in receiver.received] == [body["id"] for body in bodies] == sent
        signer = Signer(channel=Channel.RICH, agent="desk", secret=SECRET)
        others = [
            replace(signer, secret="another"),
            replace(signer, agent="tour"),
            replace(signer, channel=Channel.SMS),
        ]
        for one in receiver.received:
            signed, body = one.headers[HEADER], one.body.encode()
            verify(signed, signer, body, SystemClock().now())
            for other in others:
                with pytest.raises(NotSigned):
                    verify(signed, other, body, SystemClock().now())


async def _received(received: list[Received], count: int) -> bool:
    return len(received) >= count


async def _all_sent(context: Context) -> list[str]:
    sent = (await only_conversation(context)).sent
    return [one.key for one in sent] if all(one.status is SentStatus.SENT for one in sent) else []


@pytest.mark.parametrize("status", [500, 429, 301, 404])
async def test_an_endpoint_that_fails_on_purpose_loses_no_message(tmp_path: Path, status: int) -> None:
    """Tried again later with the same key and the same body, and the next one waits for it."""
    failing = True

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status if failing else 204)

    async with endpoint(answer) as receiver:
        desk = desk_project(tmp_path, outbound=receiver.url)
        async with serving(desk) as (channel, context):
            channel.name = "sms"
            await channel.said("one")
            await channel.said("two")
            await eventually(lambda: _received(receiver.received, 1))
            first = (await only_conversation(context)).sent[0]
            assert first.status is SentStatus.WAITING
            failing = False
            keys = await eventually(lambda: _all_sent(context))

        tried = [(one.headers["Idempotency-Key"], one.body) for one in receiver.received]
        assert [key for key, _ in dict.fromkeys(tried)] == keys
        assert len(dict.fromkeys(tried)) == 2
        assert tried[0] == tried[1]


async def test_a_message_that_its_endpoint_refuses_is_kept_and_holds_nobody_up(tmp_path: Path) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=422 if "one" in await request.text() else 200)

    async with endpoint(answer) as receiver:
        desk = desk_project(tmp_path, outbound=receiver.url)
        async with serving(desk) as (channel, context):
            channel.name = "sms"
            await channel.said("one")
            await channel.said("two")

            async def done() -> bool:
                return [one.status for one in (await only_conversation(context)).sent] == [
                    SentStatus.REFUSED,
                    SentStatus.SENT,
                ]

            await eventually(done)
            assert (await only_conversation(context)).sent[0].error == "it answered HTTP 422"


async def test_a_wrong_address_is_healed_by_publishing_the_right_one(tmp_path: Path) -> None:
    async with endpoint() as receiver:
        desk = desk_project(tmp_path, outbound="http://127.0.0.1:9/nobody")
        async with serving(desk) as (channel, context):
            channel.name = "sms"
            await channel.said("one")

            async def tried() -> bool:
                return (await only_conversation(context)).sent[0].error is not None

            await eventually(tried)
            assert (await only_conversation(context)).sent[0].error == "connection refused"
            document = document_of(desk)
            document["channels"] = {"sms": {"secret": "${CHANNEL_SECRET}", "outbound": receiver.url}}
            desk.write("agents/desk.yaml", document)
            async with desk.open() as edited:
                await publish(edited, PublishRequest(agent="desk"))
            await eventually(lambda: _all_sent(context))


async def test_an_endpoint_that_keeps_everybody_waiting_makes_no_other_channel_wait(
    tmp_path: Path, database_url: str
) -> None:
    held = Held()
    async with endpoint(held.answer) as silent, endpoint() as receiver:
        secret = {"secret": "${CHANNEL_SECRET}"}
        channels = {"rich": {**secret, "outbound": silent.url}, "sms": {**secret, "outbound": receiver.url}}
        desk = desk_project(tmp_path, database=database_url, agent={"channels": channels})
        async with serving(desk) as (channel, _):
            channel.name = "rich"
            for number in range(25):
                await channel.said("Hi", identity=f"person {number}")
            await asyncio.wait_for(held.came.wait(), 20)

            channel.name = "sms"
            for text in ("one", "two", "three"):
                await channel.said(text)
            await eventually(lambda: _received(receiver.received, 3))
            assert len(silent.received) < 25
            held.go.set()
            await eventually(lambda: _received(silent.received, 25))
        assert len({one.headers["Idempotency-Key"] for one in silent.received}) == 25


class Hasty(SystemClock):
    """Real time, but for the pauses between two looks at a queue, which it counts."""

    looks = 0

    async def sleep(self, seconds: float) -> None:
        if seconds == 1.0:
            self.looks += 1
        await super().sleep(0.01 if seconds == 1.0 else seconds)


async def test_beside_a_server_that_sends_a_tick_waits_for_no_receiver(tmp_path: Path) -> None:
    """One that keeps everybody waiting would keep silent conversations open, and the server from ending."""
    held = Held()
    async with endpoint(held.answer) as silent:
        desk = desk_project(tmp_path, outbound=silent.url)
        async with desk.open() as context, open_gateway(context) as gateway:
            await publish(context, PublishRequest(agent="desk"))
            admitted = Admitted(live=await gateway.live.get("desk"), channel=Channel.RICH, delivery=Delivery.WEBHOOK)
            told = ChannelEvent(message_id="m1", identity="ana", conversation=None, event=Said(text="Hi"))
            await gateway.deliver(admitted, told)
            async with asyncio.timeout(10):
                done = await tick(context, gateway, beside_server=asyncio.Event())
            assert done.delivered == 0
            assert not held.came.is_set()


async def test_a_tick_tries_what_is_due_and_does_not_wait_until_it_is_due_again(tmp_path: Path) -> None:
    """A clock that hurries makes every pause short, as a receiver does that takes its time to fail."""

    class Hurrying(SystemClock):
        def now(self) -> datetime:
            return super().now() + timedelta(hours=len(refused.received))

    async with endpoint(lambda _: _status(500)) as refused:
        desk = desk_project(tmp_path, outbound=refused.url)
        async with (
            opened(desk.root, environment=desk.environment, clock=Hurrying()) as context,
            open_gateway(context) as gateway,
        ):
            await publish(context, PublishRequest(agent="desk"))
            admitted = Admitted(live=await gateway.live.get("desk"), channel=Channel.RICH, delivery=Delivery.WEBHOOK)
            for number in range(3):
                told = ChannelEvent(
                    message_id=f"m{number}", identity=f"person {number}", conversation=None, event=Said(text="Hi")
                )
                await gateway.deliver(admitted, told)
            async with asyncio.timeout(10):
                done = await tick(context, gateway)
            assert done.delivered == 3


async def _status(status: int) -> web.Response:
    return web.Response(status=status)


async def test_a_database_that_can_not_be_read_is_told_once_and_not_each_second(tmp_path: Path) -> None:
    trouble: list[str] = []
    clock = Hasty()
    desk = desk_project(tmp_path, outbound="http://127.0.0.1:9/nobody")

    def rename(old: str, new: str) -> None:
        with closing(sqlite3.connect(desk.root / ".greenroom" / "greenroom.db")) as database:
            database.execute(f"ALTER TABLE {old} RENAME TO {new}")

    async with serving(desk, clock=clock, trouble=trouble):
        await asyncio.to_thread(rename, "outbox", "gone")
        await eventually(lambda: told(trouble, 1))
        before = clock.looks
        await eventually(lambda: looked(clock, before + 20))
        await asyncio.to_thread(rename, "gone", "outbox")
        before = clock.looks
        await eventually(lambda: looked(clock, before + 20))
        await asyncio.to_thread(rename, "outbox", "gone")
        await eventually(lambda: told(trouble, 2))
        await asyncio.to_thread(rename, "gone", "outbox")
    assert [line.partition(": ")[0] for line in trouble] == ["messages could not be delivered"] * 2


async def told(trouble: list[str], count: int) -> bool:
    return len(trouble) >= count


async def looked(clock: Hasty, count: int) -> bool:
    return clock.looks >= count


async def test_what_lacked_only_a_variable_leaves_at_the_next_tick_that_has_it(
    tmp_path: Path, database_url: str
) -> None:
    """However often it was tried in vain; until then it is said when it is tried next, and which channel lacks what."""
    noon = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    async with desk_at(tmp_path, noon, agent={}, database=database_url) as desk:
        url = desk.maker.environment.pop("OUTBOUND")
        await desk.says("one")
        for _ in range(9):
            await desk.ticks(hours=2)
        (waits,) = (await only_conversation(desk.context)).sent
        assert waits.error == (
            "channel 'sms' of agent 'desk' can't be used here: "
            "`channels.sms.outbound` needs the environment variable OUTBOUND, which is not set"
        )
        assert waits.next_try_at == "2026-05-05T06:04:16.000+00:00"
        assert (await desk.ticks()).delivered == 0

        desk.maker.environment["OUTBOUND"] = url
        assert (await desk.ticks()).delivered == 1
        assert desk.texts == ["You said: one"]


async def test_a_receiver_that_is_down_is_tried_no_sooner_by_a_tick(tmp_path: Path) -> None:
    async with desk_at(tmp_path, datetime(2026, 5, 4, 12, 0, tzinfo=UTC), agent={}) as desk:
        desk.down = True
        await desk.says("one")
        assert [(await desk.ticks()).delivered for _ in range(2)] == [1, 0]
