"""Plain values read from YAML that remember where they stand and how they were written.

Dicts and lists carry the line and column of each key and value in one array, and the text of plain scalars that were
read as something else, since a key that wants text takes it as written.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

__all__ = ["COLUMN_BITS", "Written", "Yaml", "YamlList", "YamlMap"]

COLUMN_BITS = 24
"""A place is one number: line and, in this many bits, column, both from 0."""
_FEW = 32
"""With fewer keys than this, counting is cheaper than an index."""


class YamlMap(dict[str, "Yaml"]):
    """A mapping; its keys are the text as written. `marks` holds the place of each key and value in order."""

    __slots__ = ("_order", "marks", "sources")

    def __init__(self) -> None:
        super().__init__()
        self.marks = array("Q")
        self.sources: dict[str, str] | None = None
        self._order: dict[str, int] | None = None

    def add(self, key: str, key_at: int, written: "Written") -> None:
        """Append an entry whose key is not there yet."""
        self[key] = written.value
        self.marks.append(key_at)
        self.marks.append(written.at)
        if written.source is not None:
            if self.sources is None:
                self.sources = {}
            self.sources[key] = written.source

    def entries(self) -> Iterator[tuple[str, int, "Written"]]:
        """Each key, its place, and the value with its own."""
        sources = self.sources or {}
        for index, (key, value) in enumerate(self.items()):
            yield key, self.marks[2 * index], Written(value, self.marks[2 * index + 1], sources.get(key))

    def entry(self, key: str) -> "Written":
        """One value with its place; KeyError when there is none."""
        value = self[key]
        return Written(value, self.marks[2 * self._index(key) + 1], (self.sources or {}).get(key))

    def key_at(self, key: str) -> int:
        """Where a key stands."""
        return self.marks[2 * self._index(key)]

    def _index(self, key: str) -> int:
        if len(self) < _FEW:
            return list(self).index(key)
        if self._order is None or len(self._order) != len(self):
            self._order = {name: index for index, name in enumerate(self)}
        return self._order[key]


class YamlList(list["Yaml"]):
    """A list; `marks` holds the place of each item."""

    __slots__ = ("marks", "sources")

    def __init__(self) -> None:
        super().__init__()
        self.marks = array("Q")
        self.sources: dict[int, str] | None = None

    def add(self, written: "Written") -> None:
        """Append an item."""
        if written.source is not None:
            if self.sources is None:
                self.sources = {}
            self.sources[len(self)] = written.source
        self.append(written.value)
        self.marks.append(written.at)

    def entries(self) -> Iterator["Written"]:
        """Each item with its place."""
        sources = self.sources or {}
        for index, value in enumerate(self):
            yield Written(value, self.marks[index], sources.get(index))


Yaml: TypeAlias = str | int | float | bool | YamlMap | YamlList | None


class Written(NamedTuple):
    """A value where it stands."""

    value: Yaml
    at: int
    """Line and column in one number; see `line` and `column`."""
    source: str | None = None
    """A plain scalar's own text, when it was read as something else than text."""

    @property
    def line(self) -> int:
        """From 1."""
        return (self.at >> COLUMN_BITS) + 1

    @property
    def column(self) -> int:
        """From 1."""
        return (self.at & ((1 << COLUMN_BITS) - 1)) + 1

    @property
    def text(self) -> str | None:
        """The scalar as written; None for mappings and lists."""
        if self.source is not None:
            return self.source
        return self.value if isinstance(self.value, str) else None

    def walk(self, path: Sequence[str | int]) -> "Written":
        """The value that a path leads to, or the last one on the way to it."""
        here = self
        for step in path:
            if isinstance(here.value, YamlMap) and isinstance(step, str) and step in here.value:
                here = here.value.entry(step)
            elif isinstance(here.value, YamlList) and isinstance(step, int) and step < len(here.value):
                source = (here.value.sources or {}).get(step)
                here = Written(here.value[step], here.value.marks[step], source)
            else:
                break
        return here
