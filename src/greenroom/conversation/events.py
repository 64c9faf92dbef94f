"""What a person does: opens the conversation, says something, taps something (features.md A1, A3)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from greenroom.conversation.channels import Channel

__all__ = ["Event", "Inbound", "MissedTap", "Opened", "Said", "Tap", "TapKind", "shown_words", "words_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The person opens the conversation and has said nothing yet; answered by the greeting, turn 0."""

    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Free text, word for word."""

    text: str
    kind: Literal["said"] = "said"


class TapKind(StrEnum):
    """What was tapped. A chip or an option reaches the agent as its label, the others as a typed result."""

    CHIP = "chip"
    OPTION = "option"
    SLOT = "slot"
    CONFIRM = "confirm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """A tap, as the channel delivers it."""

    tapped: TapKind
    label: str
    """What the person saw on it."""
    value: str
    """The typed result: the label of a chip, option or confirmation, a slot's start in ISO 8601."""
    card: str | None = None
    """Title of the card that the chip belongs to."""
    kind: Literal["tap"] = "tap"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedTap:
    """A scripted tap whose thing to tap was not there, so that its fallback was said (features.md A3)."""

    tapped: TapKind
    target: str
    """As the script has it: a label, a slot's start, `first`, `yes` …"""
    card: str | None = None


Event: TypeAlias = Opened | Said | Tap


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """An event as it arrives at the conversation service, from the gateway or from a case."""

    conversation: str
    channel: Channel
    identity: str
    """What the channel knows the person by; the person is found through it."""
    message_id: str
    """Makes a repeated delivery harmless."""
    event: Event


def shown_words(event: Event) -> str:
    """What a person's line shows of an event: their words, or the label that they tapped."""
    return event.label if isinstance(event, Tap) else words_of(event)


def words_of(event: Event) -> str:
    """What the agent reads of an event: one user message, word for word (semantics: the person)."""
    if isinstance(event, Said):
        return event.text
    if isinstance(event, Tap):
        return event.value
    return ""
