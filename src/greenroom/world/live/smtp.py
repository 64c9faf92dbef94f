"""Handing one mail to a server by SMTP, and what came of it. Loaded at the first mail.

A 5xx to the mail itself refuses it for good, in the server's words. All else may be different the next time: a 4xx, no
connection, no TLS, a password that isn't right yet.
"""

import asyncio
import ssl

import aiosmtplib

from greenroom.conversation.visible import one_line
from greenroom.documents.hosts import is_this_machine
from greenroom.documents.smtp_urls import SmtpServer
from greenroom.world.faults import network_words
from greenroom.world.live.sending import Sending, SendingResult

__all__ = ["hand_in"]

_SECONDS = 15.0
"""For one answer of the server."""
_ALL_SECONDS = 40.0
"""For all of it. Less than an errand is taken for (`store.queue.HOLD_S`)."""
_FOR_EVER = 500
_LOG_IN_FIRST = 530
"""Said to a mail, but meant of the connection: the server wants a password or encryption first (RFC 4954, RFC 3207)."""
_WORDS_CHARS = 200


async def hand_in(server: SmtpServer, message: bytes, *, sender: str, recipient: str, encrypt: bool) -> Sending:
    """Give the mail to the server for one recipient.

    Args:
        server: Which one.
        message: The mail whole.
        sender: Where a mail that can't be delivered goes back to.
        recipient: Who gets it.
        encrypt: Whether `smtp://` must become TLS before anything is said.
    """
    plain = not server.tls and not encrypt
    if plain and server.password and not is_this_machine(server.host):
        return _failed("its password would be sent unencrypted; see `mail.starttls`")
    try:
        async with asyncio.timeout(_ALL_SECONDS):
            # The machine's certificates are read from disk.
            context = None if plain else await asyncio.to_thread(ssl.create_default_context)
            return await _hand_in(_client(server, sender, context), message, sender, recipient)
    except TimeoutError:
        return _failed("it did not answer in time")
    except aiosmtplib.SMTPException as fault:
        return _told(fault)
    except OSError as fault:
        return _unreachable(fault)


def _client(server: SmtpServer, sender: str, context: ssl.SSLContext | None) -> aiosmtplib.SMTP:
    return aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        local_hostname=sender.rpartition("@")[2],
        timeout=_SECONDS,
        use_tls=server.tls,
        start_tls=context is not None and not server.tls,
        tls_context=context,
    )


async def _hand_in(client: aiosmtplib.SMTP, message: bytes, sender: str, recipient: str) -> Sending:
    await client.connect()
    try:
        await client.sendmail(sender, [recipient], message)
    finally:
        # The mail's fate is known; a farewell that fails changes nothing.
        client.close()
    return Sending(result=SendingResult.SENT)


def _told(fault: aiosmtplib.SMTPException) -> Sending:
    if isinstance(fault, aiosmtplib.SMTPRecipientsRefused) and fault.recipients:
        fault = fault.recipients[0]
    if isinstance(fault, aiosmtplib.SMTPAuthenticationError):
        return _failed(f"it did not take user and password: {_words(fault)}")
    of_the_mail = (aiosmtplib.SMTPRecipientRefused, aiosmtplib.SMTPSenderRefused, aiosmtplib.SMTPDataError)
    if isinstance(fault, aiosmtplib.SMTPResponseException):
        refused = isinstance(fault, of_the_mail) and fault.code >= _FOR_EVER and fault.code != _LOG_IN_FIRST
        return Sending(result=SendingResult.REFUSED if refused else SendingResult.FAILED, why=_words(fault))
    if isinstance(fault, aiosmtplib.SMTPTimeoutError):
        return _failed("it did not answer in time")
    if isinstance(fault, aiosmtplib.SMTPConnectError):
        return _unreachable(fault.__cause__)
    if isinstance(fault, aiosmtplib.SMTPServerDisconnected):
        return _failed("the connection broke")
    if "STARTTLS" in fault.message:
        return _failed(
            "it knows no encryption (STARTTLS); `mail.starttls: never` is for one on this machine or network"
        )
    # What else the library misses in the server, such as a way to log in.
    return _failed(f"it can't be used: {one_line(str(fault.message))}")


def _words(fault: aiosmtplib.SMTPResponseException) -> str:
    said = one_line(f"{fault.code} {fault.message}".strip())
    return said if len(said) <= _WORDS_CHARS else f"{said[:_WORDS_CHARS]}…"


def _unreachable(cause: BaseException | None) -> Sending:
    if isinstance(cause, ssl.SSLError):
        return _failed(f"no encrypted connection could be made: {_ssl_words(cause)}")
    why = network_words(cause)
    return _failed(f"it can't be reached: {why}" if why else "it can't be reached")


def _ssl_words(fault: ssl.SSLError) -> str:
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {fault.verify_message}"
    return fault.reason or type(fault).__name__


def _failed(why: str) -> Sending:
    return Sending(result=SendingResult.FAILED, why=why)
