"""A process on a terminal of its own, as a person meets it: keys in, a screen out."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Generator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

from tests.cli.command_line import SOURCES

__all__ = ["CTRL_C", "Terminal", "on_a_terminal"]

CTRL_C = "\x03"
_PATIENCE_S = 60
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """Reads what the process shows and types into it."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self.shown = ""

    def until(self, text: str, *, times: int = 1) -> None:
        """Wait until this stands on the screen so many times."""
        while self.shown.count(text) < times:
            assert self._more(), f"{text!r} was never shown:\n{self.shown}"

    def type(self, keys: str) -> None:
        """Press keys; Ctrl-C reaches the process as it does from a real terminal."""
        os.write(self._screen, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._more():
            pass
        return self.process.wait(timeout=_PATIENCE_S)

    def close(self) -> None:
        """Take the terminal away; the process is hung up on."""
        if self._screen >= 0:
            os.close(self._screen)
            self._screen = -1

    def _more(self) -> bool:
        ready, _, _ = select.select([self._screen], [], [], _PATIENCE_S)
        assert ready, f"nothing more came:\n{self.shown}"
        try:
            piece = os.read(self._screen, 65536)
        except OSError:
            # Linux tells the end of a terminal as an error.
            return False
        self.shown += _STYLE.sub("", piece.decode(errors="replace")).replace("\r\n", "\n")
        return bool(piece)


@contextmanager
def on_a_terminal(*arguments: str, folder: Path, columns: int = 80) -> Generator[Terminal]:
    """`python -m greenroom …` with a terminal of that width for keyboard, screen and signals."""
    screen, inside = pty.openpty()
    ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "COLUMNS", "FORCE_COLOR"}}
    process = subprocess.Popen(
        [sys.executable, "-c", _RUNNER, *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(SOURCES), "TERM": "xterm"},
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
    )
    os.close(inside)
    terminal = Terminal(process, screen)
    try:
        yield terminal
    finally:
        terminal.close()
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


_RUNNER = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from greenroom.cli.app import main
main(sys.argv[1:])
"""
"""The new session takes the terminal as its own, so that its keys become signals."""
