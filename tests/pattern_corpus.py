"""Regular expressions and texts by the thousand, made from a seed: all that JavaScript has without Unicode mode.

Broken patterns are among them on purpose, and characters that Python and JavaScript see differently: astral ones,
halves of surrogate pairs, letters with odd case folding, line ends that only one of the two knows.
"""

import random  # noqa: TID251 - a corpus with a fixed seed
from collections.abc import Callable, Sequence

__all__ = ["corpus"]

_LETTERS = "aAbBzZkKsSiI09_-., "
_ODD = "éÉßẞſKİıΣσςǅµÅÅ\u00a0\ufeff\u180e\u2028\u2029\x85\n\r\t\v\f\x00\x1c٣ａ🚤𝒜𐐀𐐨\ud83d\udea4"
_SPECIAL = "^$\\.*+?()[]{}|/"
_ESCAPES = tuple(
    rf"\{rest}"
    for rest in (
        *"dDwWsSbBtnrvf0/-.$^{}[]()*+?|\\eq_1239ck",
        *("x41", "xe9", "x4", "u0041", "u00e9", "ud83d", "udea4", r"ud83d\udea4", "u212a", "u004"),
        *("cA", "ca", "c1", "07", "101", "08", "k<n>", "k<m>", "k<"),
    )
)
_QUANTIFIERS = (
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{0,1}",
    "{1,}",
    "{,2}",
    "{1,2}?",
    "{2,1}",
    "{",
    "{a}",
    "**",
    "{0}",
)
_OPENERS = (
    ("(", 6), ("(?:", 4), ("(?<n>", 2), ("(?<m>", 1), ("(?<ñ>", 1), ("(?i:", 6), ("(?s:", 2), ("(?m:", 2),
    ("(?-i:", 2), ("(?i-s:", 1), ("(?ims:", 1), ("(?ii:", 1), ("(?i-i:", 1), ("(?x:", 1), ("(?=", 2), ("(?!", 2),
    ("(?<=", 3), ("(?<!", 2), ("(?<1>", 1), ("(?>", 1), ("(?", 1), ("(?<", 1),
)  # fmt: skip
_DEPTH = 3


class _Maker:
    """Makes one pattern after another from its own source of chance."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def pattern(self) -> str:
        made = self._alternatives(_DEPTH)
        return self._broken(made) if self._chance.random() < 0.06 else made

    def text(self, pattern: str) -> str:
        """A short text, partly of the characters that stand in the pattern."""
        theirs = [char for char in pattern if char not in _SPECIAL] or ["a"]
        sources: Sequence[Callable[[], str]] = (
            lambda: self._chance.choice(theirs),
            lambda: self._chance.choice(theirs).swapcase(),
            lambda: self._chance.choice(_LETTERS),
            lambda: self._chance.choice(_ODD),
            lambda: self._chance.choice(_SPECIAL),
        )
        return "".join(
            self._chance.choices(sources, weights=(5, 3, 3, 3, 1))[0]() for _ in range(self._chance.randrange(10))
        )

    def _alternatives(self, depth: int) -> str:
        count = self._chance.choices((1, 2, 3), weights=(8, 2, 1))[0]
        return "|".join(self._sequence(depth) for _ in range(count))

    def _sequence(self, depth: int) -> str:
        return "".join(
            self._quantified(depth) for _ in range(self._chance.choices(range(5), weights=(1, 4, 4, 2, 1))[0])
        )

    def _quantified(self, depth: int) -> str:
        quantifier = self._chance.choice(_QUANTIFIERS) if self._chance.random() < 0.3 else ""
        return self._atom(depth) + quantifier

    def _atom(self, depth: int) -> str:
        kinds: Sequence[Callable[[], str]] = (
            lambda: self._chance.choice(_LETTERS),
            lambda: self._chance.choice(_ODD),
            lambda: self._chance.choice(_ESCAPES),
            lambda: self._chance.choice(("^", "$", ".", "]", "}")),
            self._class,
            lambda: self._group(depth),
        )
        weights = (8, 5, 5, 2, 4, 5 if depth else 0)
        return self._chance.choices(kinds, weights=weights)[0]()

    def _group(self, depth: int) -> str:
        openers, weights = zip(*_OPENERS, strict=True)
        return f"{self._chance.choices(openers, weights=weights)[0]}{self._alternatives(depth - 1)})"

    def _class(self) -> str:
        parts = "".join(self._class_part() for _ in range(self._chance.randrange(4)))
        return f"[{'^' if self._chance.random() < 0.3 else ''}{parts}]"

    def _class_part(self) -> str:
        ends = [
            self._chance.choice((
                self._chance.choice(_LETTERS),
                self._chance.choice(_ODD),
                self._chance.choice(_ESCAPES),
            ))
            for _ in range(2)
        ]
        if self._chance.random() < 0.4:
            return "-".join(sorted(ends) if self._chance.random() < 0.8 else ends)
        return ends[0]

    def _broken(self, pattern: str) -> str:
        at = self._chance.randrange(len(pattern) + 1)
        cut = self._chance.random() < 0.5
        return pattern[:at] + pattern[at + 1 :] if cut else pattern[:at] + self._chance.choice(_SPECIAL) + pattern[at:]


def corpus(seed: int, size: int) -> list[tuple[str, str]]:
    """So many pairs of a pattern and a text, the same ones for the same seed."""
    maker = _Maker(seed)
    patterns = [maker.pattern() for _ in range(size)]
    return [(pattern, maker.text(pattern)) for pattern in patterns]
