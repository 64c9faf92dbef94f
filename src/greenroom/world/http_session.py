"""The HTTP client's session, made at the first call, and what is said of a call that broke.

Loaded only where something may really be called: the client takes a sixth of a second to load.
"""

import aiohttp

from greenroom import __version__
from greenroom.world.faults import network_words

__all__ = ["HttpSession", "why_broken"]


class HttpSession:
    """One session. Whoever made it closes it; belongs to the event loop of its first call.

    Cookies are not kept: no conversation hears of another.
    """

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    def opened(self) -> aiohttp.ClientSession:
        """The session, from its first use on."""
        if self._session is None:
            headers = {"User-Agent": f"greenroom/{__version__}"}
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), headers=headers)
        return self._session

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def why_broken(fault: Exception) -> str:
    """Why there was no answer, in words of our own: the client's may quote an address or a header with a secret."""
    cause = fault.os_error if isinstance(fault, aiohttp.ClientConnectorError) else fault
    return network_words(cause) or f"the connection broke ({type(fault).__name__})"
