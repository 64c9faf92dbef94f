"""The words of the matcher language (features.md H7); deciding is `world.matching`'s.

A mapping is a matcher only when all its keys are matcher words; everything else is a plain value that must be equal.
"""

import re
from collections.abc import Mapping

from greenroom.conversation.json_values import Json

__all__ = ["DATE", "MATCHER_WORDS", "is_matcher"]

MATCHER_WORDS: frozenset[str] = frozenset({
    "equals",
    "contains",
    "regex",
    "one_of",
    "number",
    "within",
    "at_least",
    "at_most",
    "type",
    "present",
    "absent",
    "any",
    "not",
})

DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?![\d-])", re.ASCII)
"""How a text begins that `at_least` and `at_most` compare as a date, with or without a time after it."""


def is_matcher(written: Json) -> bool:
    """Whether a written value is a matcher and not a plain value; an empty mapping is a plain value."""
    return isinstance(written, Mapping) and bool(written) and all(key in MATCHER_WORDS for key in written)
