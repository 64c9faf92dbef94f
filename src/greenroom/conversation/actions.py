"""The built-in actions, and the names and labels that people know them by (documents.md: built-in actions).

`documents` lets a playbook use them, `agents` does them, `grading` counts them (features.md E1). Names and labels
compare ignoring case and extra spaces.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from greenroom.conversation.calls import name_key

__all__ = ["COLLECT_DATA", "LABELS", "PROCEDURE", "SPEAKING", "Action", "answers_to", "label_of", "named_by"]


class Action(StrEnum):
    """The built-in actions, by the names that models, checks and mocks know them by; in the order of an offer."""

    UPDATE_PERSON = "update_person"
    NOTIFY_TEAM = "notify_team"
    SEARCH_KNOWLEDGE = "search_knowledge"
    COLLECT_CONTACT = "collect_contact"
    SUBMIT_FORM = "submit_form"
    SEND_EMAIL = "send_email"
    FIND_TIMES = "find_times"
    BOOK_APPOINTMENT = "book_appointment"
    MOVE_APPOINTMENT = "move_appointment"
    CANCEL_APPOINTMENT = "cancel_appointment"
    HAND_OVER = "hand_over"
    TRANSFER = "transfer"
    SEND_MESSAGE = "send_message"
    END_CONVERSATION = "end_conversation"


SPEAKING: frozenset[str] = frozenset({Action.SEND_MESSAGE, Action.END_CONVERSATION})
"""How an agent speaks and stops: always there, and never tools (semantics: the world)."""

_ESCALATE = "Escalate to a person"
_CONTACT = "Collect contact details"

LABELS: Mapping[str, frozenset[Action]] = MappingProxyType({
    name_key(_ESCALATE): frozenset({Action.HAND_OVER, Action.TRANSFER}),
    name_key(_CONTACT): frozenset({Action.COLLECT_CONTACT}),
})
"""Labels of whole actions, as names compare, to the actions they stand for."""

COLLECT_DATA = "Collect data:"
"""`Collect data: NAME` is `submit_form` for the form of that name or id."""
PROCEDURE = "Procedure:"
"""`Procedure: NAME` is done by a turn that runs in the playbook of that name or id."""

_LABEL_OF: Mapping[str, str] = MappingProxyType({
    Action.HAND_OVER: _ESCALATE,
    Action.TRANSFER: _ESCALATE,
    Action.COLLECT_CONTACT: _CONTACT,
})


def label_of(action: str) -> str | None:
    """The label of a whole action."""
    return _LABEL_OF.get(action)


def named_by(label: str, prefix: str) -> str | None:
    """NAME of `Collect data: NAME` or `Procedure: NAME`, as it is written; None when this is no such label."""
    head, colon, name = label.partition(":")
    return " ".join(name.split()) if colon and name_key(f"{head.rstrip()}:") == name_key(prefix) else None


def answers_to(wanted: str, key: str, name: str) -> bool:
    """Whether a form or playbook goes by this name: its own, its id, or its id without the hyphens."""
    names = (key, key.replace("-", " "), name)
    return name_key(wanted) in {name_key(one) for one in names if one}
