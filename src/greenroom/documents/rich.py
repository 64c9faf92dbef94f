"""Rich messages as written: in a template, in an example, and by a model through `send_message`.

One syntax for all three (semantics: examples of the parts that have a syntax of their own). Each part is a mapping
with one key: `text`, `card`, `carousel`, `chips`, `options`, `time_picker`, `media` or `confirm`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    ChipAction,
    Chips,
    Confirm,
    Media,
    Options,
    Part,
    Slot,
    Text,
    TimePicker,
)
from greenroom.nearest import did_you_mean

__all__ = ["DESCRIBED_PARTS_SCHEMA", "PARTS_SCHEMA", "RichSyntaxError", "parts_from", "written_parts"]


_ADDRESS = re.compile(r"https?://|mailto:|\{\{", re.IGNORECASE)
"""What a person can open on every channel; what a template value stands for is known only later."""


class RichSyntaxError(ValueError):
    """A part that can't be read. `path` leads to it from the list of parts."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        self.message = message
        self.path = path
        where = ".".join(str(step) for step in path)
        super().__init__(f"{where}: {message}" if where else message)


_LABEL_LIST = {"type": "array", "minItems": 1, "items": {"type": "string"}}
_CHIP = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "required": ["label"],
            "additionalProperties": False,
            "properties": {
                "label": {"type": "string", "description": "What is written on it."},
                "link": {"type": "string", "description": "Opens this address, with its https://."},
                "call": {"type": "string", "description": "Calls this number."},
                "map": {"type": "string", "description": "Shows this place on a map."},
                "calendar": {"type": "string", "description": "Adds this to the person's calendar."},
            },
        },
    ]
}
_CHIPS = {"type": "array", "minItems": 1, "items": _CHIP}
_CARD = {
    "type": "object",
    "required": ["title"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "description": "The card's first line."},
        "subtitle": {"type": "string", "description": "The line under it."},
        "media": {"type": "string", "description": "Address of a picture."},
        "chips": _CHIPS | {"description": "Buttons on the card."},
    },
}
_SLOT = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "required": ["start"],
            "additionalProperties": False,
            "properties": {
                "start": {"type": "string", "description": "Date and time, such as 2026-06-06T14:00."},
                "label": {"type": "string", "description": "What is shown for it. Left out: the start."},
            },
        },
    ]
}
DESCRIBED_PARTS_SCHEMA: Mapping[str, Json] = cast(
    "Mapping[str, Json]",
    {
        "type": "array",
        "minItems": 1,
        "description": "The parts of one message, in order; each is an object with exactly one key.",
        "items": {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": False,
            "properties": {
                "text": {"type": "string", "description": "Words."},
                "card": _CARD | {"description": "One card."},
                "carousel": {"type": "array", "minItems": 1, "items": _CARD, "description": "Cards beside each other."},
                "chips": _CHIPS
                | {"description": "Suggested replies under the message: texts, or chips that do something."},
                "options": _LABEL_LIST | {"description": "Choices, one of which the person taps."},
                "time_picker": {
                    "type": "array",
                    "minItems": 1,
                    "items": _SLOT,
                    "description": "Times, one of which the person taps.",
                },
                "media": {
                    "description": "A picture, a film or a sound, by its address.",
                    "anyOf": [
                        {"type": "string"},
                        {
                            "type": "object",
                            "required": ["url"],
                            "additionalProperties": False,
                            "properties": {
                                "url": {"type": "string", "description": "Its address."},
                                "alt": {"type": "string", "description": "What it shows, in words."},
                            },
                        },
                    ],
                },
                "confirm": _LABEL_LIST | {"description": "Yes and no, as labels of two buttons."},
            },
        },
    },
)
"""JSON Schema of a list of parts, for editors: each key says what it means."""


def _undescribed(schema: Json) -> Json:
    if isinstance(schema, Mapping):
        return {key: _undescribed(value) for key, value in schema.items() if key != "description"}
    return [_undescribed(item) for item in schema] if isinstance(schema, list) else schema


PARTS_SCHEMA: Mapping[str, Json] = {
    key: value if key == "description" else _undescribed(value) for key, value in DESCRIBED_PARTS_SCHEMA.items()
}
"""The same for models, which pay for each word: only the whole is described."""

_Path = tuple[str | int, ...]


def parts_from(written: Json) -> tuple[Part, ...]:
    """The parts of one message. Raises `RichSyntaxError` with the path of the first part that can't be read."""
    if isinstance(written, str):
        return (Text(text=written),)
    return tuple(_part(item, (index,)) for index, item in enumerate(_sequence(written, ())))


def _part(written: Json, path: _Path) -> Part:
    if isinstance(written, str):
        return Text(text=written)
    part = _mapping(written, path, allowed=None)
    if len(part) != 1:
        raise RichSyntaxError("a part has exactly one key, for example `text: …`", path)
    (word, value), inner = next(iter(part.items())), (*path, next(iter(part)))
    reader = _READERS.get(word)
    if reader is None:
        raise RichSyntaxError(f"there is no part {word!r}; a part is one of {', '.join(_READERS)}", path)
    return reader(value, inner)


def _card(written: Json, path: _Path) -> Card:
    card = _mapping(written, path, allowed=("title", "subtitle", "media", "chips"))
    if "title" not in card:
        raise RichSyntaxError("a card needs a `title`", path)
    return Card(
        title=_string(card["title"], (*path, "title")),
        subtitle=_string(card.get("subtitle", ""), (*path, "subtitle")),
        media=_string(card["media"], (*path, "media"), "the address of a picture") if "media" in card else None,
        chips=_chips(card["chips"], (*path, "chips")) if "chips" in card else (),
    )


