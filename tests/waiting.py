"""A bound for what must not take for ever."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stopped_after"]


@contextmanager
def stopped_after(*, seconds: float) -> Generator[None]:
    """Break off what is still going on after so many seconds, a regular expression too; far more than it needs."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still going on after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
