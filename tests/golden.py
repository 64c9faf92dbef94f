"""Whole outputs compared whole with a file beside the test.

`WRITE_GOLDEN=1` in the environment writes the files anew; look at the difference before you commit it.
"""

import os
from pathlib import Path

__all__ = ["assert_golden"]


def assert_golden(text: str, file: Path) -> None:
    """The text is the file's, but for the one line end that every text file has at its end."""
    if os.environ.get("WRITE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(f"{text}\n".encode())
    assert f"{text}\n" == file.read_bytes().decode(), f"not what {file.name} says"
