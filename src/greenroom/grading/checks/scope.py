"""What one check looks at, and what its decider answers.

A check of the case looks at every turn of this run, a script line's own at that line's turn only (semantics: checks
and matchers). Deciders are plain functions of a written check and a `Scope`; the registry lists them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from greenroom.conversation.appointments import Appointment
from greenroom.conversation.people import Person
from greenroom.conversation.turns import Turn
from greenroom.conversation.world_state import WorldSeen
from greenroom.grading.evidence import Evidence, TurnSeen

__all__ = ["Decision", "Scope", "listed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of a conversation that one check may look at."""

    evidence: Evidence
    turns: tuple[Turn, ...]
    """All turns of this run, or the one turn of a script line."""
    texts: Mapping[int, str] = field(default_factory=dict[int, str])
    """Turn index to what the agent said in it, laid out by `turn_text`; rendered once for all checks."""
    line: int | None = None
    """The script line whose turn this is, counted from 1; None for a check of the case."""

    @property
    def world(self) -> WorldSeen | None:
        """What the world held before and after what is looked at; None when it was not kept."""
        if self.line is None:
            return self.evidence.world
        seen = self._seen
        return None if seen is None else seen.world

    @property
    def person(self) -> Person | None:
        """As persisted when what is looked at was over: the conversation, or the line's turn."""
        seen = self._seen
        return self.evidence.person if seen is None else seen.person

    @property
    def appointments(self) -> tuple[Appointment, ...]:
        """The person's, as persisted then."""
        seen = self._seen
        return self.evidence.appointments if seen is None else seen.appointments

    @property
    def _seen(self) -> TurnSeen | None:
        return None if self.line is None or not self.turns else self.evidence.seen_of.get(self.turns[-1].index)

    @property
    def holds_the_end(self) -> bool:
        """The conversation ended in what is looked at."""
        return self.line is None or self.turns[-1:] == self.evidence.turns[-1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a decider found."""

    passed: bool
    detail: str = ""
    """Expected, got, the nearest; empty when there is nothing to say."""
    missing: str = ""
    """The action that the check requires and that was not called at all, with its parameters (features.md E3)."""
    ran_away: bool = False
    """A pattern ran over its bound, so the check could not be decided."""
    undecided: bool = False
    """Nobody can say; neither passed nor failed."""


def listed(items: list[str], *, most: int = 5) -> str:
    """A list for a sentence; what is beyond `most` is counted."""
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown
