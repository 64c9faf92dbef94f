"""How outreach and follow-ups are written where that takes more than an annotation."""

from dataclasses import dataclass
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.documents.forms import Definitions, Form
from greenroom.documents.outreach import SendingHours
from greenroom.documents.prepared import PreparedMessage
from greenroom.documents.reading import REFUSED, Reading, Refused
from greenroom.documents.scheduling import WeeklyHours
from greenroom.documents.yaml12 import Written, YamlMap

__all__ = ["PreparedForm", "SendingHoursForm"]


@dataclass(frozen=True, slots=True)
class PreparedForm(Form):
    """A template's name, text, or message parts.

    What looks like a name is one: a misspelt template must not go out to people as text.
    """

    parts: Form

    def read(self, written: Written, reading: Reading) -> PreparedMessage | Refused:
        """The message; whether there is such a template is decided with the whole agent."""
        if written.text is not None and _looks_like_a_name(written.text):
            return PreparedMessage.model_construct(_fields_set={"template"}, template=written.text.strip())
        parts = self.parts.read(written, reading)
        if isinstance(parts, Refused):
            return REFUSED
        return PreparedMessage.model_construct(_fields_set={"parts"}, parts=parts)

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, or a list of parts."""
        return self.parts.schema(definitions)


def _looks_like_a_name(text: str) -> bool:
    words = text.strip()
    return bool(words) and all(sign.isalnum() or sign in "-_" for sign in words)


@dataclass(frozen=True, slots=True)
class SendingHoursForm(Form):
    """The hours of every day, or of each day of the week."""

    week: Form

    def read(self, written: Written, reading: Reading) -> SendingHours | Refused:
        """The hours."""
        by_day = written
        if not isinstance(written.value, YamlMap):
            every_day = YamlMap()
            every_day.add("daily", written.at, written)
            by_day = Written(every_day, written.at)
        week = self.week.read(by_day, reading)
        if not isinstance(week, dict):
            return REFUSED
        return SendingHours.model_construct(_fields_set={"week"}, week=cast("WeeklyHours", week))

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """Text, or hours by day."""
        return {"anyOf": [{"type": "string", "examples": ["08:00-20:00"]}, self.week.schema(definitions)]}
