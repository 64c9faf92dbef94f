"""Who does the errands of the live side: one sender a kind, each with what came of one try.

The libraries that they need are loaded at the first errand of a kind, so that nobody else waits for them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, cast

from greenroom.conversation.addresses import mailbox_of
from greenroom.conversation.json_values import Json
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.mail import MailSettings
from greenroom.documents.smtp_urls import SmtpServer, smtp_server
from greenroom.errors import GreenroomError, NotFound
from greenroom.store.errands import DueErrand, Errands
from greenroom.world.live.sending import REFUSED_FOR_GOOD, Sending, SendingResult
from greenroom.world.requests import CannotSend, with_variables
from greenroom.world.webhooks import Webhooks

__all__ = ["AgentOf", "Calling", "ErrandsOfKind", "Mailing", "Notifying", "SendErrand", "TurnsOf"]

_CALL_SECONDS = 40.0
"""The longest that a call may take which nobody waits for. Less than an errand is taken for."""

AgentOf: TypeAlias = Callable[[str], Awaitable[Agent]]
"""An agent's document as it is now; raises `GreenroomError` when there is none."""
TurnsOf: TypeAlias = Callable[[str], Awaitable[Sequence[Turn]]]
"""The turns of a conversation as they were kept, by its id; raises `NotFound`."""
SendErrand: TypeAlias = Callable[[DueErrand], Awaitable[Sending]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandsOfKind:
    """The errands of one kind, as `Deliveries` takes them."""

    errands: Errands
    kind: str
    conversation: str | None = None
    """Those of this conversation only."""

    async def take(self, holder: str, *, limit: int) -> Sequence[DueErrand]:
        """Those that are due."""
        return await self.errands.take(holder, kind=self.kind, limit=limit, conversation=self.conversation)

    async def sent(self, row: DueErrand, holder: str) -> None:
        """It is done."""
        await self.errands.sent(row, holder)

    async def refused(self, row: DueErrand, holder: str, why: str) -> None:
        """It can never be done."""
        await self.errands.refused(row, holder, why)

    async def put_off(self, row: DueErrand, holder: str, why: str, *, seconds: float) -> None:
        """It could not be done."""
        await self.errands.put_off(row, holder, why, seconds=seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifying:
    """Tells the team at one of the places that its agent names now."""

    agent: AgentOf
    environment: Mapping[str, str]

    async def send(self, errand: DueErrand) -> Sending:
        """One notification to one place."""
        body = _body(errand)
        try:
            agent = await self.agent(errand.agent)
        except GreenroomError as reason:
            return _failed(str(reason))
        places = agent.notifications.to if agent.notifications is not None else ()
        place = cast("int", body["place"])
        if place >= len(places):
            return _refused("the agent has fewer addresses in `notifications.to` by now")
        try:
            address = with_variables(places[place], self.environment, "`notifications.to`")
        except CannotSend as reason:
            return _failed(str(reason))
        # Apprise is loaded by whoever tells a team, and by nobody else.
        from greenroom.world.live.apprising import apprise_team  # noqa: PLC0415

        return await apprise_team(address, _text(body, "title"), _text(body, "text"), key=errand.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailing:
    """Sends mail by the project's server, from whom its agent says."""

    agent: AgentOf
    settings: MailSettings | None
    environment: Mapping[str, str]
    turns_of: TurnsOf

    async def send(self, errand: DueErrand) -> Sending:
        """One mail to one recipient."""
        settings = self.settings
        if settings is None:
            return _failed("the project has no `mail: {smtp: …, from: …}`")
        try:
            agent = await self.agent(errand.agent)
            server = _server(settings, self.environment)
        except (GreenroomError, CannotSend, ValueError) as reason:
            return _failed(str(reason))
        body = _body(errand)
        try:
            text = await self._whole_text(errand, body)
        except NotFound as reason:
            return _refused(str(reason))
        # aiosmtplib and the machine's certificates are loaded by whoever sends mail, and by nobody else.
        from greenroom.world.live.letters import Letter, as_bytes, wire_address  # noqa: PLC0415
        from greenroom.world.live.smtp import hand_in  # noqa: PLC0415

        own = agent.email
        sender = mailbox_of((own.sender if own is not None else "") or settings.sender)
        answers = (own.reply_to if own is not None else "") or settings.reply_to
        letter = Letter(
            key=errand.key,
            sender=sender,
            reply_to=mailbox_of(answers) if answers else None,
            to=tuple(cast("Sequence[str]", body["to"])),
            subject=_text(body, "subject"),
            text=text,
            at=datetime.fromisoformat(errand.created_at),
        )
        return await hand_in(
            server,
            as_bytes(letter),
            sender=wire_address(sender.address),
            recipient=wire_address(_text(body, "recipient")),
            encrypt=settings.starttls == "required",
        )

    async def _whole_text(self, errand: DueErrand, body: Mapping[str, Json]) -> str:
        """The text, with the conversation under it where that is wanted: as it was kept, this turn included."""
        text = _text(body, "text")
        if not body.get("transcript") or errand.conversation is None:
            return text
        turns = await self.turns_of(errand.conversation)
        shown = await asyncio.to_thread(render_transcript, turns)
        return f"{text}\n\n{shown}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """Calls the webhook tools whose answer nobody waits for, as their agent has them now."""

    agent: AgentOf
    environment: Mapping[str, str]
    webhooks: Webhooks

    async def send(self, errand: DueErrand) -> Sending:
        """One call; the endpoint gets the errand's key."""
        body = _body(errand)
        name = _text(body, "tool")
        try:
            tool = (await self.agent(errand.agent)).tools.get(name)
        except GreenroomError as reason:
            return _failed(str(reason))
        if tool is None or tool.url is None:
            return _refused(f"the agent has no tool {name!r} with a `url` any more")
        bounded = tool.model_copy(update={"timeout": min(tool.timeout, _CALL_SECONDS)})
        arguments = cast("Mapping[str, Json]", body["arguments"])
        answer = await self.webhooks.call(bounded, arguments, self.environment, key=errand.key)
        if answer.error is None:
            return Sending(result=SendingResult.SENT)
        for_good = answer.status in REFUSED_FOR_GOOD
        return _refused(answer.error) if for_good else _failed(answer.error)


def _server(settings: MailSettings, environment: Mapping[str, str]) -> SmtpServer:
    return smtp_server(settings.smtp, lambda text: with_variables(text, environment, "`mail.smtp`"))


def _body(errand: DueErrand) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", errand.body)


def _text(body: Mapping[str, Json], name: str) -> str:
    return cast("str", body[name])


def _failed(why: str) -> Sending:
    return Sending(result=SendingResult.FAILED, why=why)


def _refused(why: str) -> Sending:
    return Sending(result=SendingResult.REFUSED, why=why)
