"""Fences around quoted text that no text can close, for judge and simulated person (semantics: the judge).

A fence's mark is drawn from a hash of what it holds, and drawn again while the mark stands in any of the quoted texts:
whoever writes a text cannot know its mark, and could not use it. The same texts always get the same fences, so that a
question can be recorded and replayed, and its first part read from a provider's cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from greenroom.conversation.visible import visible

__all__ = ["Quoted", "fenced"]

_MARK_CHARS = 16
"""64 bits: no text holds its own mark by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A text to be quoted, and what it is."""

    title: str
    """Ours: one line, which stands outside of the fence."""
    text: str


def fenced(quotes: Sequence[Quoted], *, outside: str = "") -> tuple[str, ...]:
    """Each text under its title, inside its fence.

    Args:
        quotes: What is quoted, in order.
        outside: What will stand beside the fences; no mark occurs in it either.
    """
    shown = [(quote.title, visible(quote.text)) for quote in quotes]
    everything = "\n".join((outside, *(title for title, _ in shown), *(text for _, text in shown)))
    marks = [_mark(f"{title}\n{text}", everything) for title, text in shown]
    return tuple(f"{title}\n<<<{mark}\n{text}\n{mark}>>>" for (title, text), mark in zip(shown, marks, strict=True))


def _mark(quoted: str, everything: str) -> str:
    drawn = (sha256(f"{number}\n{quoted}".encode()).hexdigest()[:_MARK_CHARS] for number in count())
    return next(mark for mark in drawn if mark not in everything)
