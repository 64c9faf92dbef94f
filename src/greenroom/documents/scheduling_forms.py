"""How hours, calendars and appointments are written, and what is wrong with them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import OUT_OF_REACH, within_reach
from greenroom.documents.agent import Agent
from greenroom.documents.forms import Definitions, Form
from greenroom.documents.hosts import overheard_at
from greenroom.documents.model_forms import ModelForm, value_of
from greenroom.documents.parts import Doc
from greenroom.documents.reading import REFUSED, Reading, Refused, key_at, shown
from greenroom.documents.scheduling import (
    BusyTime,
    CaseAppointment,
    ExternalCalendar,
    OpenHours,
    Weekday,
    WeeklyHours,
    spelled_stretch,
)
from greenroom.documents.sizes import DAYS_STRETCHES
from greenroom.documents.templates import environment_names
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["CalendarForm", "DateForm", "HoursForm", "calendar_fits", "scheduling_faults", "time_fits"]

_DAY = 1440
"""Minutes."""
_LONG_NIGHT = 720
"""Hours that go on after midnight and are longer than so many minutes may have been written the wrong way round."""
_HOURS = re.compile(r"(\d{1,2}):([0-5]\d)\s*[-–]\s*(\d{1,2}):([0-5]\d)")
_EXAMPLE = '"09:00-17:00"'
_CLOSED = "closed"

_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEK = tuple(Weekday)
_SPANS: Mapping[str, Sequence[Weekday]] = MappingProxyType({
    "daily": _WEEK,
    "weekdays": _WEEK[:5],
    "weekend": _WEEK[5:],
    **{day.value: (day,) for day in _WEEK},
})
"""What each key of `hours` stands for; a later one comes before an earlier one."""
_KEYS = (*(day.value for day in _WEEK), "weekdays", "weekend", "daily")


@dataclass(frozen=True, slots=True)
class HoursForm(Form):
    """The hours of a week: days to `09:00-12:00`, one or several."""

    def read(self, written: Written, reading: Reading) -> WeeklyHours | Refused:
        """The hours of each day that has any, in the order of the week."""
        if not isinstance(written.value, YamlMap):
            message = f"hours by day are wanted here, such as {{weekdays: {_EXAMPLE}}}, not {shown(written)}"
            return reading.error(written.at, message)
        read: dict[str, tuple[OpenHours, ...]] = {}
        fine = True
        for key, at, value in written.value.entries():
            if key not in _SPANS:
                hint = _span(key) or did_you_mean(key, _SPANS) or f"; days are {', '.join(_KEYS)}"
                reading.error(at, f"there is no day {key!r}{hint}")
                fine = False
            elif isinstance(hours := _day(value, reading), Refused):
                fine = False
            else:
                read[key] = hours
        if not fine:
            return REFUSED
        week = {day: read[key] for key, days in _SPANS.items() if key in read for day in days}
        hours = {day: week[day] for day in _WEEK if week.get(day)}
        for first, second in _overlapping(hours):
            at = key_at(written, _written_as(second, read))
            return reading.error(at, f"{_spelled(first)} and {_spelled(second)} overlap; write them as one")
        return hours

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object with days, by reference."""
        span: dict[str, Json] = {"type": "string", "examples": ["09:00-17:00", _CLOSED]}
        day: dict[str, Json] = {"anyOf": [{"type": "array", "items": span}, span, {"type": "null"}]}
        definitions["Hours"] = {
            "type": "object",
            "description": "Hours of a week.",
            "additionalProperties": False,
            "properties": {key: day | {"description": _meaning(key)} for key in _KEYS},
        }
        return {"$ref": "#/$defs/Hours"}


_FROM_TO = re.compile(r"([a-z]{3})[a-z]*(?: ?[-–] ?| to )([a-z]{3})[a-z]*")


def _span(key: str) -> str:
    """What to write for `mon-fri`; empty for what is no first and last day."""
    found = _FROM_TO.fullmatch(key.strip().casefold())
    names = [day.value for day in _WEEK]
    if found is None or not set(found.groups()) <= set(names):
        return ""
    first, last = (names.index(name) for name in found.groups())
    days = _WEEK[first : last + 1] if first <= last else (*_WEEK[first:], *_WEEK[: last + 1])
    one = next((name for name, span in _SPANS.items() if span == days), None)
    return f"; write `{one}`" if one else f"; write each day: {', '.join(days)}"


def _meaning(key: str) -> str:
    names = [_NAMES[_WEEK.index(day)] for day in _SPANS[key]]
    return f"{names[0]}." if len(names) == 1 else f"{names[0]} to {names[-1]}, but for days with hours of their own."


def _day(written: Written, reading: Reading) -> tuple[OpenHours, ...] | Refused:
    if written.text == _CLOSED:
        return ()
    entries = list(written.value.entries()) if isinstance(written.value, YamlList) else [written]
    if len(entries) > DAYS_STRETCHES:
        message = f"a day has {len(entries)} stretches of hours here; at most {DAYS_STRETCHES} can be, so join some"
        return reading.error(entries[DAYS_STRETCHES].at, message)
    read = [_stretch(entry, reading) for entry in entries]
    return REFUSED if REFUSED in read else tuple(sorted((one for one in read if one is not REFUSED), key=_begin))


def _begin(hours: OpenHours) -> int:
    return hours.opens


