"""A real, headless Chromium, driven over its DevTools protocol; each test has a profile of its own."""

import asyncio
import base64
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import pytest

__all__ = ["MISSING", "Page", "browser", "chromium"]

MISSING = "these tests need Chromium; on Debian or Ubuntu: apt-get install chromium"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
_PATIENCE_S = 20.0


def chromium() -> str:
    """The program; the test fails where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    return found or pytest.fail(MISSING)


class Page:
    """One tab. Whatever a script says to the console, or loads in vain, is kept."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self.complaints: list[str] = []
        self._reading = asyncio.create_task(self._read())

    async def __aenter__(self) -> Self:
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.ask(f"{domain}.enable")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def ask(self, method: str, **parameters: object) -> Mapping[str, Any]:
        """One command of the protocol."""
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        return await asyncio.wait_for(answer, _PATIENCE_S)

    async def look(self, *, width: int, height: int, dark: bool = False) -> None:
        """How the page is shown from now on."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        await self.ask("Emulation.setEmulatedMedia", features=features)

    async def open(self, url: str) -> None:
        """Go there."""
        await self.ask("Page.navigate", url=url)

    async def run(self, script: str) -> Any:  # noqa: ANN401  - whatever the script gives back
        """What an expression comes to; promises are waited for."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def until(self, script: str) -> Any:  # noqa: ANN401  - as above
        """Ask until the expression holds; by the page's own frames, so nothing sleeps here."""
        waiting = f"""new Promise((done, failed) => {{
            const began = performance.now();
            const look = () => {{
                const found = (() => {{ try {{ return {script}; }} catch {{ return null; }} }})();
                if (found) done(found);
                else if (performance.now() - began > 10000) failed(new Error(document.body.innerText));
                else setTimeout(look, 20);
            }};
            look();
        }})"""
        return await self.run(waiting)

    async def picture(self, path: Path) -> None:
        """A screenshot."""
        taken = await self.ask("Page.captureScreenshot", format="png")
        await asyncio.to_thread(path.write_bytes, base64.b64decode(taken["data"]))

    async def _read(self) -> None:
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                waiting = self._answers.pop(told["id"])
                if not waiting.done():
                    waiting.set_result(told.get("result", told.get("error", {})))
            elif told["method"] == "Runtime.exceptionThrown":
                self.complaints.append(str(told["params"]["exceptionDetails"]))
            elif told["method"] == "Log.entryAdded" and told["params"]["entry"]["level"] == "error":
                self.complaints.append(told["params"]["entry"]["text"])


@asynccontextmanager
async def browser() -> AsyncGenerator[Page]:
    """A browser with one empty page."""
    profile = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="greenroom-chromium-"))
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    running = await asyncio.to_thread(
        subprocess.Popen,
        [chromium(), *_QUIET, *as_root, f"--user-data-dir={profile}", "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = await asyncio.wait_for(asyncio.to_thread(_address, running), _PATIENCE_S)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://{address}/json/list") as answer:
                tabs: list[Mapping[str, str]] = await answer.json(content_type=None)
            tab = next(tab for tab in tabs if tab["type"] == "page")
            async with (
                session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket,
                Page(socket) as page,
            ):
                yield page
    finally:
        running.kill()
        await asyncio.to_thread(running.communicate)
        await asyncio.to_thread(shutil.rmtree, profile, ignore_errors=True)


def _address(running: subprocess.Popen[str]) -> str:
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("DevTools listening on ws://"):
            return line.split("//", 1)[1].split("/", 1)[0]
    raise AssertionError("Chromium ended before it listened")
