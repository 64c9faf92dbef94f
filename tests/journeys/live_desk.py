"""A published desk whose conversations go on at moments that a test chooses, through the gateway and the tick."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from tests.projects import ProjectMaker
from tests.servers.gateway import ECHO, desk_project
from tests.stores import NOON

from greenroom.clock import FrozenClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said
from greenroom.conversation.reviews import Review, ReviewFilter
from greenroom.conversation.summaries import ShownConversation, Ticked
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import (
    ConversationsRequest,
    list_conversations,
    show_conversation,
)
from greenroom.operations.gateway import Admitted, ChannelEvent, Gateway, open_gateway
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.tick import tick
from greenroom.store.inbound import Delivery

__all__ = ["LiveDesk", "live_desk"]


class _Standing(FrozenClock):
    """A clock that stands still, and counts on where the process before it left off."""

    def __init__(self, at: datetime, ids: Iterator[int]) -> None:
        super().__init__(at)
        self._numbers = ids

    def new_id(self, prefix: str) -> str:
        return f"{prefix}-{next(self._numbers)}"


@dataclass(kw_only=True)
class LiveDesk:
    """Time goes on only when a test says so."""

    maker: ProjectMaker
    numbers: Iterator[int]
    database: str | None = None
    now: datetime = NOON
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def later(self, **by: float) -> None:
        """Let time go on."""
        self.now += timedelta(**by)

    def judged_by(self, *rules: object, model: str = "script:models/judge.yaml") -> None:
        """Another judge; without rules and a model of its own, none."""
        where = {} if self.database is None else {"database": self.database}
        self.maker.write("models/judge.yaml", {"rules": list(rules) or ["none"]})
        models = {"judge": model} if rules or not model.startswith("script:") else {}
        self.maker.write("greenroom.yaml", {"workspace": "test", "models": models, **where})

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[tuple[Context, Gateway]]:
        """What a process has that is started now."""
        clock = _Standing(self.now, self.ids)
        async with (
            opened(self.maker.root, environment=self.maker.environment, clock=clock) as context,
            open_gateway(context) as gateway,
        ):
            yield context, gateway

    async def publish(self) -> None:
        """Make what is written live."""
        async with self.open() as (context, _):
            await publish(context, PublishRequest(agent="desk"))

    async def said(
        self, *texts: str, conversation: str = "c", channel: Channel = Channel.WEB, identity: str = "ana"
    ) -> None:
        """The person says each of these."""
        events = [Said(text=text) for text in texts]
        await self.did(*events, conversation=conversation, channel=channel, identity=identity)

    async def closed(self, *conversations: str) -> None:
        """In each of these the person says something that the agent answers by ending it."""
        async with self.open() as (_, gateway):
            for name in conversations:
                await self._deliver(gateway, Said(text="bye"), conversation=name, channel=Channel.WEB, identity="ana")

    async def did(
        self, *events: Event, conversation: str = "c", channel: Channel = Channel.WEB, identity: str = "ana"
    ) -> None:
        """The person does each of these."""
        async with self.open() as (_, gateway):
            for event in events:
                await self._deliver(gateway, event, conversation=conversation, channel=channel, identity=identity)

    async def _deliver(
        self, gateway: Gateway, event: Event, *, conversation: str, channel: Channel, identity: str
    ) -> None:
        live = await gateway.live.get("desk")
        admitted = Admitted(live=live, channel=channel, delivery=Delivery.ANSWER)
        named = f"m{next(self.numbers)}"
        told = ChannelEvent(message_id=named, identity=identity, conversation=conversation, event=event)
        await gateway.deliver(admitted, told)

    async def tick(self) -> Ticked:
        """Whatever is due now."""
        async with self.open() as (context, gateway):
            return await tick(context, gateway)

    async def shown(self, conversation: str = "c", channel: Channel = Channel.WEB) -> ShownConversation:
        """A conversation by the name that the channel has for it."""
        async with self.open() as (context, _):
            return await show_conversation(context, f"desk:{channel}:{conversation}")

    async def reviews(self, conversation: str = "c") -> Sequence[Review]:
        """Its reviews, the newest first."""
        return (await self.shown(conversation)).reviews

    async def listed(self, review: ReviewFilter | None = None) -> Sequence[str]:
        """Conversations by the channel's name."""
        async with self.open() as (context, _):
            page = await list_conversations(context, ConversationsRequest(review=review))
            return [each.conversation.split(":")[-1] for each in page.conversations]


async def live_desk(
    root: Path,
    *,
    database: str | None = None,
    review: Sequence[str] = (),
    rules: Sequence[object] = ECHO,
    **agent: object,
) -> LiveDesk:
    """The desk with these standing criteria, published."""
    maker = desk_project(root, database=database, rules=rules, agent={"review": list(review), **agent})
    desk = LiveDesk(maker=maker, numbers=count(1), database=database)
    await desk.publish()
    return desk
