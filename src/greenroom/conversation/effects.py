"""What left the platform, or would have (features.md A8, A9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from greenroom.conversation.json_values import Json

__all__ = ["Effect", "EffectKind"]


class EffectKind(StrEnum):
    """The kinds of effect; each has its line in the transcript."""

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    PERSON = "person"
    CONTACT = "contact"
    FORM = "form"
    NOTIFY = "notify"
    EMAIL = "email"
    OUTBOUND = "outbound"
    HANDED_OVER = "handed_over"
    TRANSFERRED = "transferred"
    CAPTURED_CALL = "captured_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effect. `summary` is the text after the colon of its transcript line."""

    effect: EffectKind
    summary: str
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])
    captured: bool = True
    """False when it really happened (the live world)."""
    kind: Literal["effect"] = "effect"
