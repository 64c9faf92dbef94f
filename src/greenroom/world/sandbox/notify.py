"""Notifications to the team, captured (features.md A8)."""

from greenroom.conversation.effects import Effect, EffectKind

__all__ = ["SandboxNotify"]


class SandboxNotify:
    """Sends nothing."""

    async def team(self, text: str) -> Effect:
        """What would have been sent."""
        return Effect(effect=EffectKind.NOTIFY, summary=text)
