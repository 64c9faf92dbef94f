"""A scripted person: lines sent as written, taps resolved against what the agent last showed (features.md A3, B10).

It decides what the person does next from the last turn alone. It isn't aware of checks, and it never changes a line:
what stands in the script is what the agent reads.
"""

from collections.abc import Iterator, Mapping, Sequence

from greenroom.conversation.calls import name_key, named_like
from greenroom.conversation.events import MissedTap, Said, Tap, TapKind
from greenroom.conversation.messages import Card, Carousel, Chip, ChipAction, Chips, Confirm, Options, Part, TimePicker
from greenroom.conversation.moments import same_moment
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage
from greenroom.documents.suite import Say, ScriptLine, TapLine
from greenroom.personas.persons import Next, NextEvent, Stops

__all__ = ["ScriptPersona", "labels_shown", "tap_for", "tap_labelled"]


class ScriptPersona:
    """Says the lines one after another; stops at their end, or when the agent has ended the conversation."""

    def __init__(self, script: Sequence[ScriptLine]) -> None:
        self._script = tuple(script)
        self._sent = 0

    @property
    def usage(self) -> Mapping[Role, Usage]:
        """Nothing: a script costs nothing."""
        return {}

    async def next(self, turns: Sequence[Turn]) -> Next:
        """The next line, with its number counted from 1."""
        last = turns[-1] if turns else None
        if last is not None and last.ended is not None:
            return Stops(reason=last.ended)
        if self._sent == len(self._script):
            return Stops(reason=StopReason.SCRIPT_END)
        line = self._script[self._sent]
        self._sent += 1
        return _next_event(line, last, self._sent)


def tap_for(line: TapLine, turn: Turn) -> Tap | None:
    """The tap on what the turn's messages show; None when the thing to tap is not there.

    Labels are compared ignoring case and extra spaces. A chip that opens a link, a call, a map or a calendar answers
    nothing and can't be tapped as a reply. Whether a choice was shown as a chip or as an option is the agent's
    business: either tap finds either. A slot is found by its start, as the same moment however it is written, by its
    label, or as `first`; a confirmation by its label, or `yes` for the first label and `no` for the last.
    """
    parts = [part for message in turn.messages for part in message.parts]
    if line.tapped is TapKind.SLOT:
        return _slot(line.target, parts)
    if line.tapped is TapKind.CONFIRM:
        return _confirmation(line.target, parts)
    found = _chip(line, parts), _option(line, parts)
    return next((tap for tap in (found if line.tapped is TapKind.CHIP else reversed(found)) if tap is not None), None)


def tap_labelled(label: str, turn: Turn) -> Tap | None:
    """The tap on whatever the turn's messages show under this label; None when they show nothing of the kind."""
    lines = (TapLine(tapped=kind, target=label, otherwise=label) for kind in TapKind)
    return next((tap for line in lines if (tap := tap_for(line, turn)) is not None), None)


def labels_shown(turn: Turn) -> list[str]:
    """Everything that `tap_labelled` finds in the turn's messages, each label once, from top to bottom."""
    parts = [part for message in turn.messages for part in message.parts]
    labels = [chip.label for _, chip in _chips(parts) if chip.action is ChipAction.REPLY]
    for part in parts:
        if isinstance(part, Options):
            labels += part.options
        elif isinstance(part, TimePicker):
            labels += [slot.label for slot in part.slots]
        elif isinstance(part, Confirm):
            labels += part.labels
    return list(dict.fromkeys(labels))


def _next_event(line: ScriptLine, last: Turn | None, number: int) -> NextEvent:
    if isinstance(line, Say):
        return NextEvent(event=Said(text=line.say), line=number)
    tap = tap_for(line, last) if last is not None else None
    if tap is not None:
        return NextEvent(event=tap, line=number)
    missed = MissedTap(tapped=line.tapped, target=line.target, card=line.card)
    return NextEvent(event=Said(text=line.otherwise), line=number, missed=missed)


def _chip(line: TapLine, parts: Sequence[Part]) -> Tap | None:
    under = None if line.card is None else name_key(line.card)
    on_card = [
        (card, chip)
        for card, chip in _chips(parts)
        if chip.action is ChipAction.REPLY and (under is None or (card is not None and name_key(card.title) == under))
    ]
    wanted = named_like(line.target, (chip.label for _, chip in on_card))
    for card, chip in on_card:
        if chip.label == wanted:
            return Tap(
                tapped=TapKind.CHIP,
                label=chip.label,
                value=chip.label,
                card=None if card is None else card.title,
            )
    return None


def _chips(parts: Sequence[Part]) -> Iterator[tuple[Card | None, Chip]]:
    """Every chip with the card it belongs to, whole-message chips included, as shown from top to bottom."""
    for part in parts:
        if isinstance(part, Chips):
            yield from ((None, chip) for chip in part.chips)
        elif isinstance(part, Card):
            yield from ((part, chip) for chip in part.chips)
        elif isinstance(part, Carousel):
            yield from ((card, chip) for card in part.cards for chip in card.chips)


def _option(line: TapLine, parts: Sequence[Part]) -> Tap | None:
    if line.card is not None:
        return None
    options = (label for part in parts if isinstance(part, Options) for label in part.options)
    label = named_like(line.target, options)
    return None if label is None else Tap(tapped=TapKind.OPTION, label=label, value=label)


def _slot(target: str, parts: Sequence[Part]) -> Tap | None:
    slots = [slot for part in parts if isinstance(part, TimePicker) for slot in part.slots]
    first = name_key(target) == "first"
    for slot in slots:
        if first or same_moment(slot.start, target) or name_key(slot.label) == name_key(target):
            return Tap(tapped=TapKind.SLOT, label=slot.label, value=slot.start)
    return None


def _confirmation(target: str, parts: Sequence[Part]) -> Tap | None:
    wanted = name_key(target)
    for part in reversed(parts):
        if not isinstance(part, Confirm):
            continue
        label = named_like(target, part.labels)
        if label is None and wanted in {"yes", "no"}:
            label = part.labels[0 if wanted == "yes" else -1]
        if label is not None:
            return Tap(tapped=TapKind.CONFIRM, label=label, value=label)
    return None
