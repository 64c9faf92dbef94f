"""How often something has to happen, for the checks that count calls, effects or appointments."""

from dataclasses import dataclass

from greenroom.documents.checks import AppointmentIs, Called, EffectIs

__all__ = ["Bounds", "times"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """From `low` to `high` times; `high` None is without end."""

    low: int
    high: int | None

    @classmethod
    def of(cls, check: Called | EffectIs | AppointmentIs) -> "Bounds":
        """`at_least` is 1 unless written, also beside `at_most`; `exactly` stands for both."""
        if check.exactly is not None:
            return cls(low=check.exactly, high=check.exactly)
        return cls(low=check.least if isinstance(check, Called) else check.at_least, high=check.at_most)

    def holds(self, count: int) -> bool:
        """Whether that many are enough and not too many."""
        return count >= self.low and (self.high is None or count <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"at least {times(self.low)}" if self.low else "any number of times"
        if self.high == 0:
            return "never"
        if self.low == self.high:
            return f"exactly {times(self.low)}"
        if self.low == 0:
            return f"at most {times(self.high)}"
        return f"{self.low} to {times(self.high)}"


def times(count: int) -> str:
    """A count in words: `once`, `2 times`."""
    return "once" if count == 1 else f"{count} times"
