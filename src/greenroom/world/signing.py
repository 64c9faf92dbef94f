"""`Greenroom-Signature: t=UNIX,v1=HEX`: who sent a body, and when (interfaces: HTTP API).

The same for what arrives and for what leaves: HMAC-SHA256 with the channel's secret over the time, a dot and the body.
A header may hold several `v1`, while a sender goes over from one secret to another.
"""

import hashlib
import hmac
import re
from datetime import datetime

from greenroom.errors import NotSigned

__all__ = ["HEADER", "TOLERANCE_S", "signature", "verify"]

HEADER = "Greenroom-Signature"
TOLERANCE_S = 300
"""Seconds that a signature's time may be away from ours, either way."""

_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)
_MOST_PARTS = 8
"""More than that is no header that anybody needs."""


def signature(secret: str, body: bytes, at: datetime) -> str:
    """The header's value for this body, signed now."""
    time = str(int(at.timestamp()))
    return f"t={time},v1={_hex(secret, time, body)}"


def verify(header: str | None, secret: str, body: bytes, now: datetime) -> None:
    """Let a body pass that was signed with this secret within `TOLERANCE_S` seconds.

    Raises:
        NotSigned: it wasn't.
    """
    if not header:
        raise NotSigned(f"the header {HEADER} is missing")
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signed = [value for name, _, value in parts if name == "v1"]
    if len(parts) > _MOST_PARTS or len(times) != 1 or not _TIME.fullmatch(times[0]) or not signed:
        raise NotSigned(f"the header {HEADER} reads `t=UNIX,v1=HEX`")
    right = _hex(secret, times[0], body).encode()
    # Every one is compared, each in the same time, whether one has fitted already or not.
    fits = [hmac.compare_digest(right, found.lower().encode("utf-8", "replace")) for found in signed]
    if not any(fits):
        raise NotSigned("it doesn't fit the body and the secret of this channel")
    if abs(now.timestamp() - int(times[0])) > TOLERANCE_S:
        raise NotSigned(f"its time is more than {TOLERANCE_S} seconds away from ours")


def _hex(secret: str, time: str, body: bytes) -> str:
    return hmac.new(secret.encode("utf-8", "surrogatepass"), time.encode() + b"." + body, hashlib.sha256).hexdigest()
