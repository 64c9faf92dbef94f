"""Notifications to the team (documents.md: `notifications.to`); sent by `apprising` once the turn is kept."""

from collections.abc import Awaitable, Callable, Mapping

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.visible import one_line
from greenroom.documents.agent import Agent
from greenroom.world.live.sending import NOTIFY, UnderWay

__all__ = ["LiveNotify", "Team", "not_sent", "queued"]


class Team:
    """The places where the team is told. Each gets an errand of its own: one that is dead holds up no other.

    An errand names the place by its position, so that a wrong address is healed by publishing the right one and no
    address, which may hold a credential, is kept with the errand.
    """

    def __init__(self, agent: Agent, turn: UnderWay, *, with_whom: Callable[[str], Awaitable[str]]) -> None:
        """The team of an agent, told of a turn; `with_whom` words for it who a channel's identity is."""
        self.name = agent.name or agent.id
        self._places = len(agent.notifications.to) if agent.notifications is not None else 0
        self._turn = turn
        self._with_whom = with_whom

    async def whereabouts(self) -> str:
        """With whom this is and where, so that somebody can see to it: stands under what the team is told."""
        turn = self._turn
        return f"With: {await self._with_whom(turn.identity)}\nConversation: {turn.conversation}"

    def tell(self, about: str, text: str, *, summary: str) -> bool:
        """Have the team told, everywhere; False when there is nowhere to tell it.

        `about` stands behind the agent's name in the title, `summary` in lists of what was sent.
        """
        title = f"{self.name}: {about}" if about else self.name
        for place in range(self._places):
            body: dict[str, Json] = {"place": place, "title": title, "text": text}
            self._turn.add(kind=NOTIFY, lane=str(place), summary=one_line(summary), body=body)
        return bool(self._places)


def queued(*, told: bool, why: str = "the agent has no `notifications: {to: [...]}`") -> Mapping[str, Json]:
    """What an effect's data says of what leaves with the turn: never more than that it will."""
    return {"status": "queued"} if told else not_sent(f"{why}, so nobody is told")


def not_sent(why: str) -> Mapping[str, Json]:
    """What an effect's data says of what leaves for nobody."""
    return {"status": "not sent", "why": why}


class LiveNotify:
    """Really tells the team."""

    def __init__(self, team: Team) -> None:
        self._team = team

    async def team(self, text: str) -> Effect:
        """One notification, which leaves with the turn."""
        data = queued(told=self._team.tell("", text, summary=text))
        return Effect(effect=EffectKind.NOTIFY, summary=text, data=data, captured=False)
