"""Parts of a message with the templates in them filled in."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from greenroom.conversation.messages import Card, Carousel, Chip, Chips, Confirm, Media, Options, Part, Text

__all__ = ["Fill", "filled_part"]

Fill: TypeAlias = Callable[[str], str]


def filled_part(part: Part, fill: Fill) -> Part:
    """The part, each of its texts filled in."""
    match part:
        case Text():
            return Text(text=fill(part.text))
        case Card():
            return _filled_card(part, fill)
        case Carousel():
            return Carousel(cards=tuple(_filled_card(card, fill) for card in part.cards))
        case Chips():
            return Chips(chips=_filled_chips(part.chips, fill))
        case Options():
            return Options(options=tuple(fill(option) for option in part.options))
        case Confirm():
            return Confirm(labels=tuple(fill(label) for label in part.labels))
        case Media():
            return replace(part, alt=fill(part.alt))
        case _:
            return part


def _filled_card(card: Card, fill: Fill) -> Card:
    title, subtitle = fill(card.title), fill(card.subtitle)
    return replace(card, title=title, subtitle=subtitle, chips=_filled_chips(card.chips, fill))


def _filled_chips(chips: Sequence[Chip], fill: Fill) -> tuple[Chip, ...]:
    return tuple(replace(chip, label=fill(chip.label)) for chip in chips)
