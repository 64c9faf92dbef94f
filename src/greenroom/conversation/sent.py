"""What has become of something that leaves the platform."""

from enum import StrEnum

__all__ = ["SentStatus"]


class SentStatus(StrEnum):
    """What has become of it."""

    WAITING = "waiting"
    SENT = "sent"
    REFUSED = "refused"
