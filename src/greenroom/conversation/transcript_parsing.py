r"""A rendered transcript read back into what its lines show.

For readers of stored results and for the proof that the layout is unambiguous: `parse_transcript` of a rendered
conversation gives the structure that was rendered. What a transcript doesn't show comes back empty: a chip's target,
a slot's start, a picture's address behind `(media)`; words are given without the transcript's backslashes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    ChipAction,
    Chips,
    Confirm,
    Media,
    Message,
    Options,
    Part,
    Slot,
    Text,
    TimePicker,
)
from greenroom.conversation.transcript import CHIP_ACTIONS

__all__ = [
    "AgentShows",
    "PersonSays",
    "PersonTaps",
    "Shown",
    "ShownTranscript",
    "SystemLine",
    "TranscriptUnreadable",
    "parse_message",
    "parse_transcript",
]


class TranscriptUnreadable(ValueError):
    """A line that no transcript has."""

    def __init__(self, line: str) -> None:
        self.line = line
        super().__init__(f"this line is not part of a transcript's layout: {line!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentShows:
    """A message of the agent."""

    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSays:
    """Words of the person."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonTaps:
    """A tap, by the label that was tapped."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """An effect, a call or an answer: `[head: text]`."""

    head: str
    text: str = ""
    nested: bool = False
    """It belongs to the line above: the answer to a call."""


Shown: TypeAlias = AgentShows | PersonSays | PersonTaps | SystemLine


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTranscript:
    """What had happened before, and what happened in this run."""

    now: tuple[Shown, ...]
    earlier: tuple[Shown, ...] = ()


_AGENT = "Agent: "
_PERSON = "Person: "
_TAP = "[tap: "
_MEDIA = " (media)"
_GUARD = re.compile(r"\\(.)", re.DOTALL)
_HEAD_AND_BODY = re.compile(r"((?:\\.|[^\\])*?)(?:: (.*))?\Z", re.DOTALL)
_SUBTITLE = " — "
_CARD = re.compile(r"card(?: \d+)?\Z")
_CAROUSEL = re.compile(r"\d+ cards?\Z")
_SLOTS = re.compile(r"time picker, \d+ slots?\Z")


def parse_transcript(text: str) -> ShownTranscript:
    """The structure of a text that `render_transcript` made. Raises `TranscriptUnreadable` for any other line."""
    earlier: tuple[Shown, ...] = ()
    shown: list[Shown] = []
    for block in text.split("\n\n") if text else []:
        if block == "[earlier]":
            continue
        if block == "[now]":
            earlier, shown = tuple(shown), []
        elif block.startswith(_AGENT):
            shown.append(AgentShows(message=parse_message(block.removeprefix(_AGENT))))
        elif block.startswith(_PERSON):
            shown.append(_person(block.removeprefix(_PERSON)))
        else:
            shown += [_system_line(line) for line in block.split("\n")]
    return ShownTranscript(now=tuple(shown), earlier=earlier)


def parse_message(text: str) -> Message:
    """The structure of a text that `render_message` made. Raises `TranscriptUnreadable` for any other line."""
    if text == "[empty message]":
        return Message(parts=())
    parts: list[Part] = []
    for line in text.split("\n"):
        if not line.lstrip(" ").startswith("["):
            _add_words(parts, _words(line))
        elif line.startswith("["):
            parts.append(_part(line))
        else:
            _add_nested(parts, line)
    return Message(parts=tuple(parts))


def _person(block: str) -> Shown:
    if block.startswith(_TAP) and block.endswith("]") and "\n" not in block:
        return PersonTaps(label=_label(block[len(_TAP) : -1]))
    return PersonSays(text="\n".join(_words(line) for line in block.split("\n")))


def _words(line: str) -> str:
    return line.removeprefix("\\")


def _label(text: str) -> str:
    return _GUARD.sub(r"\1", text)


def _labels(body: str | None) -> tuple[str, ...]:
    return () if body is None else tuple(_label(part) for part in body.split(" | "))


def _chips(body: str | None) -> tuple[Chip, ...]:
    return () if body is None else tuple(_chip(part) for part in body.split(" | "))


def _chip(text: str) -> Chip:
    for action, ending in CHIP_ACTIONS.items():
        if ending and text.endswith(ending):
            return Chip(label=_label(text.removesuffix(ending)), action=action)
    return Chip(label=_label(text), action=ChipAction.REPLY)


def _bracketed(line: str) -> tuple[str, str | None]:
    """Head and body of `[head: body]`; no body when there is no colon."""
    inside = _HEAD_AND_BODY.match(line[1:-1])
    if inside is None or not (line.startswith("[") and line.endswith("]")):
        raise TranscriptUnreadable(line)
    return inside[1], inside[2]


def _system_line(line: str) -> SystemLine:
    head, body = _bracketed(line.strip(" "))
    return SystemLine(head=_label(head), text=_label(body or ""), nested=line.startswith(" "))


def _part(line: str) -> Part:
    has_media = line.endswith("]" + _MEDIA)
    head, body = _bracketed(line.removesuffix(_MEDIA) if has_media else line)
    if _CARD.match(head):
        title, _, subtitle = (body or "").partition(_SUBTITLE)
        return Card(title=_label(title), subtitle=_label(subtitle), media="" if has_media else None)
    if head == "carousel" and _CAROUSEL.match(body or ""):
        return Carousel(cards=())
    if _SLOTS.match(head):
        return TimePicker(slots=tuple(Slot(start="", label=label) for label in _labels(body)))
    match head:
        case "suggested replies":
            return Chips(chips=_chips(body))
        case "options":
            return Options(options=_labels(body))
        case "confirm":
            return Confirm(labels=_labels(body))
        case "media":
            return Media(url="", alt=_label(body or ""))
        case _:
            raise TranscriptUnreadable(line)


def _add_words(parts: list[Part], words: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, Text):
        parts[-1] = Text(text=f"{last.text}\n{words}")
    else:
        parts.append(Text(text=words))


def _add_nested(parts: list[Part], line: str) -> None:
    """A card belongs to the carousel above it, chips to the card above them."""
    last = parts[-1] if parts else None
    inner = line.lstrip(" ")
    if isinstance(last, Carousel) and line.startswith("  [card "):
        card = _part(inner)
        if isinstance(card, Card):
            parts[-1] = replace(last, cards=(*last.cards, card))
            return
    head, body = _bracketed(inner)
    if head == "chips" and isinstance(last, Carousel) and last.cards:
        parts[-1] = replace(last, cards=_with_chips(last.cards, body))
    elif head == "chips" and isinstance(last, Card):
        parts[-1] = replace(last, chips=_chips(body))
    else:
        raise TranscriptUnreadable(line)


def _with_chips(cards: Sequence[Card], body: str | None) -> tuple[Card, ...]:
    return (*cards[:-1], replace(cards[-1], chips=_chips(body)))
