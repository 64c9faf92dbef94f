"""People that can be listed, and rows of the sandbox that belong to one sandbox.

The three tables are made anew and filled again. Altering them would do on PostgreSQL; SQLite can't alter a primary
key, and dropping `people` while `identities` refers to it would empty that too.
"""

import json
import unicodedata

import sqlalchemy as sa
from alembic import op

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0002"
down_revision = "0001"

_TABLES = ("conversations", "identities", "people")
_CHUNK = 500


def upgrade() -> None:
    """Keep the rows aside, make the tables anew, and bring the rows back. Nothing was ever kept of a sandbox."""
    for table in _TABLES:
        op.execute(f"CREATE TABLE {table}_before AS SELECT * FROM {table}")  # noqa: S608  - a name of our own
        op.drop_table(table)
    _people()
    _identities()
    _conversations()
    _sandboxes()
    _fill_people()
    for table, columns in (
        ("identities", "identity, person_id"),
        (
            "conversations",
            "conversation, channel, identity, person_id, ended, turns, state, started_at, updated_at",
        ),
    ):
        op.execute(
            f"INSERT INTO {table} (workspace, partition, sandbox, {columns}) "  # noqa: S608  - as above
            f"SELECT workspace, partition, '', {columns} FROM {table}_before WHERE partition = 'live'"
        )
    for table in _TABLES:
        op.drop_table(f"{table}_before")


def _marks() -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in ("workspace", "partition", "sandbox")]


def _in_a_sandbox(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint("(partition = 'sandbox') = (sandbox <> '')", name=f"ck_{table}_sandbox")


def _people() -> None:
    op.create_table(
        "people",
        *_marks(),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("searched", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("person_id", name="pk_people"),
        _in_a_sandbox("people"),
    )
    op.create_index("ix_people_page", "people", ["workspace", "partition", "created_at", "person_id"])
    op.create_index("ix_people_status_page", "people", ["workspace", "partition", "status", "created_at", "person_id"])


def _identities() -> None:
    op.create_table(
        "identities",
        *_marks(),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "partition", "identity", "sandbox", name="pk_identities"),
        _in_a_sandbox("identities"),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.person_id"], name="fk_identities_person_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_identities_person_id", "identities", ["person_id"])


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
        sa.PrimaryKeyConstraint("workspace", "partition", "conversation", name="pk_conversations"),
        _in_a_sandbox("conversations"),
    )
    op.create_index(
        "ix_conversations_workspace_partition_updated_at", "conversations", ["workspace", "partition", "updated_at"]
    )


def _sandboxes() -> None:
    op.create_table(
        "sandboxes",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("sandbox", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "sandbox", name="pk_sandboxes"),
    )


def _fill_people() -> None:
    """Bring people back, with what they are looked for by; as it was worked out when this was written."""
    names = ("workspace", "partition", "person_id", "body", "created_at", "updated_at")
    before = sa.table("people_before", *(sa.column(name, sa.Text()) for name in names))
    people = sa.table("people", *(sa.column(name, sa.Text()) for name in (*names, "sandbox", "status", "searched")))
    connection = op.get_bind()
    last = ""
    while True:
        live = (before.c.partition == "live", before.c.person_id > last)
        page = sa.select(before).where(*live).order_by(before.c.person_id).limit(_CHUNK)
        rows = connection.execute(page).mappings().all()
        if not rows:
            return
        connection.execute(
            sa.insert(people),
            [{**row, "sandbox": "", **_looked_for_by(json.loads(row["body"]))} for row in rows],
        )
        last = rows[-1]["person_id"]


_SEARCHED = ("first_name", "last_name", "email", "phone", "company", "title", "product_interest")


def _looked_for_by(person: dict[str, str]) -> dict[str, str]:
    text = " ".join(person.get(name, "") for name in _SEARCHED)
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return {"status": person.get("status", ""), "searched": " ".join(plain.casefold().split())}
