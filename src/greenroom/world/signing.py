"""`Greenroom-Signature: t=UNIX,v1=HEX`: who sent a body, and when (interfaces: HTTP API).

The same for what arrives and for what leaves: HMAC-SHA256 with the channel's secret, `v1` over time and body, `v2` over
time, channel, agent and body, with a dot after each but the last. Neither of the two has a dot in its name, so no body
can be read as part of them. What leaves has both. Of what arrives `v2` decides where there is one: what was sent with
it alone is no use at another channel or agent, also when they share a secret. Whoever takes `v2` out of a header that
has both is left with `v1`, which says no more than who has the secret. A header may hold several of one version, while
a sender goes over from one secret to another.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from greenroom.conversation.channels import Channel
from greenroom.errors import NotSigned

__all__ = ["HEADER", "TOLERANCE_S", "Signer", "signature", "verify"]

HEADER = "Greenroom-Signature"
TOLERANCE_S = 300
"""Seconds that a signature's time may be away from ours, either way."""

_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)
_VERSIONS = ("v1", "v2")
"""The last that a header has is the one that counts."""

_COVERED = MappingProxyType({"v1": "the body", "v2": "the body, this channel, this agent"})

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
    return ",".join([f"t={time}", *(f"{version}={_hex(signer, version, time, body)}" for version in _VERSIONS)])


def verify(header: str | None, signer: Signer, body: bytes, now: datetime) -> None:
    """Let a body pass that was signed by this one within `TOLERANCE_S` seconds.

    Raises:
        NotSigned: it wasn't.
    """
    if not header:
        raise NotSigned(f"the header {HEADER} is missing")
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    version = next((each for each in reversed(_VERSIONS) if any(name == each for name, _, _ in parts)), None)
    if len(parts) > _MOST_PARTS or len(times) != 1 or not _TIME.fullmatch(times[0]) or version is None:
        raise NotSigned(f"the header {HEADER} reads `t=UNIX,v1=HEX` or `t=UNIX,v2=HEX`")
    signed = [value for name, _, value in parts if name == version]
    right = _hex(signer, version, times[0], body).encode()
    # Every one is compared, each in the same time, whether one has fitted already or not.
    fits = [hmac.compare_digest(right, found.lower().encode("utf-8", "replace")) for found in signed]
    if not any(fits):
        raise NotSigned(f"its {version} doesn't fit {_COVERED[version]} and the channel's secret")
    if abs(now.timestamp() - int(times[0])) > TOLERANCE_S:
        raise NotSigned(f"its time is more than {TOLERANCE_S} seconds away from ours")


def _hex(signer: Signer, version: str, time: str, body: bytes) -> str:
    meant = f"{signer.channel}.{signer.agent}." if version == "v2" else ""
    signed = f"{time}.{meant}".encode() + body
    return hmac.new(signer.secret.encode("utf-8", "surrogatepass"), signed, hashlib.sha256).hexdigest()
