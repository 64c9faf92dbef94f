"""Patterns, next replies, tool tests, calibration and rules of order, from documents to a stored run (issue 3)."""

import json
from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.outcomes import Badge, Cause, CheckStatus, Status, Verdict
from greenroom.conversation.rollup import exit_verdict
from greenroom.conversation.turns import StopReason
from greenroom.errors import DocumentsInvalid
from greenroom.operations.runs import RunRequest
from greenroom.reports.json import JsonReport
from greenroom.reports.lines import plain
from greenroom.reports.streams import written
from greenroom.reports.text import TextReport, result_lines

WILD = {"regex": "^(a+)+$"}
VICTIM = "a" * 40 + "!"
RULES = [
    {"when": {"role": "judge"}, "verdicts": [{"verdict": "pass"}]},
    {"when": {"answered": "list_boats"}, "reply": "The pontoon is free."},
    {"when": {"last": "wild"}, "reply": VICTIM},
    {"when": {"last": "odd"}, "calls": [{"tool": "list_boats", "arguments": {"date": VICTIM}}]},
    {"when": {"last": "boat"}, "calls": [{"tool": "list_boats", "arguments": {"date": "Saturday"}}]},
    {"reply": "You are welcome."},
]
ASKS = [{"person": "Hello"}, {"agent": "Hi, how can I help?"}, {"person": "A boat for Saturday"}]


@pytest.mark.requirement("C12", "E1")
@pytest.mark.timeout(20)
async def test_a_catastrophic_pattern_costs_its_own_case_only_and_the_others_go_on(tmp_path: Path) -> None:
    quick = {"script": ["A boat for Saturday"], "expect": [{"reply": {"regex": "^The .*free\\.$"}}]}
    cases: dict[str, object] = {
        "in-a-check": {"script": ["wild"], "expect": [{"reply": WILD}, {"reply": {"contains": "aaa"}}]},
        "in-a-mock": {
            "script": ["an odd one", "never sent"],
            "world": {"mocks": [{"tool": "list_boats", "when": {"date": WILD}, "result": []}]},
            "expect": [{"called": "list_boats"}],
        },
        **{f"quick-{number}": quick for number in range(4)},
    }
    maker = written_project(tmp_path, rules=RULES, cases=cases)
    outcome = await maker.run(RunRequest(concurrency=6))

    assert [outcome.results[f"quick-{number}"].status for number in range(4)] == [Status.PASSED] * 4
    undecided = outcome.results["in-a-check"]
    assert (undecided.status, undecided.badges) == (Status.ERRORED, (Badge.NEEDS_REVIEW,))
    assert undecided.error is not None
    assert (undecided.error.cause, undecided.stopped) == (Cause.TEST, StopReason.SCRIPT_END)
    assert undecided.error.message == (
        "What the test expects could not be decided: `reply: {regex: ^(a+)+$}`: "
        "regular expression '^(a+)+$' took longer than 0.5 s; make it simpler"
    )
    assert [check.status for check in undecided.checks] == [CheckStatus.ERROR, CheckStatus.PASSED]
    assert undecided.checks[0].detail == "regular expression '^(a+)+$' took longer than 0.5 s; make it simpler"
    broken = outcome.results["in-a-mock"]
    assert broken.status is Status.ERRORED
    assert broken.error is not None
    assert (broken.error.cause, "took longer than 0.5 s" in broken.error.message) == (Cause.TEST, True)
    assert broken.stopped is StopReason.TEST_ERROR

    again = await maker.run(RunRequest(selectors=("booking/quick-0",)))
    assert again.only.status is Status.PASSED


@pytest.mark.requirement("C12")
@pytest.mark.timeout(30)
async def test_what_other_cases_patterns_take_is_not_held_against_an_agent(tmp_path: Path) -> None:
    """Eight samples of a runaway pattern beside a case whose agent has little time, and a pattern of its own."""

    def asks(pattern: str, **rest: object) -> dict[str, object]:
        odd: dict[str, object] = {"tool": "list_boats", "when": {"date": {"regex": pattern}}, "result": "odd"}
        mocks = [odd, {"tool": "list_boats", "result": "none"}]
        return {"world": {"mocks": mocks}, "expect": [{"called": "list_boats"}], **rest}

    cases = {
        "runaway": asks(WILD["regex"], script=["an odd one"], samples=8),
        "innocent": asks("^b+$", script=["an odd one"] * 3, limits={"reply_seconds": 2}),
    }
    outcome = await written_project(tmp_path, rules=RULES, cases=cases).run(RunRequest(concurrency=9))
    by_case = {case: [each.status for each in outcome.stored if each.key.case == case] for case in cases}
    assert by_case == {"runaway": [Status.ERRORED] * 8, "innocent": [Status.PASSED]}


