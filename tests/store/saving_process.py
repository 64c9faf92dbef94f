"""Run as a process of its own: saves cases of `run-1` one after the other and says so once each is committed."""

import asyncio
import sys
from pathlib import Path

from tests.builders import sample_result, turn_records

from greenroom.store.opening import open_store


async def save_all(url: str, root: Path, cases: list[str]) -> None:
    """Save each case and print its id."""
    store = await open_store(url, root)
    for case in cases:
        result = sample_result(case)
        await store.results.save("run-1", result, turn_records(result))
        print(case, flush=True)  # noqa: T201  - the parent waits for it
    await store.close()


if __name__ == "__main__":
    asyncio.run(save_all(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
