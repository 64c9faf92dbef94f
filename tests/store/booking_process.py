"""Run as a process of its own: books the same times as everybody else, many at once, and says which it got."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from tests.stores import NOON

from greenroom.conversation.appointments import Appointment
from greenroom.errors import TimeTaken
from greenroom.store.opening import Store, open_store
from greenroom.store.partition import Partition
from greenroom.store.turn_work import WORK_TURNS, TurnWork

HOURS = 30
TIMES = 3
"""So often each time is tried for by one process."""


async def book(store: Store, hour: int, conversation: str) -> int | None:
    """Book one hour in a turn of its own; the hour when it was got."""
    work = TurnWork()
    mine = store.appointments(Partition.LIVE, agent="lakeside", conversation=conversation, with_turn=work)
    start = NOON + timedelta(hours=hour)
    try:
        await mine.book(Appointment(appointment_id="", title="Boat", start=start, end=start + timedelta(hours=1)))
    except TimeTaken:
        return None
    for write in work.prepared():
        await store.writer.write(write, *WORK_TURNS)
    return hour


async def main(url: str, root: Path, name: str) -> None:
    """Open the store, say so, wait for the word, and book."""
    store = await open_store(url, root)
    print("ready", flush=True)  # noqa: T201  - the parent waits for it
    await asyncio.to_thread(sys.stdin.readline)
    got: list[int | None] = []
    for hour in range(HOURS):
        got += await asyncio.gather(*(book(store, hour, f"{name}-{hour}-{again}") for again in range(TIMES)))
    print(*(hour for hour in got if hour is not None), flush=True)  # noqa: T201  - as above
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
