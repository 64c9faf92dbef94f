"""Keys and words of the documents that belong to parts of Greenroom which this version does not have.

One table. They are neither accepted in silence nor called unknown; when a part comes, its row goes.
"""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["LATER", "not_supported"]

LATER: Mapping[str, frozenset[str]] = MappingProxyType({
    "Case": frozenset({"customer", "judge_votes"}),
    "CaseWorld": frozenset({"http", "integrations"}),
    "Expectation": frozenset({"http_called"}),
    "StateIs": frozenset({"shopify", "shipbob", "loop_subscriptions", "http"}),
    "Judged": frozenset({"judge_votes"}),
    "Scored": frozenset({"judge_votes"}),
    "Suite": frozenset({"schedule"}),
    "Agent": frozenset({"connect"}),
    "Limits": frozenset({
        "daily_units",
        "run_units",
        "run_samples",
        "runs_kept",
    }),
})
"""What is refused so, by the model (or the list of words) that it would belong to."""


def not_supported(where: str, word: str) -> str | None:
    """The message for a word that a later version will know here; None for any other."""
    if word not in LATER.get(where, frozenset()):
        return None
    return f"`{word}` is not supported by this version of Greenroom"
