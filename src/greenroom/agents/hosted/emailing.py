"""`send_email`: to whom an agent may write, and what a mail may hold (documents.md: built-in actions).

Whoever talks with an agent may try to have it write to others. So a mail goes to the person on record, to somebody of
the team by their id, or to an address that the agent's document names, and nothing in it can end a header.
"""

import unicodedata
from collections.abc import Mapping

from greenroom.conversation.addresses import address_fault, same_address
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import Person
from greenroom.documents.agent import Agent
from greenroom.nearest import did_you_mean
from greenroom.world.ports import Email

__all__ = ["PERSON", "SUBJECT_CHARS", "TEXT_CHARS", "CannotMail", "email_of", "recipients_of"]

PERSON = "person"
"""What stands for the person on record."""
SUBJECT_CHARS = 200
TEXT_CHARS = 20_000
_LINE_ENDS = frozenset("\n\r\t")
_UNSENDABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, lone surrogates, and ends of lines and paragraphs."""


class CannotMail(Exception):
    """There is no such mail; the text says why, for the model."""


def recipients_of(agent: Agent) -> tuple[str, ...]:
    """What `to` may be, besides the person's own address."""
    team = (name for name, one in agent.representatives.items() if one.email)
    allowed = agent.email.to if agent.email is not None else ()
    return (PERSON, *team, *allowed)


def email_of(arguments: Mapping[str, Json], agent: Agent, person: Person | None) -> Email:
    """The mail that a model asks for. Raises `CannotMail`."""
    to = _recipient(str(arguments.get("to") or PERSON).strip(), agent, person)
    subject, text = str(arguments["subject"]).strip(), str(arguments["text"])
    if not subject or not text.strip():
        raise CannotMail("a mail has a subject and a text")
    _within("subject", subject, SUBJECT_CHARS, allowed=frozenset())
    _within("text", text, TEXT_CHARS, allowed=_LINE_ENDS)
    return Email(to=(to,), subject=subject, text=text)


def _recipient(wanted: str, agent: Agent, person: Person | None) -> str:
    own = person.email.strip() if person is not None else ""
    if wanted == PERSON or same_address(own, wanted):
        return _own_address(own)
    if wanted in agent.representatives:
        return _of_the_team(wanted, agent)
    allowed = agent.email.to if agent.email is not None else ()
    found = next((address for address in allowed if same_address(address, wanted)), None)
    if found is None:
        known = recipients_of(agent)
        raise CannotMail(f"you can't write to {wanted!r}{did_you_mean(wanted, known)}; `to` is {' or '.join(known)}")
    return found


def _own_address(address: str) -> str:
    if not address:
        raise CannotMail("no email address of the person is on record; ask for it and keep it first")
    fault = address_fault(address)
    if fault is not None:
        raise CannotMail(f"the person's address on record can't be written to: {fault}; ask for it again")
    return address


def _of_the_team(name: str, agent: Agent) -> str:
    address = agent.representatives[name].email
    if not address:
        raise CannotMail(f"the representative {name!r} has no `email`")
    return address


def _within(what: str, text: str, most: int, *, allowed: frozenset[str]) -> None:
    if len(text) > most:
        raise CannotMail(f"the {what} has {len(text)} characters; a mail takes {most}")
    bad = next((sign for sign in text if sign not in allowed and unicodedata.category(sign) in _UNSENDABLE), "")
    if bad:
        raise CannotMail(f"the {what} has a sign in it that no mail can carry there: U+{ord(bad):04X}")
