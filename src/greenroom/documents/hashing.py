"""What was under test, as short hashes of the documents (features.md F11, H3, H17).

A hash is of what the document means: comments, short forms, values written at their default and the order of a
document's own keys change nothing; the order of playbooks, tools and a mock's keys does, for the agent reads it.
`${NAME}` is hashed as it is written, and a knowledge file by its text.
"""

import hashlib

import orjson

from greenroom.documents.agent import Agent
from greenroom.documents.parts import Doc
from greenroom.documents.suite import Case

__all__ = ["behavior_hash", "canonical_json", "case_hash"]

_HEX_DIGITS = 16
_NOT_OF_THE_CASE = frozenset({"id", "suite", "tags", "skip", "known_failure", "samples", "pass_at_least"})
"""What says when, how often or under which name a case runs, and not what one run of it does or means."""


def canonical_json(document: Doc, *, without: frozenset[str] = frozenset()) -> bytes:
    """One spelling of a document: defaults left out."""
    data = document.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=set(without))
    return orjson.dumps(data)


def behavior_hash(agent: Agent) -> str:
    """16 hex digits for everything that decides how an agent behaves."""
    return _hash(canonical_json(agent))


def case_hash(case: Case) -> str:
    """16 hex digits for everything that decides what one run of a case does and how it is graded."""
    return _hash(canonical_json(case, without=_NOT_OF_THE_CASE))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HEX_DIGITS]
