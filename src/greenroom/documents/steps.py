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
    with_: dict[Name, ParameterMatcher] = Field(default_factory=dict[Name, ParameterMatcher], alias="with")
    strict: bool = False
    """No parameters besides those named."""


class StepEffect(Doc):
    """An effect of a kind, with such a summary and such data."""

    short: ClassVar[str | None] = "kind"
    kind: EffectKind
    summary: TextMatcher = None
    """Left out (None): any. A plain string means contains."""
    data: dict[Name, Matcher] = Field(default_factory=dict[Name, Matcher])


class CalledStep(Doc):
    """The agent calls a tool."""

    called: StepCall


class EffectStep(Doc):
    """Something leaves the platform, or would have."""

    effect: StepEffect


class AgentStep(Doc):
    """The agent sends a message that matches. A plain string means contains."""

    agent: TextMatcher


class PersonStep(Doc):
    """The person says or taps something that matches. A plain string means contains."""

    person: TextMatcher


Step: TypeAlias = CalledStep | EffectStep | AgentStep | PersonStep
