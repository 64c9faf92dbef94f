"""The guards of conftest.py guard."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from blockbuster import BlockingError

SOURCE = Path(__file__).parent.parent / "src" / "greenroom"


def function_in(path: Path) -> Callable[[], None]:
    """A function that blocks, as if it stood in that file."""
    scope: dict[str, object] = {}
    exec(compile("import time\ndef blocks():\n    time.sleep(0)\n", str(path), "exec"), scope)
    return cast("Callable[[], None]", scope["blocks"])


async def test_our_code_may_not_block_an_event_loop() -> None:
    with pytest.raises(BlockingError, match="sleep"):
        function_in(SOURCE / "planted.py")()


async def test_a_library_may_block_in_its_own_code() -> None:
    function_in(Path("site-packages") / "library.py")()


def test_our_code_may_block_outside_an_event_loop() -> None:
    function_in(SOURCE / "planted.py")()


def test_no_key_reaches_a_test() -> None:
    assert not [name for name in os.environ if name.endswith("_API_KEY") or name.startswith("GREENROOM_")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_no_signal_is_ignored_by_what_tests_start(number: signal.Signals) -> None:
    """Though the suite runs with `nohup`, or behind a shell that has no job control."""
    assert signal.getsignal(number) is not signal.SIG_IGN
