"""Whether a password may be sent to a host without encryption: to this machine alone."""

from ipaddress import ip_address
from urllib.parse import urlsplit

__all__ = ["is_this_machine", "overheard_at"]


def is_this_machine(host: str) -> bool:
    """Whether what is sent to this host never leaves the machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.casefold().rstrip(".") == "localhost"


def overheard_at(url: str, *, password: bool) -> str | None:
    """The host on the way to which a password could be read; None when there is none, or it is encrypted.

    Args:
        url: Where a request goes. A password may stand in it too.
        password: Whether one is sent beside it.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    secret = password or parts.password is not None
    host = parts.hostname or ""
    return host if secret and host and parts.scheme == "http" and not is_this_machine(host) else None
