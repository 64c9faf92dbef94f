"""Answers of a calendar that lack something: what isn't told must not be taken for free time (features.md A8)."""

from datetime import UTC, datetime

import pytest
from aiohttp import web
from tests.servers.webhooks import endpoint

from greenroom.errors import CalendarUnreachable
from greenroom.world.calendars import CalendarAccess, CalendarEvent, Calendars, CalendarWindow

pytestmark = pytest.mark.requirement("A8")

WINDOW = CalendarWindow(since=datetime(2026, 6, 1, tzinfo=UTC), until=datetime(2026, 6, 15, tzinfo=UTC), zone="UTC")
WITHOUT = "<D:response><D:href>/{}</D:href><D:status>HTTP/1.1 {}</D:status></D:response>"


async def read(*responses: str, root: str = "multistatus") -> list[CalendarEvent]:
    """What is read of an answer of these."""
    body = f'<?xml version="1.0"?><D:{root} xmlns:D="DAV:">{"".join(responses)}</D:{root}>'

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=207, text=body, content_type="application/xml")

    calendars = Calendars()
    async with endpoint(answer) as there:
        try:
            return list(await calendars.events(CalendarAccess(url=there.url), WINDOW))
        finally:
            await calendars.close()


@pytest.mark.parametrize(
    ("response", "root", "why"),
    [
        # A server that has more than it cares to send says so of the calendar itself (RFC 4791, 7.8).
        (WITHOUT.format("team/", "507 Insufficient Storage"), "multistatus", r"is not whole \(team: HTTP 507\)"),
        (WITHOUT.format("team/a%20b.ics", "403 Forbidden"), "multistatus", r"is not whole \(a b\.ics: HTTP 403\)"),
        (WITHOUT.format("team/1.ics", "200 OK"), "multistatus", r"is not whole \(1\.ics\)"),
        ("", "error", "its answer is not what a calendar answers"),
    ],
)
async def test_half_an_answer_is_told_and_not_taken_for_free_time(response: str, root: str, why: str) -> None:
    with pytest.raises(CalendarUnreachable, match=why):
        await read(response, root=root)


async def test_what_was_deleted_while_the_calendar_was_read_takes_no_time() -> None:
    assert await read(WITHOUT.format("team/1.ics", "404 Not Found")) == []
