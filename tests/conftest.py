"""What every test stands on: a clean environment, no provider reached by mistake, no blocked event loop."""

import gc
import inspect
import os
import signal
import sys
import sysconfig
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import FrameType

import pytest
from blockbuster import BlockBuster

pytest_plugins = ("tests.servers.postgres", "tests.stores")

SOURCE = str(Path(__file__).parent.parent / "src" / "greenroom")
STANDARD_LIBRARY = sysconfig.get_path("stdlib")
WAITS_FOR_A_DISK = ("os.read", "os.write", "os.sendfile")
"""Of what `os` offers; looking at a name, a path or an entry of a folder takes microseconds."""
BLOCKBUSTER = inspect.getfile(BlockBuster)
KEY_ENDINGS = ("_API_KEY", "_API_TOKEN", "_ACCESS_KEY")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay to the end: looking through them for garbage again and again is a tenth of all work."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no setting and no colour of the machine's reaches a test; what a test wants it sets itself."""
    for name in list(os.environ):
        if name.startswith("GREENROOM_") or name.endswith(KEY_ENDINGS):
            monkeypatch.delenv(name)
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_provider_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """pydantic-ai's providers refuse to ask anybody; tests against loopback lift it with its own override."""
    loaded = sys.modules.get("pydantic_ai.models")
    if loaded is not None:
        monkeypatch.setattr(loaded, "ALLOW_MODEL_REQUESTS", False)


@pytest.fixture(autouse=True, scope="session")
def signals_for_children() -> None:
    """What these tests start heeds Ctrl-C and a closed terminal, though they run with `nohup` or behind a shell.

    A signal that is ignored stays so in every process that is started; one with a handler doesn't.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _heard)


def _heard(_signal: int, _frame: FrameType | None) -> None:
    """And no more: whoever started these tests wants it ignored."""


@pytest.fixture(autouse=True, scope="session")
def no_blocked_loop() -> Iterator[None]:
    """Code of ours that blocks an event loop raises `BlockingError`; what a library does inside is its own affair."""
    detector = BlockBuster("greenroom")
    for name in [name for name in detector.functions if name.startswith("os.") and name not in WAITS_FOR_A_DISK]:
        del detector.functions[name]
    for function in detector.functions.values():
        function.can_block_predicate = _unless_ours(function.can_block_predicate)
    detector.activate()
    try:
        yield
    finally:
        detector.deactivate()


def _unless_ours(allowed: Callable[..., bool]) -> Callable[..., bool]:
    """Allow what was allowed, and every call whose nearest caller outside the standard library isn't our source."""

    def may_block(*args: object, **kwargs: object) -> bool:
        return allowed(*args, **kwargs) or not _called_by_us()

    return may_block


def _called_by_us() -> bool:
    frame: FrameType | None = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(SOURCE):
            return True
        if not path.startswith((STANDARD_LIBRARY, "<", __file__, BLOCKBUSTER)):
            return False
        frame = frame.f_back
    return False
