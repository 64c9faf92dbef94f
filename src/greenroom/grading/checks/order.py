"""Order rules: what happens before and after what (features.md H9).

One list of everything that happened in the turns of a scope, in that order: the person's event, the playbook that the
turn ran in, then the agent's messages, calls and effects. History is given and not in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from greenroom.conversation.actions import PROCEDURE, named_by
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.effects import Effect
from greenroom.conversation.events import Event, Said, Tap
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message
from greenroom.conversation.transcript import turn_text
from greenroom.conversation.turns import Entry, Turn
from greenroom.documents.checks import Before, NeverAfter, Order
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, Step, StepCall
from greenroom.grading.checks.calls import called_instead, fits_call, shown_call, why_absent
from greenroom.grading.checks.effects import effect_misfits
from greenroom.grading.checks.endings import ran_in
from greenroom.grading.checks.scope import Decision, Scope
from greenroom.grading.checks.written import flow, step_as_written
from greenroom.world.matching import mismatch

__all__ = ["calls_never_after", "decide_before", "decide_never_after", "decide_order"]

_EXCERPT_CHARS = 160

_Thing: TypeAlias = Event | Entry | Turn
"""What happened. A turn stands for the playbook it ran in."""


@dataclass(frozen=True, slots=True)
class _Happening:
    """One entry of the list."""

    turn: int
    thing: _Thing
    words: tuple[str, ...] = ()
    """What was said or tapped; each of them may fit."""


def decide_order(check: Order, scope: Scope) -> Decision:
    """Each step happens, and later than the one before it."""
    story, at = _story(scope, check.steps), -1
    for number, step in enumerate(check.steps, start=1):
        found = _first(step, story, scope, start=at + 1)
        if found is None:
            before = (
                f"after step {number - 1}, {_named(check.steps[number - 2])} ({_turn(story[at])})" if at >= 0 else ""
            )
            what = f"does not happen {before}" if before else "never happened"
            return Decision(
                passed=False, detail=f"step {number}, {_named(step)}, {what}{_otherwise(step, story, scope)}"
            )
        at = found
    return Decision(passed=True)


def decide_before(check: Before, scope: Scope) -> Decision:
    """The first `then` has a `first` before it; so has every later one."""
    story = _story(scope, (check.first, check.then))
    then = _first(check.then, story, scope)
    if then is None or _first(check.first, story[:then], scope) is not None:
        return Decision(passed=True)
    happened = f"{_shown(story[then])} came in {_turn(story[then])} without an earlier {_named(check.first)}"
    return Decision(passed=False, detail=f"{happened}{_otherwise(check.first, story, scope)}")


def decide_never_after(check: NeverAfter, scope: Scope) -> Decision:
    """Nothing after the first `after` is a `never`."""
    story = _story(scope, (check.after, check.never))
    after = _first(check.after, story, scope)
    never = None if after is None else _first(check.never, story, scope, start=after + 1)
    if after is None or never is None:
        return Decision(passed=True)
    return Decision(
        passed=False,
        detail=f"{_shown(story[never])} came in {_turn(story[never])}, after {_shown(story[after])} "
        f"in {_turn(story[after])}",
    )


def calls_never_after(check: NeverAfter, scope: Scope) -> Iterator[ToolCall]:
    """The calls that break the rule: the agent's failure, answered or not (features.md C10)."""
    if not isinstance(check.never, CalledStep):
        return
    story = _story(scope, (check.after, check.never))
    after = _first(check.after, story, scope)
    for happening in () if after is None else story[after + 1 :]:
        if isinstance(happening.thing, ToolCall) and fits_call(check.never.called, happening.thing, scope.evidence):
            yield happening.thing


def _story(scope: Scope, steps: Sequence[Step]) -> Sequence[_Happening]:
    reads = any(isinstance(step, AgentStep) for step in steps)
    return [happening for turn in scope.turns for happening in _of_turn(turn, reads=reads)]


def _of_turn(turn: Turn, *, reads: bool) -> Iterator[_Happening]:
    event = turn.event
    if isinstance(event, Said):
        yield _Happening(turn.index, event, (event.text,))
    elif isinstance(event, Tap):
        yield _Happening(turn.index, event, (event.label, event.value))
    yield _Happening(turn.index, turn)
    for entry in turn.entries:
        said = isinstance(entry, Message) and reads
        words = (turn_text(Turn(index=turn.index, event=None, entries=(entry,))),) if said else ()
        yield _Happening(turn.index, entry, words)


def _first(step: Step, story: Sequence[_Happening], scope: Scope, *, start: int = 0) -> int | None:
    return next((at for at in range(start, len(story)) if _fits(step, story[at], scope)), None)


def _fits(step: Step, happening: _Happening, scope: Scope) -> bool:
    thing = happening.thing
    match step:
        case CalledStep():
            return _is_called(step.called, thing, scope)
        case EffectStep():
            return (
                isinstance(thing, Effect)
                and thing.effect is step.effect.kind
                and not effect_misfits(step.effect, thing)
            )
        case AgentStep():
            return isinstance(thing, Message) and _says(step.agent, happening)
        case PersonStep():
            return isinstance(thing, Said | Tap) and _says(step.person, happening)


def _is_called(step: StepCall, thing: _Thing, scope: Scope) -> bool:
    procedure = named_by(step.tool, PROCEDURE)
    if procedure is not None:
        return isinstance(thing, Turn) and ran_in(procedure, thing, scope.evidence)
    return isinstance(thing, ToolCall) and fits_call(step, thing, scope.evidence)


def _says(matcher: Json, happening: _Happening) -> bool:
    return any(mismatch(matcher, words, text_contains=True) is None for words in happening.words)


def _otherwise(step: Step, story: Sequence[_Happening], scope: Scope) -> str:
    """What is known of a step that was missed: it came too early or too late, or why it could not come at all."""
    at = _first(step, story, scope)
    if at is not None:
        return f"; it comes in {_turn(story[at])} only"
    if not isinstance(step, CalledStep):
        return "; it never happened" if len(story) else ""
    if absent := why_absent(step.called.tool, scope):
        return f": {absent}"
    instead = called_instead(scope)
    return f"; called were {instead}" if instead else "; no tool was called"


def _named(step: Step) -> str:
    return f"`{flow(step_as_written(step))[1:-1]}`"


def _turn(happening: _Happening) -> str:
    return f"turn {happening.turn}"


def _shown(happening: _Happening) -> str:
    thing = happening.thing
    if isinstance(thing, ToolCall):
        return shown_call(thing)
    if isinstance(thing, Effect):
        return f"{thing.effect}: {thing.summary}"
    if isinstance(thing, Turn):
        return f"the playbook {thing.playbook}"
    who = "the agent's" if isinstance(thing, Message) else "the person's"
    words = " ".join(happening.words[0].split()) if happening.words else ""
    return f"{who} {words if len(words) <= _EXCERPT_CHARS else f'{words[:_EXCERPT_CHARS]}…'!r}"
