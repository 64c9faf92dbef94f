"""Appointments, errands, timers, reviews of live conversations, and what went in and out by day."""

from collections.abc import Iterator, Mapping

import orjson
import sqlalchemy as sa
from alembic import op

from greenroom.store.encoding import unpack

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0004"
down_revision = "0003"

# SQLite numbers rows by itself only in a column of the very type INTEGER.
_number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables. What went in and out before is counted too."""
    _appointments()
    _errands()
    _timers()
    _reviews()
    _activity()
    connection = op.get_bind()
    for row in _what_went_on(connection):
        connection.execute(_COUNTED, row)


def _marks() -> list[sa.Column[str]]:
    return [_text(name) for name in ("workspace", "partition", "sandbox")]


def _text(name: str, *, maybe: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=maybe)


def _in_a_sandbox(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint("(partition = 'sandbox') = (sandbox <> '')", name=f"ck_{table}_sandbox")


def _indexed(table: str, **columns: str) -> None:
    for name, of in columns.items():
        op.create_index(f"ix_{table}_{name}", table, ["workspace", "partition", *of.split()])


def _appointments() -> None:
    op.create_table(
        "appointments",
        *_marks(),
        *(_text(name) for name in ("appointment_id", "agent", "representative", "status", "start_at", "end_at")),
        *(_text(name, maybe=True) for name in ("person_id", "conversation")),
        _text("body"),
        *(_text(name, maybe=True) for name in ("held_until", "moves")),
        *(_text(name) for name in ("created_at", "updated_at")),
        sa.PrimaryKeyConstraint("workspace", "partition", "appointment_id", name="pk_appointments"),
        _in_a_sandbox("appointments"),
    )
    _indexed(
        "appointments",
        time="agent end_at",
        person="person_id start_at",
        page="start_at appointment_id",
        created="created_at",
        held="agent held_until",
    )


def _errands() -> None:
    op.create_table(
        "errands",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        *(_text(name) for name in ("kind", "agent")),
        _text("conversation", maybe=True),
        *(_text(name) for name in ("lane", "key", "summary")),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        _text("status"),
        sa.Column("tries", sa.Integer(), nullable=False),
        _text("due_at"),
        *(_text(name, maybe=True) for name in ("held_by", "error")),
        _text("created_at"),
        _text("finished_at", maybe=True),
        sa.PrimaryKeyConstraint("number", name="pk_errands"),
        sa.UniqueConstraint("workspace", "partition", "key", name="uq_errands_key"),
        _in_a_sandbox("errands"),
    )
    _indexed("errands", status="status due_at", lane="lane status number", conversation="conversation number")


def _timers() -> None:
    op.create_table(
        "timers",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        *(_text(name) for name in ("kind", "agent", "name", "subject", "due_at", "status")),
        _text("why", maybe=True),
        _text("created_at"),
        _text("finished_at", maybe=True),
        sa.PrimaryKeyConstraint("number", name="pk_timers"),
        sa.UniqueConstraint("workspace", "partition", "kind", "agent", "name", "subject", name="uq_timers_subject"),
        _in_a_sandbox("timers"),
    )
    _indexed("timers", status="status due_at", subject="subject")


def _reviews() -> None:
    columns = ["workspace", "partition", "conversation"]
    op.create_table(
        "reviews",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        *(_text(name) for name in ("conversation", "agent", "closed_at", "criteria")),
        sa.Column("newest", sa.Integer(), nullable=False),
        _text("status"),
        sa.Column("tries", sa.Integer(), nullable=False),
        _text("due_at"),
        *(_text(name, maybe=True) for name in ("held_by", "verdict")),
        *(sa.Column(name, sa.Integer()) for name in ("needs_review", "units")),
        sa.Column("body", sa.LargeBinary()),
        _text("error", maybe=True),
        _text("created_at"),
        _text("finished_at", maybe=True),
        sa.PrimaryKeyConstraint("number", name="pk_reviews"),
        sa.ForeignKeyConstraint(
            columns,
            [f"conversations.{column}" for column in columns],
            name="fk_reviews_workspace_partition_conversation",
            ondelete="CASCADE",
        ),
        _in_a_sandbox("reviews"),
    )
    _indexed("reviews", status="status due_at", conversation="conversation newest number", day="closed_at newest")


def _activity() -> None:
    op.create_table(
        "activity",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        *(_text(name) for name in ("at", "agent", "channel")),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("messages_in", "messages_out")),
        sa.Column("duration_ms", sa.Integer()),
        sa.PrimaryKeyConstraint("number", name="pk_activity"),
        _in_a_sandbox("activity"),
    )
    _indexed("activity", at="at")
    _indexed("conversations", begun="started_at agent channel ended closed_at")


_COUNTED = sa.text(
    "INSERT INTO activity (workspace, partition, sandbox, at, agent, channel, messages_in, messages_out, duration_ms) "
    "VALUES (:workspace, 'live', '', :at, :agent, :channel, :came, :left, :took)"
)
_CAME = sa.text(
    "SELECT workspace, received_at AS at, agent, channel, event AS body FROM inbound WHERE partition = 'live'"
)
_KEPT = sa.text(
    "SELECT t.workspace, t.at, c.agent, c.channel, t.body FROM conversation_turns t JOIN conversations c "
    "ON c.workspace = t.workspace AND c.partition = t.partition AND c.conversation = t.conversation "
    "WHERE t.partition = 'live'"
)


def _what_went_on(connection: sa.Connection) -> Iterator[Mapping[str, object]]:
    """A row for each message that came, and for each turn that was kept."""
    for row in connection.execute(_CAME).all():
        if orjson.loads(unpack(row.body))["event"]["kind"] != "opened":
            yield {**_whose(row), "came": 1, "left": 0, "took": None}
    for row in connection.execute(_KEPT).all():
        turn = orjson.loads(unpack(row.body))
        spoke = turn["event"] is not None and turn["event"]["kind"] != "opened"
        yield {
            **_whose(row),
            "came": 0,
            "left": sum(entry["kind"] == "message" for entry in turn["entries"]),
            "took": round(turn["duration_s"] * 1000) if spoke else None,
        }


def _whose(row: sa.Row[tuple[object, ...]]) -> Mapping[str, object]:
    return {"workspace": row.workspace, "at": row.at, "agent": row.agent, "channel": row.channel}
