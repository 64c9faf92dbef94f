"""Times without an offset that the agent's clock skips or shows twice, on a day on which it is changed."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from greenroom.authoring.notes import Note, Path, Target, expectations, warning
from greenroom.conversation.appointments import pinned
from greenroom.conversation.events import TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import moment_of
from greenroom.documents.checks import AppointmentIs
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.suite import Case, TapLine
from greenroom.documents.zones import zone_named
from greenroom.world.availability import instant

__all__ = ["clock_notes"]


def clock_notes(case: Case, target: Target) -> Iterator[Note]:
    """What each such time of a case is taken as, wherever it stands."""
    for path, written in as_far_as_read(_times(case)):
        yield from _taken(path, written, target.agent.time_zone, both=True)
    for path, tapped in as_far_as_read(_tapped(case)):
        yield from _never_shown(path, tapped, target.agent.time_zone)
    for path, entry in expectations(case):
        if isinstance(entry, AppointmentIs):
            # A time that is shown twice is expected of both moments, one that is skipped of the moment after.
            for place, wanted in as_far_as_read(_wanted(entry)):
                yield from _taken((*path, *place), wanted, target.agent.time_zone, both=False)


def _times(case: Case) -> Iterator[tuple[Path, datetime]]:
    if case.world.now is not None:
        yield ("world", "now"), case.world.now
    for index, appointment in enumerate(case.appointments):
        yield ("appointments", index, "start"), appointment.start
        if appointment.end is not None:
            yield ("appointments", index, "end"), appointment.end
    for index, busy in enumerate(() if case.world.calendar is None else case.world.calendar.busy):
        yield ("world", "calendar", "busy", index, "start"), busy.start
        yield ("world", "calendar", "busy", index, "end"), busy.end


def _tapped(case: Case) -> Iterator[tuple[Path, datetime]]:
    """Times that the person taps; a slot may also be tapped by its label."""
    for index, line in enumerate(case.script):
        if isinstance(line, TapLine) and line.tapped is TapKind.SLOT and (moment := moment_of(line.target)) is not None:
            yield ("script", index, "tap", "slot"), moment


def _wanted(check: AppointmentIs) -> Iterator[tuple[Path, datetime]]:
    for key, matcher in (("start", check.start), ("end", check.end)):
        yield from (((key, *place), moment) for place, moment in _moments(matcher))


def _moments(matcher: Json) -> Iterator[tuple[Path, datetime]]:
    if isinstance(matcher, str):
        moment = moment_of(matcher)
        if moment is not None and len(matcher) > len("2026-06-06"):
            yield (), moment
    elif isinstance(matcher, Mapping):
        for word, wanted in matcher.items():
            yield from (((word, *place), moment) for place, moment in _moments(wanted))
    elif isinstance(matcher, list):
        for index, item in enumerate(matcher):
            yield from (((index, *place), moment) for place, moment in _moments(item))


def _never_shown(path: Path, written: datetime, name: str) -> Iterator[Note]:
    zone = zone_named(name)
    taken = pinned(instant(written, zone), zone)
    if written.tzinfo is None and taken.replace(tzinfo=None) != written:
        yield warning(
            path,
            f"the clock in {name} doesn't show this time on that day, when it is set forward, so there is never such a "
            f"time to tap and `otherwise` is said; the next that there is is {taken.isoformat(timespec='minutes')}",
        )


def _taken(path: Path, written: datetime, name: str, *, both: bool) -> Iterator[Note]:
    if written.tzinfo is not None:
        return
    zone = zone_named(name)
    first, second = instant(written, zone), instant(written, zone, later=True)
    taken = pinned(first, zone).isoformat(timespec="minutes")
    if pinned(first, zone).replace(tzinfo=None) != written:
        yield warning(
            path,
            f"the clock in {name} doesn't show this time on that day, when it is set forward; taken as {taken}",
        )
    elif first != second and both:
        other = pinned(second, zone).isoformat(timespec="minutes")
        yield warning(
            path,
            f"the clock in {name} shows this time twice on that day; the first is taken, {taken}, the other is {other}",
        )
