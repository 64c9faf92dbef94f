"""Searching what an agent knows by the words of a question: deterministic, without a model (action `search_knowledge`).

Each entry is scored by the words it shares with the question, rare words counting for more and words of the title
three times; entries that share none are left out, and equal scores keep the order in which the entries were written.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from greenroom.documents.agent import KnowledgeEntry

__all__ = ["Found", "KnowledgeIndex"]

_WORD = re.compile(r"\w+")
_TITLE_WEIGHT = 3
_RESULTS = 3
_EXCERPT_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An entry that fits."""

    entry: str
    title: str
    text: str
    """Cut at 2,000 characters, and it says so."""


class KnowledgeIndex:
    """The entries of one agent, their words counted once."""

    def __init__(self, entries: Mapping[str, KnowledgeEntry]) -> None:
        self._entries = tuple(entries.items())
        self._counts = tuple(_counted(entry) for _, entry in self._entries)
        holding = Counter(word for counts in self._counts for word in counts)
        self._weights = {word: log(1 + len(self._entries) / holding[word]) for word in holding}

    def search(self, query: str) -> tuple[Found, ...]:
        """At most three entries, best first."""
        words = set(_words(query))
        scored = [
            (sum(self._weights[word] * (1 + log(counts[word])) for word in sorted(words & counts.keys())), position)
            for position, counts in enumerate(self._counts)
        ]
        best = sorted((item for item in scored if item[0] > 0), key=lambda item: (-item[0], item[1]))[:_RESULTS]
        return tuple(self._found(position) for _, position in best)

    def _found(self, position: int) -> Found:
        name, entry = self._entries[position]
        more = len(entry.text) - _EXCERPT_CHARS
        text = entry.text if more <= 0 else f"{entry.text[:_EXCERPT_CHARS]}… ({more} more characters)"
        return Found(entry=name, title=entry.title or name, text=text)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _counted(entry: KnowledgeEntry) -> Counter[str]:
    counts = Counter(_words(entry.text))
    for word in _words(entry.title):
        counts[word] += _TITLE_WEIGHT
    return counts
