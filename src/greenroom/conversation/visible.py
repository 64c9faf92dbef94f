"""Any text made safe to show: no control characters, no lone surrogates, known line ends (P26, X15).

A conversation keeps what was written. Whoever looks at it (transcripts, reports, terminals, XML) sees what can't be
seen: each such sign is replaced by one that can be, never dropped. Signs that change how the others are read are shown
by their number, as `⟨U+202E⟩`: overrides of the direction, spaces without a width, tags. Two that scripts and emoji are
written with, U+200C and U+200D, stay as they are.

What leaves for people (messages out, mail, notifications, calendars, the widget) is clean: it has none of the signs
that steer a screen, which are control characters and whatever turns the direction around. They are left out, since
nobody there looks for them; what scripts, flags and emoji are written with stays.
"""

import json
import re
from functools import lru_cache

__all__ = ["clean", "clean_line", "escaped_json", "one_line", "said_line", "said_lines", "shown_lines", "visible"]

_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)
_TURNS_AROUND = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates; marks of the direction (U+200E, U+200F) move nothing but themselves."""
_HARMFUL_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ufffe\uffff]")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_REPLACEMENT = "\ufffd"
_CONTROL_PICTURES = 0x2400
_BREAK_IN_A_LINE = " ⏎ "


@lru_cache(maxsize=256)
def _sign_for(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "␡" if code == 0x7F else _REPLACEMENT


def visible(text: str) -> str:
    r"""The text with `\n` for every kind of line end and a visible sign for everything else that can't be shown.

    A control character becomes its picture (`␛` for ESC), a lone surrogate or a non-character `�`, an unseen sign its
    number. Tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", _said(text))


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines a person sees: blank ones before and after the text are not there; at least one line."""
    return _lines(visible(text))


def one_line(text: str) -> str:
    """The text on one line; a line end inside it shows as `⏎`."""
    return _joined(visible(text))


def clean(text: str) -> str:
    r"""The text as it leaves for people: `\n` for every kind of line end, and no sign that steers a screen.

    Tabs stay. A lone surrogate becomes `�`, since something stood there.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = _TURNS_AROUND.sub("", _LINE_END.sub("\n", text))
    return _UNSHOWABLE.sub(lambda found: _REPLACEMENT if "\ud800" <= found.group() <= "\udfff" else "", kept)


def clean_line(text: str) -> str:
    """The same on one line: a title, a subject, a name."""
    return " ".join(clean(text).replace("\t", " ").split("\n"))


def escaped_json(text: str) -> str:
    r"""The same JSON, in which nothing steers a terminal: signs that nobody sees stand as `\uXXXX`."""
    if text.isascii() and "\x7f" not in text:
        return text
    for unseen in (_UNSEEN, _HARMFUL_IN_JSON):
        text = unseen.sub(lambda found: json.dumps(found.group())[1:-1], text)
    return text


def said_lines(text: str) -> tuple[str, ...]:
    """The same lines for checks, which look for words as they were said, unseen signs included."""
    return _lines(_said(text))


def said_line(text: str) -> str:
    """One line for checks."""
    return _joined(_said(text))


def _said(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _UNSHOWABLE.sub(lambda found: _sign_for(found.group()), _LINE_END.sub("\n", text))


def _lines(shown: str) -> tuple[str, ...]:
    lines = shown.split("\n")
    full = [index for index, line in enumerate(lines) if line.strip()]
    return tuple(lines[full[0] : full[-1] + 1]) if full else ("",)


def _joined(shown: str) -> str:
    return shown if "\n" not in shown else _BREAK_IN_A_LINE.join(shown.split("\n"))
