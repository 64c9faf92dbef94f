"""Asking the judge, and what comes of its answer."""

import json

import pytest
from tests.grading.makers import Judge, answer, effect, evidence, line, make_case, said, turn, verdict

from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Cause, CriterionVerdict, Verdict
from greenroom.conversation.turns import StopReason
from greenroom.documents.checks import Judged, Says, Scored
from greenroom.errors import ModelUnreachable
from greenroom.grading.judge import PROMPT_VERSION, Judgement, judge, should_judge
from greenroom.models.model import Finish, Model

POLITE = make_case(Judged(name="polite", text="The agent is polite."))
HELPS = make_case(Scored(text="The person gets a boat.", at_least=70))
SEEN = evidence(turn(0, None, "Hi, this is Lakeside."), *said("It is  booked.", "Bye!"))


async def only_verdict(script: Judge, case: object = POLITE) -> CriterionVerdict:
    judgement = await judge(case, SEEN, script)  # pyright: ignore[reportArgumentType]
    assert judgement.error is None, judgement.error
    (found,) = judgement.verdicts
    return found


async def failed(*answers: str | Exception, finish: Finish = Finish.STOP) -> Judgement:
    judgement = await judge(POLITE, SEEN, Judge(*answers, finish=finish))
    assert judgement.verdicts == ()
    assert judgement.error is not None
    assert judgement.error.cause is Cause.JUDGE
    return judgement


@pytest.mark.requirement("E2", "E5")
async def test_one_call_answers_every_criterion_in_order() -> None:
    case = make_case(
        Judged(name="polite", text="The agent is polite."),
        Judged(text="It asks for the marina before it asks for a date."),
        Says(text="Bye!"),
        script=[line("A boat"), line("Bye", Judged(text="It says goodbye."))],
    )
    script = Judge(answer(verdict(), verdict("fail"), verdict("unknown"), verdict(line="Bye!")))
    judgement = await judge(case, SEEN, script, conversation="booking/books-a-boat/1/1")
    assert [(each.name, each.verdict, each.turn) for each in judgement.verdicts] == [
        ("polite", Verdict.PASS, None),
        ("It asks for the marina before…", Verdict.FAIL, None),
        ("says", Verdict.UNKNOWN, None),
        ("It says goodbye.", Verdict.PASS, 2),
    ]
    assert len(script.requests) == 1
    assert script.requests[0].conversation == "booking/books-a-boat/1/1"
    assert judgement.record is not None
    assert (judgement.record.model, judgement.record.prompt_version) == ("script:judge", PROMPT_VERSION)
    assert not judgement.record.repaired
    assert judgement.usage.calls == 1


@pytest.mark.requirement("E2")
async def test_prose_gets_one_repair_and_then_is_a_judge_error_with_its_cost() -> None:
    """J01, J27: never a pass, never a fail, and both calls are paid for."""
    judgement = await failed("Looks fine to me", "Still fine")
    assert judgement.error is not None
    assert judgement.error.message.startswith("The judge could not answer, so there is no verdict: script:judge: ")
    assert "Still fine" in judgement.error.message
    assert (judgement.usage.calls, judgement.usage.input_tokens) == (2, 200)
    assert judgement.record is not None
    assert judgement.record.answer == "Still fine"


@pytest.mark.requirement("E2")
async def test_a_repaired_answer_counts_and_is_marked() -> None:
    """J27."""
    judgement = await judge(POLITE, SEEN, Judge("Looks fine to me", answer(verdict())))
    assert [each.verdict for each in judgement.verdicts] == [Verdict.PASS]
    assert judgement.record is not None
    assert judgement.record.repaired
    assert judgement.usage.calls == 2


@pytest.mark.requirement("E2", "E3")
async def test_an_answer_in_a_code_fence_is_read() -> None:
    """J02, J12: the score is the one in the JSON."""
    found = await only_verdict(Judge(f"Here you are:\n```json\n{answer(verdict(score=85))}\n```"), HELPS)
    assert (found.verdict, found.score) == (Verdict.PASS, 85)


@pytest.mark.requirement("E2")
async def test_an_answer_that_was_cut_off_twice_is_a_judge_error() -> None:
    """J10."""
    judgement = await failed('{"verdicts": [{"reason": "It', '{"verdicts": [{', finish=Finish.LENGTH)
    assert judgement.error is not None
    assert "cut off" in judgement.error.message


@pytest.mark.requirement("E2")
async def test_a_refusal_and_an_unreachable_judge_are_judge_errors() -> None:
    await failed(answer(verdict()), answer(verdict()), finish=Finish.REFUSAL)
    judgement = await failed(ModelUnreachable("script:judge", "connection refused", attempts=4))
    assert judgement.usage.calls == 0
    assert judgement.error is not None
    assert "connection refused (after 4 tries)" in judgement.error.message


def malformed(**changes: Json) -> str:
    return json.dumps({"verdicts": [{**verdict(score=80), **changes}]})


