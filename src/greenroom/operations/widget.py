"""The web widget's sessions: a token that we sign stands for one conversation (interfaces: HTTP API).

The page holds no secret. Its token is short-lived, names one conversation of one agent, and is renewed with each
answer; whoever has it can read and go on with that conversation, and nothing else.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import orjson

from greenroom.agents.wire import message_json
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.events import Event, shown_words
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.visible import clean, clean_line
from greenroom.documents.channel_words import PAGE_WORDS
from greenroom.errors import NotFound, SessionOver
from greenroom.operations.context import Context
from greenroom.operations.gateway import Admitted, ChannelEvent, Gateway
from greenroom.operations.serving import Answer
from greenroom.store.inbound import Delivery, own_name
from greenroom.store.partition import Partition

__all__ = ["SESSION_S", "Line", "PageFacts", "Session", "SoFar", "Widget"]

SESSION_S = 1_800
"""Seconds from each answer on for which a session goes on."""
_KEY = "widget"
_WEB = ABILITIES[Channel.WEB].config


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What a page says by itself."""

    name: str
    """What people call the agent."""
    language: str
    """Its tag; empty for English, which nobody asked for."""
    words: Mapping[str, str]
    """By their keys, all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A token and how long it is good for."""

    token: str
    expires_in: int
    """Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that was said."""

    by: str
    """`person` or `agent`."""
    text: str
    message: Json
    """An agent's message whole; None for a person's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """A conversation up to now."""

    lines: tuple[Line, ...]
    ended: StopReason | None
    """Why the agent's part is over."""
    waiting: bool
    """An answer is on its way."""


class Widget:
    """The sessions of the widget pages."""

    def __init__(self, context: Context, gateway: Gateway) -> None:
        self._context = context
        self._gateway = gateway
        self._lists = context.store.conversation_lists(Partition.LIVE)

    async def page(self, agent: str) -> PageFacts:
        """What the page says by itself. Raises `NotFound`, `NotLive` as `begin` does."""
        document = (await self._admitted(agent)).live.document
        settings = document.channels[_WEB]
        words = {name: clean_line(getattr(settings.words, name)) for name in PAGE_WORDS}
        return PageFacts(name=clean_line(document.name) or document.id, language=settings.language, words=words)

    async def begin(self, agent: str) -> Session:
        """A session for a new visitor; nothing is kept before their first event.

        Raises:
            NotFound: there is no such agent, or it is not on the channel `web`.
            NotLive: nothing is published.
        """
        await self._admitted(agent)
        return await self._session(agent, f"visitor-{secrets.token_hex(12)}")

    async def say(self, agent: str, token: str, message_id: str, event: Event) -> tuple[Answer, Session]:
        """Serve a visitor's event. Raises `SessionOver`, and what `Gateway.deliver` raises."""
        visitor = await self._visitor(agent, token)
        admitted = await self._admitted(agent)
        # Two visitors may well count their messages alike.
        told = ChannelEvent(message_id=f"{visitor}/{message_id}", identity=visitor, conversation=visitor, event=event)
        return await self._gateway.deliver(admitted, told), await self._session(agent, visitor)

    async def so_far(self, agent: str, token: str) -> SoFar:
        """What was said in the session's conversation, for a page that was loaded again. Raises `SessionOver`."""
        visitor = await self._visitor(agent, token)
        conversation = own_name(agent, Channel.WEB, visitor)
        # In this order: an event that is answered in between stands there twice rather than not at all.
        unserved = await self._lists.unserved(conversation)
        turns = await self._lists.turns(conversation)
        lines = [line for kept in turns for line in _lines(kept.turn)]
        lines += [_persons(event.words) for event in unserved if event.words]
        return SoFar(
            lines=tuple(lines),
            ended=turns[-1].turn.ended if turns else None,
            waiting=any(event.waits for event in unserved),
        )

    async def _admitted(self, agent: str) -> Admitted:
        live = await self._gateway.live.get(agent)
        if live.document.channels.get(_WEB) is None:
            raise NotFound(f"channel of agent {agent!r} called", "web")
        return Admitted(live=live, channel=Channel.WEB, delivery=Delivery.ANSWER)

    async def _session(self, agent: str, visitor: str) -> Session:
        until = self._context.clock.now() + timedelta(seconds=SESSION_S)
        claims = _text(orjson.dumps({"agent": agent, "visitor": visitor, "until": int(until.timestamp())}))
        return Session(token=f"{claims}.{_text(await self._mark(claims))}", expires_in=SESSION_S)

    async def _visitor(self, agent: str, token: str) -> str:
        """Who a token was made for."""
        claims, _, mark = token.partition(".")
        if not hmac.compare_digest(_text(await self._mark(claims)).encode(), mark.encode("utf-8", "replace")):
            raise SessionOver
        told = cast("dict[str, str | int]", orjson.loads(_bytes(claims)))
        if told["agent"] != agent or cast("int", told["until"]) < self._context.clock.now().timestamp():
            raise SessionOver
        return str(told["visitor"])

    async def _mark(self, claims: str) -> bytes:
        key = await self._context.store.signing_keys.key(_KEY)
        return hmac.new(key, claims.encode("utf-8", "replace"), hashlib.sha256).digest()


def _lines(turn: Turn) -> Iterator[Line]:
    words = "" if turn.event is None else shown_words(turn.event)
    if words:
        yield _persons(words)
    for message in turn.messages:
        shown = message_json(message, Channel.WEB)
        yield Line(by="agent", text=cast("str", shown["text"]), message=shown)


def _persons(words: str) -> Line:
    return Line(by="person", text=clean(words), message=None)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise SessionOver from None
