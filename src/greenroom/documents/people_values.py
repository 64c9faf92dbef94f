"""What a person's fields may hold: the one place that decides it (features.md A5, B3).

The people capability, a case's start, segments and the command line all ask here.
"""

import math
from collections.abc import Callable, Collection, Mapping
from datetime import date
from types import MappingProxyType

from greenroom.conversation.addresses import address_fault, phone_fault, plain_number
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT, CONSENT_TO_MESSAGES, CORE_FIELDS, TOLD_FIELDS, Person
from greenroom.documents.agent import Agent, PeopleField, Representative
from greenroom.nearest import did_you_mean

__all__ = [
    "BY_EMAIL",
    "BY_TEXT",
    "WRITABLE",
    "agents_fault",
    "consent_fault",
    "consents_of",
    "contact_fault",
    "declared_field",
    "field_fault",
    "identity_doubt",
    "identity_fault",
    "identity_written",
    "path_fault",
    "representative_fault",
    "representative_of",
    "told",
    "value_fault",
    "writable_by",
]

WRITABLE = TOLD_FIELDS
"""Fields of every person that an agent may write, besides the declared ones; notes are the team's."""
BY_TEXT = Channel.SMS.value
"""The channel on which an imported phone number is an address."""
BY_EMAIL = "email"
"""Stands before an email address in an identity. No conversation comes by mail: it only tells people apart."""
_BY_NUMBER = (BY_TEXT, Channel.PHONE_INBOUND.value, Channel.PHONE_OUTBOUND.value)
"""Channels on which a phone number is an address."""
_KNOWN_BY = (*(channel.value for channel in Channel if channel is not Channel.AUTO), BY_EMAIL, "chat")
"""What may stand before an address in an identity."""
_OTHER_NAMES = ("name", "tags", "consent", "fields")
"""What is known of a person besides core and declared fields; to look at, never written by name."""


def field_fault(agent: Agent, name: str, value: Json) -> str | None:
    """Why this can't be written to a person of this agent's, as a sentence; None when it can.

    Nothing, which is null, may be written to every field: it is then not known any more. Consent is given or refused.
    """
    declared = agent.people.fields
    if name in consents_of(agent):
        return None if isinstance(value, bool) else f"{name!r} is true or false, not {told(value)}"
    if name in declared:
        return value_fault(name, value, declared[name])
    if name not in CORE_FIELDS:
        known = [*CORE_FIELDS, *declared]
        hint = did_you_mean(name, known) or f"; fields are {', '.join(known)}"
        return f"a person has no field {name!r}{hint}"
    if value is not None and not isinstance(value, str):
        return f"{name!r} is text, not {told(value)}"
    if name == "representative" and value:
        return representative_fault(agent, value)
    return contact_fault(name, value or "")


def consents_of(agent: Agent) -> tuple[str, ...]:
    """What an agent may write of consent, each as `consent.KIND`."""
    return tuple(f"{CONSENT}{kind}" for kind in agent.people.consent)


def declared_field(agent: Agent, name: str) -> PeopleField | None:
    """What a field of this agent's people may hold, `consent.KIND` that it may write included; None for others."""
    return _GIVEN_OR_NOT if name in consents_of(agent) else agent.people.fields.get(name)


_GIVEN_OR_NOT = PeopleField(type="boolean")


def consent_fault(agent: Agent, name: str) -> str | None:
    """Why there is no such consent to look at in this agent's flows; None for `consent.messages` and what it writes."""
    known = tuple(dict.fromkeys((f"{CONSENT}{CONSENT_TO_MESSAGES}", *consents_of(agent))))
    if name in known:
        return None
    there_is = did_you_mean(name, known) or f"; there is {_listed(known)}"
    return f"{name!r} is no consent that this agent knows of{there_is}"


def agents_fault(agent: Agent, name: str) -> str | None:
    """Why agents can't write this, which people have and only the team sets; None for any other name."""
    root = name.partition(".")[0]
    if root not in _BY_THE_TEAM or name in consents_of(agent):
        return None
    writable = ", ".join(writable_by(agent))
    if root == _CONSENT:
        return f"an agent can't set {name!r}{_allowed(agent, name)}; it can set {writable}"
    return (
        f"an agent can't set {name!r}: {_listed(_BY_THE_TEAM[1:])} are the team's, with "
        f"`greenroom people PERSON --set`; it can set {writable}"
    )


def writable_by(agent: Agent) -> tuple[str, ...]:
    """Everything that this agent may write of a person."""
    return (*WRITABLE, *agent.people.fields, *consents_of(agent))


def _allowed(agent: Agent, name: str) -> str:
    """What would let an agent write this kind of consent."""
    known = consents_of(agent)
    kind = name.removeprefix(CONSENT) if name != _CONSENT else CONSENT_TO_MESSAGES
    allow = f"unless its document says so by `people: {{consent: [{kind}]}}`"
    return (did_you_mean(name, known) if known else "") or f" {allow}"