@pytest.mark.requirement("E2", "E3")
@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (malformed(verdict="MAYBE"), 'must be "pass", "fail" or "unknown"'),
        (malformed(verdict=True), "must be"),
        (malformed(verdict="could be PASS"), "must be"),
        (malformed(reason=""), "the reason of criterion 1 is missing"),
        (malformed(line=["x"]), "the line of criterion 1 is no text"),
        (malformed(score=None), "must be a whole number from 0 to 100"),
        (malformed(score=0.75), "must be a whole number from 0 to 100"),
        (malformed(score=101), "must be a whole number from 0 to 100"),
        (malformed(score=True), "must be a whole number from 0 to 100"),
        (malformed(score="80"), "must be a whole number from 0 to 100"),
        (answer(verdict(), verdict()), "there are 1 criteria and 2 verdicts"),
        (answer(), "there are 1 criteria and 0 verdicts"),
        ('{"verdict": "pass"}', 'a list "verdicts"'),
        ('{"verdicts": "pass"}', 'a list "verdicts"'),
        ('{"verdicts": ["pass"]}', "verdict 1 is no JSON object"),
        ("[]", 'a list "verdicts"'),
    ],
)
async def test_what_is_not_on_the_menu_is_sent_back_once_with_the_reason(broken: str, why: str) -> None:
    """J07, J20: a mention in the reasoning is never taken for the verdict."""
    script = Judge(broken, answer(verdict(score=80)))
    assert (await only_verdict(script, HELPS)).verdict is Verdict.PASS
    assert why in script.requests[1].messages[-1].text
    judgement = await judge(HELPS, SEEN, Judge(broken, broken))
    assert judgement.error is not None
    assert judgement.error.cause is Cause.JUDGE


@pytest.mark.requirement("E2")
@pytest.mark.parametrize("word", ["PASS", " pass ", "Pass"])
async def test_capitals_and_spaces_of_a_verdict_do_not_matter(word: str) -> None:
    """P27."""
    assert (await only_verdict(Judge(answer(verdict(word))))).verdict is Verdict.PASS


@pytest.mark.requirement("H11")
@pytest.mark.parametrize("quoted", ["It is booked.", "Agent: It is   booked.", '"It is booked."', "Bye!", ""])
async def test_a_line_the_agent_said_stands_whatever_its_white_space(quoted: str) -> None:
    script = Judge(answer(verdict(line=quoted)))
    assert (await only_verdict(script)).verdict is Verdict.PASS
    assert len(script.requests) == 1


@pytest.mark.requirement("H11")
async def test_a_line_nobody_said_gets_one_repair_and_then_the_verdict_is_unknown() -> None:
    invented = answer(verdict(line="You get a full refund."))
    script = Judge(invented, answer(verdict(line="Bye!")))
    assert (await only_verdict(script)).verdict is Verdict.PASS
    assert "criterion 1: 'You get a full refund.'" in script.requests[1].messages[-1].text
    for word in ("pass", "fail"):
        twice = answer(verdict(word, line="You get a full refund."))
        found = await only_verdict(Judge(twice, twice))
        assert found.verdict is Verdict.UNKNOWN
        assert found.reason == f"It does. (The judge said {word} and quoted a line that the agent never said.)"


@pytest.mark.requirement("H11", "E3")
async def test_a_score_that_rests_on_a_line_nobody_said_is_none() -> None:
    """What was not called fails all the same."""
    twice = answer(verdict("pass", line="You get a full refund.", score=90))
    found = await only_verdict(Judge(twice, twice), HELPS)
    assert (found.verdict, found.score) == (Verdict.UNKNOWN, None)
    judgement = await judge(HELPS, SEEN, Judge(twice, twice), missing=["refund"])
    assert [(each.verdict, each.score) for each in judgement.verdicts] == [(Verdict.FAIL, None)]


@pytest.mark.requirement("H11")
async def test_prose_first_and_a_wrong_line_second_is_unknown_not_an_error() -> None:
    """There is one repair in all."""
    found = await only_verdict(Judge("Looks fine to me", answer(verdict(line="You get a full refund."))))
    assert found.verdict is Verdict.UNKNOWN


@pytest.mark.requirement("H11")
async def test_the_person_and_the_history_are_no_lines_of_the_agent() -> None:
    twice = answer(verdict(line="line 1"))
    assert (await only_verdict(Judge(twice, twice))).verdict is Verdict.UNKNOWN


@pytest.mark.requirement("H11")
async def test_a_verdict_on_one_turn_has_to_quote_that_turn() -> None:
    case = make_case(script=[line("A boat", Judged(text="It books.")), line("Bye")])
    elsewhere = answer(verdict(line="Bye!"))
    assert (await only_verdict(Judge(elsewhere, elsewhere), case)).verdict is Verdict.UNKNOWN
    assert (await only_verdict(Judge(answer(verdict(line="It is booked."))), case)).verdict is Verdict.PASS


