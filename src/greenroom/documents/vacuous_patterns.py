"""Patterns that fit every text there is: a test that uses one proves nothing (P07)."""

import re

from greenroom.patterns import search

__all__ = ["matches_anything"]


def matches_anything(source: str) -> bool:
    """Whether a pattern surely fits every text, as `.*` and `a*` do. Of one that is fine (`patterns.check_pattern`).

    One that fits the empty text, and looks at nothing around it, fits the nothing between two characters of any text;
    one that looks for the beginning, or for the end, fits there. Of others, such as `^(?!.*02:00)` and `^[^0-9]*$`,
    that can't be told, so they are taken at their word.
    """
    around = {word for found in _PIECE.finditer(source) if (word := found[1] or found[2])}
    if around == {"^", "$"}:
        return any(source == f"^{whole}$" for whole in _WHOLE_TEXT)
    return around in (set[str](), {"^"}, {"$"}) and search(source, "")


_PIECE = re.compile(
    r"""
    (\\[bB]) | \\.                   # a word's edge; all else that is escaped stands for itself
    | \[ (?:\\.|[^\]\\])* \]         # a class
    | ( \(\?<?[=!] | [\^$] )         # what looks around; the beginning and the end
    | .
    """,
    re.DOTALL | re.VERBOSE,
)

_WHOLE_TEXT = frozenset({r"[\s\S]*", r"[\S\s]*", r"[\d\D]*", r"[\D\d]*", r"[\w\W]*", r"[\W\w]*", "[^]*", "(?s:.*)"})
"""What takes a whole text, whatever stands in it."""
