"""What happens by itself at a time, as lists show it (features.md A7, A10)."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from greenroom.conversation.channels import Channel
from greenroom.conversation.own_messages import OwnMessageKind

__all__ = ["Prospect", "Timer", "TimerPage", "TimerStatus", "offset_name", "offset_of"]


class TimerStatus(StrEnum):
    """How a timer stands. All but one of these are its end."""

    WAITING = "waiting"
    DONE = "done"
    """What it says has been said."""
    SKIPPED = "skipped"
    """Its time came, and it was not to be said any more."""
    CANCELLED = "cancelled"
    """What it was for went on without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """One thing that an agent says by itself at a time. Times are ISO 8601, UTC."""

    number: int
    kind: OwnMessageKind
    agent: str
    name: str
    """Which one of its kind."""
    subject: str
    """The person, conversation or appointment that it is for."""
    due_at: str
    status: TimerStatus
    why: str | None
    """Why it was skipped or cancelled."""
    created_at: str
    finished_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerPage:
    """Some timers, and the mark of where the next ones begin; None when these were the last."""

    timers: tuple[Timer, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """Somebody whom an outreach is for, and what would become of it now."""

    person_id: str
    name: str
    channel: Channel | None
    """By which they would get it; None when they would not."""
    why: str
    """Why not, or what has become of it already; empty when they would get it."""


_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def offset_name(seconds: float) -> str:
    """How long before an appointment, as a reminder is named: `24h`, `90m`. Days are hours: `48h`."""
    whole = round(seconds)
    unit, size = next(((unit, size) for unit, size in _UNITS[1:] if whole % size == 0), _UNITS[-1])
    return f"{whole // size}{unit}"


def offset_of(name: str) -> timedelta | None:
    """How long before an appointment a reminder of this name is; None when it is no such name."""
    sizes = dict(_UNITS)
    if not name[:-1].isdecimal() or name[-1:] not in sizes:
        return None
    return timedelta(seconds=int(name[:-1]) * sizes[name[-1]])
