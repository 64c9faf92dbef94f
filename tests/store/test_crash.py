"""A process that is killed in mid-run leaves what it finished, and two processes write side by side."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.builders import planned, run_summary
from tests.stores import opened

import greenroom
from greenroom.conversation.outcomes import RunStatus, Status
from greenroom.store.opening import Store

HERE = Path(__file__).parent
SOURCES = Path(greenroom.__file__).parent.parent
CASES = tuple(f"case-{number}" for number in range(40))


def process(url: str, root: Path, *cases: str) -> subprocess.Popen[str]:
    """A process that saves these cases of run-1 one after the other and prints each once it is saved."""
    return subprocess.Popen(
        [sys.executable, str(HERE / "saving_process.py"), url, str(root), *cases],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SOURCES, HERE.parent.parent)))},
    )


@pytest.mark.requirement("F9")
async def test_a_killed_process_leaves_what_it_finished_and_what_is_left(database_url: str, tmp_path: Path) -> None:
    """R07."""
    async with opened(database_url, tmp_path) as store:
        await store.runs.create(run_summary(), planned(*CASES))
        await store.runs.mark_started("run-1")

    killed = await asyncio.to_thread(process, database_url, tmp_path, *CASES)
    said = await asyncio.to_thread(_lines, killed, 5)
    killed.send_signal(signal.SIGKILL)
    rest, _ = await asyncio.to_thread(killed.communicate)

    assert killed.returncode == -signal.SIGKILL
    finished = [*said, *rest.split()]
    async with opened(database_url, tmp_path) as store:
        stored = [result.key.case async for result in store.results.of_run("run-1") if result.status is Status.PASSED]
        left = [planned_.key.case async for planned_ in store.results.queued("run-1")]
        # One more may have been saved than was said: the process was killed in between.
        assert stored[: len(finished)] == finished
        assert len(stored) - len(finished) in {0, 1}
        assert stored + left == list(CASES)
        assert (await store.runs.get("run-1")).status is RunStatus.RUNNING
        assert len(await store.events.after("run-1")) == len(stored)


async def test_two_processes_write_to_one_run_at_once(store: Store, database_url: str, tmp_path: Path) -> None:
    await store.runs.create(run_summary(), planned(*CASES))

    both = [await asyncio.to_thread(process, database_url, tmp_path, *half) for half in (CASES[:20], CASES[20:])]
    await asyncio.gather(*(asyncio.to_thread(one.communicate) for one in both))

    assert [one.returncode for one in both] == [0, 0]
    assert await store.results.tally("run-1") == {Status.PASSED: 40}
    assert [event.seq for event in await store.events.after("run-1")] == list(range(1, 41))


def _lines(of: subprocess.Popen[str], count: int) -> list[str]:
    assert of.stdout is not None
    return [of.stdout.readline().strip() for _ in range(count)]
