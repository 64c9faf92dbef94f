"""The agents that answer: the published revision of each, as the store keeps it, compiled once.

Files are never read here: only `publish` changes who answers (semantics: revisions).
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.service import ConversationService
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.documents.agent import Agent, ChannelSettings
from greenroom.errors import DocumentsInvalid, GreenroomError, ModelSpecInvalid, NotFound, NotLive, StoreError
from greenroom.models.model import Model
from greenroom.models.opening import Models
from greenroom.nearest import nearest
from greenroom.operations.context import Context
from greenroom.store.definitions import DefinitionKind
from greenroom.world.live.outbound import Address
from greenroom.world.ports import World
from greenroom.world.requests import CannotSend, with_variables
from greenroom.world.signing import Signer

__all__ = ["ChannelNotReady", "LiveAgent", "LiveAgents"]

_READ_AGAIN_S = 60.0
"""How soon it is seen that an agent was written that nobody has published."""


class ChannelNotReady(GreenroomError):
    """A channel of a live agent that can't be used on this machine, for want of a variable."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503

    def __init__(self, agent: str, channel: str, why: str) -> None:
        super().__init__(f"{self.beginning(agent, channel)}{why}")

    @staticmethod
    def beginning(agent: str, channel: str) -> str:
        """How the sentence begins for every reason; `channel` is its key in the agent's document."""
        return f"channel {channel!r} of agent {agent!r} can't be used here: "


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveAgent:
    """A published revision, ready to answer."""

    hash: str
    hosted: HostedAgent
    model: Model
    router: Model

    @property
    def document(self) -> Agent:
        """What it was compiled from."""
        return self.hosted.document

    def service(self, world: World, context: Context) -> ConversationService:
        """What serves the conversations of this agent in a world."""
        return ConversationService(
            self.hosted,
            world=world,
            model=self.model,
            router=self.router,
            limits=context.project.limits,
            clock=context.clock,
        )

    def channel(self, channel: Channel) -> ChannelSettings:
        """What it has on a channel. Raises `NotFound` when it isn't on that channel."""
        key = ABILITIES[channel].config
        settings = self.document.channels.get(key)
        if settings is None:
            raise NotFound(f"channel of agent {self.document.id!r} called", channel.value)
        return settings

    def signer(self, channel: Channel, environment: Mapping[str, str]) -> Signer:
        """In whose name the channel's webhooks are signed. Raises `NotFound`, `ChannelNotReady`."""
        secret = self._filled(channel, "secret", self.channel(channel).secret, environment)
        return Signer(channel=channel, agent=self.document.id, secret=secret)

    def address(self, channel: Channel, environment: Mapping[str, str]) -> Address:
        """Where the channel's messages are sent. Raises `NotFound`, `ChannelNotReady`."""
        url = self._filled(channel, "outbound", self.channel(channel).outbound, environment)
        return Address(url=url, signer=self.signer(channel, environment))

    def ready_to_send(self, environment: Mapping[str, str]) -> Iterator[Channel]:
        """The channels whose messages can be sent from this machine."""
        for channel, abilities in ABILITIES.items():
            settings = self.document.channels.get(abilities.config)
            if settings is not None and settings.outbound:
                with suppress(ChannelNotReady):
                    self.address(channel, environment)
                    yield channel

    def _filled(self, channel: Channel, key: str, written: str, environment: Mapping[str, str]) -> str:
        config = ABILITIES[channel].config
        where = f"`channels.{config}.{key}`"
        try:
            value = with_variables(written, environment, where)
        except CannotSend as reason:
            raise ChannelNotReady(self.document.id, config, str(reason)) from None
        if not value:
            raise ChannelNotReady(self.document.id, config, f"{where} is empty")
        return value


class LiveAgents:
    """Finds who is live, and keeps what was compiled for as long as it is."""

    def __init__(self, context: Context, models: Models) -> None:
        self._context = context
        self._models = models
        self._compiled: dict[str, LiveAgent] = {}
        self._written: frozenset[str] = frozenset()
        self._read_at: float | None = None

    async def get(self, agent: str) -> LiveAgent:
        """The live revision of an agent.

        Raises:
            NotFound: there is no such agent.
            NotLive: it has no live revision, or its model can't be opened here.
        """
        live = await self._context.store.publications.live(agent)
        if live is None:
            await self._refuse(agent)
            raise NotLive(agent, f"nothing is published; `greenroom publish {agent}` makes its draft live")
        found = self._compiled.get(agent)
        if found is None or found.hash != live.hash:
            found = self._compiled[agent] = await self._compile(agent, live.hash)
        return found

    async def ready(self) -> AsyncIterator[LiveAgent]:
        """Everybody who is live and can answer from here; whoever can't is told of when they are asked for."""
        for agent in await self._context.store.publications.agents():
            try:
                live = await self.get(agent)
            except StoreError:
                raise
            except GreenroomError:
                continue
            yield live

    async def document(self, agent: str) -> Agent:
        """The live revision's document. Raises `NotFound`, `NotLive`."""
        return (await self.get(agent)).document

    async def address(self, agent: str, channel: Channel) -> Address:
        """Where messages of an agent's channel are sent now. Raises `NotFound`, `NotLive`, `ChannelNotReady`."""
        return (await self.get(agent)).address(channel, self._context.environment)

    async def _compile(self, agent: str, hash_: str) -> LiveAgent:
        document = await self._context.store.definitions.agent(hash_)
        router = self._context.project.models.router or document.model
        try:
            model, routes = await self._models.open(document.model), await self._models.open(router)
        except (ModelSpecInvalid, DocumentsInvalid) as reason:
            raise NotLive(agent, str(reason)) from reason
        return LiveAgent(hash=hash_, hosted=HostedAgent(document), model=model, router=routes)

    async def _refuse(self, agent: str) -> None:
        """Raise `NotFound` for an agent that nobody ever wrote."""
        known = await self._context.store.definitions.known(DefinitionKind.AGENT)
        names = {definition.name for definition in known}
        names |= await self._names_written()
        if agent not in names:
            raise NotFound("agent", agent, nearest(agent, names))

    async def _names_written(self) -> frozenset[str]:
        """The agents in the files. Read now and then: whoever asks for one needs no signature, and reading costs."""
        now = self._context.clock.monotonic()
        if self._read_at is None or now - self._read_at >= _READ_AGAIN_S:
            self._read_at = now
            self._written = frozenset((await self._context.documents()).agents_seen)
        return self._written
