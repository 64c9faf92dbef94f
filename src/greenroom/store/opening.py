"""The store: one subject a repository, over one database."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from greenroom.clock import Clock, SystemClock
from greenroom.store.appointment_lists import AppointmentLists
from greenroom.store.appointments import Appointments
from greenroom.store.conversation_lists import ConversationLists
from greenroom.store.conversations import Answering, Conversations, Remembered, Serving
from greenroom.store.database import LOCK_WAIT_S, Database, open_database
from greenroom.store.definitions import Definitions
from greenroom.store.errands import Errands
from greenroom.store.events import Events
from greenroom.store.inbound import Inbox
from greenroom.store.kept_names import KeptNames
from greenroom.store.looks import Looks
from greenroom.store.outbox import Outbox
from greenroom.store.partition import Partition, Share, Where, share_of
from greenroom.store.people import People
from greenroom.store.publications import Publications
from greenroom.store.reader import Reader
from greenroom.store.results import Results
from greenroom.store.reviews import Reviews
from greenroom.store.run_leases import RunLeases
from greenroom.store.runs import Runs
from greenroom.store.sandboxes import Sandboxes
from greenroom.store.signing_keys import SigningKeys
from greenroom.store.speaking import Speaking
from greenroom.store.statistics import Statistics
from greenroom.store.timers import Timers
from greenroom.store.turn_work import WORK_TURNS, TurnWork
from greenroom.store.writer import Writer

__all__ = ["Store", "open_store"]

S = TypeVar("S", bound=Remembered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Everything that is kept, for one workspace. `close` it: what is still being saved is written first."""

    database: Database
    writer: Writer
    definitions: Definitions
    runs: Runs
    leases: RunLeases
    results: Results
    events: Events
    reader: Reader
    workspace: str
    clock: Clock
    sandboxes: Sandboxes
    publications: Publications
    signing_keys: SigningKeys

    def people(self, where: Where) -> People:
        """The people of the live side or of a sandbox."""
        return People(reader=self.reader, writer=self.writer, share=self._share(where), clock=self.clock)

    def conversations(
        self,
        shape: type[S],
        where: Where,
        *,
        agent: str = "",
        revision: str = "",
        criteria: Sequence[str] = (),
        serving: Serving | None = None,
        with_turn: TurnWork | None = None,
    ) -> Conversations[S]:
        """The conversations of the live side or of a sandbox, each remembered as a value of this shape.

        `agent` and its `revision` are kept with what is saved, and what it ends is reviewed by its `criteria`;
        `serving` is the event that a saved turn answers, and `with_turn` holds what else becomes true with it.
        """
        return Conversations(
            shape,
            reader=self.reader,
            writer=self.writer,
            share=self._share(where),
            clock=self.clock,
            agent=Answering(agent=agent, revision=revision, criteria=criteria),
            serving=serving,
            with_turn=with_turn,
        )

    def appointments(
        self, where: Where, *, agent: str, conversation: str = "", with_turn: TurnWork | None = None
    ) -> Appointments:
        """The appointments of an agent on the live side or in a sandbox.

        With `with_turn` what `conversation` does is held until its turn is kept, and true from then on; without, it
        is true at once.
        """
        return Appointments(
            reader=self.reader,
            writer=self.writer,
            share=self._share(where),
            clock=self.clock,
            agent=agent,
            conversation=conversation,
            with_turn=with_turn,
        )

    def appointment_lists(self, where: Where) -> AppointmentLists:
        """The appointments of the live side, of all sandboxes or of one, to look at."""
        return AppointmentLists(reader=self.reader, share=self._share(where))

    def conversation_lists(self, where: Where) -> ConversationLists:
        """The conversations of the live side, of all sandboxes or of one, to look at."""
        return ConversationLists(reader=self.reader, writer=self.writer, share=self._share(where), clock=self.clock)

    def kept_names(self, where: Where) -> KeptNames:
        """What things of the live side, of all sandboxes or of one are called."""
        return KeptNames(reader=self.reader, share=self._share(where))

    def inbox(self) -> Inbox:
        """What channels have delivered: always live, for a case's events come from its person."""
        share = self._share(Partition.LIVE)
        return Inbox(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def outbox(self) -> Outbox:
        """What leaves by webhook: always live, for nothing leaves a sandbox."""
        share = self._share(Partition.LIVE)
        return Outbox(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def errands(self) -> Errands:
        """What is done outside beside messages: always live, as the outbox."""
        share = self._share(Partition.LIVE)
        return Errands(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def reviews(self) -> Reviews:
        """Reviews of closed conversations: always live, for the sandbox is never reviewed (features.md A7)."""
        share = self._share(Partition.LIVE)
        return Reviews(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def statistics(self, where: Where) -> Statistics:
        """What went on on the live side, in all sandboxes or in one; never in both (features.md A7)."""
        return Statistics(reader=self.reader, share=self._share(where))

    def timers(self) -> Timers:
        """What happens by itself at a time: always live, for no timer runs in a sandbox."""
        share = self._share(Partition.LIVE)
        return Timers(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def looks(self) -> Looks:
        """Whom outreach has been looked at for: always live, as the timers."""
        share = self._share(Partition.LIVE)
        return Looks(reader=self.reader, writer=self.writer, share=share, clock=self.clock)

    def speaking(self) -> Speaking:
        """What agents' own messages ask of the store: always live."""
        return Speaking(reader=self.reader, share=self._share(Partition.LIVE), clock=self.clock)

    async def keep(self, work: TurnWork) -> None:
        """Do what a turn prepared that is not kept in this store, all of it or nothing."""
        prepared = work.prepared()

        def write(connection: Connection) -> None:
            for each in prepared:
                each(connection)

        if prepared:
            await self.writer.write(write, *WORK_TURNS)
            work.done(len(prepared))

    def _share(self, where: Where) -> Share:
        return share_of(self.workspace, where)

    async def close(self) -> None:
        """Write what is waiting and let go of the database."""
        await self.writer.close()
        await asyncio.to_thread(self.database.close)


async def open_store(
    url: str,
    root: Path,
    *,
    workspace: str = "default",
    clock: Clock | None = None,
    lock_wait_s: float = LOCK_WAIT_S,
) -> Store:
    """Open the database of a project; `root` is its folder, which a relative SQLite path starts from.

    Raises:
        UsageError: a URL that names no database we know.
        StoreError: it can't be opened, is locked, or was made by a newer Greenroom.
    """
    database = await asyncio.to_thread(open_database, url, root=root, lock_wait_s=lock_wait_s)
    told = SystemClock() if clock is None else clock
    reader = Reader(database)
    writer = Writer(database)
    return Store(
        database=database,
        writer=writer,
        definitions=Definitions(reader=reader, writer=writer, workspace=workspace, clock=told),
        runs=Runs(reader=reader, writer=writer, workspace=workspace),
        leases=RunLeases(reader=reader, writer=writer, clock=told),
        results=Results(reader=reader, writer=writer, clock=told),
        events=Events(reader=reader, writer=writer, clock=told),
        reader=reader,
        workspace=workspace,
        clock=told,
        sandboxes=Sandboxes(reader=reader, writer=writer, workspace=workspace, clock=told),
        publications=Publications(reader=reader, writer=writer, workspace=workspace, clock=told),
        signing_keys=SigningKeys(reader=reader, writer=writer, workspace=workspace, clock=told),
    )
