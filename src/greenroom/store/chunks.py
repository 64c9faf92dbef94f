"""Long lists in pieces that one statement can take."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["chunks"]

T = TypeVar("T")

_CHUNK = 400
"""SQLite takes a bounded number of parameters."""


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """All of them in their order, some hundred at a time."""
    left = iter(items)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
