"""Mail, captured (features.md A8)."""

from greenroom.conversation.effects import Effect
from greenroom.world.ports import Email
from greenroom.world.written import effect_of_email

__all__ = ["SandboxMail"]


class SandboxMail:
    """Sends nothing."""

    async def send(self, email: Email) -> Effect:
        """A mail that would have been sent."""
        return effect_of_email(email, captured=True)
