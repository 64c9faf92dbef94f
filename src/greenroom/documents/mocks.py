"""Mocks and HTTP fixtures as written (features.md C3, C6, H6)."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, ClassVar

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

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({
        "answer": "result",
        "response": "result",
        "returns": "result",
    })

    result: JsonValue = None
    """What the call is answered with: any value, or `{template: VALUE}` with templates in its texts."""
    results: tuple[JsonValue, ...] | None = None
    """In place of `result`: one after another, counted in each conversation.

    With `statuses` or `faults` beside it the sequence is as long as the longest of them; a shorter one stays at its
    last.
    """
    then: After = After.REPEAT_LAST
    """What follows the last of a sequence."""
    status: int | None = Field(default=None, ge=100, le=599)
    """The HTTP status of the answer; 400 and more mean that the call failed. For webhook tools."""
    statuses: tuple[Annotated[int, Field(ge=100, le=599)], ...] | None = None
    """In place of `status`, as a sequence: `[503, 200]` fails first and then succeeds (T27)."""
    error: bool = False
    """The call fails, with `result` as what the agent hears."""
    fault: Fault = Fault.NONE
    """How the call breaks without an answer. The agent hears, as it would live, that the tool is not available."""
    faults: tuple[Fault, ...] | None = None
    """In place of `fault`, as a sequence: `[timeout, none]` breaks the first call only."""
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds before the answer or the fault."""


class Mock(OwnMock):
    """A case's mock entry. Without `when` it is the fallback, wherever it stands."""

    tool: Name
    """The tool it answers, by name; a built-in action too."""
    when: dict[Name, Matcher] = Field(default_factory=dict[Name, Matcher])
    """Conditions on the call's parameters, by dotted path; all must hold. Without it the entry is the fallback."""


class Mutation(Doc):
    """What a write changes in another fixture, for the rest of one case (features.md C4)."""

    target_ref: Id
    """The fixture it changes, by id."""
    patch: JsonValue
    """What is merged deep into that fixture's body."""


class HttpFixture(Doc):
    """What an HTTP request is answered with (features.md C3); its id is the mapping's key."""

    method: HttpMethod = "ANY"
    """The HTTP method of the requests it answers."""
    url_contains: str | None = None
    """What the URL of the requests contains."""
    url_regex: str | None = None
    """A regular expression that the URL of the requests fits, in place of `url_contains`."""
    status: int = Field(default=200, ge=100, le=599)
    """The HTTP status of the answer."""
    body: JsonValue = None
    """What is answered: any value."""
    bodies: tuple[JsonValue, ...] | None = None
    """In place of `body`: one after another, the last one repeated."""
    mutations: tuple[Mutation, ...] = ()
    """What such a request changes in other fixtures, for the rest of the case."""
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds before the answer."""
