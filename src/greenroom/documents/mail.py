"""How mail leaves, and whom an agent may write to (documents.md: project, agent)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from greenroom.documents.parts import Address, Doc, MailAddress, Meant, SmtpUrl

__all__ = ["EmailSettings", "MailSettings"]


class MailSettings(Doc):
    """The server that takes the project's mail, and who it is from."""

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({"server": "smtp", "host": "smtp", "url": "smtp"})

    smtp: SmtpUrl
    """The server: `smtp://USER:${NAME}@HOST:587`, or `smtps://` for one that speaks TLS from the first byte."""
    sender: MailAddress = Field(alias="from")
    """Who mail is from: an address, or `Name <address>`."""
    reply_to: MailAddress = ""
    """Where answers go. Left out: to who it is from."""
    starttls: Literal["required", "never"] = "required"
    """Whether `smtp://` is encrypted before anything is said. `never` is for a server on this machine or network.

    A password is sent unencrypted to this machine only.
    """


class EmailSettings(Doc):
    """Mail of one agent: the action `send_email`."""

    to: Annotated[tuple[Address, ...], Meant.ONE_OR_MORE] = ()
    """Whom it may write to besides the person on record and the representatives, one address or several."""
    sender: MailAddress = Field(default="", alias="from")
    """Who its mail is from: an address, or `Name <address>`. Left out: as the project says."""
    reply_to: MailAddress = ""
    """Where answers to its mail go. Left out: as the project says."""