def _stretch(written: Written, reading: Reading) -> OpenHours | Refused:
    found = _HOURS.fullmatch((written.text or "").strip())
    if found is None:
        return reading.error(written.at, f"hours are wanted here, such as {_EXAMPLE}, not {shown(written)}")
    opens, closes = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
    if opens >= _DAY or closes > _DAY:
        return reading.error(written.at, f"{shown(written)} names an hour that no day has; a day ends at 24:00")
    if closes == opens:
        return reading.error(written.at, f"{shown(written)} ends when it begins; a whole day is 00:00-24:00")
    if closes < opens:
        closes += _DAY
        if closes - opens > _LONG_NIGHT:
            turned = f"{found[3]}:{found[4]}-{found[1]}:{found[2]}"
            long = f"goes on after midnight and is {_spelled_length(closes - opens)} long"
            reading.warn(written.at, f"{shown(written)} {long}; for hours of one day write {turned}")
    return OpenHours.model_construct(_fields_set={"opens", "closes"}, opens=opens, closes=closes)


def _spelled_length(minutes: int) -> str:
    """`15 h` or `15 h 30 min`."""
    return f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")


_Placed = tuple[Weekday, OpenHours]


def _overlapping(hours: WeeklyHours) -> Iterator[tuple[_Placed, _Placed]]:
    """Neighbours of which the first goes on when the second begins, Sunday's and Monday's included."""
    placed = [(day, one) for day, several in hours.items() for one in several]
    following = [*placed[1:], *placed[:1]] if len(placed) > 1 else []
    for (day, one), (next_day, other) in zip(placed, following, strict=False):
        days = (_WEEK.index(next_day) - _WEEK.index(day)) % 7 or (0 if other.opens >= one.opens else 7)
        if one is not other and one.closes > other.opens + days * _DAY:
            yield (day, one), (next_day, other)


def _written_as(placed: _Placed, read: Mapping[str, object]) -> str:
    """The key that says the hours of a day."""
    return [key for key, days in _SPANS.items() if key in read and placed[0] in days][-1]


def _spelled(placed: _Placed) -> str:
    day, hours = placed
    return f"{day} {spelled_stretch(hours)}"


@dataclass(frozen=True, slots=True)
class DateForm(Form):
    """A date."""

    def read(self, written: Written, reading: Reading) -> date | Refused:
        """The date."""
        try:
            day = date.fromisoformat(written.text or "")
        except ValueError:
            return reading.error(written.at, f"a date is wanted here, such as 2026-12-25, not {shown(written)}")
        return day if within_reach(day) else reading.error(written.at, f"{shown(written)} {OUT_OF_REACH}")

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text."""
        return {"type": "string", "format": "date"}


_EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class CalendarForm(Form):
    """`embedded`, or where a calendar of the business's own is."""

    external: ModelForm

    def read(self, written: Written, reading: Reading) -> object:
        """The calendar."""
        if written.text == _EMBEDDED:
            return _EMBEDDED
        if not isinstance(written.value, YamlMap):
            hint = did_you_mean(written.text or "", [_EMBEDDED])
            example = "{caldav: URL, user: NAME, password: ${NAME}}"
            return reading.error(written.at, f"`embedded` or `{example}` is wanted here, not {shown(written)}{hint}")
        return self.external.read(written, reading)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """The word, or an object."""
        return {"anyOf": [{"const": _EMBEDDED}, self.external.schema(definitions)]}


def calendar_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """An address that can be one, and no password in a document, which is kept as it is written."""
    if not isinstance(model, ExternalCalendar):
        return True
    fine = True
    if not model.caldav.startswith(("http://", "https://", "${")):
        message = f"an http or https address is wanted here, not {model.caldav!r}"
        fine = reading.error(value_of(written, "caldav").at, message) is not REFUSED
    host = overheard_at(model.caldav, password=bool(model.password))
    if host is not None and "$" not in host:
        message = f"the password would be sent unencrypted to {host}; write https (http is for this machine alone)"
        fine = reading.error(value_of(written, "caldav").at, message) is not REFUSED
    if model.password and not environment_names(model.password):
        message = "write the password as `${NAME}` and set that environment variable where Greenroom runs"
        fine = reading.error(value_of(written, "password").at, message) is not REFUSED
    return fine


def time_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """It ends after it begins, and says so once."""
    if not isinstance(model, (CaseAppointment, BusyTime)):
        return True
    if isinstance(model, CaseAppointment) and model.end is not None and model.minutes is not None:
        reading.error(key_at(written, "minutes"), "an appointment has `end` or `minutes`, not both")
        return False
    if model.end is None:
        return True
    if (model.start.tzinfo is None) != (model.end.tzinfo is None):
        reading.error(value_of(written, "end").at, "write `start` and `end` both with an offset, or both without")
        return False
    if model.end <= model.start:
        reading.error(value_of(written, "end").at, "this ends before it begins")
        return False
    return True


def scheduling_faults(agent: Agent, written: Written) -> Iterator[tuple[int, str]]:
    """What keeps an agent's `scheduling` from ever offering a time."""
    scheduling = agent.scheduling
    if scheduling is None:
        return
    at = key_at(written, "scheduling")
    own = [one.hours for one in agent.representatives.values()]
    weeks = [scheduling.hours if hours is None else hours for hours in own or [None]]
    stretches = [one for week in weeks for several in week.values() for one in several]
    if not stretches:
        yield at, 'nobody has hours, so no time could be offered; write `hours: {weekdays: "09:00-17:00"}`'
    elif all(one.closes - one.opens < scheduling.slot_minutes for one in stretches):
        where = written.walk(["scheduling", "slot_minutes"]).at
        yield where, f"no hours are as long as one appointment, which takes {scheduling.slot_minutes} minutes"
    if scheduling.notice >= scheduling.ahead:
        where = written.walk(["scheduling", "notice"]).at
        yield where, "`notice` is as long as `ahead`, so no time could be offered"
