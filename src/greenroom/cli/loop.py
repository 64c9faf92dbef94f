"""From a plain command to the event loop, and the signals that end it on the way back."""

import asyncio
import gc
import signal
import sys
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

from greenroom.cli.screen import silence, terminals
from greenroom.conversation.outcomes import Interruption
from greenroom.operations.stopping import Stop

__all__ = ["run_async", "stopped_by_signals"]

T = TypeVar("T")

_SIGNALS: Mapping[str, Interruption] = MappingProxyType({
    "SIGINT": Interruption.INTERRUPTED,
    "SIGTERM": Interruption.TERMINATED,
    "SIGHUP": Interruption.HUNG_UP,
})


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on the faster loop where there is one."""
    if not gc.isenabled():
        # All is loaded (see `greenroom.__main__`), and will never be garbage.
        gc.freeze()
        gc.enable()
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)


@contextmanager
def stopped_by_signals() -> Generator[Stop]:
    """A stop that the first Ctrl-C, SIGTERM or SIGHUP sets; the second of them ends the process as usual.

    A signal that whoever started us had ignored, as `nohup` does, stays ignored.
    """
    stop = Stop()
    if sys.platform == "win32":
        yield stop
        return
    loop, screens = asyncio.get_running_loop(), terminals()
    numbers = {signal.Signals[name]: by for name, by in _SIGNALS.items()}
    handled = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]

    def signalled(number: signal.Signals) -> None:
        free()
        if number is signal.SIGHUP:
            # The terminal is gone: a word to it would be an error, and the report still has its file.
            for screen in screens:
                silence(screen)
        stop.interrupt(numbers[number])

    def free() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    for number in handled:
        loop.add_signal_handler(number, signalled, number)
    try:
        yield stop
    finally:
        free()
