"""The first tables: definitions, runs, results, events, people, conversations."""

import sqlalchemy as sa
from alembic import op

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0001"
down_revision = None

# SQLite numbers rows by itself only in a column of the very type INTEGER.
_number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make them."""
    _definitions()
    _runs()
    _results()
    _conversations()


def _definitions() -> None:
    op.create_table(
        "documents",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("seen_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_documents"),
    )
    op.create_table(
        "definitions",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("synced_at", sa.Text(), nullable=False),
        sa.Column("archived_at", sa.Text()),
        sa.PrimaryKeyConstraint("workspace", "kind", "name", name="pk_definitions"),
        sa.ForeignKeyConstraint(["hash"], ["documents.hash"], name="fk_definitions_hash"),
    )
    op.create_table(
        "revisions",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "kind", "name", "number", name="pk_revisions"),
        sa.UniqueConstraint("workspace", "kind", "name", "hash", name="uq_revisions_workspace_kind_name_hash"),
        sa.ForeignKeyConstraint(["hash"], ["documents.hash"], name="fk_revisions_hash"),
    )


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("number", _number, nullable=False, autoincrement=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text(), nullable=False),
        sa.Column("paused_until", sa.Text()),
        sa.Column("paused_why", sa.Text()),
        sa.Column("cancel_asked_at", sa.Text()),
        sa.Column("planned", sa.Integer(), nullable=False),
        sa.Column("pass_rate", sa.Float()),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("cases", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("number", name="pk_runs"),
        sa.UniqueConstraint("run_id", name="uq_runs_run_id"),
    )
    op.create_index("ix_runs_workspace_number", "runs", ["workspace", "number"])
    op.create_index("ix_runs_workspace_agent_number", "runs", ["workspace", "agent", "number"])
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_run_events"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_run_events_run_id", ondelete="CASCADE"),
    )


def _results() -> None:
    op.create_table(
        "results",
        sa.Column("id", _number, nullable=False, autoincrement=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("case_hash", sa.Text(), nullable=False),
        sa.Column("gate", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("claimed_by", sa.Text()),
        sa.Column("lease_until", sa.Text()),
        sa.Column("finished_at", sa.Text()),
        sa.Column("score", sa.Integer()),
        sa.Column("stopped", sa.Text()),
        sa.Column("cause", sa.Text()),
        sa.Column("message", sa.Text()),
        sa.Column("duration_s", sa.Float()),
        sa.Column("units", sa.Integer()),
        sa.Column("badges", sa.Text()),
        sa.Column("usage", sa.Text()),
        sa.Column("note", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_results"),
        sa.UniqueConstraint(
            "run_id", "suite", "case_id", "sample", "attempt", name="uq_results_run_id_suite_case_id_sample_attempt"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_results_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_results_run_id_position", "results", ["run_id", "position", "attempt"])
    op.create_index("ix_results_run_id_status_position", "results", ["run_id", "status", "position", "attempt"])
    op.create_table(
        "result_bodies",
        sa.Column("result_id", _number, nullable=False, autoincrement=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("records", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("result_id", name="pk_result_bodies"),
        sa.ForeignKeyConstraint(["result_id"], ["results.id"], name="fk_result_bodies_result_id", ondelete="CASCADE"),
    )


def _conversations() -> None:
    op.create_table(
        "people",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_people"),
    )
    op.create_index("ix_people_workspace_partition_created_at", "people", ["workspace", "partition", "created_at"])
    op.create_table(
        "identities",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "partition", "identity", name="pk_identities"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.person_id"], name="fk_identities_person_id", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "conversations",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text()),
        sa.Column("ended", sa.Text()),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "partition", "conversation", name="pk_conversations"),
    )
    op.create_index(
        "ix_conversations_workspace_partition_updated_at", "conversations", ["workspace", "partition", "updated_at"]
    )
