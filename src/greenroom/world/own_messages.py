"""Messages that an agent sends by itself: the opening of a conversation that really leaves, or is captured (A8)."""

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.own_messages import OwnMessage

__all__ = ["KeptOwnMessages"]


class KeptOwnMessages:
    """Says what is shown of them. Live they leave with the turn that is kept; in a sandbox nothing ever leaves."""

    def __init__(self, *, captured: bool) -> None:
        self._captured = captured

    async def say(self, own: OwnMessage) -> Effect:
        """The effect, which stands before the message itself."""
        data = {"kind": own.kind.value, "name": own.name}
        return Effect(effect=EffectKind.OUTBOUND, summary=own.summary, data=data, captured=self._captured)
