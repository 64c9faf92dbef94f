"""What an agent shows: text, card, carousel, chips, options, time picker, media, confirmation (features.md A4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, TypeAlias

__all__ = [
    "Card",
    "Carousel",
    "Chip",
    "ChipAction",
    "Chips",
    "Confirm",
    "Media",
    "Message",
    "Options",
    "Part",
    "Shape",
    "Slot",
    "Text",
    "TimePicker",
    "shapes_of",
    "text_message",
]


class ChipAction(StrEnum):
    """What a chip does when tapped; `reply` sends its label."""

    REPLY = "reply"
    LINK = "link"
    CALL = "call"
    MAP = "map"
    CALENDAR = "calendar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A tappable label."""

    label: str
    action: ChipAction = ChipAction.REPLY
    target: str | None = None
    """Address, number or place, for every action but `reply`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A time that can be picked."""

    start: str
    """ISO 8601, as written or found."""
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Plain words; may have several lines."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, sound or file."""

    url: str
    alt: str = ""
    kind: Literal["media"] = "media"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A titled card with its own chips."""

    title: str
    subtitle: str = ""
    media: str | None = None
    chips: tuple[Chip, ...] = ()
    kind: Literal["card"] = "card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carousel:
    """Cards side by side."""

    cards: tuple[Card, ...]
    kind: Literal["carousel"] = "carousel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chips:
    """Suggested replies under the whole message."""

    chips: tuple[Chip, ...]
    kind: Literal["chips"] = "chips"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A question's choices."""

    options: tuple[str, ...]
    kind: Literal["options"] = "options"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePicker:
    """Times to choose from."""

    slots: tuple[Slot, ...]
    kind: Literal["time_picker"] = "time_picker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """A question that is answered by one of two or more labels."""

    labels: tuple[str, ...]
    kind: Literal["confirm"] = "confirm"


Part: TypeAlias = Text | Media | Card | Carousel | Chips | Options | TimePicker | Confirm


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the agent: its parts in the order they are shown."""

    parts: tuple[Part, ...]
    kind: Literal["message"] = "message"


class Shape(StrEnum):
    """What a reply looks like, for the check `reply: {shape: …}`."""

    TEXT = "text"
    OPTIONS = "options"
    TIME_PICKER = "time_picker"
    CARD = "card"
    CAROUSEL = "carousel"
    CHIPS = "chips"


_SHAPE_OF_PART: Mapping[type, Shape] = MappingProxyType({
    Text: Shape.TEXT,
    Options: Shape.OPTIONS,
    Confirm: Shape.OPTIONS,
    TimePicker: Shape.TIME_PICKER,
    Card: Shape.CARD,
    Carousel: Shape.CAROUSEL,
    Chips: Shape.CHIPS,
})


def shapes_of(message: Message) -> frozenset[Shape]:
    """Every shape a message has; a card's own chips make it `chips` too."""
    found = {_SHAPE_OF_PART[type(part)] for part in message.parts if type(part) in _SHAPE_OF_PART}
    cards = [
        card
        for part in message.parts
        for card in (part.cards if isinstance(part, Carousel) else (part,) if isinstance(part, Card) else ())
    ]
    if any(card.chips for card in cards):
        found.add(Shape.CHIPS)
    return frozenset(found)


def text_message(text: str) -> Message:
    """A message of nothing but words."""
    return Message(parts=(Text(text=text),))
