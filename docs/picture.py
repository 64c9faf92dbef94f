"""Draws docs/run.svg, the README's picture of a run, from a real run of the example desk.

Run by hand:

    .venv/bin/python docs/picture.py

The picture holds text and colours only: it names no font to load and no address to ask.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parent.parent
COLUMNS = 116
ASKED = ("run", "booking/books-a-powerboat", "booking/known-bad-books-without-asking")
THEME = TerminalTheme(
    (252, 252, 250),
    (40, 44, 52),
    [
        (40, 44, 52),
        (184, 40, 40),
        (24, 122, 60),
        (150, 95, 0),
        (36, 90, 170),
        (130, 60, 140),
        (0, 118, 130),
        (90, 96, 104),
    ],
)
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="A run of two cases">
<style>
text {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
{styles}
</style>
<defs>{lines}<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath></defs>
<rect x="1" y="1" width="99.8%" height="99.8%" rx="8" fill="#fcfcfa" stroke="#c8ccd0"/>
<g transform="translate(9, 14)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def screen() -> str:
    """What the command prints in a terminal, with its colours."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder) / "desk"
        shutil.copytree(ROOT / "examples" / "lakeside", desk, ignore=shutil.ignore_patterns(".greenroom"))
        # Our own command, with words that stand above.
        ran = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "greenroom", *ASKED],
            cwd=desk,
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    return ran.stdout.rstrip()


def main() -> None:
    """Draw it."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ greenroom {' '.join(ASKED)}\n"))
    console.print(Text.from_ansi(screen()))
    drawn = console.export_svg(theme=THEME, code_format=FRAME, unique_id="run")
    (ROOT / "docs" / "run.svg").write_text(drawn.strip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