@pytest.mark.requirement("C12", "E2")
@pytest.mark.timeout(20)
async def test_a_catastrophic_pattern_in_the_script_of_the_judge_costs_its_own_case_only(tmp_path: Path) -> None:
    judged = {"judge": "The agent is polite."}
    cases: dict[str, object] = {
        "judged": {"script": ["Hello"], "expect": [judged, {"reply": "You are welcome."}]},
        "quick": {"script": ["A boat"], "expect": [{"called": "list_boats"}]},
    }
    rules = [{"when": {"role": "judge", "last": {"regex": "(\\w+\\s?)+!!"}}, "reply": "never"}, *RULES]
    outcome = await written_project(tmp_path, rules=rules, cases=cases).run(RunRequest(concurrency=1))

    assert outcome.results["quick"].status is Status.PASSED
    broken = outcome.results["judged"]
    assert (broken.status, [check.passed for check in broken.checks], broken.criteria) == (Status.ERRORED, [True], ())
    assert broken.error is not None
    assert (broken.error.cause, "took longer than 0.5 s" in broken.error.message) == (Cause.TEST, True)


@pytest.mark.requirement("C12")
@pytest.mark.timeout(20)
async def test_a_catastrophic_pattern_in_a_tools_parameters_breaks_its_own_case_alone(tmp_path: Path) -> None:
    """What the model writes into the call decides how long it takes; Python's own would go on for hours."""
    maker = written_project(
        tmp_path,
        rules=RULES,
        cases={
            "odd": {"script": ["an odd one"], "expect": [{"called": "list_boats"}]},
            "quick": {"script": ["A boat for Saturday"], "expect": [{"reply": {"contains": "free"}}]},
        },
        agent={
            "tools": {
                "list_boats": {
                    "url": "https://boats.example/free",
                    "parameters": {
                        "type": "object",
                        "properties": {"date": {"type": "string", "pattern": "^([A-Za-z]+)+$"}},
                    },
                    "mocks": [{"result": "none"}],
                }
            }
        },
    )
    outcome = await maker.run(RunRequest(concurrency=2))

    assert outcome.results["quick"].status is Status.PASSED
    broken = outcome.results["odd"]
    assert broken.status is Status.ERRORED
    assert broken.error is not None
    assert broken.error.cause is Cause.AGENT
    assert "the parameters of the tool list_boats" in broken.error.message
    assert "took longer than 0.5 s" in broken.error.message


@pytest.mark.requirement("B9", "E6")
async def test_a_tool_test_that_never_comes_to_an_end_shows_its_calls(tmp_path: Path) -> None:
    """R2 35: where the agent said nothing, the calls are all there is to see."""
    looping = [{"calls": [{"tool": "list_boats", "arguments": {"date": "Saturday"}}]}]
    cases = {"loop": {"history": ASKS, "expect": [{"called": "list_boats"}]}}
    outcome = await written_project(tmp_path, rules=looping, cases=cases, project={"limits": {"tool_rounds": 2}}).run()

    assert outcome.only.stopped is StopReason.AGENT_ERROR
    shown = "\n".join(plain(result_lines(outcome.only)))
    assert shown.count('[call: list_boats {"date": "Saturday"}]') == 2


@pytest.mark.requirement("B9", "F14")
async def test_a_tool_test_names_the_tools_that_were_called_and_asks_no_judge(tmp_path: Path) -> None:
    """B9, T07: the judge is not even configured; what was called stands in the text and in the JSON."""
    cases = {
        "held": {"history": ASKS, "expect": [{"called": {"tool": "list_boats", "with": {"date": "Saturday"}}}]},
        "forbidden": {"history": ASKS, "expect": [{"not_called": "list_boats"}]},
        "none": {"history": ASKS, "expect": [{"no_tool_called": True}]},
        "other": {"history": ASKS, "expect": [{"called": {"tool": "list_boats", "with": {"date": "Sunday"}}}]},
    }
    outcome = await written_project(tmp_path, rules=RULES, cases=cases, project={"models": {}}).run()

    assert {case: result.status for case, result in outcome.results.items()} == {
        "held": Status.PASSED,
        "forbidden": Status.FAILED,
        "none": Status.FAILED,
        "other": Status.FAILED,
    }
    assert all(result.judge is None for result in outcome.stored)
    report = TextReport(run=outcome.run, version="0", verdict=exit_verdict(outcome.run.counts))
    text = "\n".join(plain(written(report, outcome.stored)))
    assert "it was called in turn 1: list_boats {date: Saturday}" in text
    assert "expected no tool call; got list_boats (turn 1)" in text
    assert "nearest in turn 1: list_boats {date: Saturday}: date: expected" in text
    told = json.loads(b"".join(written(JsonReport(outcome.run, version="0"), outcome.stored)))
    assert [[(call["tool"], call["arguments"]) for call in result["tool_calls"]] for result in told["results"]] == [
        [("list_boats", {"date": "Saturday"})]
    ] * 4


