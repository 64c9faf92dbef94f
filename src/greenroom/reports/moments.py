"""Moments on screens: to the minute, by the clock of whoever looks. JSON has them in UTC."""

from datetime import UTC, datetime, tzinfo

__all__ = ["minute", "offset_words"]


def minute(moment: str, zone: tzinfo = UTC) -> str:
    """A kept moment, ISO 8601, by the clock of a zone."""
    at = datetime.fromisoformat(moment).astimezone(zone)
    return f"{at:%Y-%m-%d %H:%M} {offset_words(at)}"


def offset_words(at: datetime) -> str:
    """How far its clock is from UTC, such as `+02:00`."""
    written = f"{at:%z}"
    return f"{written[:3]}:{written[3:5]}" if at.utcoffset() else "UTC"
