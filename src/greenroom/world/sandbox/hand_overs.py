"""Hand-overs and transfers, captured (features.md A8, D2)."""

from greenroom.conversation.effects import Effect
from greenroom.documents.agent import Agent
from greenroom.world.written import effect_of_hand_over, effect_of_transfer

__all__ = ["SandboxHandOvers"]


class SandboxHandOvers:
    """Nobody is called, and nobody gets mail."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def hand_over(self, reason: str) -> Effect:
        """A hand-over to the team that would have happened."""
        return effect_of_hand_over(self._agent, reason, captured=True)

    async def transfer(self, reason: str, to: str) -> Effect:
        """A transfer of a phone call that would have happened."""
        return effect_of_transfer(self._agent, reason, to, captured=True)
