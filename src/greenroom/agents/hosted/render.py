"""What the person sees of what a model or a template wrote, on the channel of the conversation (features.md A2, D2).

On a channel that shows no rich elements they become words: in writing each card, choice, time and address gets a line;
in speech the same is said in sentences, and addresses and pictures without a description are left out. The message is
then text, so a tap on it finds nothing and the script's typed fallback is said, as a person on that channel would.
"""

from collections.abc import Sequence

from greenroom.conversation.channels import ABILITIES, Abilities, Channel
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
    Text,
    TimePicker,
    text_message,
)

__all__ = ["for_channel", "in_words"]


def for_channel(message: Message, abilities: Abilities) -> Message:
    """The message as this channel shows it."""
    if abilities.rich or all(isinstance(part, Text) for part in message.parts):
        return message
    in_words = _spoken if abilities.spoken else _written
    return text_message("\n".join(words for part in message.parts if (words := in_words(part))))


def in_words(message: Message) -> str:
    """The whole message as text, for whoever shows or reads nothing else."""
    said = for_channel(message, ABILITIES[Channel.SMS])
    return "\n".join(part.text for part in said.parts if isinstance(part, Text))


def _written(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Media():
            return " ".join(word for word in (part.alt, part.url) if word)
        case Card():
            return _written_card(part)
        case Carousel():
            return "\n".join(_written_card(card) for card in part.cards)
        case Chips():
            return _written_chips(part.chips)
        case Options():
            return "\n".join(f"- {option}" for option in part.options)
        case TimePicker():
            return "\n".join(f"- {slot.label}" for slot in part.slots)
        case Confirm():
            return f"Reply {_or(part.labels)}."


def _written_card(card: Card) -> str:
    title = f"{card.title} — {card.subtitle}" if card.subtitle else card.title
    return f"{title}\n{_written_chips(card.chips)}" if card.chips else title


def _written_chips(chips: Sequence[Chip]) -> str:
    return "\n".join(f"- {chip.label}" + (f": {chip.target}" if chip.target else "") for chip in chips)


def _spoken(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Media():
            return _sentence(part.alt)
        case Card():
            return _spoken_card(part)
        case Carousel():
            return " ".join(_spoken_card(card) for card in part.cards)
        case Chips():
            return _spoken_chips(part.chips)
        case Options():
            return f"You can say {_or(part.options)}."
        case TimePicker():
            return f"There is {_or([slot.label for slot in part.slots])}."
        case Confirm():
            return f"Please say {_or(part.labels)}."


def _spoken_card(card: Card) -> str:
    words = _sentence(f"{card.title}, {card.subtitle}" if card.subtitle else card.title)
    return " ".join(part for part in (words, _spoken_chips(card.chips)) if part)


def _spoken_chips(chips: Sequence[Chip]) -> str:
    """Only what can be answered: nobody can tap a link that is read out."""
    labels = [chip.label for chip in chips if chip.action is ChipAction.REPLY]
    return f"You can say {_or(labels)}." if labels else ""


def _or(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} or {labels[-1]}"


def _sentence(words: str) -> str:
    return words if not words or words.endswith((".", "!", "?")) else f"{words}."
