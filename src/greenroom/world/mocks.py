"""Which mock entry answers a call, and with which of its results (features.md C6, H6).

A conversation has its own `MockBook`: sequences are counted in it. Nothing here knows endpoints or strategies.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from greenroom.conversation.calls import name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.matchers import is_matcher
from greenroom.documents.mocks import After, Fault, Mock, OwnMock
from greenroom.patterns import off_loop
from greenroom.world.matching import first_mismatch, uses_pattern
from greenroom.world.wording import TOO_DEEP, as_json

__all__ = ["FAILING_STATUS", "MockBook", "Prepared", "fitting", "mock_to_add"]

_T = TypeVar("_T")

FAILING_STATUS = 400
"""From here on an HTTP status means that the call failed."""

_PASTED_CHARACTERS = 200
"""A longer argument would be a condition that nobody can read."""
_NOT_IN_YAML = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WORDS_OF_YAML = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Names that some reader of YAML takes for something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a mock has prepared for this call."""

    result: Json
    failed: bool
    status: int | None
    delay: float
    """Seconds to wait before it is given."""
    fault: Fault = Fault.NONE
    """The call breaks and there is no answer."""
    bare: bool = False
    """Nobody wrote what it answers."""


def fitting(entries: Sequence[Mock], arguments: Mapping[str, Json]) -> Mock | None:
    """The first entry whose conditions all hold, else the first without any, wherever it stands (features.md C6)."""
    fallback = None
    for entry in entries:
        if not entry.when:
            fallback = fallback or entry
        elif first_mismatch(entry.when, arguments) is None:
            return entry
    return fallback


class MockBook:
    """A case's entries for one conversation, and how often each has answered in it."""

    def __init__(self, mocks: Sequence[Mock]) -> None:
        self._entries: dict[str, list[Mock]] = {}
        for mock in mocks:
            self._entries.setdefault(name_key(mock.tool), []).append(mock)
        self._given: dict[int, int] = {}

    def entries(self, name: str) -> Sequence[Mock]:
        """What the case has prepared for a tool or action, in the order in which it is written."""
        return self._entries.get(name_key(name), ())

    async def fitting(self, name: str, arguments: Mapping[str, Json]) -> Mock | None:
        """The entry that answers this call. Patterns are matched in a thread, so that the event loop goes on."""
        entries = self.entries(name)
        if any(uses_pattern(matcher) for entry in entries for matcher in entry.when.values()):
            return await off_loop(fitting, entries, arguments)
        return fitting(entries, arguments)

    async def why_none_fits(self, name: str, arguments: Mapping[str, Json]) -> str:
        """For a call that no entry answers: the reason, as far as the first entry shows it."""
        entries = self.entries(name)
        if not entries:
            return "no mock was prepared for it"
        why = await off_loop(first_mismatch, entries[0].when, arguments)
        which = "its entry doesn't fit" if len(entries) == 1 else f"none of its {len(entries)} entries fits; the first"
        return f"{which}: {why}"

    def next_of(self, mock: OwnMock) -> Prepared | None:
        """The mock's next result in this conversation; None when its sequence is used up and says `unanswered`."""
        length = max(len(mock.results or ()), len(mock.statuses or ()), len(mock.faults or ()))
        if not length:
            return None if mock.results is not None else _prepared(mock, 0)
        # By identity, since documents can't be hashed. The case or the agent outlives this book and holds the mock.
        given = self._given.get(id(mock), 0)
        self._given[id(mock)] = given + 1
        if given < length:
            return _prepared(mock, given)
        if mock.then is After.UNANSWERED:
            return None
        return _prepared(mock, given % length if mock.then is After.CYCLE else length - 1)


def _prepared(mock: OwnMock, step: int) -> Prepared:
    status = _at(step, mock.statuses, mock.status)
    return Prepared(
        result=_at(step, mock.results, mock.result),
        failed=mock.error or (status is not None and status >= FAILING_STATUS),
        status=status,
        delay=mock.delay,
        fault=_at(step, mock.faults, mock.fault),
        bare=mock.results is None and "result" not in mock.model_fields_set,
    )


def _at(step: int, sequence: Sequence[_T] | None, single: _T) -> _T:
    """A sequence that is shorter than another beside it stays at its last."""
    return sequence[min(step, len(sequence) - 1)] if sequence else single


def mock_to_add(name: str, arguments: Mapping[str, Json], *, confirm: str | None = None) -> str:
    """The entry of `world.mocks` that would answer this call, as one line of YAML to paste (features.md C10).

    Arguments too long or too deep to be read as a condition are left out of it. Of a write that asks for a confirmation
    (`confirm`: what commits it) the entry names neither arguments nor result, so that it asks (features.md C9).
    """
    if confirm is not None:
        return f"- {{tool: {_key(name)}}}"
    written = {path: _yaml(_literal(value)) for path, value in arguments.items()}
    conditions = [
        f"{_key(path)}: {value}"
        for path, value in written.items()
        if len(value) <= _PASTED_CHARACTERS and TOO_DEEP not in value
    ]
    when = f", when: {{{', '.join(conditions)}}}" if conditions else ""
    return f"- {{tool: {_key(name)}{when}, result: {{}}}}"


def _literal(value: Json) -> Json:
    """A value that means itself, even where it could be read as a matcher."""
    return {"equals": value} if is_matcher(value) else value


def _key(name: str) -> str:
    plain = _PLAIN_KEY.fullmatch(name) and name.lower() not in _WORDS_OF_YAML
    return name if plain else _yaml(name)


def _yaml(value: Json) -> str:
    """JSON, which is YAML but for some characters that YAML doesn't take or folds as line breaks."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", as_json(value))
