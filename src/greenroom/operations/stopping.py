"""How a run is told to stop from outside."""

import asyncio

from greenroom.conversation.outcomes import Interruption

__all__ = ["Stop"]


class Stop(asyncio.Event):
    """Once set, running conversations are cancelled and no new one begins; remembers what interrupted the run."""

    def __init__(self) -> None:
        super().__init__()
        self.by: Interruption | None = None

    def interrupt(self, by: Interruption) -> None:
        """Stop, because of this."""
        self.by = by
        self.set()
