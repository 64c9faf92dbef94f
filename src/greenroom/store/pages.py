"""Where a page of a list ended: the mark that is handed back for the next one.

A list is read on from the values of the columns that it is ordered by, so that what comes in meanwhile moves nobody.
"""

from greenroom.errors import UsageError

__all__ = ["mark_of", "no_mark", "place_of"]

_BETWEEN = "~"


def mark_of(first: str, second: str) -> str:
    """The mark for the two columns that a list is ordered by, of the last row that is shown."""
    return f"{first}{_BETWEEN}{second}"


def place_of(mark: str, what: str) -> tuple[str, str]:
    """The two values again. Raises `UsageError` for what is no mark of a page of these."""
    first, found, second = mark.partition(_BETWEEN)
    if not found:
        raise no_mark(mark, what)
    return first, second


def no_mark(mark: str, what: str = "") -> UsageError:
    """What to raise for a mark that no page gave."""
    page = f"page of {what}" if what else "page"
    return UsageError(f"{mark!r} is not where a {page} ended; take the mark that the page before gave")
