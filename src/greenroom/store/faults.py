"""What a database refused, as an error that says what to do. Knows both drivers; nothing else does."""

import sqlite3

from sqlalchemy.exc import DBAPIError, OperationalError

from greenroom.errors import StoreError, StoreFull, StoreLocked

__all__ = ["as_store_error", "was_deadlock"]

_KEPT = "this could not be saved; what was saved before is intact"
_FULL = f"{_KEPT}. Free some space and run again"
_LOCKED = f"{_KEPT}. See whether another greenroom is at work or has hung, end it and run again"


def as_store_error(error: DBAPIError | sqlite3.Error, where: str) -> StoreError:
    """The store's error for a driver's. `where` names the database, without a password."""
    if isinstance(error, sqlite3.Error):
        return _from_sqlite(error, where)
    if isinstance(error.orig, sqlite3.Error):
        return _from_sqlite(error.orig, where)
    return _from_postgres(error, where)


def was_deadlock(error: Exception) -> bool:
    """Whether two processes waited for each other, so that doing the same in smaller steps may well do."""
    cause = error.__cause__
    return isinstance(cause, DBAPIError) and getattr(cause.orig, "sqlstate", None) == "40P01"


def _from_sqlite(driver: sqlite3.Error, where: str) -> StoreError:
    # Some errors are raised by the driver itself and have no name, such as one for a text it can't encode.
    name = getattr(driver, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        return StoreFull(f"the disk that holds the database {where} is full; {_FULL}")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLocked(f"another process holds the database {where}; {_LOCKED}")
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreError(f"the database {where} can't be opened; see that its folder exists and can be written to")
    if name.startswith("SQLITE_READONLY"):
        return StoreError(f"the database {where} may not be written to; see who owns the file and its folder")
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return StoreError(
            f"{where} is not a sound SQLite database ({driver}); move it away or name another as `database` in "
            "greenroom.yaml"
        )
    return StoreError(f"the database {where} refused: {driver}")


def _from_postgres(error: DBAPIError, where: str) -> StoreError:
    state: str = getattr(error.orig, "sqlstate", "") or ""
    said = " ".join(str(error.orig).split())
    if state in {"53100", "53200"}:
        return StoreFull(f"the server of the database {where} has no room left ({said}); {_FULL}")
    if state in {"55P03", "40P01", "57014", "40001"}:
        return StoreLocked(f"another process holds what is needed in the database {where} ({said}); {_LOCKED}")
    if isinstance(error, OperationalError) and (not state or state.startswith(("08", "57", "28", "3D", "53"))):
        return StoreError(f"the database {where} can't be reached: {said}; see that it runs and that the URL is right")
    return StoreError(f"the database {where} refused: {said}")
