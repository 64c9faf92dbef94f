"""What is to leave with a turn, and what came of one try to send it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from greenroom.conversation.json_values import Json

__all__ = ["CALENDAR", "CALL", "EMAIL", "NOTIFY", "REFUSED_FOR_GOOD", "Sending", "SendingResult", "UnderWay"]

NOTIFY = "notify"
"""The kind of errand that tells the team at one of its places: `{place, title, text}`."""
CALENDAR = "calendar"
"""The kind of errand that makes calendars say what an appointment is like: `{appointment, calendars}`."""
CALL = "call"
"""The kind of errand that calls a webhook tool whose answer nobody waits for: `{tool, arguments}`."""
EMAIL = "email"
"""The kind of errand that sends one mail to one recipient: `{recipient, to, subject, text, transcript}`."""


REFUSED_FOR_GOOD = frozenset({400, 413, 415, 422})
"""HTTP: the endpoint understood what it got and won't have it; anything else may be different the next time."""


class UnderWay(Protocol):
    """The turn that a live world serves: whose it is, and what leaves with it."""

    @property
    def conversation(self) -> str: ...

    @property
    def identity(self) -> str:
        """What the channel knows the person by."""
        ...

    @property
    def event(self) -> str:
        """The message id of the event that is answered; empty where no event comes a second time."""
        ...

    def add(self, *, kind: str, lane: str, summary: str, body: Json, shared: bool = False) -> None:
        """Have something done outside once the turn is kept; when it isn't, it never is.

        Errands of one kind and lane in this conversation are done in order; of a `shared` lane, in all conversations.
        """
        ...


class SendingResult(StrEnum):
    """What came of one try."""

    SENT = "sent"
    FAILED = "failed"
    """Nobody can say whether it arrived, or it didn't: try again."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One try."""

    result: SendingResult
    why: str = ""
    """In words of our own, or of the one that refused it; without address or secret."""
