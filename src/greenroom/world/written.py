"""The effects of writing down what an agent learned, live and captured alike (documents.md: built-in actions)."""

from collections.abc import Mapping

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.world.ports import Email
from greenroom.world.wording import as_json

__all__ = [
    "effect_of_contact",
    "effect_of_email",
    "effect_of_form",
    "effect_of_hand_over",
    "effect_of_transfer",
    "effect_of_writing",
]


def effect_of_writing(person_id: str, field: str, value: Json, *, captured: bool) -> Effect:
    """What is shown of one written field: `[person: field = value]`."""
    data: dict[str, Json] = {"person": person_id, "field": field, "value": value}
    return Effect(effect=EffectKind.PERSON, summary=_pair(field, value), data=data, captured=captured)


def effect_of_contact(
    person_id: str | None, details: Mapping[str, Json], *, captured: bool, told: Mapping[str, Json] | None = None
) -> Effect:
    """What is shown of contact details: `[contact: email = ana@example.com]`; `told`: what came of telling the team."""
    data: dict[str, Json] = {"person": person_id, "details": details, **(told or {})}
    return Effect(effect=EffectKind.CONTACT, summary=_pairs(details), data=data, captured=captured)


def effect_of_form(
    form: str, values: Mapping[str, Json], *, captured: bool, told: Mapping[str, Json] | None = None
) -> Effect:
    """What is shown of a filled form: `[form refund-request: order = W100]`; `told` as for contact details."""
    data: dict[str, Json] = {"form": form, "values": values, **(told or {})}
    return Effect(effect=EffectKind.FORM, summary=_pairs(values), data=data, captured=captured)


def effect_of_email(email: Email, *, captured: bool) -> Effect:
    """What is shown of a mail: `[email to ana@example.com: Your booking]`."""
    data: dict[str, Json] = {"to": email.to, "subject": email.subject, "text": email.text}
    status: dict[str, Json] = {} if captured else {"status": "queued"}
    return Effect(effect=EffectKind.EMAIL, summary=email.subject, data=data | status, captured=captured)


def effect_of_hand_over(agent: Agent, reason: str, *, captured: bool, sent: Mapping[str, Json] | None = None) -> Effect:
    """What is shown of a hand-over: `[handed over: reason]`; `sent`: what is said of telling the team."""
    data: dict[str, Json] = {"reason": reason, **_mailed(agent), **(sent or {})}
    return Effect(effect=EffectKind.HANDED_OVER, summary=reason, data=data, captured=captured)


def effect_of_transfer(
    agent: Agent, reason: str, to: str, *, captured: bool, sent: Mapping[str, Json] | None = None
) -> Effect:
    """What is shown of a transfer: `[transferred: Dana: reason]`; `sent` as for a hand-over."""
    summary = f"{to}: {reason}" if to and reason else to or reason
    data: dict[str, Json] = {"reason": reason, "to": to, **_mailed(agent), **(sent or {})}
    return Effect(effect=EffectKind.TRANSFERRED, summary=summary, data=data, captured=captured)


def _mailed(agent: Agent) -> Mapping[str, Json]:
    """Who gets the conversation by mail."""
    to = agent.hand_over.email if agent.hand_over is not None else ()
    return {"email": to} if to else {}


def _pairs(values: Mapping[str, Json]) -> str:
    return ", ".join(_pair(name, value) for name, value in values.items())


def _pair(name: str, value: Json) -> str:
    return f"{name} = {value if isinstance(value, str) else as_json(value)}"
