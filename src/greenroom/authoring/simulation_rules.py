"""Whether a simulated person's brief holds together (features.md D1, H4; S12, S20; page D: two rules of scenarios).

All but an unknown name are warnings: what a brief means is for people to say. Only what can be told for certain is.
"""

import re
from collections.abc import Iterator

from greenroom.authoring.notes import Note, Path, Target, error, warning
from greenroom.documents.facts import Facts, as_compared, contradiction, record_of
from greenroom.documents.simulation import Brief, Told
from greenroom.documents.suite import Case, PersonStart
from greenroom.documents.templates import PERSON_NAMES, template_names
from greenroom.nearest import did_you_mean

__all__ = ["simulation_notes"]

_BRIEF: Path = ("simulate", "brief")


def simulation_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of a case's brief; nothing when nobody is simulated."""
    if case.simulate is None:
        return
    brief = case.simulate.brief
    yield from _unknown_fields(brief, target)
    yield from _endless(brief)
    yield from _unclear_confirmations(brief)
    if isinstance(case.person, PersonStart):
        yield from _against_the_record(brief, case.person)


def _unknown_fields(brief: Brief, target: Target) -> Iterator[Note]:
    declared = target.agent.people.fields
    known = [*PERSON_NAMES, *declared, *(f"fields.{name}" for name in declared)]
    for told in brief.texts():
        for name in template_names(told.text):
            root, _, rest = name.partition(".")
            if root == "person" and rest not in known:
                near = did_you_mean(rest, known) or f"; a person has {', '.join((*PERSON_NAMES, *declared))}"
                yield error((*_BRIEF, *told.path), f"{{{{{name}}}}} names nothing{near}")


_ENDING = re.compile(
    r"\b(?:end|ends|ending|stop|stops|leave|leaves|finish|finishes|finished|done|goodbye|bye|hang up|hangs up|give up|"
    r"gives up|satisfied|until|as soon as|say thanks|thank the agent)\b",
    re.IGNORECASE,
)


def _endless(brief: Brief) -> Iterator[Note]:
    """Without an explicit ending a conversation runs until its limit, and the judge has to guess (page D)."""
    told = [brief.text, *(detail.text for detail in (*brief.steps, *brief.reactions))]
    if not brief.ends_when and not any(_ENDING.search(text) for text in told):
        yield warning(
            _BRIEF,
            "the brief does not say when the person ends the conversation, so it may go on to its limit; "
            "write `ends_when: …`",
        )


_CONFIRMATION = re.compile(
    r"\b(?:asked|asks|wants?|needs?|prompted|requested)\b(?: you)? "
    r"(?:for (?:a |any |your |the )?confirmation|to confirm)(?P<rest>[^\n]{0,40})",
    re.IGNORECASE,
)
_NO_OBJECT = re.compile(
    r"\s*(?:$|[.,;:!?)\"'\u2014-]|(?:it|this|that|something|anything)\b|"
    r"(?:you |they |he |she )?(?:say|says|answers?|reply|replies|then|just|agrees?|do so|accepts?|by|with)\b)",
    re.IGNORECASE,
)


def _unclear_confirmations(brief: Brief) -> Iterator[Note]:
    """A rule "if asked for confirmation" fires on any: of the identity, the order, the payment (S12)."""
    for told in brief.texts():
        for text in (told.name, told.text):
            found = _CONFIRMATION.search(text)
            if found is not None and _NO_OBJECT.match(found["rest"]):
                yield warning(
                    (*_BRIEF, *told.path),
                    f"{found[0][: found.start('rest') - found.start()]!r} fits any confirmation; say of what: "
                    "the identity, the order, the payment",
                )
                break


_MAIL = re.compile(r"\be-?mail\b[^\n@]{0,30}?([\w.+-]+@[\w-]+(?:\.[\w-]+)+)", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:[Yy]our|[Tt]he person's|[Tt]heir|[Hh]er|[Hh]is|[Mm]y) (?:full |first )?name is (\w[\w'’-]*)")
_FULL_NAME = re.compile(r"^(?:You are |I am )?([A-Z][a-z'’-]+) [A-Z][\w'’-]+(?=[,.\n]|$)")


def _against_the_record(brief: Brief, person: PersonStart) -> Iterator[Note]:
    """What the brief says otherwise than the person the case starts with (features.md H4)."""
    record = record_of(person)
    names = tuple(f"{person.first_name} {person.last_name}".casefold().split())
    facts = Facts(named={name: (value,) for name, value in record.items()}, names=names)
    for told in brief.texts():
        problem = None if "{{" in told.text else _said_otherwise(told, facts)
        if problem is not None:
            yield warning((*_BRIEF, *told.path), f"the brief contradicts the case's `person`: {problem}")


def _said_otherwise(told: Told, facts: Facts) -> str | None:
    """What a text of the brief says against the record, as a clause."""
    text = f"{told.name}: {told.text}" if told.name else told.text
    # "boss email" is somebody else's.
    mail = _MAIL.search(text if not told.name or told.name.casefold() in _EMAIL_KEYS else told.text)
    if mail is not None:
        address, emails = mail[1].rstrip("."), list(facts.named.get("email", ()))
        known = not emails or address.casefold() in map(str.casefold, emails)
        return None if known else f"its email is {emails[0]}, not {address}"
    first = _first_name(told)
    if first and facts.names and as_compared(first) not in map(as_compared, facts.names):
        return f"its name is {' '.join(name.capitalize() for name in facts.names)}, not {first}"
    return contradiction(text.replace("_", " ") if told.name else text, _without_email(facts))


def _first_name(told: Told) -> str:
    """The name that a text gives the person; empty when it gives none for certain."""
    if told.name.casefold() in _NAME_KEYS:
        return next(iter(told.text.split()), "")
    said = _NAMED.search(told.text)
    if said is None and told.section in {"who", "text"}:
        said = _FULL_NAME.search(told.text.strip())
    return "" if said is None else said[1]


_EMAIL_KEYS = frozenset({"email", "e-mail", "email address", "e-mail address", "email_address", "my email"})
_NAME_KEYS = frozenset({"name", "full name", "full_name", "first name", "first_name"})


def _without_email(facts: Facts) -> Facts:
    return Facts(named={name: values for name, values in facts.named.items() if name != "email"})
