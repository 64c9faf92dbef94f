"""The judge: one call for all criteria of a case, and what it came to (features.md E2–E6, H11).

A judge that can't answer is an error with cause `judge`, never a pass and never a fail. Knows no agent, no store and
no turn record; `judge_question` says what it sees, `judge_answer` how its answer is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CaseError, Cause, CriterionVerdict, JudgeRecord, Verdict
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role, Usage
from greenroom.documents.suite import Case
from greenroom.errors import JudgeMissing, ModelFault, ScriptAtFault
from greenroom.grading.evidence import Evidence
from greenroom.grading.expectations import BROKE_OFF
from greenroom.grading.judge_answer import capped, misquoted, unknown_where, verdicts_from
from greenroom.grading.judge_question import (
    PROMPT_VERSION,
    SYSTEM,
    AskedCriterion,
    answer_schema,
    asked_criteria,
    question_for,
)
from greenroom.models.calls import Unreadable, ask_structured
from greenroom.models.model import Model, ModelAnswer, ModelRequest, OutputSchema, UserSays

__all__ = ["PROMPT_VERSION", "Judgement", "judge", "should_judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the judge said of a conversation, or why it said nothing."""

    verdicts: tuple[CriterionVerdict, ...] = ()
    """One for each criterion, the case's own first; empty when there is an error."""
    record: JudgeRecord | None = None
    """The exact question and answer; None when no question was needed."""
    usage: Usage = field(default_factory=Usage)
    """Everything that was spent, on an answer that could not be used as well."""
    error: CaseError | None = None


def should_judge(stopped: StopReason) -> bool:
    """Whether a conversation that stopped so has an end to be judged by; at the cap on turns it has (E6, H1)."""
    return stopped not in BROKE_OFF


async def judge(
    case: Case, evidence: Evidence, model: Model | None, *, missing: Sequence[str] = (), conversation: str = ""
) -> Judgement:
    """Every criterion of the case, by one question. Asks nothing when there is nothing to ask about.

    Args:
        case: What is expected.
        evidence: What may be seen.
        model: The judge. None is an error as soon as there is something to ask.
        missing: Required actions that were not called; they cap scores (features.md E3).
        conversation: Its id, by which scripted models count.

    A criterion under a script line that was never sent fails without the judge; when the agent sent no message at
    all every criterion is unknown and the judge is not asked (J22).
    """
    every = asked_criteria(case, evidence)
    asked = [each for each in every if not each.expected.unsent]
    silent = not any(turn.messages for turn in evidence.turns)
    if silent or not asked:
        return Judgement(verdicts=_in_order(every, iter([_unasked(each) for each in asked])))
    if model is None:
        return Judgement(error=CaseError(cause=Cause.JUDGE, message=str(JudgeMissing(f"{case.suite}/{case.id}"))))
    return await _ask(_Counted(model), every, _request(case, evidence, asked, conversation), evidence, missing)


@dataclass(slots=True)
class _Counted:
    """A model that remembers what it was asked for: an answer is sent back once only, and its cost counts."""

    model: Model
    answers: list[ModelAnswer] = field(default_factory=list[ModelAnswer])

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def scripted(self) -> bool:
        return self.model.scripted

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        answer = await self.model.ask(request)
        self.answers.append(answer)
        return answer

    @property
    def usage(self) -> Usage:
        return sum((answer.usage for answer in self.answers), Usage())


def _request(case: Case, evidence: Evidence, asked: Sequence[AskedCriterion], conversation: str) -> ModelRequest:
    return ModelRequest(
        role=Role.JUDGE,
        system=SYSTEM,
        messages=(UserSays(text=question_for(case, evidence, asked)),),
        output=OutputSchema(name="verdicts", schema=answer_schema(asked)),
        conversation=conversation,
    )


async def _ask(
    model: _Counted, every: Sequence[AskedCriterion], request: ModelRequest, evidence: Evidence, missing: Sequence[str]
) -> Judgement:
    asked = [each for each in every if not each.expected.unsent]

    def read(answer: Json) -> tuple[CriterionVerdict, ...]:
        verdicts = verdicts_from(answer, asked)
        wrong = misquoted(verdicts, evidence.turns)
        if wrong and len(model.answers) == 1:
            raise Unreadable(_quote_again(verdicts, wrong))
        return unknown_where(verdicts, wrong)

    try:
        answer = await ask_structured(model, request, read)
    except ModelFault as fault:
        message = f"The judge could not answer, so there is no verdict: {fault}"
        cause = Cause.TEST if isinstance(fault, ScriptAtFault) else Cause.JUDGE
        return Judgement(
            record=_record(model, request), usage=model.usage, error=CaseError(cause=cause, message=message)
        )
    given = iter([capped(verdict, missing) for verdict in answer.value])
    return Judgement(verdicts=_in_order(every, given), record=_record(model, request), usage=model.usage)


def _quote_again(verdicts: Sequence[CriterionVerdict], wrong: Sequence[int]) -> str:
    quotes = "; ".join(f"criterion {position + 1}: {verdicts[position].line!r}" for position in wrong)
    return (
        "these lines stand nowhere on the agent's side of this conversation, or not in the turn that the criterion "
        f"looks at: {quotes}. Quote one whole line word for word, or leave line empty where something is absent"
    )


def _record(model: _Counted, request: ModelRequest) -> JudgeRecord:
    last = model.answers[-1] if model.answers else None
    return JudgeRecord(
        model=model.name,
        prompt_version=PROMPT_VERSION,
        system=request.system,
        question="\n".join(message.text for message in request.messages),
        answer=last.text if last else "",
        answered_as=last.answered_as if last else "",
        repaired=len(model.answers) > 1,
    )


def _in_order(every: Sequence[AskedCriterion], given: Iterator[CriterionVerdict]) -> tuple[CriterionVerdict, ...]:
    return tuple(_never_sent(each) if each.expected.unsent else next(given) for each in every)


def _never_sent(asked: AskedCriterion) -> CriterionVerdict:
    return _without_judge(asked, Verdict.FAIL, asked.expected.unsent)


def _unasked(asked: AskedCriterion) -> CriterionVerdict:
    return _without_judge(asked, Verdict.UNKNOWN, "The agent sent no message, so the judge was not asked.")


def _without_judge(asked: AskedCriterion, verdict: Verdict, reason: str) -> CriterionVerdict:
    return CriterionVerdict(
        name=asked.name,
        text=asked.criterion.text,
        verdict=verdict,
        reason=reason,
        turn=asked.turn,
        at_least=asked.at_least,
    )
