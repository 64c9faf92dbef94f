"""What a person is held to: facts of a brief and of a person's record, and what a text says against them (H4, S15).

Only what can be told without understanding: addresses of mail, and figures said right after the name of a fact. What
is not certain is no contradiction. Lint holds a brief to the record by it, the simulated person is held to both.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.documents.simulation import Brief
from greenroom.documents.suite import PersonStart

__all__ = ["Facts", "as_compared", "contradiction", "facts_of", "record_of"]

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FIGURE = r"[+#A-Za-z]{0,4}[-#]?\d(?:[\d.\-/ ]*\d)?"
_LINKED = r"(?P<linked>(?:(?:is|was|are|number|no|it's|its|reads|of)[^\w+#]{1,3}){0,3})"
_SAID = re.compile(rf"[^\w+#]{{0,3}}{_LINKED}(?P<figure>{_FIGURE})", re.IGNORECASE)
_DATE_OR_TIME = re.compile(r"\d{4}-\d{2}|\d{1,2}:\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\b[ap]\.?m\b", re.IGNORECASE)
_MY_NAME = re.compile(r"\bmy (?:full |first )?name(?: is|'s|’s) ([^\W\d_][\w'’-]*)", re.IGNORECASE)
_TOLD_APART = 3
"""Digits from which a value is recognised within a longer figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a person."""

    named: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Values by what people call them, in lower case. Several: each of them may be said."""
    words: str = ""
    """Everything else that the person may say: the whole text of its brief."""
    names: tuple[str, ...] = ()
    """First and last names, in lower case. Compared without accents, which many leave out."""

    @property
    def emails(self) -> frozenset[str]:
        """Every address in it."""
        texts = (self.words, *(value for values in self.named.values() for value in values))
        return frozenset(found.casefold() for text in texts for found in _EMAIL.findall(text))


def as_compared(name: str) -> str:
    """A name as it is compared: ignoring case and accents."""
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_NOT_APART))
    return "".join(char for char in apart if not unicodedata.combining(char))


_NOT_APART = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i"})
"""Letters whose stroke or missing dot Unicode does not count as an accent."""


def record_of(person: PersonStart) -> Mapping[str, str]:
    """What a person's record says, by what people call it; declared fields by their name."""
    known = {
        "email": person.email,
        "phone number": person.phone,
        **{
            name.replace("_", " "): str(value)
            for name, value in person.fields.items()
            if isinstance(value, (str, int, float)) and not isinstance(value, bool)
        },
    }
    return {name.casefold(): value for name, value in known.items() if value}


def facts_of(brief: Brief, person: PersonStart | None) -> Facts:
    """The facts of a brief whose templates are filled in, with those of the record it belongs to."""
    named: dict[str, list[str]] = {}
    for entry in (*brief.knows, *brief.reveals_when_asked):
        if entry.name:
            named.setdefault(entry.name.replace("_", " ").casefold(), []).append(entry.text)
    names: list[str] = []
    if person is not None:
        for name, value in record_of(person).items():
            if name in ("email", "phone number"):
                named.setdefault(name, []).append(value)
        names = f"{person.first_name} {person.last_name}".casefold().split()
    return Facts(named=named, words="\n".join(told.text for told in brief.texts()), names=tuple(names))


def contradiction(text: str, facts: Facts, *, read_back: bool = False) -> str | None:
    """What a text says against the facts, as a clause; None when there is nothing that can be told for certain.

    Args:
        text: What the person says; or, as `read_back`, what somebody says of the person. Only "your NAME …" and
            "NAME: …" at the start of a line or sentence count then, for others have addresses and numbers too.
        facts: What is known of the person.
        read_back: See `text`.
    """
    return next(_contradictions(text, facts, read_back=read_back), None)


_PHONE = r"(?:phone number|phone(?= (?:is|was|no)[^\w+]{1,3}\+?\d(?:[ .\-/]?\d){5}))"
"""A phone that "is" a long figure is a number, and "my phone is 3 years old" is none."""
_OF_THE_PERSON = r"(?:\byour |(?:^|(?<=[.!?] ))[ \t*-]*)"
_EMAIL_READ_BACK = re.compile(
    rf"{_OF_THE_PERSON}e-?mail[^\n@?!]{{0,30}}?({_EMAIL.pattern})", re.IGNORECASE | re.MULTILINE
)


def _contradictions(text: str, facts: Facts, *, read_back: bool) -> Iterator[str]:
    known = facts.emails
    for found in (_EMAIL_READ_BACK if read_back else _EMAIL).findall(text):
        address = found.rstrip(".").casefold()
        if facts.named.get("email") and address not in known:
            yield f"{found} is given as the email, which is {_or(facts.named['email'])}"
    for name, values in facts.named.items():
        called = _PHONE if name == "phone number" else re.escape(name)
        place = rf"{_OF_THE_PERSON}{called}\b" if read_back else rf"\b{called}\b"
        wrong = None if name == "email" else _wrong_figure(text, place, values, facts.words)
        if wrong is not None:
            yield f"{wrong} is given as the {name}, which is {_or(values)}"
    said = None if read_back else _MY_NAME.search(unicodedata.normalize("NFC", text))
    if said is not None and facts.names:
        given = as_compared(said[1])
        if given not in map(as_compared, facts.names) and given not in as_compared(facts.words):
            yield f"{said[1]} is given as the name, which is {' '.join(name.capitalize() for name in facts.names)}"


def _or(values: Iterable[str]) -> str:
    return " or ".join(values)


def _wrong_figure(text: str, place: str, values: Sequence[str], elsewhere: str) -> str | None:
    """The figure that is said right after a fact's name and that no value of the fact holds."""
    digits = [_digits(value) for value in values]
    if not all(digits) or any(_DATE_OR_TIME.search(value) for value in values):
        return None
    for found in re.finditer(place, text, re.IGNORECASE | re.MULTILINE):
        said = _SAID.match(text, found.end())
        if said is None or _DATE_OR_TIME.search(text[said.start("figure") : said.end() + 4]):
            continue
        figure = said["figure"].strip()
        # Without an "is" between, a short figure may belong to what comes next: "I order 2 boats".
        meant = bool(said["linked"]) or len(_digits(figure)) + 1 >= min(map(len, digits))
        if meant and figure not in elsewhere and not any(_same_figure(_digits(figure), value) for value in digits):
            return figure
    return None


def _same_figure(given: str, value: str) -> bool:
    """Whether a figure is the value, a part of it ("ends in 4242"), or the value and what was said after it.

    A phone number may be said as it is dialled at home.
    """
    national = given.lstrip("0") if len(given) > _TOLD_APART else given
    return (
        given in value
        or (len(national) >= _TOLD_APART and national in value)
        or (len(value) >= _TOLD_APART and value in given)
    )


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isascii() and char.isdigit())
