"""Notifications to the team by Apprise (documents.md: `notifications.to`)."""

import asyncio
from collections.abc import Mapping, Sequence

import apprise

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.world.requests import CannotSend, with_variables

__all__ = ["LiveNotify", "Team"]

_PLAIN = apprise.NotifyFormat.TEXT


class Team:
    """The places where the team is told, as Apprise URLs; they hold credentials and are never shown."""

    def __init__(self, to: Sequence[str], environment: Mapping[str, str]) -> None:
        self._to = tuple(to)
        self._environment = environment

    async def tell(self, title: str, text: str) -> Mapping[str, Json]:
        """Send, and say what came of it: `{delivered: true}`, or `{delivered: false, why: …}`.

        With several places it is delivered only when all of them took it.
        """
        if not self._to:
            return _not("the agent has no `notifications: {to: [...]}`, so nobody was told")
        # Apprise loads a hundred services at its first address and speaks to them with blocking calls.
        return await asyncio.to_thread(self._send, title, text)

    def _send(self, title: str, text: str) -> Mapping[str, Json]:
        sender = apprise.Apprise()
        try:
            for written in self._to:
                address = with_variables(written, self._environment, "`notifications.to`")
                if not sender.add(address):  # pyright: ignore[reportUnknownMemberType]  # its `dict` has no parameters
                    return _not("an address in `notifications.to` can't be read by Apprise")
        except CannotSend as reason:
            return _not(str(reason))
        sent = sender.notify(title=title, body=text, body_format=_PLAIN)  # pyright: ignore[reportUnknownMemberType]  # as above
        if not sent:
            return _not("an address in `notifications.to` did not take the message")
        return {"delivered": True}


def _not(why: str) -> Mapping[str, Json]:
    return {"delivered": False, "why": why}


class LiveNotify:
    """Really tells the team."""

    def __init__(self, team: Team, agent_name: str) -> None:
        self._team = team
        self._agent_name = agent_name

    async def team(self, text: str) -> Effect:
        """Send one notification; whether it arrived stands in the effect's data."""
        data = await self._team.tell(self._agent_name, text)
        return Effect(effect=EffectKind.NOTIFY, summary=text, data=data, captured=False)
