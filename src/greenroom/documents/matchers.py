"""The words of the matcher language (features.md H7); deciding is `world.matching`'s.

A mapping is a matcher only when all its keys are matcher words; everything else is a plain value that must be equal.
"""

from collections.abc import Mapping

from greenroom.conversation.json_values import Json

__all__ = ["MATCHER_WORDS", "is_matcher"]

MATCHER_WORDS: frozenset[str] = frozenset({
    "equals",
    "contains",
    "regex",
    "one_of",
    "number",
    "within",
    "type",
    "present",
    "absent",
    "any",
})


def is_matcher(written: Json) -> bool:
    """Whether a written value is a matcher and not a plain value; an empty mapping is a plain value."""
    return isinstance(written, Mapping) and bool(written) and all(key in MATCHER_WORDS for key in written)
