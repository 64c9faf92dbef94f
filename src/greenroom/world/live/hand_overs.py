"""Hand-overs to the team: whoever is notified takes over (features.md A8)."""

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.world.live.notify import Team

__all__ = ["LiveHandOvers"]


class LiveHandOvers:
    """Tells the team that a conversation is theirs now; whether it heard stands in the effect's data."""

    def __init__(self, team: Team, agent_name: str, conversation: str) -> None:
        self._team = team
        self._agent_name = agent_name
        self._conversation = conversation

    async def hand_over(self, reason: str) -> Effect:
        """Hand over to the team."""
        told = await self._team.tell(
            f"{self._agent_name}: hand-over", f"{reason}\n\nConversation: {self._conversation}"
        )
        data = {"reason": reason, **told}
        return Effect(effect=EffectKind.HANDED_OVER, summary=reason, data=data, captured=False)

    async def transfer(self, reason: str, to: str) -> Effect:
        """Tell the team that a caller is to be put through; the phone network itself is the channel's."""
        summary = f"{to}: {reason}" if to and reason else to or reason
        told = await self._team.tell(
            f"{self._agent_name}: transfer", f"{summary}\n\nConversation: {self._conversation}"
        )
        data = {"reason": reason, "to": to, **told}
        return Effect(effect=EffectKind.TRANSFERRED, summary=summary, data=data, captured=False)
