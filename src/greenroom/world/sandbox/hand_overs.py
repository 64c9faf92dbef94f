"""Hand-overs and transfers, captured (features.md A8, D2)."""

from greenroom.conversation.effects import Effect, EffectKind

__all__ = ["SandboxHandOvers"]


class SandboxHandOvers:
    """Nobody is called."""

    async def hand_over(self, reason: str) -> Effect:
        """A hand-over to the team that would have happened."""
        return Effect(effect=EffectKind.HANDED_OVER, summary=reason, data={"reason": reason})

    async def transfer(self, reason: str, to: str) -> Effect:
        """A transfer of a phone call that would have happened."""
        summary = f"{to}: {reason}" if to and reason else to or reason
        return Effect(effect=EffectKind.TRANSFERRED, summary=summary, data={"reason": reason, "to": to})
