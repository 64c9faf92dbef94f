"""Hand-overs to the team: whoever is told takes over (features.md A8)."""

from collections.abc import Mapping

from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.world.live.mail import post
from greenroom.world.live.notify import Team, queued
from greenroom.world.live.sending import UnderWay
from greenroom.world.written import effect_of_hand_over, effect_of_transfer

__all__ = ["LiveHandOvers"]

_SUBJECT_CHARS = 120


class LiveHandOvers:
    """Tells the team that a conversation is theirs now, by notification and by mail with the whole of it."""

    def __init__(self, agent: Agent, team: Team, turn: UnderWay) -> None:
        self._agent = agent
        self._team = team
        self._turn = turn

    async def hand_over(self, reason: str) -> Effect:
        """Hand over to the team."""
        return effect_of_hand_over(self._agent, reason, captured=False, sent=await self._tell("hand-over", reason))

    async def transfer(self, reason: str, to: str) -> Effect:
        """Tell the team that a caller is to be put through; the phone network itself is the channel's."""
        effect = effect_of_transfer(self._agent, reason, to, captured=False)
        sent = await self._tell("transfer", effect.summary)
        return effect_of_transfer(self._agent, reason, to, captured=False, sent=sent)

    async def _tell(self, what: str, why: str) -> Mapping[str, Json]:
        text = f"{why}\n\n{await self._team.whereabouts()}"
        told = self._team.tell(what, text, summary=f"{what}: {why}")
        to = self._agent.hand_over.email if self._agent.hand_over is not None else ()
        subject = f"{self._team.name}: {what}: {why}"
        short = subject if len(subject) <= _SUBJECT_CHARS else f"{subject[:_SUBJECT_CHARS]}…"
        post(self._turn, to, subject=short, text=text, transcript=True)
        nobody = "the agent has neither `notifications: {to: [...]}` nor `hand_over: {email: [...]}`"
        return queued(told=told or bool(to), why=nobody)
