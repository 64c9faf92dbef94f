"""Time zones by their names, as documents write them."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from greenroom.nearest import did_you_mean

__all__ = ["known_zone", "unknown_zone", "zone_named"]


def zone_named(name: str) -> tzinfo:
    """The zone of a name that is known; UTC, which most have, is read from no file."""
    return UTC if name == "UTC" else ZoneInfo(name)


def known_zone(name: str) -> bool:
    """Whether there is a time zone of this name."""
    try:
        zone_named(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def unknown_zone(name: str) -> str:
    """What to say of a name that no zone has."""
    hint = did_you_mean(name, available_timezones()) or "; write one such as Europe/Berlin or UTC"
    return f"there is no time zone {name!r}{hint}"