@pytest.mark.requirement("B9", "C6", "C10")
async def test_mocks_answer_a_tool_test_and_an_unanswered_call_is_shown_without_failing_it(tmp_path: Path) -> None:
    tools = {"list_boats": {"description": "Boats.", "parameters": {"type": "object"}, "url": "https://boats.example"}}
    mock = {"tool": "list_boats", "result": "none left"}
    expect = [{"called": "list_boats"}]
    cases = {
        "mocked": {"history": ASKS, "world": {"mocks": [mock]}, "expect": expect},
        "unanswered": {"history": ASKS, "expect": expect},
        "judged": {"history": ASKS, "expect": [*expect, {"reply": {"contains": "pontoon"}}]},
    }
    outcome = await written_project(tmp_path, rules=RULES, cases=cases, agent={"tools": tools}).run()
    mocked, unanswered, judged = (outcome.results[case] for case in cases)

    assert (mocked.status, mocked.badges) == (Status.PASSED, ())
    (call,) = mocked.turns[-1].calls
    assert (call.answered_by, call.result) == (AnsweredBy.MOCK, "none left")
    assert (unanswered.status, unanswered.badges) == (Status.PASSED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))
    assert [call.tool for call in unanswered.unanswered] == ["list_boats"]
    assert (judged.status, judged.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))


@pytest.mark.requirement("B9", "E4", "H11")
async def test_a_next_reply_is_judged_with_its_history_as_given_and_with_the_examples(tmp_path: Path) -> None:
    case = {
        "history": ASKS,
        "expect": [{"judge": "The agent names a boat that is free on the day that was asked for."}],
        "examples": {"success": ["The kayak is free on Saturday."], "failure": ["We have many boats."]},
    }
    result = (await written_project(tmp_path, rules=RULES, cases={"next": case}).run()).only

    assert result.status is Status.PASSED
    assert [turn.index for turn in result.turns if turn.messages] == [1]
    assert result.criteria[0].name == "The agent names a boat that…"
    assert result.judge is not None
    question = result.judge.question
    for passage in (
        "An example that passes, to calibrate by:",
        "The kayak is free on Saturday.",
        "An example that fails, to calibrate by:",
        "We have many boats.",
        "[earlier]",
        "[now]",
        "The pontoon is free.",
    ):
        assert passage in question
    assert question.index("[earlier]") < question.index("Hi, how can I help?") < question.index("[now]")


@pytest.mark.requirement("B9")
async def test_a_history_without_the_person_is_refused_before_anything_runs(tmp_path: Path) -> None:
    case = {"history": [{"agent": "Hello?"}], "expect": [{"no_tool_called": True}]}
    with pytest.raises(DocumentsInvalid, match="a `history` that stands alone has at least one message of the person"):
        await written_project(tmp_path, rules=RULES, cases={"alone": case}).run()


@pytest.mark.requirement("E2", "G2")
async def test_an_unknown_verdict_asks_for_review_and_names_the_condition(tmp_path: Path) -> None:
    rules = [{"when": {"role": "judge"}, "verdicts": [{"verdict": "unknown", "reason": "Nothing tells."}]}, *RULES]
    case = {"script": ["Thanks"], "expect": [{"judge": {"name": "polite", "text": "The agent is polite."}}]}
    result = (await written_project(tmp_path, rules=rules, cases={"thanks": case}).run()).only

    assert (result.status, result.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW,))
    (criterion,) = result.criteria
    assert (criterion.name, criterion.verdict, criterion.reason) == ("polite", Verdict.UNKNOWN, "Nothing tells.")


@pytest.mark.requirement("H9", "E1")
async def test_rules_of_order_and_budgets_hold_over_a_whole_run(tmp_path: Path) -> None:
    """Tokens are the agent's of each turn, as its model tells them."""
    rules = [{**rule, "usage": {"input_tokens": 100, "output_tokens": 10}} for rule in RULES]
    steps = [{"person": "boat"}, {"called": "list_boats"}, {"agent": "pontoon"}, {"agent": "welcome"}]
    case = {
        "script": ["A boat for Saturday", {"say": "Thanks", "expect": [{"max": {"tokens": 110, "tool_calls": 0}}]}],
        "expect": [
            {"order": steps},
            {"before": {"first": {"called": "list_boats"}, "then": {"agent": "pontoon"}}},
            {"never_after": {"after": {"agent": "pontoon"}, "never": {"called": "list_boats"}}},
            {"max": {"tokens": 330, "turns": 2, "tool_calls": 1, "seconds": 60}},
            {"max": {"tokens": 329}},
        ],
    }
    result = (await written_project(tmp_path, rules=rules, cases={"boat": case}).run()).only

    assert [check.detail for check in result.checks if not check.passed] == [
        "the agent used 330 tokens, 329 are allowed"
    ]
    assert result.checks[-1].turn == 2
