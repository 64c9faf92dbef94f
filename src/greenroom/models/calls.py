"""One structured answer: asked for, read, and asked for once more when it can't be read (J01, J10, J27).

The caller says what a right answer is; this module never guesses one, and knows nothing of judges or simulators.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Usage
from greenroom.errors import ModelMalformed, ModelRejected
from greenroom.models.json_text import NotJson, json_in
from greenroom.models.model import AgentSays, Finish, Model, ModelAnswer, ModelRequest, UserSays

__all__ = ["Structured", "Unreadable", "ask_structured"]

T = TypeVar("T")

_MORE_ROOM: Final = 2
"""How much longer an answer may be that was cut off at its limit."""
_DEFAULT_ROOM: Final = 4096
_SHOWN: Final = 200


class Unreadable(ValueError):
    """Raised by a reader: the JSON isn't what was asked for. The text says what is wrong; the model is told it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Structured(Generic[T]):
    """A structured answer and how it was got."""

    value: T
    raw: str
    """The model's own text, as it came."""
    usage: Usage
    """Both calls together, when there were two."""
    repaired: bool
    """The first answer could not be read."""
    answered_as: Literal["schema", "tool", "text"]
    model: str
    """The name the provider answered under."""


async def ask_structured(
    model: Model,
    request: ModelRequest,
    read: Callable[[Json], T],
    spent: Callable[[Usage], None] | None = None,
) -> Structured[T]:
    """Ask, read, and ask exactly once more when the answer is no JSON or `read` raises `Unreadable`.

    The second question shows the model its own answer and what is wrong with it; an answer that was cut off at its
    limit gets twice the room instead. `spent` is told the usage of each answer as it comes, so that what a failure
    cost is counted too.

    Raises:
        ModelMalformed: the second answer can't be read either; says what came and why not.
        ModelRejected: the model refused to answer; it is not asked again.
        ModelUnreachable, ModelRejected, ScriptAtFault: as the model raises them.
    """
    first = await _answer(model, request, spent)
    try:
        return _structured(first, read, Usage(), repaired=False)
    except (NotJson, Unreadable) as problem:
        again = _repair(request, first, problem)
    second = await _answer(model, again, spent)
    try:
        return _structured(second, read, first.usage, repaired=True)
    except (NotJson, Unreadable) as problem:
        raise ModelMalformed(model.name, f"{_problem(second, problem)}; {_shown(second)}") from None


async def _answer(model: Model, request: ModelRequest, spent: Callable[[Usage], None] | None) -> ModelAnswer:
    answer = await model.ask(request)
    if spent is not None:
        spent(answer.usage)
    if answer.finish is Finish.REFUSAL:
        raise ModelRejected(model.name, f"it refused to answer; {_shown(answer)}")
    return answer


def _structured(answer: ModelAnswer, read: Callable[[Json], T], before: Usage, *, repaired: bool) -> Structured[T]:
    return Structured(
        value=read(json_in(answer.text)),
        raw=answer.text,
        usage=before + answer.usage,
        repaired=repaired,
        answered_as=answer.answered_as,
        model=answer.model,
    )


def _repair(request: ModelRequest, answer: ModelAnswer, problem: ValueError) -> ModelRequest:
    if answer.finish is Finish.LENGTH:
        return replace(request, max_tokens=_MORE_ROOM * (request.max_tokens or _DEFAULT_ROOM))
    told = (
        f"That answer can't be used: {problem}. Answer again with the one JSON object that was asked for, nothing else."
    )
    history = (*request.messages, AgentSays(text=answer.text or "(nothing)"), UserSays(text=told, remark=True))
    return replace(request, messages=history)


def _problem(answer: ModelAnswer, problem: ValueError) -> str:
    if answer.finish is Finish.LENGTH:
        return "its answer was cut off at the token limit, with twice the room as well"
    return f"its answer can't be read, after one repair try: {problem}"


def _shown(answer: ModelAnswer) -> str:
    text, by = " ".join(answer.text.split()), f" ({answer.said_by})" if answer.said_by else ""
    if not text:
        return f"it answered nothing{by}"
    return f"it answered {text!r}{by}" if len(text) <= _SHOWN else f"it answered {text[:_SHOWN]!r}…{by}"
