"""Tokens and calls, by the role that spent them; what nobody reported stays unknown (features.md F4; M01–M07)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Role", "Usage", "add_usage", "total_usage"]


class Role(StrEnum):
    """Who a model speaks for."""

    AGENT = "agent"
    ROUTER = "router"
    SIMULATOR = "simulator"
    JUDGE = "judge"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls cost. All figures are tokens but those of calls and tries."""

    input_tokens: int = 0
    """What was not read from a cache, however the provider reports it."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    """Part of `input_tokens` that was written to a five-minute cache."""
    cache_write_1h_tokens: int = 0
    """Part of `input_tokens` that was written to a one-hour cache."""
    unsplit_tokens: int = 0
    """Reported as a total alone: nobody knows which of them were read and which written."""
    calls: int = 0
    retries: int = 0
    unreported: int = 0
    """How many of the calls were answered without telling what they used, or with a part of it. What they told is in
    the figures, which then are the least it can be."""
    unsplit_calls: int = 0
    """How many of those told their total, so that their tokens are known all the same, and only their weight is not."""

    @property
    def tokens(self) -> int:
        """All that are known of."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.unsplit_tokens

    @property
    def unknown(self) -> bool:
        """Nobody told anything: no figure is known, which is not the same as 0 (M06, M07)."""
        return self.unreported > 0 and not self.tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cache_write_1h_tokens=self.cache_write_1h_tokens + other.cache_write_1h_tokens,
            unsplit_tokens=self.unsplit_tokens + other.unsplit_tokens,
            calls=self.calls + other.calls,
            retries=self.retries + other.retries,
            unreported=self.unreported + other.unreported,
            unsplit_calls=self.unsplit_calls + other.unsplit_calls,
        )


def add_usage(left: Mapping[Role, Usage], right: Mapping[Role, Usage]) -> dict[Role, Usage]:
    """Both, summed role by role."""
    summed = dict(left)
    for role, usage in right.items():
        summed[role] = summed.get(role, Usage()) + usage
    return summed


def total_usage(by_role: Mapping[Role, Usage]) -> Usage:
    """All roles together."""
    total = Usage()
    for usage in by_role.values():
        total += usage
    return total
