"""How Alembic comes to our connection. It runs in the caller's transaction, so that a failed walk leaves no trace."""

from alembic import context

from greenroom.store.schema import VERSION_TABLE
from greenroom.store.tables import metadata

__all__ = ["run_migrations"]


def run_migrations() -> None:
    """Walk on the connection that `walk.upgrade` hands over."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


# Alembic loads this file under this name; any other import, such as a test's, must not walk.
if __name__ == "env_py":
    run_migrations()
