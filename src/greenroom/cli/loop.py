"""From a plain command to the event loop, and Ctrl-C on the way back."""

import asyncio
import signal
import sys
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["run_async", "stopped_by_interrupt"]

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on the faster loop where there is one."""
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)


@contextmanager
def stopped_by_interrupt() -> Generator[asyncio.Event]:
    """An event that the first Ctrl-C sets; the second one interrupts as usual."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        stop.set()

    if sys.platform == "win32":
        yield stop
        return
    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGINT)
