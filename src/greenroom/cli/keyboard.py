"""Lines that a person types, read so that Ctrl-C never has to wait for the next one."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import TextIO

__all__ = ["Keyboard"]

_CHUNK = 65536


class Keyboard:
    """Standard input, line by line.

    A thread that blocks in a read can't be stopped, and an executor's would be waited for when the process ends. So
    each read has a daemon thread, below Python's buffer: nobody waits for it, and it holds no lock at the end.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self._read = _reader(self._stream)
        self._held = b""
        self._ended = False

    @property
    def typed(self) -> bool:
        """Whether somebody sits at a terminal, which shows what is typed by itself."""
        return self._stream.isatty()

    async def line(self) -> str | None:
        """The next line without its end; None when there is no more."""
        while b"\n" not in self._held and not self._ended:
            chunk = await _in_daemon(self._read)
            self._held += chunk
            self._ended = not chunk
        if not self._held:
            return None
        line, _, self._held = self._held.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")


def _reader(stream: TextIO) -> Callable[[], bytes]:
    """What gives the next piece and nothing at the end."""
    try:
        number = stream.fileno()
    except OSError:
        return lambda: stream.readline().encode()
    return lambda: os.read(number, _CHUNK)


async def _in_daemon(read: Callable[[], bytes]) -> bytes:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bytes] = loop.create_future()

    def settle(piece: bytes) -> None:
        if not answer.done():
            answer.set_result(piece)

    def work() -> None:
        try:
            piece = read()
        except OSError:
            # A terminal that is gone has nothing more to say.
            piece = b""
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, piece)

    threading.Thread(target=work, name="greenroom-keyboard", daemon=True).start()
    return await answer
