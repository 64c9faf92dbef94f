"""One at a time of each name in this process, whoever came first being first. Not aware of what the names are of."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

__all__ = ["InOrder"]


class InOrder:
    """Keeps a line for each name, for as long as somebody stands in it."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[asyncio.Lock, int]] = {}

    def standing(self, name: str) -> int:
        """How many are in the line, whoever's turn it is included."""
        return self._lines[name][1] if name in self._lines else 0

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncGenerator[bool]:
        """Alone with this name; whether somebody was before us."""
        lock, standing = self._lines.get(name) or (asyncio.Lock(), 0)
        self._lines[name] = (lock, standing + 1)
        try:
            async with lock:
                yield standing > 0
        finally:
            lock, left = self._lines.pop(name)
            if left > 1:
                self._lines[name] = (lock, left - 1)
