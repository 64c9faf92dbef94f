"""What is kept of the live side, as lists show it: conversations with their turns, messages, revisions (A12)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from greenroom.conversation.channels import Channel
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.reviews import Review, ReviewMark
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.timers import Timer
from greenroom.conversation.turns import StopReason, Turn

__all__ = [
    "ClosedBy",
    "ConversationPage",
    "ConversationSummary",
    "ErrandSummary",
    "KeptTurn",
    "Published",
    "RevisionOverview",
    "SentMessage",
    "ShownConversation",
    "Ticked",
    "UnservedEvent",
]


class ClosedBy(StrEnum):
    """What closed a conversation."""

    END = "end"
    HAND_OVER = "hand_over"
    SILENCE = "silence"
    """Nobody said anything for as long as the agent's `close_after`."""


_HANDED_OVER = frozenset({StopReason.HANDED_OVER, StopReason.TRANSFERRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One conversation without its turns. Times are ISO 8601, UTC."""

    conversation: str
    agent: str
    """Empty when nobody wrote it down: a conversation of an earlier version."""
    channel: Channel
    identity: str
    person_id: str | None
    turns: int
    """Events served."""
    ended: StopReason | None
    """Why the agent's part is over."""
    started_at: str
    updated_at: str
    closed_at: str | None
    review: ReviewMark | None = None
    """The review that counts; None when there is none."""

    @property
    def closed_by(self) -> ClosedBy | None:
        """What closed it; None while it is open."""
        if self.closed_at is None:
            return None
        if self.ended is None:
            return ClosedBy.SILENCE
        return ClosedBy.HAND_OVER if self.ended in _HANDED_OVER else ClosedBy.END


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPage:
    """Some conversations, and the mark of where the next ones begin; None when these were the last."""

    conversations: tuple[ConversationSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """A turn as it was kept."""

    number: int
    """From 1; a turn's own index may come twice, as when a person opens a conversation again."""
    at: str
    revision: str
    """Content hash of the agent that answered; empty in a chat."""
    turn: Turn
    record: TurnRecord | None
    """None once it is older than turn records are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnservedEvent:
    """An event that arrived and has no turn: it waits, serving it broke off, or the agent's part was over."""

    message_id: str
    received_at: str
    error: str | None
    """Why serving it broke off."""
    words: str = ""
    """What the person said or tapped."""
    too_late: bool = False
    """It came after the agent's part was over, and is for whoever has taken over."""

    @property
    def waits(self) -> bool:
        """It is still to be answered."""
        return self.error is None and not self.too_late


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionOverview:
    """One content that an agent had."""

    number: int
    """From 1, in the order in which they were first seen."""
    hash: str
    seen_at: str
    published_at: str | None
    """When it was last made live."""
    live: bool
    draft: bool
    """It is what the files say now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is live now."""

    agent: str
    number: int
    hash: str
    was: int | None
    """The number of the revision that was live before; None: none was."""
    warnings: tuple[str, ...] = ()
    """What of it won't work on this machine, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticked:
    """What one pass over everything that happens by itself did."""

    served: int
    """Events that a process had left when it died."""
    said: int
    """Things that agents said by themselves: outreach, follow-ups, reminders."""
    delivered: int
    """Messages that were due, each tried once."""
    errands: int
    """Notifications, mails and the like that were due, each tried once."""
    closed: int
    """Conversations closed after their silence."""
    records_dropped: int
    reviewed: int = 0
    """Closed conversations that the judge was asked about."""
    obstacle: str = ""
    """Why closed conversations wait for their review; empty when they don't, or only for their time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """A message in the outbox."""

    key: str
    status: SentStatus
    tries: int
    error: str | None
    """What the last try came to, when that was not success."""
    created_at: str
    finished_at: str | None
    next_try_at: str | None = None
    """From when on it is tried again; None while it is tried, and once it is not tried any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandSummary:
    """Something to be done outside for a conversation, beside its messages."""

    key: str
    kind: str
    """`notify`, `email`, `calendar` …"""
    summary: str
    status: SentStatus
    tries: int
    error: str | None
    """What the last try came to, when that was not success."""
    created_at: str
    finished_at: str | None
    next_try_at: str | None = None
    """When it is tried again; None when it isn't, or when it is being tried now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownConversation:
    """One conversation, whole."""

    conversation: ConversationSummary
    turns: Sequence[KeptTurn]
    unserved: Sequence[UnservedEvent] = ()
    sent: Sequence[SentMessage] = ()
    """Its messages that leave by webhook."""
    errands: Sequence[ErrandSummary] = ()
    """What else is done outside for it: notifications, mail and the like."""
    follow_ups: Sequence[Timer] = ()
    """What the agent says in it by itself after a silence."""
    reviews: Sequence[Review] = ()
    """The newest first."""
