"""A script of rules as people write it: conditions on a request, and what is answered. Deciding is `script_rules`'."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from greenroom.conversation.outcomes import Verdict
from greenroom.conversation.turns import PersonEnd
from greenroom.conversation.usage import Role
from greenroom.documents.parts import Doc, JsonValue, Meant, TextMatcher
from greenroom.models.model import Finish

__all__ = [
    "Answered",
    "Fault",
    "FaultKind",
    "Rule",
    "Script",
    "ScriptedCall",
    "ScriptedUsage",
    "ScriptedVerdict",
    "When",
]


class FaultKind(StrEnum):
    """What can go wrong with a call, as it does with real providers."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    TRUNCATED = "truncated"
    """The stream breaks off in the middle."""
    MALFORMED = "malformed"
    """The provider's answer is no JSON."""
    QUOTA = "quota"
    REJECTED = "rejected"
    CONTEXT_OVERFLOW = "context_overflow"
    REFUSAL = "refusal"
    """The model answers that it won't."""
    EMPTY = "empty"
    """The model answers nothing."""


class Fault(Doc):
    """A fault on purpose; goes through the same retries as a real one."""

    short: ClassVar[str | None] = "kind"

    kind: FaultKind
    times: int | None = Field(default=None, ge=1)
    """How many tries of each call fail before one succeeds; all of them when left out."""
    retry_after: float | None = Field(default=None, ge=0.0)
    """Seconds the provider asks to wait."""


class Answered(Doc):
    """The request comes with a tool's answer."""

    short: ClassVar[str | None] = "tool"

    tool: str
    text: TextMatcher = None


class When(Doc):
    """When a rule fits: everything that is written must hold."""

    role: Annotated[tuple[Role, ...], Meant.ONE_OR_MORE] = ()
    last: TextMatcher = None
    """The other side's newest words."""
    system: TextMatcher = None
    """The system prompt, the playbook's text in it included."""
    turn: int | None = Field(default=None, ge=1)
    """How many messages the other side has written so far."""
    answered: Answered | None = None
    offered: str | None = None
    """A tool that the model could call now."""
    time: int | None = Field(default=None, ge=1)
    """Only the first, second, … request of a conversation that fits the rest of the rule."""


class ScriptedCall(Doc):
    """A tool call that is answered. Text in place of an object goes out as malformed arguments."""

    short: ClassVar[str | None] = "tool"

    tool: str
    arguments: JsonValue = None


class ScriptedVerdict(Doc):
    """The judge's verdict on every criterion that fits."""

    short: ClassVar[str | None] = "verdict"

    verdict: Verdict
    criterion: TextMatcher = None
    """The criterion's line as the judge reads it, `name: text`; every criterion when left out."""
    seen: TextMatcher = None
    """Something in the question the judge was given, which holds the transcript."""
    reason: str = "The script says so."
    line: str = ""
    score: int | None = Field(default=None, ge=0, le=100)


class ScriptedUsage(Doc):
    """What the call is said to have cost; a figure that is left out is estimated, caches are 0."""

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)
    cache_write_1h_tokens: int = Field(default=0, ge=0)


class Rule(Doc):
    """One rule: the first that fits answers."""

    when: When = When()
    reply: str | None = None
    calls: Annotated[tuple[ScriptedCall, ...], Meant.ONE_OR_MORE] = ()
    output: JsonValue = None
    """A structured answer, as JSON."""
    say: str | None = None
    """The simulated person's next message; what it taps and whether it ends may stand beside it."""
    tap: str | None = Field(default=None, min_length=1)
    end: PersonEnd | None = None
    verdicts: Annotated[tuple[ScriptedVerdict, ...], Meant.ONE_OR_MORE] = ()
    usage: ScriptedUsage = ScriptedUsage()
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds that each try takes."""
    fault: Fault | None = None
    finish: Finish | None = None


class Script(Doc):
    """Rules in order."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1)]
