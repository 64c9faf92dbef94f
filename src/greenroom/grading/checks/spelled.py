"""Values of a failed check as the transcript writes them, so that a reader finds the line there.

What is kept of an appointment are moments in ISO 8601 and ids of representatives; what was said are times and names.
"""

from collections.abc import Mapping

from greenroom.conversation.appointments import Spelling, spelled_span, spelled_time
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import moment_of

__all__ = ["spelled", "spelled_appointment"]

_LONG = len("2026-06-06T14:00")


def spelled(path: str, value: Json, spelling: Spelling) -> str:
    """` (Sat 6 June 2026, 2:00 pm)` for a moment, ` (Dana Whitfield)` for a representative's id; else nothing."""
    if not isinstance(value, str):
        return ""
    if path.rpartition(".")[2] == "representative":
        name = spelling.representatives.get(value, value)
        return "" if name == value else f" ({name})"
    moment = moment_of(value) if len(value) >= _LONG else None
    return "" if moment is None else f" ({spelled_time(moment, half_days=spelling.half_days)})"


def spelled_appointment(values: Mapping[str, Json], spelling: Spelling) -> str:
    """`Powerboat, Sat 6 June 2026, 2:00 pm–3:00 pm, with Dana Whitfield`; empty when its values are no such."""
    title, start, end, one = (values.get(name) for name in ("title", "start", "end", "representative"))
    since, until = (moment_of(each) if isinstance(each, str) else None for each in (start, end))
    if since is None or until is None:
        return ""
    whom = spelling.representatives.get(one, one) if isinstance(one, str) else ""
    when = spelled_span(since, until, half_days=spelling.half_days)
    return f"{title}, {when}{f', with {whom}' if whom else ''}"