@pytest.mark.requirement("H11", "A8")
async def test_an_effect_line_can_be_quoted() -> None:
    seen = evidence(turn(1, "Two", effect(EffectKind.BOOKED, "Saturday 14:00"), "Done."))
    judgement = await judge(POLITE, seen, Judge(answer(verdict(line="[booked: Saturday 14:00]"))))
    assert [each.verdict for each in judgement.verdicts] == [Verdict.PASS]


@pytest.mark.requirement("E3")
@pytest.mark.parametrize(
    ("word", "score", "verdict_then"),
    [
        ("pass", 70, Verdict.PASS),
        ("pass", 69, Verdict.FAIL),
        ("fail", 90, Verdict.FAIL),
        ("fail", 40, Verdict.FAIL),
        ("unknown", 90, Verdict.UNKNOWN),
    ],
)
async def test_a_scored_criterion_passes_when_verdict_and_score_both_do(
    word: str, score: int, verdict_then: Verdict
) -> None:
    """J07: the rule decides, and a contradiction is named in the reason."""
    found = await only_verdict(Judge(answer(verdict(word, score=score))), HELPS)
    assert (found.verdict, found.score, found.at_least) == (verdict_then, score, 70)
    contradicts = (word, score) in {("pass", 69), ("fail", 90)}
    assert ("both must pass" in found.reason) is contradicts


@pytest.mark.requirement("E3")
@pytest.mark.parametrize(
    ("at_least", "given", "capped"), [(70, 95, 69), (70, 40, 40), (50, 95, 49), (90, 95, 69), (0, 9, 0)]
)
async def test_a_missing_action_caps_the_score_and_is_named(at_least: int, given: int, capped: int) -> None:
    case = make_case(Scored(text="It helps.", at_least=at_least))
    word = "pass" if given >= at_least else "fail"
    judgement = await judge(case, SEEN, Judge(answer(verdict(word, score=given))), missing=["refund", "hand_over"])
    (found,) = judgement.verdicts
    assert (found.verdict, found.score) == (Verdict.FAIL, capped)
    assert found.reason == "It does. Not called: refund, hand_over."


@pytest.mark.requirement("E3")
async def test_a_missing_action_leaves_a_plain_criterion_alone() -> None:
    judgement = await judge(POLITE, SEEN, Judge(answer(verdict())), missing=["refund"])
    assert judgement.verdicts[0].verdict is Verdict.PASS


@pytest.mark.requirement("E2")
async def test_without_a_message_of_the_agent_the_judge_is_not_asked() -> None:
    """J22."""
    judgement = await judge(POLITE, evidence(turn(1, "Hello?"), stopped=StopReason.AGENT_ENDED), Judge())
    assert [(each.verdict, each.reason) for each in judgement.verdicts] == [
        (Verdict.UNKNOWN, "The agent sent no message, so the judge was not asked.")
    ]
    assert judgement.record is None


@pytest.mark.requirement("E2", "B10")
async def test_a_criterion_of_a_line_that_was_never_sent_fails_without_the_judge() -> None:
    unsent = line("Thanks", Judged(text="It says goodbye."))
    only = make_case(script=[line("A boat"), line("A human"), unsent])
    seen = evidence(*said("Hello", "Sure"), stopped=StopReason.HANDED_OVER)
    judgement = await judge(only, seen, Judge())
    assert [(each.verdict, each.reason) for each in judgement.verdicts] == [
        (Verdict.FAIL, "line 3 was not sent: handed over at line 2")
    ]
    both = make_case(Judged(text="It is polite."), script=[line("A boat"), line("A human"), unsent])
    script = Judge(answer(verdict()))
    judgement = await judge(both, seen, script)
    assert [each.verdict for each in judgement.verdicts] == [Verdict.PASS, Verdict.FAIL]
    assert "It says goodbye." not in script.requests[0].messages[0].text


@pytest.mark.requirement("E2")
async def test_a_case_without_criteria_never_touches_the_judge() -> None:
    judgement = await judge(make_case(), SEEN, Judge())
    assert judgement == Judgement()


@pytest.mark.requirement("E5")
async def test_no_judge_is_a_judge_error_and_nobody_else_is_asked() -> None:
    """J21."""
    missing: Model | None = None
    judgement = await judge(POLITE, SEEN, missing)
    assert judgement.error is not None
    assert judgement.error.cause is Cause.JUDGE
    assert "no judge is configured" in judgement.error.message


@pytest.mark.requirement("E6", "H1")
def test_what_broke_off_is_not_judged_and_a_limit_on_turns_is() -> None:
    assert {stopped for stopped in StopReason if not should_judge(stopped)} == {
        StopReason.REPLY_TIMEOUT,
        StopReason.RUN_TIMEOUT,
        StopReason.AGENT_ERROR,
        StopReason.SIMULATOR_ERROR,
        StopReason.PLATFORM_ERROR,
        StopReason.TEST_ERROR,
        StopReason.UNIT_LIMIT,
        StopReason.CANCELLED,
    }
