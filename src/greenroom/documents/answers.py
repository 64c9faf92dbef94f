"""What somebody wrote, read as a value of a type: the free answers of a flow, and texts that become parameters.

Only what can't be misread: digits, dates as 2026-06-06, one address, the words true, false, yes and no.
"""

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from greenroom.conversation.calls import name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent, PeopleField
from greenroom.documents.people_values import field_fault

__all__ = ["AnswerType", "answer_for_field", "answer_of_type", "choice_for_field", "choices_of_field"]

AnswerType: TypeAlias = Literal["string", "number", "integer", "boolean", "date", "email"]

_NUMBER = re.compile(r"(?<![\w.,-])-?\d{1,15}(?:\.\d{1,15})?(?![\w]|[.,]\d)", re.ASCII)
_DATE = re.compile(r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])", re.ASCII)
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
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
            return None if found is None else found.strip(_AROUND)


def answer_for_field(text: str, name: str, agent: Agent) -> Json:
    """The value that a field of a person can hold; None when the text is none that it can."""
    brought = {name_key(one): pair[1] for pair in choices_of_field(name, agent).items() for one in pair}
    if brought:
        return brought.get(name_key(text))
    declared = agent.people.fields.get(name)
    kind: AnswerType = "email" if name == "email" else "string"
    value = answer_of_type(text, kind if declared is None else declared.type)
    return None if field_fault(agent, name, value) is not None else value


def choice_for_field(value: Json, name: str, agent: Agent, *, means: bool | None) -> Json:
    """What a choice means for a field: its value, read as the field's type where it is text.

    Args:
        value: Of the choice.
        name: The field.
        agent: Who declares it.
        means: Of a confirmation's labels, yes or no; a field that is a flag takes that meaning.
    """
    declared = agent.people.fields.get(name)
    if declared is not None and declared.type == "boolean" and means is not None:
        return means
    if isinstance(value, str):
        return answer_for_field(value, name, agent)
    return None if field_fault(agent, name, value) is not None else value


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


def _only(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return str(found[0]) if len(found) == 1 else None
