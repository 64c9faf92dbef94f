"""What happens by itself at a time, as lists show it (features.md A7, A10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from greenroom.conversation.channels import Channel
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.sent import SentStatus

__all__ = ["OutreachPage", "OutreachPreview", "Prospect", "Timer", "TimerPage", "TimerStatus"]


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
    delivery: SentStatus | None = None
    """Whether its channel has what was said; None when nothing was."""
    error: str | None = None
    """What the last try to send it came to, while its channel doesn't have it."""
    next_try_at: str | None = None
    """When it is tried again; None when it isn't, or has not been tried yet."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OutreachPreview:
    """What would become of one outreach if it were sent now, as the files say."""

    outreach: str
    would_get_it: int
    would_not: Mapping[str, int]
    """By reason, how many of those whom it is for would not get it."""
    prospects: tuple[Prospect, ...]
    """Some of them, the newest people first."""
    obstacle: str
    """Why nobody gets it now, whoever they are; empty when nothing stands in the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutreachPage:
    """What became of an agent's outreach."""

    counts: Mapping[str, Mapping[TimerStatus, int]]
    """By outreach and status."""
    undelivered: Mapping[str, Mapping[SentStatus, int]]
    """By outreach, how many of those that were said its channel doesn't have: it waits, or was refused."""
    page: TimerPage
    names: Mapping[str, str]
    """What the people of the page are called, by their id; those who are gone are missing."""
    writes_any: bool = True
    """The agent as it is written now has an outreach, or is not written any more."""
