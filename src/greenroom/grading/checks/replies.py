"""Checks on what the agent said and showed (features.md E1; field lessons P07, P10).

A reply is a turn's messages joined as the transcript shows them. `any` and `all` look at the replies from turn 1 on;
the greeting is turn 0 and looked at by `turn: 0`, by `never_says` and by `mentions`.
"""

from greenroom.conversation.messages import Shape, shapes_of
from greenroom.conversation.transcript import turn_text
from greenroom.conversation.turns import Turn
from greenroom.documents.checks import Mentions, NeverSays, Reply
from greenroom.grading.checks.amounts import amounts_in, one_amount
from greenroom.grading.checks.scope import Decision, Scope, listed
from greenroom.grading.checks.written import flow
from greenroom.world.matching import mismatch

__all__ = ["decide_mentions", "decide_never_says", "decide_reply"]

_EXCERPT_CHARS = 160


def decide_reply(check: Reply, scope: Scope) -> Decision:
    """The last reply, any, every one, or that of turn N."""
    turns = _replies(check, scope)
    if not turns:
        seen = listed([str(turn.index) for turn in scope.turns])
        what = (
            f"there is no turn {check.turn}" if isinstance(check.turn, int) else "the agent was not asked for a reply"
        )
        return Decision(passed=False, detail=f"{what}; this check sees {f'turn {seen}' if seen else 'no turn'}")
    reasons = {turn.index: _why_not(check, turn, scope) for turn in turns}
    broken = [f"turn {index}: {why}" for index, why in reasons.items() if why]
    passed = len(broken) < len(reasons) if check.turn == "any" else not broken
    return Decision(passed=passed, detail="" if passed else "; ".join(broken[:3]))


def decide_never_says(check: NeverSays, scope: Scope) -> Decision:
    """No message of the agent, and no turn's messages together, match."""
    for turn in scope.turns:
        for text in _sayings(turn, scope):
            if mismatch(check.text, text, text_contains=True) is None:
                return Decision(passed=False, detail=f"turn {turn.index} says {_excerpt(check, text)}")
    return Decision(passed=True)


def decide_mentions(check: Mentions, scope: Scope) -> Decision:
    """Each value was said somewhere; numbers and money by value, other text as it is written."""
    said = [scope.texts[turn.index] for turn in scope.turns]
    amounts = [amount for text in said for amount in amounts_in(text)]
    missing: list[str] = []
    for value in check.values:
        wanted = one_amount(value)
        if wanted is not None:
            found = any(wanted.is_said_by(amount) for amount in amounts)
        else:
            found = any(value in text for text in said)
        if not found:
            missing.append(flow(value) + _other_case(value, said))
    return Decision(passed=not missing, detail=f"the agent never said {listed(missing, most=10)}" if missing else "")


def _replies(check: Reply, scope: Scope) -> tuple[Turn, ...]:
    if isinstance(check.turn, int):
        return tuple(turn for turn in scope.turns if turn.index == check.turn)
    if check.turn == "last":
        return scope.turns[-1:]
    return tuple(turn for turn in scope.turns if turn.index > 0)


def _why_not(check: Reply, turn: Turn, scope: Scope) -> str:
    if not turn.messages:
        return "the agent sent no message"
    shapes = frozenset[Shape]().union(*(shapes_of(message) for message in turn.messages))
    if check.shape is not None and check.shape not in shapes:
        return f"expected {_named(check.shape)}; it shows {_shown(shapes)}"
    if check.not_shape is not None and check.not_shape in shapes:
        return f"expected no {_named(check.not_shape, article=False)}; it shows {_shown(shapes)}"
    if check.text is None:
        return ""
    return mismatch(check.text, scope.texts[turn.index], text_contains=True) or ""


def _named(shape: Shape, *, article: bool = True) -> str:
    name = shape.value.replace("_", " ")
    return f"a {name}" if article and shape in (Shape.CARD, Shape.CAROUSEL, Shape.TIME_PICKER) else name


def _shown(shapes: frozenset[Shape]) -> str:
    return ", ".join(_named(shape) for shape in Shape if shape in shapes) or "nothing of a known shape"


def _sayings(turn: Turn, scope: Scope) -> list[str]:
    """The turn as a whole, and each message by itself where there are several."""
    messages = turn.messages
    alone = [turn_text(Turn(index=turn.index, event=None, entries=(message,))) for message in messages]
    return ([scope.texts[turn.index]] if messages else []) + (alone if len(messages) > 1 else [])


def _excerpt(check: NeverSays, text: str) -> str:
    line = next((line for line in text.split("\n") if mismatch(check.text, line, text_contains=True) is None), text)
    shown = line if len(line) <= _EXCERPT_CHARS else f"{line[:_EXCERPT_CHARS]}…"
    return repr(shown)


def _other_case(value: str, said: list[str]) -> str:
    folded = value.casefold()
    differs = any(folded in text.casefold() for text in said)
    return " (it did in other case: capitals count)" if differs and one_amount(value) is None else ""
