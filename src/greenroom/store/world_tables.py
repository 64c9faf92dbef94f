"""The tables of what goes on beside conversations: appointments, errands, timers, reviews, activity. As in `tables`."""

from sqlalchemy import Column, Index, Integer, LargeBinary, PrimaryKeyConstraint, Text, UniqueConstraint

from greenroom.store.metadata import Number, metadata, of_conversation
from greenroom.store.partition import partitioned

__all__ = ["activity", "appointments", "errands", "looks", "reviews", "timers"]

appointments = partitioned(
    "appointments",
    metadata,
    Column("appointment_id", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("representative", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("start_at", Text, nullable=False),
    Column("end_at", Text, nullable=False),
    Column("person_id", Text),
    Column("conversation", Text),
    Column("body", Text, nullable=False),
    Column("held_until", Text),
    Column("moves", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    PrimaryKeyConstraint("workspace", "partition", "appointment_id"),
    Index("ix_appointments_time", "workspace", "partition", "agent", "end_at"),
    Index("ix_appointments_person", "workspace", "partition", "person_id", "start_at"),
    Index("ix_appointments_page", "workspace", "partition", "start_at", "appointment_id"),
    Index("ix_appointments_created", "workspace", "partition", "created_at"),
    Index("ix_appointments_held", "workspace", "partition", "agent", "held_until"),
)
"""Appointments. `start_at` and `end_at` are UTC, so that they sort and compare as text. One with `held_until` is only
held by a turn under way: it blocks its time until that moment and becomes true with the turn; `moves` is then the
appointment that it is the new time of. The index by `end_at` finds what is taken from now on without the past."""

errands = partitioned(
    "errands",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("conversation", Text),
    Column("lane", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", Text, nullable=False),
    Column("held_by", Text),
    Column("error", Text),
    Column("created_at", Text, nullable=False),
    Column("finished_at", Text),
    UniqueConstraint("workspace", "partition", "key", name="uq_errands_key"),
    Index("ix_errands_status", "workspace", "partition", "status", "due_at"),
    Index("ix_errands_lane", "workspace", "partition", "lane", "status", "number"),
    Index("ix_errands_conversation", "workspace", "partition", "conversation", "number"),
)
"""What is to be done outside for a turn or by the clock, besides messages on a channel: telling the team, mail, the
business's own calendar. Those of one `lane` are done in order; `key` is the same at every try."""

timers = partitioned(
    "timers",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("due_at", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("why", Text),
    Column("created_at", Text, nullable=False),
    Column("finished_at", Text),
    UniqueConstraint("workspace", "partition", "kind", "agent", "name", "subject", name="uq_timers_subject"),
    Index("ix_timers_status", "workspace", "partition", "status", "due_at"),
    Index("ix_timers_subject", "workspace", "partition", "subject"),
)
"""What happens by itself at a time: reminders of appointments, follow-ups of conversations, outreach to people
(features.md A7, A10). `name` is which one of its kind, `subject` the appointment, conversation or person."""

looks = partitioned(
    "looks",
    metadata,
    Column("agent", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("revision", Text, nullable=False),
    Column("begun_at", Text, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("person_id", Text, nullable=False),
    PrimaryKeyConstraint("workspace", "partition", "agent", "name"),
)
"""How far people have been looked through for an outreach of an agent's revision, in the order in which they changed;
`changed_at` and `person_id` are of the last one who was looked at, `begun_at` is when the first one was."""

reviews = partitioned(
    "reviews",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("conversation", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("closed_at", Text, nullable=False),
    Column("criteria", Text, nullable=False),
    Column("newest", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", Text, nullable=False),
    Column("held_by", Text),
    Column("verdict", Text),
    Column("needs_review", Integer),
    Column("units", Integer),
    Column("body", LargeBinary),
    Column("error", Text),
    Column("created_at", Text, nullable=False),
    Column("finished_at", Text),
    of_conversation(),
    Index("ix_reviews_status", "workspace", "partition", "status", "due_at"),
    Index("ix_reviews_conversation", "workspace", "partition", "conversation", "newest", "number"),
    Index("ix_reviews_day", "workspace", "partition", "closed_at", "newest"),
)
"""What the judge says of each closing of a live conversation, by the criteria that stood then. `newest` is 1 for the
review that counts, 0 for those before it; whoever judges puts `due_at` off while the work goes on."""

activity = partitioned(
    "activity",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("messages_in", Integer, nullable=False),
    Column("messages_out", Integer, nullable=False),
    Column("duration_ms", Integer),
    Index("ix_activity_at", "workspace", "partition", "at"),
)
"""What went in and out, for statistics: a small row for each message that arrives and each turn that is kept, which
stays when turns and their records go. `duration_ms` is what a turn took that answered somebody."""
