"""CalDAV over aiohttp, RFC 4791: three requests, and what came of them.

Loaded by `calendars` at the first call. What a server did is a `CalendarUnreachable` in words of our own, without
address, user or password.
"""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import quote, unquote, urlsplit
from xml.etree import ElementTree

import aiohttp

from greenroom.errors import CalendarUnreachable
from greenroom.world.calendars import CalendarAccess, CalendarEvent, CalendarWindow, MirroredEvent
from greenroom.world.http_session import HttpSession, why_broken
from greenroom.world.ical import event_text, file_name, times_taken

__all__ = ["CalDav"]

_READ_S = 10.0
"""A person waits for the answer."""
_WRITE_S = 15.0
"""A move between two calendars makes two of them in one try of an errand (`running.live_jobs`)."""
_ANSWER_BYTES = 20_000_000
"""Of a calendar's answer; a calendar with more than that between two moments is no appointment book."""
_QUERY = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">'
    "<D:prop><C:calendar-data/></D:prop>"
    '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">'
    '<C:time-range start="{since}" end="{until}"/>'
    "</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"
)
_DAV, _CALDAV = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
_UNAUTHORIZED = 401
_MULTISTATUS = 207
_NOT_FOUND = 404
_FINE = range(200, 300)


class CalDav:
    """Real calls over one session, made at the first call. Whoever opens it closes it."""

    def __init__(self) -> None:
        self._session = HttpSession()

    async def events(self, access: CalendarAccess, window: CalendarWindow) -> Sequence[CalendarEvent]:
        """The times that are taken; those of a series each by itself."""
        body = _QUERY.format(since=_utc(window.since), until=_utc(window.until)).encode()
        headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": "1"}
        status, answer = await self._send("REPORT", access, _collection(access), body, headers, seconds=_READ_S)
        if status != _MULTISTATUS:
            raise CalendarUnreachable(_said(status))
        # Reading a calendar of some hundred events takes longer than an event loop may stand still.
        return await asyncio.to_thread(lambda: times_taken(_resources(answer), window))

    async def put(self, access: CalendarAccess, event: MirroredEvent) -> None:
        """Write an appointment, in place of what was written of it before."""
        headers = {"Content-Type": "text/calendar; charset=utf-8"}
        url, body = _resource(access, event.appointment_id), event_text(event).encode()
        status, _ = await self._send("PUT", access, url, body, headers, seconds=_WRITE_S)
        if status not in {200, 201, 204}:
            raise CalendarUnreachable(_said(status))

    async def remove(self, access: CalendarAccess, appointment_id: str) -> None:
        """Take an appointment out; one that isn't there is no error."""
        url = _resource(access, appointment_id)
        status, _ = await self._send("DELETE", access, url, None, {}, seconds=_WRITE_S)
        if status not in {200, 202, 204, 404, 410}:
            raise CalendarUnreachable(_said(status))

    async def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        await self._session.close()

    async def _send(
        self,
        method: str,
        access: CalendarAccess,
        url: str,
        body: bytes | None,
        headers: dict[str, str],
        *,
        seconds: float,
    ) -> tuple[int, bytes]:
        try:
            async with asyncio.timeout(seconds):
                return await self._answered(method, access, url, body, headers)
        except TimeoutError:
            raise CalendarUnreachable(f"it did not answer within {seconds:g} s") from None
        except (aiohttp.ClientError, ValueError, OSError) as fault:
            raise CalendarUnreachable(why_broken(fault)) from None

    async def _answered(
        self, method: str, access: CalendarAccess, url: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        basic = {"Authorization": aiohttp.encode_basic_auth(access.user, access.password)} if access.user else {}
        session = self._session.opened()
        async with session.request(method, url, data=body, headers={**headers, **basic}, allow_redirects=False) as said:
            wants = said.headers.get("WWW-Authenticate", "").casefold()
            if said.status != _UNAUTHORIZED or not access.user or not wants.startswith("digest"):
                return said.status, await _read(said)
        digest = aiohttp.DigestAuthMiddleware(access.user, access.password)
        async with session.request(
            method, url, data=body, headers=headers, middlewares=(digest,), allow_redirects=False
        ) as said:
            return said.status, await _read(said)


def _collection(access: CalendarAccess) -> str:
    if urlsplit(access.url).scheme not in {"http", "https"}:
        raise CalendarUnreachable("its `caldav` is no http or https address")
    return access.url if access.url.endswith("/") else f"{access.url}/"


def _resource(access: CalendarAccess, appointment_id: str) -> str:
    return _collection(access) + quote(file_name(appointment_id), safe="@")


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    while piece := await response.content.read(_ANSWER_BYTES + 1 - len(body)):
        body += piece
        if len(body) > _ANSWER_BYTES:
            raise CalendarUnreachable(f"it answered with more than {_ANSWER_BYTES // 1_000_000} MB")
    return bytes(body)


def _resources(answer: bytes) -> Iterator[tuple[str, str]]:
    """The name and the text of each resource in a multi-status answer.

    Raises:
        CalendarUnreachable: it is none, or not whole: what it lacks would be taken for free.
    """
    try:
        # The parser under it bounds how far entities may swell.
        root = ElementTree.fromstring(answer)  # noqa: S314
    except ElementTree.ParseError:
        raise CalendarUnreachable("its answer is no XML that can be read") from None
    if root.tag != f"{_DAV}multistatus":
        raise CalendarUnreachable("its answer is not what a calendar answers")
    for response in root.iter(f"{_DAV}response"):
        name = unquote((response.findtext(f"{_DAV}href") or "").rstrip("/").rpartition("/")[2])
        texts = [data.text for data in response.iter(f"{_CALDAV}calendar-data") if data.text]
        yield from ((name, text) for text in texts)
        # Something that was deleted just now, or is no event, isn't there.
        if not texts and _NOT_FOUND not in (said := _statuses(response)):
            status = next((one for one in said if one not in _FINE), None)
            said_what = "" if status is None else f": HTTP {status}"
            raise CalendarUnreachable(f"its answer is not whole ({name}{said_what})")


def _statuses(response: ElementTree.Element) -> list[int]:
    """What it says of one resource as a whole, and of what was asked about it."""
    lines = [(one.text or "").split() for one in response.iter(f"{_DAV}status")]
    return [int(words[1]) for words in lines if len(words) > 1 and words[1].isdecimal()]


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


_WHAT_IT_MEANS = {
    401: "it refused the user or the password",
    403: "it refused the user or the password",
    404: "there is no calendar at its address",
    405: "there is no CalDAV calendar at its address",
    409: "there is no calendar at its address",
    507: "it has no room left",
}


def _said(status: int) -> str:
    if 300 <= status < 400:
        return f"it answered HTTP {status}: its address leads to another one, which is to be written in its place"
    meaning = _WHAT_IT_MEANS.get(status)
    return f"it answered HTTP {status}" + (f": {meaning}" if meaning else "")
