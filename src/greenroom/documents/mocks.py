"""Mocks and HTTP fixtures as written (features.md C3, C6, H6)."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from greenroom.documents.parts import Doc, HttpMethod, Id, JsonValue, Matcher, Name

__all__ = ["After", "Fault", "HttpFixture", "Mock", "MockStrategy", "Mutation", "OwnMock"]


class MockStrategy(StrEnum):
    """Which tools may reach their endpoint (features.md C7)."""

    ALL = "all"
    SELECTED = "selected"
    NONE = "none"


class After(StrEnum):
    """What follows when a sequence of results is used up (features.md H6)."""

    REPEAT_LAST = "repeat-last"
    CYCLE = "cycle"
    UNANSWERED = "unanswered"


class Fault(StrEnum):
    """How a call breaks on purpose, without an answer (features.md H6)."""

    NONE = "none"
    TIMEOUT = "timeout"
    RESET = "reset"
    """The connection is closed before there is an answer."""


class OwnMock(Doc):
    """A mock response that stands on the tool itself; it takes no conditions."""

    result: JsonValue = None
    results: tuple[JsonValue, ...] | None = None
    """In place of `result`: one after another, counted per conversation.

    With `statuses` or `faults` beside it the sequence is as long as the longest of them; a shorter one stays at its
    last.
    """
    then: After = After.REPEAT_LAST
    status: int | None = Field(default=None, ge=100, le=599)
    statuses: tuple[Annotated[int, Field(ge=100, le=599)], ...] | None = None
    """In place of `status`, beside `results`: `[503, 200]` fails first and then succeeds (T27)."""
    error: bool = False
    fault: Fault = Fault.NONE
    """The agent hears what it would hear live: that the tool is not available."""
    faults: tuple[Fault, ...] | None = None
    """In place of `fault`, as a sequence: `[timeout, none]` breaks the first call only."""
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds before the answer or the fault."""


class Mock(OwnMock):
    """A case's mock entry. Without `when` it is the fallback, wherever it stands."""

    tool: Name
    when: dict[Name, Matcher] = Field(default_factory=dict[Name, Matcher])
    """Dotted parameter paths to matchers."""


class Mutation(Doc):
    """What a write changes in another fixture, for the rest of one case (features.md C4)."""

    target_ref: Id
    patch: JsonValue
    """Merged deep into that fixture's body."""


class HttpFixture(Doc):
    """What an HTTP request is answered with (features.md C3); its id is the mapping's key."""

    method: HttpMethod = "ANY"
    url_contains: str | None = None
    url_regex: str | None = None
    status: int = Field(default=200, ge=100, le=599)
    body: JsonValue = None
    bodies: tuple[JsonValue, ...] | None = None
    """In place of `body`: one after another, the last one repeated."""
    mutations: tuple[Mutation, ...] = ()
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds."""
