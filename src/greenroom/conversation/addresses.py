"""Email addresses and phone numbers: what one looks like. Whether it exists nobody can see from it."""

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Mailbox", "address_fault", "mailbox_fault", "mailbox_of", "phone_fault", "plain_number", "same_address"]

_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>")
_PHONE = re.compile(
    r"(?P<number>\+?[0-9()\[\]/. \u00a0\u202f\u2010-\u2013-]+)(?:(?:ext(?:ension)?\.?|x|#) ?[0-9]{1,8})?", re.IGNORECASE
)
_BETWEEN_DIGITS = re.compile(r"[\s()\[\]./\-\u2010-\u2015]+")
_PLAIN_NUMBER = re.compile(r"\+?[0-9]{3,15}")
_AT_HOME = re.compile(r"(?<=[0-9])\s*[(\[]0[)\]]")
"""What is dialled only within the country, as in `+49 (0)170 1234567`."""
_PHONE_DIGITS = range(3, 21)
_LONGEST = 254
_LONGEST_LOCAL = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """An address, and the name that mail programs show for it."""

    address: str
    name: str = ""


def address_fault(text: str) -> str | None:
    """What is wrong with an address such as `ana@example.com`; None when it is one.

    Stricter than what mail knows, so that nothing in it can end a header or add a second recipient: no quotes, no
    comments, no white space, and nothing but ASCII before the `@`. A domain may have letters of any language.
    """
    local, _, domain = text.rpartition("@")
    if not local or not domain:
        return f"{text!r} is no email address; one looks like ana@example.com"
    if len(text) > _LONGEST or len(local) > _LONGEST_LOCAL or not _LOCAL.fullmatch(local):
        return f"{text!r} is no email address: what stands before the @ can't be used"
    try:
        labels = domain.encode("idna").decode().split(".")
    except UnicodeError:
        labels = []
    if not labels or not all(_LABEL.fullmatch(label) for label in labels):
        return f"{text!r} is no email address: {domain!r} is no domain"
    return None


def phone_fault(text: str) -> str | None:
    """What is wrong with a phone number such as `+1 555 0100`; None when it is one, as people write them anywhere."""
    found = _PHONE.fullmatch(text)
    if found is not None and sum(sign.isdigit() for sign in found["number"]) in _PHONE_DIGITS:
        return None
    return f"{text!r} is no phone number; one looks like +1 555 0100, or (555) 010-0123 ext. 12"


def plain_number(text: str) -> str:
    """A phone number as channels write it, `+15550100` for `+1 (555) 0100` or `001 555 0100`; empty when it is none."""
    written = text.strip()
    abroad = written.startswith(("+", "00"))
    plain = _BETWEEN_DIGITS.sub("", _AT_HOME.sub("", written) if abroad else written)
    plain = f"+{plain[2:]}" if plain.startswith("00") else plain
    return plain if _PLAIN_NUMBER.fullmatch(plain) else ""


def mailbox_of(text: str) -> Mailbox:
    """What people write as `ana@example.com` or `Ana <ana@example.com>`; `mailbox_fault` says whether it is one."""
    named = _NAMED.fullmatch(text.strip())
    if named is None:
        return Mailbox(address=text.strip())
    return Mailbox(address=named["address"].strip(), name=named["name"].strip().strip('"').strip())


def mailbox_fault(text: str) -> str | None:
    """What is wrong with an address that may have a name before it; None when it is one."""
    mailbox = mailbox_of(text)
    if any(unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} for sign in mailbox.name):
        return f"{text!r} has signs in its name that no mail can carry"
    return address_fault(mailbox.address)


def same_address(one: str, other: str) -> bool:
    """Whether two addresses lead to the same mailbox, as far as everybody can tell: their case doesn't count."""
    return bool(one) and one.strip().casefold() == other.strip().casefold()
