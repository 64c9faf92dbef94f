"""A mail as bytes (RFC 5322, MIME): the same bytes at every try."""

from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from greenroom.conversation.addresses import Mailbox
from greenroom.conversation.visible import clean, clean_line

__all__ = ["Letter", "as_bytes", "wire_address"]

_POLICY = SMTP.clone(cte_type="7bit")
"""Every server takes it, whatever signs are in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One mail. Addresses are ones that `address_fault` has nothing against."""

    key: str
    """Becomes its Message-ID, by which mail programs know a mail that came twice."""
    sender: Mailbox
    reply_to: Mailbox | None = None
    to: tuple[str, ...]
    """Whom it says it is for; who gets it is said to the server."""
    subject: str
    text: str
    at: datetime


def as_bytes(letter: Letter) -> bytes:
    """The mail whole."""
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = _shown(letter.sender)
    mail["To"] = [_shown(Mailbox(address=address)) for address in letter.to]
    if letter.reply_to is not None:
        mail["Reply-To"] = _shown(letter.reply_to)
    mail["Subject"] = clean_line(letter.subject)
    mail["Date"] = format_datetime(letter.at)
    mail["Message-ID"] = f"<{letter.key}@{wire_address(letter.sender.address).rpartition('@')[2]}>"
    # No automatic answer shall come back to an agent that nobody reads (RFC 3834).
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(clean(letter.text), charset="utf-8")
    return bytes(mail)


def wire_address(address: str) -> str:
    """The address as it travels: its domain in ASCII."""
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.encode('idna').decode()}"


def _shown(mailbox: Mailbox) -> Address:
    return Address(
        display_name=clean_line(mailbox.name) if mailbox.name else "", addr_spec=wire_address(mailbox.address)
    )
