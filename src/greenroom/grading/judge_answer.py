"""What the judge answered: read, verified, and turned into verdicts (features.md E2, E3, H11).

Nothing is repaired by guessing: an answer that can't be read raises, with a sentence that tells the judge what to do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CriterionVerdict, Verdict
from greenroom.conversation.transcript import cites
from greenroom.conversation.turns import Turn
from greenroom.grading.judge_question import AskedCriterion
from greenroom.models.calls import Unreadable

__all__ = ["capped", "misquoted", "unknown_where", "verdicts_from"]

_MISSING_CAP = 69
"""Page B: a score with a missing action is at most this."""

_MOST_SCORE = 100


def verdicts_from(answer: Json, asked: Sequence[AskedCriterion]) -> tuple[CriterionVerdict, ...]:
    """One verdict for each criterion, in order. Raises `Unreadable`."""
    verdicts = answer.get("verdicts") if isinstance(answer, Mapping) else None
    if not isinstance(verdicts, Sequence) or isinstance(verdicts, str):
        raise Unreadable('answer with one JSON object that has a list "verdicts"')
    if len(verdicts) != len(asked):
        raise Unreadable(
            f"there are {len(asked)} criteria and {len(verdicts)} verdicts; give exactly one for each, in order"
        )
    return tuple(
        _verdict(number, given, each) for number, (given, each) in enumerate(zip(verdicts, asked, strict=True), 1)
    )


def misquoted(verdicts: Sequence[CriterionVerdict], turns: Sequence[Turn]) -> tuple[int, ...]:
    """Positions, from 0, of verdicts whose line stands nowhere on the agent's side of this run (features.md H11).

    A verdict on one turn has to quote that turn.
    """
    return tuple(
        position
        for position, verdict in enumerate(verdicts)
        if verdict.line and not cites(verdict.line, _looked_at(verdict, turns))
    )


def unknown_where(verdicts: Sequence[CriterionVerdict], wrong: Sequence[int]) -> tuple[CriterionVerdict, ...]:
    """The verdicts; those at these positions, which rest on a line that the agent never said, are unknown.

    What was found of nothing has no score either.
    """
    return tuple(
        replace(
            verdict,
            verdict=Verdict.UNKNOWN,
            score=None,
            reason=f"{verdict.reason} (The judge said {verdict.verdict} and quoted a line that the agent never said.)",
        )
        if position in wrong
        else verdict
        for position, verdict in enumerate(verdicts)
    )


def capped(verdict: CriterionVerdict, missing: Sequence[str]) -> CriterionVerdict:
    """A scored verdict with actions missing fails, below its mark and at 69 at most; the reason names them (E3)."""
    if verdict.at_least is None or not missing:
        return verdict
    most = max(0, min(_MISSING_CAP, verdict.at_least - 1))
    return replace(
        verdict,
        verdict=Verdict.FAIL,
        score=None if verdict.score is None else min(verdict.score, most),
        reason=f"{verdict.reason} Not called: {', '.join(missing)}.",
    )


def _looked_at(verdict: CriterionVerdict, turns: Sequence[Turn]) -> Sequence[Turn]:
    return turns if verdict.turn is None else [turn for turn in turns if turn.index == verdict.turn]


def _verdict(number: int, given: Json, asked: AskedCriterion) -> CriterionVerdict:
    if not isinstance(given, Mapping):
        raise Unreadable(f"verdict {number} is no JSON object")
    word = given.get("verdict")
    try:
        verdict = Verdict(word.strip().lower() if isinstance(word, str) else "")
    except ValueError:
        raise Unreadable(
            f'the verdict of criterion {number} is {word!r}; it must be "pass", "fail" or "unknown"'
        ) from None
    reason, line = given.get("reason"), given.get("line", "")
    if not isinstance(reason, str) or not reason.strip():
        raise Unreadable(f"the reason of criterion {number} is missing")
    if line is not None and not isinstance(line, str):
        raise Unreadable(f"the line of criterion {number} is no text")
    found = CriterionVerdict(
        name=asked.name,
        text=asked.criterion.text,
        verdict=verdict,
        reason=" ".join(reason.split()),
        line=(line or "").strip(),
        turn=asked.turn,
        at_least=asked.at_least,
    )
    return found if asked.at_least is None else _scored(found, _score(number, given), asked.at_least)


def _score(number: int, given: Mapping[str, Json]) -> int:
    score = given.get("score")
    whole = isinstance(score, int | float) and not isinstance(score, bool) and score == score // 1
    if not whole or not isinstance(score, int | float) or not 0 <= score <= _MOST_SCORE:
        raise Unreadable(f"the score of criterion {number} is {score!r}; it must be a whole number from 0 to 100")
    return int(score)


def _scored(found: CriterionVerdict, score: int, at_least: int) -> CriterionVerdict:
    """Verdict and score must both pass; where they disagree the criterion fails and the reason says so (J07)."""
    passes = score >= at_least
    if found.verdict is Verdict.UNKNOWN or passes == (found.verdict is Verdict.PASS):
        return replace(found, score=score)
    note = f"(The judge said {found.verdict} and gave {score} of 100, which passes at {at_least}; both must pass.)"
    return replace(found, score=score, verdict=Verdict.FAIL, reason=f"{found.reason} {note}")
