"""What came of people that were imported from a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ImportOutcome", "ImportedPeople", "ImportedPerson"]


class ImportOutcome(StrEnum):
    """What a row of the file did."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    """Everything that it says was known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPerson:
    """One row."""

    line: int
    """Where it begins in the file."""
    outcome: ImportOutcome
    name: str
    """The person's name, or what they are known by."""
    person_id: str | None
    """None for somebody who would be created."""
    changed: tuple[str, ...] = ()
    """What of an updated person is another now, by column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPeople:
    """All of a file."""

    people: Sequence[ImportedPerson]
    preview: bool
    """Nothing was kept: it is what would be done."""
    warnings: Sequence[str] = ()
    """What is worth a look, each with its file, line and column."""

    def count(self, outcome: ImportOutcome) -> int:
        """How many rows did this."""
        return sum(each.outcome is outcome for each in self.people)
