"""Lines of text with a tone, so that a screen can colour a report that knows no screen.

No text in a line holds a line end or a control character, whoever wrote it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from greenroom.conversation.visible import one_line

__all__ = ["EMPTY", "Line", "Span", "Tone", "cells", "cut", "line", "padded", "plain", "span", "wrapped"]


class Tone(StrEnum):
    """What a piece of text means; what that looks like is the screen's affair."""

    PLAIN = "plain"
    TITLE = "title"
    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line. Made by `span`, which keeps control characters out."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a report."""

    spans: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The line without its tones."""
        return "".join(each.text for each in self.spans)


EMPTY = Line()


def span(text: str, tone: Tone = Tone.PLAIN) -> Span:
    """Any text as a piece of one line."""
    return Span(one_line(text), tone)


def line(*pieces: str | Span) -> Line:
    """A line of such pieces."""
    return Line(tuple(span(piece) if isinstance(piece, str) else piece for piece in pieces))


def plain(lines: Iterable[Line]) -> Iterator[str]:
    """The lines as text, without white space at their ends."""
    return (each.text.rstrip() for each in lines)


def cells(text: str) -> int:
    """How many columns a terminal needs: two for wide signs and emoji, none for marks that join the sign before."""
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def cut(text: str, columns: int) -> str:
    """The text in at most so many columns; `…` stands for what was left out."""
    if cells(text) <= columns:
        return text
    kept, used = "", 0
    for char in text:
        used += _cells_of(char)
        if used > columns - 1:
            break
        kept += char
    return f"{kept.rstrip()}…"


def wrapped(whole: Line, columns: int) -> Iterator[Line]:
    """The line in rows of at most so many columns, broken at blanks; later rows are indented as the line's text is.

    A word that is longer than a row stays whole, so that an address can still be copied.
    """
    if cells(whole.text) <= columns:
        yield whole
        return
    indent = _indent_of(whole.text)
    if cells(indent) > columns // 2:
        indent = ""
    row: list[Span] = []
    used = 0
    for blanks, word in _words(whole):
        needed = sum(cells(each.text) for each in (*blanks, *word))
        if row and used + needed > columns and any(each.text.strip() for each in row):
            yield _joined(row)
            row, used = [Span(indent, Tone.QUIET)], cells(indent)
            needed -= sum(cells(each.text) for each in blanks)
        else:
            row += blanks
        row += word
        used += needed
    yield _joined(row)


_BEFORE_TEXT = re.compile(r"(\s*(?:│\s*)?)([✗✓?] )?")
_PIECE = re.compile(r"\s+|\S+")


def _indent_of(text: str) -> str:
    """Blanks and the bar of a transcript again; under a mark its text, else two blanks further in."""
    before = _BEFORE_TEXT.match(text)
    return f"{before[1]}  " if before else "  "


def _joined(pieces: Iterable[Span]) -> Line:
    """Pieces of one tone that stand together become one again."""
    return Line(
        tuple(
            Span("".join(each.text for each in together), tone)
            for tone, together in groupby(pieces, key=lambda each: each.tone)
        )
    )


def _words(whole: Line) -> Iterator[tuple[list[Span], list[Span]]]:
    """Each word with the blanks before it; a word may go over several spans."""
    blanks: list[Span] = []
    word: list[Span] = []
    for each in whole.spans:
        for piece in _PIECE.findall(each.text):
            if not piece.isspace():
                word.append(Span(piece, each.tone))
                continue
            if word:
                yield blanks, word
                blanks, word = [], []
            blanks.append(Span(piece, each.tone))
    if word:
        yield blanks, word


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """The text with blanks up to so many columns; `right` puts it at the right end."""
    blanks = " " * max(0, columns - cells(text))
    return blanks + text if right else text + blanks
