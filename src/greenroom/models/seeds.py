"""Seeds of a conversation's models: the same conversation gets the same seed in every process (K11)."""

from dataclasses import replace
from hashlib import sha256

from greenroom.models.model import Model, ModelAnswer, ModelRequest

__all__ = ["SeededModel", "seed_of"]

_BITS = 31
"""What every provider takes that takes a seed at all."""


def seed_of(*names: str | int) -> int:
    """A seed from 0 to 2³¹ - 1 that follows from the names alone, and differs when any of them differs."""
    digest = sha256("\0".join(map(str, names)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> (32 - _BITS)


class SeededModel:
    """A model whose every question has this seed, unless it brings one of its own."""

    def __init__(self, model: Model, seed: int) -> None:
        self._model = model
        self._seed = seed

    @property
    def name(self) -> str:
        """The model's own."""
        return self._model.name

    @property
    def scripted(self) -> bool:
        """As the model says."""
        return self._model.scripted

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """The model's answer."""
        return await self._model.ask(request if request.seed is not None else replace(request, seed=self._seed))
