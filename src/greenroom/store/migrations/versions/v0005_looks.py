"""People by when they changed, and how far they have been looked through for each outreach."""

import sqlalchemy as sa
from alembic import op

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0005"
down_revision = "0004"

_COLUMNS = ("workspace", "partition", "sandbox", "agent", "name", "revision", "begun_at", "changed_at", "person_id")


def upgrade() -> None:
    """Make the table and the index. Nobody has been looked at yet."""
    op.create_table(
        "looks",
        *(sa.Column(name, sa.Text(), nullable=False) for name in _COLUMNS),
        sa.PrimaryKeyConstraint("workspace", "partition", "agent", "name", name="pk_looks"),
        sa.CheckConstraint("(partition = 'sandbox') = (sandbox <> '')", name="ck_looks_sandbox"),
    )
    op.create_index("ix_people_changed", "people", ["workspace", "partition", "updated_at", "person_id"])
