"""The turn record: everything about one turn, for people who look for the reason (features.md A2, A12).

`grading` may not import this module, not even indirectly: the judge can't see what it must not (features.md E4).
"""

from dataclasses import dataclass
from enum import StrEnum

from greenroom.conversation.turns import Entry
from greenroom.conversation.usage import Role, Usage

__all__ = ["FlowCame", "FlowStepped", "ModelCall", "Route", "RouteBy", "TurnRecord"]


class RouteBy(StrEnum):
    """How a playbook was chosen."""

    ONLY = "only"
    """One playbook is left: no model call."""
    FLOW = "flow"
    """A flow of the playbook waits for an answer: no model call."""
    TAP = "tap"
    """A tap continues what offered it: no model call."""
    MODEL = "model"
    START = "start"
    """The conversation starts in this playbook: the case says so, or what the agent said by itself."""
    NONE = "none"
    """The agent has no playbooks, or nobody has said anything yet that could decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which playbook a turn ran in, and why."""

    playbook: str | None
    by: RouteBy
    stayed: bool = False
    """The conversation kept the playbook it was in."""
    answer: str = ""
    """What the router said, word for word, when that named no playbook: the conversation stayed where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call to a model."""

    role: Role
    model: str
    usage: Usage
    duration_s: float
    attempts: int = 1
    finish: str = "stop"
    error: str | None = None


class FlowCame(StrEnum):
    """What came of a step of a flow: where it went from there."""

    ON = "on"
    """To the next step."""
    DO = "do"
    """Into the steps under this key, and so with the next two."""
    IF_NONE = "if_none"
    OTHERWISE = "otherwise"
    WAITS = "waits"
    """Nowhere: it asked."""
    ENDED = "ended"
    """Nowhere: the conversation is over."""
    LEFT = "left"
    """To the model."""
    UNFIT = "unfit"
    """To the model, since no answer fitted; the router was asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStepped:
    """One step of a flow that was reached (features.md H14)."""

    at: str
    """Its place: `3.do.1` is the first step under the `do` of the third."""
    step: str
    """The word it begins with."""
    came: FlowCame
    why: str = ""
    """What the model was told of it, when the flow was left here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """What was composed, routed, offered, called and shown in one turn."""

    turn: int
    prompt: str
    """The composed system prompt, whole."""
    route: Route
    offered: tuple[str, ...]
    """Names of the tools the model could call, in order."""
    model_calls: tuple[ModelCall, ...] = ()
    entries: tuple[Entry, ...] = ()
    flow: tuple[FlowStepped, ...] = ()
    """The steps of the playbook's flow that were reached, in order; a question stands there when it is asked, and
    again with what came of the answer."""
    started_at: str = ""
    """ISO 8601, UTC."""
    duration_s: float = 0.0
