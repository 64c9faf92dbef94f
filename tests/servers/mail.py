"""A real mail server on loopback that keeps what it takes, and refuses what a test wants refused."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from shutil import which
from typing import cast
from warnings import catch_warnings, simplefilter

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

__all__ = ["MailServer", "TakenMail", "certificate", "mail_server"]


@dataclass(frozen=True, kw_only=True)
class TakenMail:
    """A mail that the server was given, whether it took it or not."""

    sender: str
    recipients: tuple[str, ...]
    mail: EmailMessage
    raw: bytes
    encrypted: bool
    user: str

    @property
    def text(self) -> str:
        """Its words."""
        return self.mail.get_content()


@dataclass(kw_only=True)
class MailServer:
    """Where it listens, what came, and what it says to the next one."""

    port: int = 0
    came: list[TakenMail] = field(default_factory=list[TakenMail])
    """Everything whose text arrived, in order."""
    refuse_recipient: Callable[[str], str | None] = lambda _: None
    """What is said in place of taking a recipient."""
    answer: Callable[[TakenMail], str | None] = lambda _: None
    """What is said in place of taking a mail."""
    hold: asyncio.Event | None = None
    """A mail that has arrived is answered once this is set."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def relent(self) -> None:
        """From now on it takes everything."""
        self.refuse_recipient = lambda _: None
        self.answer = lambda _: None

    @property
    def taken(self) -> list[TakenMail]:
        """What it said 250 to."""
        return [one for one in self.came if self.answer(one) is None]


class _Handler:
    def __init__(self, here: MailServer) -> None:
        self._here = here

    async def handle_RCPT(
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        refused = self._here.refuse_recipient(address)
        if refused is None:
            envelope.rcpt_tos.append(address)
        return refused or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        raw = cast("bytes", envelope.original_content)
        login = cast("LoginPassword | None", session.auth_data)
        taken = TakenMail(
            sender=envelope.mail_from or "",
            recipients=tuple(envelope.rcpt_tos),
            mail=message_from_bytes(raw, policy=default),
            raw=raw,
            encrypted=server.transport is not None and server.transport.get_extra_info("ssl_object") is not None,
            user="" if login is None else login.login.decode(),
        )
        self._here.came.append(taken)
        self._here.arrived.set()
        if self._here.hold is not None:
            await self._here.hold.wait()
        return self._here.answer(taken) or "250 OK"


@asynccontextmanager
async def mail_server(
    *,
    tls: ssl.SSLContext | None = None,
    from_the_first_byte: bool = False,
    login: tuple[str, str] | None = None,
    port: int = 0,
) -> AsyncGenerator[MailServer]:
    """Serve until the block ends.

    With `tls` it offers STARTTLS and takes nothing before, or speaks TLS from the first byte; with a `login` it takes
    mail of that user only.
    """
    here = MailServer()

    def known(_server: object, _session: object, _envelope: object, _mechanism: str, data: object) -> AuthResult:
        given = cast("LoginPassword", data)
        success = login is not None and (given.login, given.password) == (login[0].encode(), login[1].encode())
        return AuthResult(success=success, handled=success, auth_data=data)

    def made() -> SMTP:
        with catch_warnings():
            # It warns of what tests have it do: to take a password without TLS.
            simplefilter("ignore")
            return SMTP(
                _Handler(here),
                hostname="mail.test",
                tls_context=None if from_the_first_byte else tls,
                require_starttls=tls is not None and not from_the_first_byte,
                authenticator=known if login else None,
                auth_required=login is not None,
                auth_require_tls=False,
            )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(made, "127.0.0.1", port, ssl=tls if from_the_first_byte else None)
    here.port = server.sockets[0].getsockname()[1]
    try:
        yield here
    finally:
        if here.hold is not None:
            here.hold.set()
        server.close()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of this machine that nobody knows yet, and a server's side of TLS with it."""
    if which("openssl") is None:
        pytest.skip("openssl is not here to make a certificate")
    key, file = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-keyout", str(key), "-out", str(file), "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context
