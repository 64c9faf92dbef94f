"""How much a document may hold where no limit of the project says it: more than any business has.

So that one slip of a generator makes no document that nobody can work with, and nothing that no channel can show.
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "BUSY_TIMES",
    "CASE_APPOINTMENTS",
    "CHOICES",
    "CLOSED_DAYS",
    "CONFIRM_LABELS",
    "DAYS_STRETCHES",
    "FLOW_DEPTH",
    "FLOW_STEPS",
    "FOLLOW_UPS",
    "LONGEST_MINUTES",
    "MESSAGE_CHARS",
    "MESSAGE_ENTRIES",
    "NAME_CHARS",
    "NOTES_CHARS",
    "OUTREACHES",
    "REMINDERS",
    "REPRESENTATIVES",
    "SIZES",
]

NAME_CHARS = 200
NOTES_CHARS = 5_000
MESSAGE_CHARS = 10_000
MESSAGE_ENTRIES = 100
CHOICES = 500
CONFIRM_LABELS = 10
FLOW_STEPS = 200
FLOW_DEPTH = 8
REPRESENTATIVES = 500
DAYS_STRETCHES = 24
CLOSED_DAYS = 1_000
REMINDERS = 10
FOLLOW_UPS = 50
OUTREACHES = 200
CASE_APPOINTMENTS = 200
BUSY_TIMES = 1_000
LONGEST_MINUTES = 10_080

SIZES: Mapping[str, int] = MappingProxyType({
    "characters of a name, and of an appointment's title": NAME_CHARS,
    "characters of an appointment's notes": NOTES_CHARS,
    "characters of a message that stands ready: `greeting`, `templates`, `outreach`, `follow_ups`, `reminder`, flows": (
        MESSAGE_CHARS
    ),
    "entries of a list in such a message: parts, cards, chips, options, times": MESSAGE_ENTRIES,
    "`options` of a question of a flow, or of a people field": CHOICES,
    "labels of a `confirm`": CONFIRM_LABELS,
    "steps of a flow, those in branches included": FLOW_STEPS,
    "branches within branches of a flow": FLOW_DEPTH,
    "`representatives` of an agent": REPRESENTATIVES,
    "stretches of `hours` on one day": DAYS_STRETCHES,
    "dates under `closed`": CLOSED_DAYS,
    "reminders of one appointment under `remind`": REMINDERS,
    "`follow_ups` of an agent": FOLLOW_UPS,
    "`outreach` of an agent": OUTREACHES,
    "`appointments` of a case": CASE_APPOINTMENTS,
    "`busy` times of a case": BUSY_TIMES,
    "`minutes` of an appointment, which are a week": LONGEST_MINUTES,
})
"""Each of them, by what there may be at most so many of."""
