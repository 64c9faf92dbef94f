"""What somebody wrote, read as a value of a type: the free answers of a flow, and texts that become parameters.

Only what can't be misread: digits, dates as 2026-06-06, one address or phone number, the words true, false, yes and no.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from greenroom.conversation.addresses import address_fault, phone_fault
from greenroom.conversation.calls import name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent, PeopleField
from greenroom.documents.people_values import declared_field, field_fault

__all__ = ["AnswerType", "FieldAnswers", "answer_of_type", "choices_of_field"]

AnswerType: TypeAlias = Literal["string", "number", "integer", "boolean", "date", "email"]

_NUMBER = re.compile(r"(?<![\w.,-])-?\d{1,15}(?:\.\d{1,15})?(?![\w]|[.,]\d)", re.ASCII)
_DATE = re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])", re.ASCII)
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
_PHONE = re.compile(r"(?<![\w+])(?:\+|\()?\d[\d ()/.-]{3,24}\d(?![\w]|[.,-]\d)", re.ASCII)
_DAY = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)", re.ASCII)
_AROUND = " \t\r\n.,;:!?\"'()<>"
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def answer_of_type(text: str, kind: AnswerType, *, alone: bool = False) -> Json:
    """The value that was meant, or None when the text is none of this type.

    A number, a date or an address may stand within words, when it is the only one; not so when it has to be `alone`.
    """
    text = text.strip()
    if alone and any(sign.isspace() for sign in text):
        return None
    match kind:
        case "string":
            return text or None
        case "number" | "integer":
            return _number(text, whole=kind == "integer")
        case "boolean":
            return _TRUTH.get(text.strip(_AROUND).casefold())
        case "date":
            return _only(_DATE, text)
        case "email":
            found = _only(_ADDRESS, text)
            address = "" if found is None else found.strip(_AROUND)
            return address if address and address_fault(address) is None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAnswers:
    """What answers mean for one field of a person."""

    name: str
    agent: Agent
    choices: Mapping[str, str]
    """The choices that the field brings by itself: labels to values."""
    _by_name: Mapping[str, str]
    """The same values by what their labels and they themselves are compared by."""

    @classmethod
    def of(cls, name: str, agent: Agent) -> "FieldAnswers":
        """Those of a field of the agent's people."""
        choices = choices_of_field(name, agent)
        by_name = {name_key(one): pair[1] for pair in choices.items() for one in pair}
        return cls(name=name, agent=agent, choices=choices, _by_name=by_name)

    def of_text(self, text: str) -> Json:
        """The value that the field can hold; None when the text is none that it can."""
        if self._by_name:
            return self._by_name.get(name_key(text))
        declared = declared_field(self.agent, self.name)
        if self.name == "phone":
            return _phone(text.strip(" \t\r\n.,;:!?"))
        kind: AnswerType = "email" if self.name == "email" else "string"
        value = answer_of_type(text, kind if declared is None else declared.type)
        return None if field_fault(self.agent, self.name, value) is not None else value

    def of_choice(self, value: Json, *, means: bool | None) -> Json:
        """What a choice means: its value, read as the field's type where it is text.

        Args:
            value: Of the choice.
            means: Of a confirmation's labels, yes or no; a field that is a flag takes that meaning.
        """
        declared = declared_field(self.agent, self.name)
        if declared is not None and declared.type == "boolean" and means is not None:
            return means
        if isinstance(value, str):
            return self.of_text(value)
        return None if field_fault(self.agent, self.name, value) is not None else value


def choices_of_field(name: str, agent: Agent) -> Mapping[str, str]:
    """The choices that a field brings by itself: labels to values."""
    if name == "representative":
        return {one.name: key for key, one in agent.representatives.items()}
    options = agent.people.fields.get(name, PeopleField()).options or ()
    return dict(zip(options, options, strict=True))


def _number(text: str, *, whole: bool) -> Json:
    found = _only(_NUMBER, text)
    if found is None:
        return None
    value = float(found)
    if value == int(value):
        return int(value)
    return None if whole else value


def _phone(text: str) -> Json:
    """The phone number that the text is, or the only one in it; a date has as many digits and is none."""
    found = text if phone_fault(text) is None else _only(_PHONE, text)
    return None if found is None or phone_fault(found) is not None or _DAY.match(found) else found


def _only(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return str(found[0]) if len(found) == 1 else None
