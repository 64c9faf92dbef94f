"""What a live agent says by itself at a time: outreach and follow-ups (features.md A7, A8, A10).

Nothing of it happens in a sandbox; a case may begin with the opening of an outreach, which is captured.
"""

from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Annotated, ClassVar

from pydantic import Field

from greenroom.documents.parts import ChannelKey, Doc, Duration, Id, Meant, Segment
from greenroom.documents.prepared import PreparedMessage
from greenroom.documents.scheduling import OpenHours, Weekday, WeeklyHours

__all__ = ["FollowUp", "Outreach", "SendingHours", "is_within"]

_WEEK = tuple(Weekday)
_DAY_MINUTES = 1440
_DAYTIME = (OpenHours(opens=8 * 60, closes=20 * 60),)


class SendingHours(Doc):
    """When messages that nobody asked for may leave."""

    week: WeeklyHours = Field(default_factory=lambda: dict.fromkeys(_WEEK, _DAYTIME))
    """By day, as clocks show it in the agent's time zone."""


class Outreach(Doc):
    """A message with which the agent begins a conversation by itself, once with each person whom it is for."""

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({
        "segment": "to",
        "audience": "to",
        "where": "to",
        "message": "opening",
    })

    to: Segment
    """Whom it is for: conditions as in the project's `segments`.

    Whoever has not given their consent to messages never gets it.
    """
    opening: PreparedMessage
    """What is said: a template's name, text, or message parts."""
    playbook: Id | None = None
    """The playbook in which the answer is served. Left out: the router decides."""
    channel: Annotated[tuple[ChannelKey, ...], Meant.ONE_OR_MORE] = ()
    """Where it goes, one channel or several: the first on which the person is known.

    Left out: all channels of the agent that have `outbound`, in the order in which they are written.
    """
    since: date | None = Field(default=None, alias="from")
    """The first day, in the agent's time zone. Left out: as soon as it is published."""
    until: date | None = None
    """The last day. Left out: as long as it is published."""
    hours: SendingHours = SendingHours()
    """When it may leave, in the agent's time zone: `09:00-18:00`, or hours by day as in `scheduling`.

    Left out: `08:00-20:00` on every day.
    """


class FollowUp(Doc):
    """A message in a conversation in which the agent spoke last and the person has been silent since."""

    after: Duration
    """After so much silence: `24h`, `30m` or `2d`. Not longer than the agent's `close_after`."""
    message: PreparedMessage
    """What is said: a template's name, text, or message parts."""
    to: Segment | None = None
    """Whom it is for: conditions as in the project's `segments`. Left out: everybody who didn't refuse messages."""
    playbooks: Annotated[tuple[Id, ...], Meant.ONE_OR_MORE] = ()
    """Only in conversations that are in one of these playbooks, one or several. Left out: in all."""
    at_most: int = Field(default=1, ge=1, le=10)
    """How often in one conversation, each time after so much silence."""
    hours: SendingHours = SendingHours()
    """When it may leave, in the agent's time zone: `09:00-18:00`, or hours by day as in `scheduling`.

    Left out: `08:00-20:00` on every day.
    """


def is_within(hours: SendingHours, at: datetime) -> bool:
    """Whether this moment, as clocks show it there, is within the hours; those of the day before may go on in it."""
    minute = at.hour * 60 + at.minute
    today, before = _WEEK[at.weekday()], _WEEK[at.weekday() - 1]
    return any(one.opens <= minute < one.closes for one in hours.week.get(today, ())) or any(
        minute + _DAY_MINUTES < one.closes for one in hours.week.get(before, ())
    )
