"""Conversations that are listed, held and closed; their turns; what arrives, what leaves, and which agent is live.

`conversations` is made anew and filled again: SQLite adds a column only behind the rules of a table.
"""

import sqlalchemy as sa
from alembic import op

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0003"
down_revision = "0002"

# SQLite numbers rows by itself only in a column of the very type INTEGER.
_number = sa.BigInteger().with_variant(sa.Integer, "sqlite")

_KEPT = (
    "workspace, partition, sandbox, conversation, channel, identity, person_id, ended, turns, state, started_at, "
    "updated_at"
)


def upgrade() -> None:
    """Make the tables. A conversation that its agent had ended is closed."""
    op.execute("CREATE TABLE conversations_before AS SELECT * FROM conversations")
    op.drop_table("conversations")
    _conversations()
    op.execute(
        f"INSERT INTO conversations ({_KEPT}, agent, closed_at) "  # noqa: S608  - names of our own
        f"SELECT {_KEPT}, '', CASE WHEN ended IS NULL THEN NULL ELSE updated_at END FROM conversations_before"
    )
    op.drop_table("conversations_before")
    _turns()
    _inbound()
    _outbox()
    _publications()


def _marks() -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in ("workspace", "partition", "sandbox")]


def _in_a_sandbox(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint("(partition = 'sandbox') = (sandbox <> '')", name=f"ck_{table}_sandbox")


def _of_conversation(table: str) -> sa.ForeignKeyConstraint:
    columns = ["workspace", "partition", "conversation"]
    return sa.ForeignKeyConstraint(
        columns,
        [f"conversations.{column}" for column in columns],
        name=f"fk_{table}_workspace_partition_conversation",
        ondelete="CASCADE",
    )


def _conversations() -> None:
    op.create_table(
        "conversations",
        *_marks(),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text()),
        sa.Column("ended", sa.Text()),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.Text()),
        sa.Column("held_by", sa.Text()),
        sa.Column("held_until", sa.Text()),
        sa.PrimaryKeyConstraint("workspace", "partition", "conversation", name="pk_conversations"),
        _in_a_sandbox("conversations"),
    )
    for name, columns in (
        ("page", ["updated_at", "conversation"]),
        ("agent_page", ["agent", "updated_at", "conversation"]),
        ("identity", ["identity", "agent", "channel"]),
        ("closed_at", ["closed_at", "updated_at"]),
    ):
        op.create_index(f"ix_conversations_{name}", "conversations", ["workspace", "partition", *columns])


def _turns() -> None:
    op.create_table(
        "conversation_turns",
        *_marks(),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("workspace", "partition", "conversation", "number", name="pk_conversation_turns"),
        _of_conversation("conversation_turns"),
        _in_a_sandbox("conversation_turns"),
    )
    op.create_index("ix_conversation_turns_at", "conversation_turns", ["workspace", "partition", "at"])


def _inbound() -> None:
    op.create_table(
        "inbound",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("event", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer()),
        sa.Column("error", sa.Text()),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text()),
        sa.PrimaryKeyConstraint("number", name="pk_inbound"),
        sa.UniqueConstraint("workspace", "partition", "agent", "channel", "message_id", name="uq_inbound_message_id"),
        _of_conversation("inbound"),
        _in_a_sandbox("inbound"),
    )
    op.create_index(
        "ix_inbound_conversation", "inbound", ["workspace", "partition", "conversation", "status", "number"]
    )
    op.create_index("ix_inbound_status", "inbound", ["workspace", "partition", "status", "received_at"])


def _outbox() -> None:
    op.create_table(
        "outbox",
        *_marks(),
        sa.Column("number", _number, nullable=False, autoincrement=True),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.Text(), nullable=False),
        sa.Column("held_by", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text()),
        sa.PrimaryKeyConstraint("number", name="pk_outbox"),
        sa.UniqueConstraint("workspace", "partition", "key", name="uq_outbox_key"),
        _of_conversation("outbox"),
        _in_a_sandbox("outbox"),
    )
    op.create_index("ix_outbox_status", "outbox", ["workspace", "partition", "status", "due_at"])
    op.create_index("ix_outbox_conversation", "outbox", ["workspace", "partition", "conversation", "status", "number"])


def _publications() -> None:
    op.create_table(
        "publications",
        sa.Column("id", _number, nullable=False, autoincrement=True),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("published_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_publications"),
        sa.ForeignKeyConstraint(["hash"], ["documents.hash"], name="fk_publications_hash"),
    )
    op.create_index("ix_publications_workspace_agent_id", "publications", ["workspace", "agent", "id"])
    op.create_table(
        "signing_keys",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "name", name="pk_signing_keys"),
    )
