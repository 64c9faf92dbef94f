"""The tables. Shapes that last: results are queue, checkpoint and history at once (design: durable runs).

Every time is text, ISO 8601 in UTC with a fixed width, so that it sorts as it reads on both databases. Bodies are
JSON, compressed when that pays, in columns or tables of their own, so that no list ever reads them (R15, R20).
"""

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from greenroom.store.metadata import Number, metadata, of_conversation
from greenroom.store.partition import partitioned
from greenroom.store.world_tables import activity, appointments, errands, looks, reviews, timers

__all__ = [
    "conversation_turns",
    "conversations",
    "definitions",
    "documents",
    "identities",
    "inbound",
    "metadata",
    "outbox",
    "partitioned_tables",
    "people",
    "publications",
    "result_bodies",
    "results",
    "revisions",
    "run_events",
    "runs",
    "sandboxes",
    "signing_keys",
    "timers",
]

documents = Table(
    "documents",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("seen_at", Text, nullable=False),
)
"""What people wrote, by the hash of its content; never changed. `seen_at` is when the store first saw it."""

definitions = Table(
    "definitions",
    metadata,
    Column("workspace", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("hash", Text, ForeignKey("documents.hash"), nullable=False),
    Column("synced_at", Text, nullable=False),
    Column("archived_at", Text),
    PrimaryKeyConstraint("workspace", "kind", "name"),
)
"""What every id means by the last sync; archived once its file is gone. A case's name is `suite/case`."""

revisions = Table(
    "revisions",
    metadata,
    Column("workspace", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("hash", Text, ForeignKey("documents.hash"), nullable=False),
    Column("seen_at", Text, nullable=False),
    PrimaryKeyConstraint("workspace", "kind", "name", "number"),
    UniqueConstraint("workspace", "kind", "name", "hash"),
)
"""Every content an id ever had, numbered from 1 in the order in which the store saw them."""

runs = Table(
    "runs",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("finished_at", Text, nullable=False),
    Column("paused_until", Text),
    Column("paused_why", Text),
    Column("cancel_asked_at", Text),
    Column("planned", Integer, nullable=False),
    Column("pass_rate", Float),
    Column("units", Integer, nullable=False),
    Column("last_event", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Column("cases", LargeBinary),
    UniqueConstraint("run_id"),
    Index("ix_runs_workspace_number", "workspace", "number"),
    Index("ix_runs_workspace_agent_number", "workspace", "agent", "number"),
)
"""A run. `number` is the order in which runs were made; `summary` is all that is known of it but its roll-ups, which
are in `cases` and read for one run only. What is looked for or sorted by has a column too."""

results = Table(
    "results",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("run_id", Text, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("suite", Text, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("case_hash", Text, nullable=False),
    Column("gate", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("claimed_by", Text),
    Column("lease_until", Text),
    Column("finished_at", Text),
    Column("score", Integer),
    Column("stopped", Text),
    Column("cause", Text),
    Column("message", Text),
    Column("duration_s", Float),
    Column("units", Integer),
    Column("badges", Text),
    Column("usage", Text),
    Column("note", Text),
    UniqueConstraint("run_id", "suite", "case_id", "sample", "attempt"),
    Index("ix_results_run_id_position", "run_id", "position", "attempt"),
    Index("ix_results_run_id_status_position", "run_id", "status", "position", "attempt"),
)
"""One row for each planned sample and attempt (K01, K02). `status` is also its state in the queue.

`position` is its place in the plan, `gate` what the plan says of its case. `claimed_by`, `lease_until` and `fence`
belong to whoever works on it. The index by status is for whoever looks for the next row to play: a partial one would
be smaller, but SQLite can't be told to take it.
"""

result_bodies = Table(
    "result_bodies",
    metadata,
    Column("result_id", Number, ForeignKey("results.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("records", LargeBinary),
)
"""A result whole, with turns, checks, criteria and the judge's record; and its turn records."""

run_events = Table(
    "run_events",
    metadata,
    Column("run_id", Text, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("data", Text, nullable=False),
    PrimaryKeyConstraint("run_id", "seq"),
)
"""What happened in a run; only ever appended to. `seq` counts from 1 within the run, without gaps."""

people = partitioned(
    "people",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("searched", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index("ix_people_page", "workspace", "partition", "created_at", "person_id"),
    Index("ix_people_status_page", "workspace", "partition", "status", "created_at", "person_id"),
    Index("ix_people_changed", "workspace", "partition", "updated_at", "person_id"),
)
"""People, live or sandbox. `searched` is what a search looks into; two indexes are the ways a list is paged, and by the
third those are found who changed since somebody looked. Who is known on one more channel has changed."""

identities = partitioned(
    "identities",
    metadata,
    Column("identity", Text, nullable=False),
    Column("person_id", Text, ForeignKey("people.person_id", ondelete="CASCADE"), nullable=False),
    PrimaryKeyConstraint("workspace", "partition", "identity", "sandbox"),
    Index("ix_identities_person_id", "person_id"),
)
"""The conversation identities that people are found by (features.md A5)."""

conversations = partitioned(
    "conversations",
    metadata,
    Column("conversation", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("identity", Text, nullable=False),
    Column("person_id", Text),
    Column("ended", Text),
    Column("turns", Integer, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("closed_at", Text),
    Column("held_by", Text),
    Column("held_until", Text),
    PrimaryKeyConstraint("workspace", "partition", "conversation"),
    Index("ix_conversations_page", "workspace", "partition", "updated_at", "conversation"),
    Index("ix_conversations_agent_page", "workspace", "partition", "agent", "updated_at", "conversation"),
    Index("ix_conversations_identity", "workspace", "partition", "identity", "agent", "channel"),
    Index("ix_conversations_closed_at", "workspace", "partition", "closed_at", "updated_at"),
    Index("ix_conversations_begun", "workspace", "partition", "started_at", "agent", "channel", "ended", "closed_at"),
)
"""Conversations: what the service remembers between two events, and what a list shows. Whoever serves an event of one
holds it (`held_by`) until a moment that is put off while the work goes on."""

conversation_turns = partitioned(
    "conversation_turns",
    metadata,
    Column("conversation", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("record", LargeBinary),
    PrimaryKeyConstraint("workspace", "partition", "conversation", "number"),
    of_conversation(),
    Index("ix_conversation_turns_at", "workspace", "partition", "at"),
)
"""The turns of each conversation, whole, numbered from 1; the turn record for as long as it is kept (features.md F13).
`revision` is the content hash of the agent that answered."""

inbound = partitioned(
    "inbound",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("agent", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("delivery", Text, nullable=False),
    Column("event", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("turn", Integer),
    Column("error", Text),
    Column("received_at", Text, nullable=False),
    Column("finished_at", Text),
    UniqueConstraint("workspace", "partition", "agent", "channel", "message_id", name="uq_inbound_message_id"),
    of_conversation(),
    Index("ix_inbound_conversation", "workspace", "partition", "conversation", "status", "number"),
    Index("ix_inbound_status", "workspace", "partition", "status", "received_at"),
)
"""Events as they arrived, each once, in the order in which they are served. `turn` is the number of the turn that
answered it."""

outbox = partitioned(
    "outbox",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("agent", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("message", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", Text, nullable=False),
    Column("held_by", Text),
    Column("error", Text),
    Column("created_at", Text, nullable=False),
    Column("finished_at", Text),
    Column("timer", Number),
    UniqueConstraint("workspace", "partition", "key", name="uq_outbox_key"),
    of_conversation(),
    Index("ix_outbox_status", "workspace", "partition", "status", "due_at"),
    Index("ix_outbox_conversation", "workspace", "partition", "conversation", "status", "number"),
)
"""Messages that are to leave by webhook, written together with the turn that they belong to. Whoever sends one puts
`due_at` off, so that nobody else does at the same time; `key` tells the receiver a message it has had already. `timer`
is the number of the one that had it said, when the agent said it by itself."""

publications = Table(
    "publications",
    metadata,
    Column("id", Number, primary_key=True, autoincrement=True),
    Column("workspace", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("hash", Text, ForeignKey("documents.hash"), nullable=False),
    Column("published_at", Text, nullable=False),
    Index("ix_publications_workspace_agent_id", "workspace", "agent", "id"),
)
"""Every time that a revision of an agent was made live; the newest is the live one."""

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("workspace", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("made_at", Text, nullable=False),
    PrimaryKeyConstraint("workspace", "name"),
)
"""Keys that we made ourselves to know our own tokens by, shared by all servers on this database."""

sandboxes = Table(
    "sandboxes",
    metadata,
    Column("workspace", Text, nullable=False),
    Column("sandbox", Text, nullable=False),
    Column("lease_until", Text, nullable=False),
    PrimaryKeyConstraint("workspace", "sandbox"),
)
"""The sandboxes that somebody holds, each until its lease runs out; rows of any other sandbox are left over."""

partitioned_tables = (
    activity,
    looks,
    reviews,
    timers,
    errands,
    appointments,
    outbox,
    inbound,
    conversation_turns,
    conversations,
    identities,
    people,
)
"""Every table of which the sandbox partition may hold rows, in the order in which they can be emptied."""