def _listed(names: Collection[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


_CONSENT = CONSENT.rstrip(".")
_BY_THE_TEAM = (_CONSENT, "notes", "tags")


def contact_fault(name: str, text: str) -> str | None:
    """Why nobody could be reached by this email address or phone number; None for what is none, or empty."""
    rule = _CONTACT.get(name)
    return rule(text) if rule is not None and text else None


def representative_fault(agent: Agent, name: str) -> str | None:
    """Why nobody of the team is meant; None when it is the id of one of the agent's representatives."""
    known = agent.representatives
    if name in known:
        return None
    there_are = f"; representatives are {', '.join(known)}" if known else "; the agent has no representatives"
    return f"there is no representative {name!r}{did_you_mean(name, known) or there_are}"


def value_fault(name: str, value: Json, declared: PeopleField) -> str | None:
    """Why a declared field can't hold this; None when it can."""
    if value is None:
        return None
    if not _FITS[declared.type](value):
        return f"{name!r} is declared as {_NAMED[declared.type]}, not {told(value)}"
    if declared.options is not None and value not in declared.options:
        hint = did_you_mean(str(value), declared.options)
        return f"{name!r} is one of {', '.join(declared.options)}, not {told(value)}{hint}"
    return None


def identity_fault(identity: str) -> str | None:
    """Why nobody can be found by this, as a sentence; None for a channel and an address such as `sms:+15550100`."""
    channel, colon, address = identity.partition(":")
    if not (channel.strip() and colon and address.strip()):
        return f"{identity!r} is no identity; write channel:address, such as sms:+15550100"
    if channel not in _KNOWN_BY:
        hint = did_you_mean(channel, _KNOWN_BY) or f"; there are {', '.join(_KNOWN_BY)}"
        return f"{identity!r} is no identity: there is no channel {channel!r}{hint}"
    return None


def identity_written(identity: str) -> str:
    """The identity as its channel writes it, where a person wrote it: a phone number without what parts its digits.

    Whatever else stands for an address is left as it is. What a channel sends is never asked of here.
    """
    channel, _, address = identity.partition(":")
    number = plain_number(address) if channel in _BY_NUMBER else ""
    return f"{channel}:{number}" if number else identity


def identity_doubt(identity: str) -> str | None:
    """Why it may find nobody although it is written as one, as a sentence."""
    channel, _, address = identity.partition(":")
    if channel not in _BY_NUMBER or address.startswith("+"):
        return None
    what = "SMS" if channel == BY_TEXT else "call"
    return f"{identity!r} has no + and country code, as in {channel}:+15550100; no {what} will come from it"


def path_fault(path: str, declared: Collection[str]) -> str | None:
    """Why nothing of a person stands at this path, such as `fields.party_size` or `consent.messages`."""
    known = (*CORE_FIELDS, *_OTHER_NAMES, *declared)
    root, _, rest = path.partition(".")
    if path in declared or root in declared or (not rest and root in known):
        return None
    if root == "fields":
        if rest in declared or rest.split(".")[0] in declared:
            return None
        return f"no agent declares the people field {rest!r}{did_you_mean(rest, declared)}"
    if rest and root in {"consent", "tags"}:
        return None
    there_are = f"; declared fields are {', '.join(declared)}" if declared else "; no people field is declared"
    return f"a person has no field {path!r}{did_you_mean(path, known) or there_are}"


def representative_of(agent: Agent, person: Person) -> Representative | None:
    """Who of the team looks after this person: their representative, by key or by name."""
    wanted = person.representative
    if wanted in agent.representatives:
        return agent.representatives[wanted]
    folded = wanted.strip().casefold()
    fits = [one for key, one in agent.representatives.items() if folded in {key.casefold(), one.name.casefold()}]
    return fits[0] if len(fits) == 1 else None


_CONTACT: Mapping[str, Callable[[str], str | None]] = MappingProxyType({
    "email": address_fault,
    "phone": phone_fault,
})
"""Fields that are of use only when they are written as what they are."""


def _is_number(value: Json) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _is_date(value: Json) -> bool:
    # Python reads other spellings too, such as 20260606, which would not sort as they read.
    if not isinstance(value, str) or len(value) != len("2026-06-06"):
        return False
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


_FITS: Mapping[str, Callable[[Json], bool]] = MappingProxyType({
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: isinstance(value, int | float) and _is_number(value) and value == value // 1,
    "boolean": lambda value: isinstance(value, bool),
    "date": _is_date,
})
_NAMED: Mapping[str, str] = MappingProxyType({
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "date": "a date such as 2026-06-06",
})


def told(value: Json) -> str:
    """A value as a sentence has it: `the text 'six'`, `the number 6`, `a list`."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a mapping" if isinstance(value, Mapping) else "a list"
