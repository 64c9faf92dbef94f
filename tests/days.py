"""A live desk that walks through days: its clock goes on when a test says so, and its tick is made by hand."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web
from tests.projects import ProjectMaker
from tests.servers.gateway import desk_project
from tests.servers.webhooks import Endpoint, endpoint
from tests.stores import watch_turns

from greenroom.clock import SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said
from greenroom.conversation.people import Person
from greenroom.conversation.summaries import Ticked
from greenroom.conversation.transcript import render_transcript
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.operations.gateway import Admitted, ChannelEvent, Gateway, open_gateway
from greenroom.operations.people import change_person
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.serving import Answer
from greenroom.operations.tick import tick
from greenroom.store.inbound import Delivery
from greenroom.store.partition import Partition
from greenroom.store.people import Wanted

__all__ = ["Desk", "WalkingClock", "desk_at"]


@dataclass
class WalkingClock:
    """Stands still until it is told to go on; sleeping takes no time, ids are counted."""

    at: datetime
    ids: int = 0

    def now(self) -> datetime:
        """Where it stands, in UTC."""
        return self.at.astimezone(UTC)

    def monotonic(self) -> float:
        """Always 0."""
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Let others run for a moment; a sleep that took nothing would keep a processor busy."""
        await SystemClock().sleep(min(seconds, 0.001))

    def new_id(self, prefix: str) -> str:
        """Counted, so that they sort by time."""
        self.ids += 1
        return f"{prefix}-{self.ids:04}"

    def chance(self) -> float:
        """Always one half."""
        return 0.5


@dataclass(kw_only=True)
class Desk:
    """What a test does with it."""

    context: Context
    gateway: Gateway
    clock: WalkingClock
    receiver: Endpoint
    maker: ProjectMaker
    down: bool = False
    """The endpoint answers 503."""
    counted: int = field(default=0)

    async def person(
        self,
        *identities: str,
        consent: bool | None = True,
        status: str = "",
        first_name: str = "",
        email: str = "",
        phone: str = "",
    ) -> str:
        """Somebody on record; their id."""
        given = {} if consent is None else {"messages": consent}
        people = self.context.store.people(Partition.LIVE)
        first, *others = identities
        known = Person(person_id="", consent=given, status=status, first_name=first_name, email=email, phone=phone)
        made = await people.add(known, first)
        await people.keep([Wanted(person_id=made.person_id, identities=tuple(others))])
        return made.person_id

    async def agrees(self, person_id: str, given: bool) -> None:
        """They give or withdraw their consent."""
        await change_person(self.context, person_id, {"consent.messages": given})

    async def republish(self, **other: object) -> None:
        """The agent becomes live with other keys."""
        document: Mapping[str, object] = orjson.loads((self.maker.root / "agents/desk.yaml").read_bytes())
        self.maker.write("agents/desk.yaml", {**document, **other})
        await publish(self.context, PublishRequest(agent="desk"))

    async def ticks(self, at: datetime | None = None, **later: float) -> Ticked:
        """The tick of this moment, or of so much later."""
        self.clock.at = (at or self.clock.at) + timedelta(**later)
        return await tick(self.context, self.gateway)

    async def says(self, text: str, *, identity: str = "ana", channel: Channel = Channel.SMS) -> Answer:
        """The person says something."""
        return await self.does(Said(text=text), identity=identity, channel=channel)

    async def does(self, event: Event, *, identity: str = "ana", channel: Channel = Channel.SMS) -> Answer:
        """The person does something, on a channel whose messages leave by webhook."""
        self.counted += 1
        live = await self.gateway.live.get("desk")
        told = ChannelEvent(message_id=f"m{self.counted}", identity=identity, conversation=None, event=event)
        return await self.gateway.deliver(Admitted(live=live, channel=channel, delivery=Delivery.WEBHOOK), told)

    @property
    def texts(self) -> list[str]:
        """What has arrived at the endpoint, in order, repeats too."""
        return [orjson.loads(one.body)["message"]["text"] for one in self.receiver.received]

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """The same, whole."""
        return [orjson.loads(one.body) for one in self.receiver.received]

    async def transcripts(self) -> list[list[str]]:
        """Every conversation, the one in which something happened last first, block by block."""
        page = await list_conversations(self.context, ConversationsRequest(limit=1000))
        shown = [await show_conversation(self.context, one.conversation) for one in page.conversations]
        return [render_transcript([kept.turn for kept in one.turns]).split("\n\n") for one in shown]


@asynccontextmanager
async def desk_at(
    root: Path,
    at: datetime,
    *,
    agent: Mapping[str, object],
    rules: Sequence[object] = ({"reply": "You said: {{last}}"},),
    database: str | None = None,
    limits: Mapping[str, object] | None = None,
    project: Mapping[str, object] | None = None,
) -> AsyncGenerator[Desk]:
    """A published desk at this moment; SMS and rich messages leave to an endpoint on loopback."""
    clock = WalkingClock(at)
    made: list[Desk] = []

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=503 if made and made[0].down else 204)

    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(endpoint(answer))
        settings = {
            **({} if limits is None else {"limits": limits}),
            **({} if database is None else {"database": database}),
            **(project or {}),
        }
        maker = desk_project(root, rules=rules, agent=agent, outbound=receiver.url, project=settings)
        context = await stack.enter_async_context(opened(root, environment=maker.environment, clock=clock))
        watch_turns(context.store)
        await publish(context, PublishRequest(agent="desk"))
        gateway = await stack.enter_async_context(open_gateway(context))
        desk = Desk(context=context, gateway=gateway, clock=clock, receiver=receiver, maker=maker)
        made.append(desk)
        yield desk
