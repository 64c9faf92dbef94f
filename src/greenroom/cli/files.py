"""A report file that is there whole or not at all."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from greenroom.errors import OutputFault, UsageError

__all__ = ["ReportFile"]

_KEPT = "the run is kept, and `greenroom show last` reports it again"


class ReportFile:
    """Written beside its place and moved there at the end, so that an earlier report stays until the new one is whole.

    What is no plain file, a pipe or a device, is written as it is.
    """

    def __init__(self, asked: Path) -> None:
        """Raises `UsageError` where nothing can be written: that must not cost a run (W01)."""
        self._asked = asked
        self._target = asked.resolve()
        self._beside = self._target.is_file() or not self._target.exists()
        self._part = (
            self._target.with_name(f".{self._target.name}.{os.getpid()}.part") if self._beside else self._target
        )
        try:
            self._file: BinaryIO = self._part.open("wb")
        except OSError as fault:
            raise UsageError(f"--output {asked}: {fault.strerror}") from None

    def write(self, piece: bytes) -> None:
        """Raises `OutputFault`."""
        try:
            self._file.write(piece)
        except OSError as fault:
            raise self._fault(fault) from None

    def keep(self) -> None:
        """It is whole. Raises `OutputFault`."""
        try:
            self._file.close()
            if self._beside:
                if self._target.exists():
                    shutil.copymode(self._target, self._part)
                self._part.replace(self._target)
        except OSError as fault:
            raise self._fault(fault) from None

    def close(self) -> None:
        """Leave nothing behind of a report that was not kept."""
        # What couldn't be written was told when it was written.
        with suppress(OSError):
            self._file.close()
        if self._beside:
            self._part.unlink(missing_ok=True)

    def _fault(self, fault: OSError) -> OutputFault:
        return OutputFault(f"the report can't be written to {self._asked}", fault.strerror or str(fault), _KEPT)
