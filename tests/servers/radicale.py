"""A real CalDAV server on loopback: Radicale, with a user, in a thread. It can be stopped and started again."""

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import aiohttp
from radicale import config, server

from greenroom.clock import SystemClock

__all__ = ["CalendarServer", "calendar_server", "event"]

USER, PASSWORD = "lakeside", "s3cret-of-the-lake"
_AUTH = {"Authorization": aiohttp.encode_basic_auth(USER, PASSWORD)}


@dataclass(kw_only=True)
class CalendarServer:
    """Where it listens."""

    folder: Path
    port: int
    _thread: threading.Thread | None = None
    _shutdown: socket.socket | None = field(default=None)

    def url(self, calendar: str) -> str:
        """The address of a calendar."""
        return f"http://127.0.0.1:{self.port}/{USER}/{calendar}/"

    async def make(self, calendar: str) -> str:
        """A new empty calendar; its address."""
        await self._asked("MKCALENDAR", self.url(calendar))
        return self.url(calendar)

    async def put(self, calendar: str, name: str, text: str) -> None:
        """What a person's own program writes."""
        headers = {"Content-Type": "text/calendar; charset=utf-8"}
        await self._asked("PUT", f"{self.url(calendar)}{name}.ics", text.encode(), headers)

    def kept(self, calendar: str) -> Sequence[str]:
        """The events that stand in a calendar, as text."""
        folder = self.folder / "collection-root" / USER / calendar
        files = (file for file in folder.iterdir() if not file.name.startswith(".")) if folder.is_dir() else ()
        return [file.read_text() for file in sorted(files, key=lambda file: unquote(file.name))]

    async def start(self) -> None:
        """Listen."""
        here, there = socket.socketpair()
        settings = config.load()
        settings.update({
            "server": {"hosts": f"127.0.0.1:{self.port}", "timeout": "5"},
            "auth": {
                "type": "htpasswd",
                "htpasswd_filename": str(self._users()),
                "htpasswd_encryption": "plain",
                "delay": "0",
            },
            "storage": {"filesystem_folder": str(self.folder)},
            "logging": {"level": "critical"},
        })
        self._shutdown = here
        self._thread = threading.Thread(target=server.serve, args=(settings, there), daemon=True)
        self._thread.start()
        async with asyncio.timeout(10), aiohttp.ClientSession() as session:
            while True:
                try:
                    async with session.get(f"http://127.0.0.1:{self.port}/.web/"):
                        return
                except aiohttp.ClientError:
                    await SystemClock().sleep(0.01)

    async def stop(self) -> None:
        """Be gone."""
        if self._shutdown is not None and self._thread is not None:
            self._shutdown.close()
            await asyncio.to_thread(self._thread.join)
            self._shutdown = self._thread = None

    def _users(self) -> Path:
        users = self.folder / "users"
        users.write_text(f"{USER}:{PASSWORD}\n")
        return users

    async def _asked(
        self, method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> None:
        async with (
            aiohttp.ClientSession(headers=_AUTH) as session,
            session.request(method, url, data=body, headers=headers) as answer,
        ):
            assert answer.status in {201, 204}, await answer.text()


@asynccontextmanager
async def calendar_server(folder: Path) -> AsyncGenerator[CalendarServer]:
    """A server that keeps its calendars in a folder, with none in it yet."""
    await asyncio.to_thread(folder.mkdir)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = CalendarServer(folder=folder, port=port)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


def event(*lines: str, zones: str = "") -> str:
    """An event as a person's own program writes it."""
    return "\r\n".join([
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Somebody//Else//EN",
        *zones.strip().splitlines(),
        "BEGIN:VEVENT",
        "DTSTAMP:20260101T000000Z",
        *lines,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ])
