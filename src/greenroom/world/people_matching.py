"""Whether a person is as some conditions say: for checks on a person and for segments alike (features.md A5, H7).

Conditions are paths to matchers: `status`, `name`, `party_size` or `fields.party_size`, `consent.messages`, `tags`.
"""

from collections.abc import Mapping

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CORE_FIELDS, Person, person_values
from greenroom.documents.matchers import is_matcher
from greenroom.world.matching import Found, lookup, mismatch_found

__all__ = ["is_in_segment", "person_mismatch"]


def person_mismatch(path: str, matcher: Json, values: Mapping[str, Json]) -> str | None:
    """Why what stands at a path of a person (`person_values`) doesn't fit; None when it does.

    An empty core field is not known; for all words but `present` and `absent` that is empty text.
    """
    found = lookup(values, path)
    if path in CORE_FIELDS and not found.there and not _asks_for_presence(matcher):
        found = Found("")
    return mismatch_found(matcher, found)


def is_in_segment(person: Person, conditions: Mapping[str, Json]) -> bool:
    """Whether every condition holds. May run regular expressions, and raises what they do."""
    values = person_values(person)
    return all(person_mismatch(path, matcher, values) is None for path, matcher in conditions.items())


def _asks_for_presence(matcher: Json) -> bool:
    return isinstance(matcher, Mapping) and is_matcher(matcher) and bool({"present", "absent"} & set(matcher))
