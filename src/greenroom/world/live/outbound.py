"""Messages out by webhook (features.md A8): one signed request, and what came of it.

Never raises for what an endpoint did. Not aware of the outbox, of tries or of who waits for the message.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

import aiohttp

from greenroom.world.http_session import HttpSession, why_broken
from greenroom.world.live.sending import REFUSED_FOR_GOOD, Sending, SendingResult
from greenroom.world.signing import HEADER, Signer, signature

__all__ = ["Address", "Outbound"]

_SECONDS = 20.0
"""For one request. Less than a message is taken for (`store.queue.HOLD_S`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a channel's messages go."""

    url: str
    signer: Signer
    """In whose name the messages are signed."""


class Outbound:
    """Sends over one session, made at the first message. Whoever opens it closes it."""

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._session = HttpSession()

    async def send(self, address: Address, body: bytes, *, key: str, at: datetime) -> Sending:
        """Send a JSON body; `key` is the message's own at every try, `at` the time that it is signed for."""
        if urlsplit(address.url).scheme not in {"http", "https"}:
            return Sending(result=SendingResult.FAILED, why="`outbound` is no http or https address")
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": key,
            HEADER: signature(address.signer, body, at),
        }
        timeout = aiohttp.ClientTimeout(total=self._seconds)
        try:
            async with self._session.opened().post(
                address.url, data=body, headers=headers, allow_redirects=False, timeout=timeout
            ) as response:
                return _said(response.status)
        except TimeoutError:
            return Sending(result=SendingResult.FAILED, why=f"it did not answer within {self._seconds:g} s")
        except (aiohttp.ClientError, ValueError, OSError) as fault:
            return Sending(result=SendingResult.FAILED, why=why_broken(fault))

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        await self._session.close()


def _said(status: int) -> Sending:
    if 200 <= status < 300:
        return Sending(result=SendingResult.SENT)
    result = SendingResult.REFUSED if status in REFUSED_FOR_GOOD else SendingResult.FAILED
    return Sending(result=result, why=f"it answered HTTP {status}")
