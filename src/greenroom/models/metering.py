"""Usage to case units (features.md F4). Exact: integers all the way, so that no rounding of floats tips a unit over."""

from collections.abc import Mapping
from typing import Final

from greenroom.conversation.usage import Role, Usage

__all__ = ["case_units"]

_UNIT: Final = 40_000
_CASE_ROLES: Final = (Role.AGENT, Role.ROUTER, Role.SIMULATOR, Role.JUDGE)
"""Authoring is metered apart (features.md B4)."""


def case_units(usage: Mapping[Role, Usage]) -> int:
    """(input + 5 × output + cache reads ÷ 10) ÷ 40,000, rounded up, at least 1.

    Over the agent's turns with their routing, the judge and the simulated person. The least it can be where usage was
    not reported: what nobody told counts nothing, and a total that is not taken apart counts as input.
    """
    spent = [usage[role] for role in _CASE_ROLES if role in usage]
    tenths = sum(
        10 * (one.input_tokens + one.unsplit_tokens) + 50 * one.output_tokens + one.cache_read_tokens for one in spent
    )
    return max(1, -(-tenths // (10 * _UNIT)))
