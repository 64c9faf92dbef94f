"""`Greenroom-Signature: t=UNIX,v2=HEX`: who sent a body, when, and for which agent and channel (interfaces: HTTP API).

The same for what arrives and for what leaves: HMAC-SHA256 with the channel's secret over time, channel, agent and body,
with a dot after each but the last. Neither of the two has a dot in its name, so no body can be read as part of them. A
header may hold several `v2`, while a sender goes over from one secret to another.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime

from greenroom.conversation.channels import Channel
from greenroom.errors import NotSigned

__all__ = ["HEADER", "TOLERANCE_S", "Signer", "signature", "verify"]

HEADER = "Greenroom-Signature"
TOLERANCE_S = 300
"""Seconds that a signature's time may be away from ours, either way."""

_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)
_MOST_PARTS = 8
"""More than that is no header that anybody needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """One channel of one agent, with its secret: what was signed for one of them is no use at another."""

    channel: Channel
    agent: str
    secret: str


def signature(signer: Signer, body: bytes, at: datetime) -> str:
    """The header's value for this body, signed now."""
    time = str(int(at.timestamp()))
    return f"t={time},v2={_hex(signer, time, body)}"


def verify(header: str | None, signer: Signer, body: bytes, now: datetime) -> None:
    """Let a body pass that was signed by this one within `TOLERANCE_S` seconds.

    Raises:
        NotSigned: it wasn't.
    """
    if not header:
        raise NotSigned(f"the header {HEADER} is missing")
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signed = [value for name, _, value in parts if name == "v2"]
    if len(parts) > _MOST_PARTS or len(times) != 1 or not _TIME.fullmatch(times[0]) or not signed:
        raise NotSigned(f"the header {HEADER} reads `t=UNIX,v2=HEX`")
    right = _hex(signer, times[0], body).encode()
    # Every one is compared, each in the same time, whether one has fitted already or not.
    fits = [hmac.compare_digest(right, found.lower().encode("utf-8", "replace")) for found in signed]
    if not any(fits):
        raise NotSigned("it doesn't fit the body, this channel, this agent and the channel's secret")
    if abs(now.timestamp() - int(times[0])) > TOLERANCE_S:
        raise NotSigned(f"its time is more than {TOLERANCE_S} seconds away from ours")


def _hex(signer: Signer, time: str, body: bytes) -> str:
    signed = f"{time}.{signer.channel}.{signer.agent}.".encode() + body
    return hmac.new(signer.secret.encode("utf-8", "surrogatepass"), signed, hashlib.sha256).hexdigest()
