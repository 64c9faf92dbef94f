"""The address of a mail server: `smtp://USER:${NAME}@HOST:587`, taken apart before variables are filled in.

So a password may hold any sign when it stands in a variable; written out, `@`, `:` and `/` are `%40`, `%3A` and `%2F`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

__all__ = ["SmtpServer", "smtp_fault", "smtp_server"]

_PORTS = {"smtp": 587, "smtps": 465}
_VARIABLE = r"\$\{[^{}]+\}"
_PART = rf"(?:{_VARIABLE}|[^\s:@/?#\[\]{{}}$])+"
_URL = re.compile(
    rf"(?P<scheme>smtps?)://(?:(?P<user>{_PART})(?::(?P<password>{_PART}))?@)?"
    rf"(?P<host>\[[0-9A-Fa-f:.]+\]|{_PART})(?::(?P<port>[0-9]{{1,5}}|{_VARIABLE}))?/?",
    re.IGNORECASE,
)
_WHOLE = re.compile(_VARIABLE)
_HIGHEST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpServer:
    """Where mail is handed in."""

    host: str
    port: int
    tls: bool
    """TLS from the first byte; else the connection begins unencrypted."""
    user: str = ""
    password: str = ""


def smtp_fault(text: str) -> str | None:
    """What is wrong with a server's address as it is written; None when it can be one."""
    if _WHOLE.fullmatch(text):
        return None
    found = _URL.fullmatch(text)
    if found is None:
        return "an address of a mail server is wanted here, such as `smtp://USER:${NAME}@HOST:587` or `smtps://HOST`"
    port = found["port"]
    wrong = port is not None and port.isdecimal() and not 0 < int(port) <= _HIGHEST_PORT
    return f"there is no port {port}" if wrong else None


def smtp_server(text: str, filled: Callable[[str], str]) -> SmtpServer:
    """The server, with its variables filled in. Raises `ValueError`, without any value, when it is none then."""
    whole = _WHOLE.fullmatch(text) is not None
    found = _URL.fullmatch(filled(text) if whole else text)
    if found is None:
        raise ValueError("`mail.smtp` is no address of a mail server")
    scheme = found["scheme"].lower()

    def part(name: str) -> str:
        written = found[name] or ""
        return unquote(written) if whole or "${" not in written else filled(written)

    port = part("port") or str(_PORTS[scheme])
    if not port.isdecimal() or not 0 < int(port) <= _HIGHEST_PORT:
        raise ValueError("the port in `mail.smtp` is none")
    host = part("host").strip("[]")
    if not host:
        raise ValueError("the host in `mail.smtp` is empty")
    return SmtpServer(host=host, port=int(port), tls=scheme == "smtps", user=part("user"), password=part("password"))
