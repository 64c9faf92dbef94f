"""Whether the server can do its work."""

from greenroom.operations.context import Context

__all__ = ["check_health"]


async def check_health(context: Context) -> None:
    """Ask the database something. Raises `StoreError` when it doesn't answer."""
    await context.store.publications.agents()