def _chips(written: Json, path: _Path) -> tuple[Chip, ...]:
    return tuple(_chip(chip, (*path, index)) for index, chip in enumerate(_sequence(written, path)))


def _chip(written: Json, path: _Path) -> Chip:
    if not isinstance(written, Mapping):
        return Chip(label=_string(written, path))
    chip = _mapping(written, path, allowed=("label", "link", "call", "map", "calendar"))
    if "label" not in chip:
        raise RichSyntaxError("a chip needs a `label`", path)
    actions = [action for action in ChipAction if action in chip]
    if len(actions) > 1:
        raise RichSyntaxError("a chip does one thing: link, call, map or calendar", path)
    label = _string(chip["label"], (*path, "label"))
    if not actions:
        return Chip(label=label)
    target, where = _string(chip[actions[0]], (*path, actions[0].value)), (*path, actions[0].value)
    if actions[0] is ChipAction.LINK and not _ADDRESS.match(target):
        raise RichSyntaxError(f"a link begins with https:// or http://, and this is {target!r}", where)
    return Chip(label=label, action=actions[0], target=target)


def _slot(written: Json, path: _Path) -> Slot:
    if not isinstance(written, Mapping):
        start = _string(written, path)
        return Slot(start=start, label=start)
    slot = _mapping(written, path, allowed=("start", "label"))
    if "start" not in slot:
        raise RichSyntaxError("a slot needs a `start`", path)
    start = _string(slot["start"], (*path, "start"))
    return Slot(start=start, label=_string(slot.get("label", start), (*path, "label")))


def _media(written: Json, path: _Path) -> Media:
    if not isinstance(written, Mapping):
        return Media(url=_string(written, path))
    media = _mapping(written, path, allowed=("url", "alt"))
    if "url" not in media:
        raise RichSyntaxError("media needs a `url`", path)
    return Media(url=_string(media["url"], (*path, "url")), alt=_string(media.get("alt", ""), (*path, "alt")))


def _labels(written: Json, path: _Path) -> tuple[str, ...]:
    return tuple(_string(label, (*path, index)) for index, label in enumerate(_sequence(written, path)))


def _sequence(written: Json, path: _Path) -> Sequence[Json]:
    if isinstance(written, str) or not isinstance(written, Sequence):
        raise RichSyntaxError("a list is wanted here", path)
    if not written:
        raise RichSyntaxError("the list is empty", path)
    return written


def _mapping(written: Json, path: _Path, *, allowed: Sequence[str] | None) -> Mapping[str, Json]:
    if not isinstance(written, Mapping):
        raise RichSyntaxError("a mapping is wanted here", path)
    for key in written:
        if allowed is not None and key not in allowed:
            hint = did_you_mean(key, allowed) or f"; keys are {', '.join(allowed)}"
            raise RichSyntaxError(f"unknown key {key!r}{hint}", path)
    return written


def _string(written: Json, path: _Path, what: str = "text") -> str:
    if not isinstance(written, str):
        found = (
            "a mapping" if isinstance(written, Mapping) else "a list" if isinstance(written, Sequence) else "nothing"
        )
        raise RichSyntaxError(f"{what} is wanted here, not {found}", path)
    return written


def _text(written: Json, path: _Path) -> Text:
    return Text(text=_string(written, path))


def _carousel(written: Json, path: _Path) -> Carousel:
    return Carousel(cards=tuple(_card(card, (*path, index)) for index, card in enumerate(_sequence(written, path))))


def _suggested(written: Json, path: _Path) -> Chips:
    return Chips(chips=_chips(written, path))


def _options(written: Json, path: _Path) -> Options:
    return Options(options=_labels(written, path))


def _confirm(written: Json, path: _Path) -> Confirm:
    return Confirm(labels=_labels(written, path))


def _time_picker(written: Json, path: _Path) -> TimePicker:
    return TimePicker(slots=tuple(_slot(slot, (*path, index)) for index, slot in enumerate(_sequence(written, path))))


_READERS: Mapping[str, Callable[[Json, _Path], Part]] = {
    "text": _text,
    "card": _card,
    "carousel": _carousel,
    "chips": _suggested,
    "options": _options,
    "time_picker": _time_picker,
    "media": _media,
    "confirm": _confirm,
}


def written_parts(parts: Sequence[Part]) -> list[Json]:
    """The parts as `parts_from` reads them; a call to `send_message` that would show them has these."""
    return [_written(part) for part in parts]


def _written(part: Part) -> Json:
    match part:
        case Text():
            return {"text": part.text}
        case Card():
            return {"card": _written_card(part)}
        case Carousel():
            return {"carousel": [_written_card(card) for card in part.cards]}
        case Chips():
            return {"chips": [_written_chip(chip) for chip in part.chips]}
        case Options():
            return {"options": part.options}
        case Confirm():
            return {"confirm": part.labels}
        case TimePicker():
            return {"time_picker": [{"start": slot.start, "label": slot.label} for slot in part.slots]}
        case Media():
            return {"media": {"url": part.url, "alt": part.alt}}


def _written_card(card: Card) -> Json:
    written: dict[str, Json] = {"title": card.title, "subtitle": card.subtitle}
    written |= {} if card.media is None else {"media": card.media}
    return written | ({"chips": [_written_chip(chip) for chip in card.chips]} if card.chips else {})


def _written_chip(chip: Chip) -> Json:
    return (
        chip.label if chip.action is ChipAction.REPLY else {"label": chip.label, chip.action.value: chip.target or ""}
    )
