"""Steps of the order rules: one thing that happens in a conversation (features.md H9; semantics: checks and matchers).

`order`, `before` and `never_after` are written with them; `grading` finds where each occurs.
"""

from typing import ClassVar, TypeAlias

from pydantic import Field

from greenroom.conversation.effects import EffectKind
from greenroom.documents.parts import Doc, Matcher, Name, ParameterMatcher, TextMatcher

__all__ = ["AgentStep", "CalledStep", "EffectStep", "PersonStep", "Step", "StepCall", "StepEffect"]


class StepCall(Doc):
    """A call to a tool, with such parameters."""

    short: ClassVar[str | None] = "tool"
    tool: Name
    """The tool or built-in action, by name or label."""
    with_: dict[Name, ParameterMatcher] = Field(default_factory=dict[Name, ParameterMatcher], alias="with")
    """Conditions on its parameters, by dotted path."""
    strict: bool = False
    """No parameters besides those named."""


class StepEffect(Doc):
    """An effect of a kind, with such a summary and such data."""

    short: ClassVar[str | None] = "kind"
    kind: EffectKind
    """What kind of effect."""
    summary: TextMatcher = None
    """What its line in the transcript must be like. Left out: anything. Plain text means contains."""
    data: dict[Name, Matcher] = Field(default_factory=dict[Name, Matcher])
    """Conditions on its data, by dotted path."""


class CalledStep(Doc):
    """The agent calls a tool."""

    called: StepCall
    """The tool, or `{tool, with, strict}`."""


class EffectStep(Doc):
    """Something leaves the platform, or would have."""

    effect: StepEffect
    """The kind, or `{kind, summary, data}`."""


class AgentStep(Doc):
    """The agent sends a message that matches. A plain string means contains."""

    agent: TextMatcher
    """What the message must be like. Plain text means contains."""


class PersonStep(Doc):
    """The person says or taps something that matches. A plain string means contains."""

    person: TextMatcher
    """What is said or tapped. Plain text means contains."""


Step: TypeAlias = CalledStep | EffectStep | AgentStep | PersonStep
