"""Checks on what left the platform, or would have (features.md A8, E1)."""

from collections.abc import Mapping

from greenroom.conversation.appointments import Spelling
from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.documents.checks import EffectIs
from greenroom.documents.steps import StepEffect
from greenroom.grading.checks.counts import Bounds, times
from greenroom.grading.checks.scope import Decision, Scope, listed
from greenroom.grading.checks.spelled import spelled
from greenroom.world.matching import lookup, mismatch, mismatch_found

__all__ = ["decide_effect", "effect_misfits"]

_AS_KEPT = Spelling()


def decide_effect(check: EffectIs, scope: Scope) -> Decision:
    """So many effects of the kind, with such a summary and such data."""
    bounds = Bounds.of(check)
    effects = [(turn.index, effect) for turn in scope.turns for effect in turn.effects]
    of_kind = [(turn, effect) for turn, effect in effects if effect.effect is check.kind]
    misfits = [effect_misfits(check, effect, scope.evidence.spelling) for _, effect in of_kind]
    fitting = sum(not reasons for reasons in misfits)
    if bounds.holds(fitting):
        return Decision(passed=True)
    expected = f"expected {bounds}"
    if not of_kind:
        got = listed([f"{effect.effect} (turn {turn})" for turn, effect in effects]) or "no effect at all"
        return Decision(passed=False, detail=f"{expected}; got {got}")
    detail = f"{expected}; got {times(fitting) if fitting else 'no such effect'}"
    if fitting < bounds.low and any(misfits):
        nearest = min(
            (index for index, reasons in enumerate(misfits) if reasons), key=lambda index: len(misfits[index])
        )
        turn, effect = of_kind[nearest]
        detail += f"; nearest in turn {turn}: {effect.effect}: {effect.summary}: {'; '.join(misfits[nearest])}"
    return Decision(passed=False, detail=detail)


def effect_misfits(check: EffectIs | StepEffect, effect: Effect, spelling: Spelling = _AS_KEPT) -> list[str]:
    """Why an effect of the right kind is not the one wanted; empty when it is."""
    reasons: list[str] = []
    if check.summary is not None and (why := mismatch(check.summary, effect.summary, text_contains=True)) is not None:
        reasons.append(f"summary: {why}")
    known = listed(_paths(effect.data), most=_SHOWN_PATHS)
    for path, matcher in check.data.items():
        found = lookup(effect.data, path)
        if (why := mismatch_found(matcher, found)) is not None:
            has = f"; its data has {known or 'no keys'}"
            reasons.append(f"{path}: {why}{spelled(path, found.value, spelling) if found.there else has}")
    return reasons


_SHOWN_PATHS = 12
"""Of the paths of an effect's data in a sentence."""


def _paths(data: Mapping[str, Json]) -> list[str]:
    """What can be named under `data`: its keys, and those one level down in place of a key that holds some."""
    paths: list[str] = []
    for key, value in data.items():
        inner = list(value) if isinstance(value, Mapping) else []
        paths += [f"{key}.{name}" for name in inner] or [key]
    return paths
