"""Keys that we sign our own tokens with: made at the first use, the same for all servers on one database."""

import secrets

from sqlalchemy import Connection, insert, select

from greenroom.clock import Clock
from greenroom.store.locks import Turn
from greenroom.store.reader import Reader
from greenroom.store.tables import signing_keys
from greenroom.store.times import stamp
from greenroom.store.writer import Writer

__all__ = ["SigningKeys"]

_BYTES = 32


class SigningKeys:
    """The keys of a workspace, by what they are for."""

    def __init__(self, *, reader: Reader, writer: Writer, workspace: str, clock: Clock) -> None:
        self._reader = reader
        self._writer = writer
        self._workspace = workspace
        self._clock = clock

    async def key(self, name: str) -> bytes:
        """The key of this name."""
        found = await self._reader.read(lambda connection: self._find(connection, name))
        return found or await self._writer.write(lambda connection: self._made(connection, name), Turn.DEFINITIONS)

    def _find(self, connection: Connection, name: str) -> bytes | None:
        mine = (signing_keys.c.workspace == self._workspace, signing_keys.c.name == name)
        return connection.execute(select(signing_keys.c.key).where(*mine)).scalar_one_or_none()

    def _made(self, connection: Connection, name: str) -> bytes:
        found = self._find(connection, name)
        if found is not None:
            return found
        key = secrets.token_bytes(_BYTES)
        row = {"workspace": self._workspace, "name": name, "key": key, "made_at": stamp(self._clock)}
        connection.execute(insert(signing_keys).values(row))
        return key
