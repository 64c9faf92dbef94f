"""Conversation state of one case, in memory."""

from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.world.ports import ConversationState

__all__ = ["SandboxConversations"]


class SandboxConversations:
    """State that is gone when the case is over (features.md A11)."""

    def __init__(self) -> None:
        self._states: dict[str, ConversationState] = {}

    async def load(self, conversation: str) -> ConversationState | None:
        """The state, or None for a new conversation."""
        return self._states.get(conversation)

    async def save(self, state: ConversationState, turn: Turn | None = None, record: TurnRecord | None = None) -> None:
        """Keep it; whoever runs the case keeps its turns."""
        self._states[state.conversation] = state

    def clear(self) -> None:
        """Forget everything."""
        self._states.clear()
