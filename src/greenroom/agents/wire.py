"""A message of an agent as a channel is sent it (features.md A3, A8).

`text` says the whole message in words, for whoever shows nothing else; channels that show rich elements get these too,
as `parts`. Whatever can be tapped carries the very `tap` that the channel sends back as its event, as the agent wrote
it; all that is to be shown is clean (`conversation.visible`).
"""

from collections.abc import Sequence

from greenroom.agents.hosted.render import in_words
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.events import TapKind
from greenroom.conversation.json_values import Json
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
)
from greenroom.conversation.visible import clean, clean_line

__all__ = ["message_json"]


def message_json(message: Message, channel: Channel) -> dict[str, Json]:
    """`{text}`, and `{text, parts}` where rich elements can be shown."""
    abilities = ABILITIES[channel]
    said: dict[str, Json] = {"text": clean(in_words(message))}
    return {**said, "parts": [_part(part) for part in message.parts]} if abilities.rich else said


def _part(part: Part) -> dict[str, Json]:
    kind: dict[str, Json] = {"kind": part.kind}
    match part:
        case Text():
            return {**kind, "text": clean(part.text)}
        case Media():
            return {**kind, "url": clean_line(part.url), "alt": clean_line(part.alt)}
        case Card():
            return {**kind, **_card(part)}
        case Carousel():
            return {**kind, "cards": [_card(card) for card in part.cards]}
        case Chips():
            return {**kind, "chips": _chips(part.chips, None)}
        case Options():
            return {**kind, "options": [_choice(TapKind.OPTION, label, label) for label in part.options]}
        case TimePicker():
            slots = part.slots
            return {**kind, "slots": [{**_choice(TapKind.SLOT, s.label, s.start), "start": s.start} for s in slots]}
        case Confirm():
            return {**kind, "choices": [_choice(TapKind.CONFIRM, label, label) for label in part.labels]}


def _card(card: Card) -> dict[str, Json]:
    return {
        "title": clean_line(card.title),
        "subtitle": clean_line(card.subtitle),
        "media": None if card.media is None else clean_line(card.media),
        "chips": _chips(card.chips, card.title),
    }


def _chips(chips: Sequence[Chip], card: str | None) -> list[Json]:
    return [_chip(chip, card) for chip in chips]


def _chip(chip: Chip, card: str | None) -> dict[str, Json]:
    if chip.action is not ChipAction.REPLY:
        return {"label": clean_line(chip.label), "action": chip.action.value, "target": clean_line(chip.target or "")}
    return {**_choice(TapKind.CHIP, chip.label, chip.label, card), "action": chip.action.value}


def _choice(kind: TapKind, label: str, value: str, card: str | None = None) -> dict[str, Json]:
    tap: dict[str, Json] = {"kind": "tap", "tapped": kind.value, "label": label, "value": value}
    return {"label": clean_line(label), "tap": tap if card is None else {**tap, "card": card}}
