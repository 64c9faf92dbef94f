"""What left for real in a live test: the team told, mail, appointments in calendars (features.md C13)."""

from dataclasses import dataclass

__all__ = ["ErrandDone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrandDone:
    """One thing that was done outside, tried once."""

    kind: str
    """`notify`, `email`, `calendar`."""
    summary: str
    """What it was, on one line."""
    arrived: bool
    why: str = ""
    """Why it did not arrive, or why nobody can say."""
