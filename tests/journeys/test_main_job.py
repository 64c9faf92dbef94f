"""Running a suite against an agent: documents to a stored, graded run (features.md A, B9, B10, E, H1)."""

from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.outcomes import Badge, Cause, RunStatus, Status, Verdict
from greenroom.conversation.progress import SampleStarted
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import StopReason
from greenroom.errors import DocumentsInvalid, JudgeMissing, LimitReached, NothingSelected
from greenroom.operations.runs import RunRequest, perform, prepare
from greenroom.operations.stopping import Stop

CALLS_THEN_ANSWERS = [
    {"when": {"role": "judge"}, "verdicts": [{"verdict": "pass", "line": "The pontoon is free on Saturday."}]},
    {"when": {"answered": "list_boats"}, "reply": "The pontoon is free on Saturday."},
    {"when": {"last": "boat"}, "calls": [{"tool": "list_boats", "arguments": {"date": "Saturday"}}]},
    {"reply": "You are welcome."},
]
BOAT = {
    "script": ["A boat for Saturday", "Thanks"],
    "expect": [
        {"called": {"tool": "list_boats", "with": {"date": {"regex": "^Sat"}}, "exactly": 1}},
        {"reply": {"contains": "pontoon", "turn": 1}},
        {"judge": "The agent names a free boat."},
    ],
}


@pytest.mark.requirement("A1", "A2", "B10", "E1", "E2", "E7", "F14", "H11")
async def test_a_case_that_holds_passes_and_everything_about_it_is_stored(tmp_path: Path) -> None:
    outcome = await written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT}).run()
    result = outcome.only
    assert outcome.run.status is RunStatus.FINISHED
    assert outcome.run.counts.passed == 1
    assert outcome.run.pass_rate == 1.0
    assert result.status is Status.PASSED
    assert result.stopped is StopReason.SCRIPT_END
    assert [check.passed for check in result.checks] == [True, True]
    assert result.criteria[0].verdict is Verdict.PASS
    assert result.judge is not None
    assert "The pontoon is free on Saturday." in result.judge.question
    assert render_transcript(result.turns) == (
        "Agent: Hello, this is Lakeside.\n\n"
        "Person: A boat for Saturday\n\n"
        "Agent: The pontoon is free on Saturday.\n\n"
        "Person: Thanks\n\n"
        "Agent: You are welcome."
    )
    assert result.units == outcome.run.units == 1


@pytest.mark.requirement("C10", "E7", "H1")
async def test_an_unanswered_call_fails_the_run_with_both_badges_whatever_the_judge_says(tmp_path: Path) -> None:
    tools = {"list_boats": {"description": "Boats.", "parameters": {"type": "object"}, "url": "https://boats.example"}}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT}, agent={"tools": tools})
    result = (await maker.run()).only
    assert result.status is Status.FAILED
    assert set(result.badges) == {Badge.NEEDS_REVIEW, Badge.NO_MOCK}
    (call,) = result.unanswered
    assert call.answered_by is AnsweredBy.NONE
    assert "list_boats" in (call.missing or "")


@pytest.mark.requirement("E6", "H1")
async def test_a_provider_that_fails_is_an_error_of_the_platform_and_nothing_is_judged(tmp_path: Path) -> None:
    """S21, X12: an error is never a pass, and it costs its own case only."""
    rules = [{"when": {"last": "break"}, "fault": "rejected"}, *CALLS_THEN_ANSWERS]
    broken = {"script": ["A boat for Saturday", "break", "Thanks"], "expect": BOAT["expect"]}
    outcome = await written_project(tmp_path, rules=rules, cases={"broken": broken, "boat": BOAT}).run()
    result = outcome.results["broken"]
    assert result.status is Status.ERRORED
    assert result.error is not None
    assert result.error.cause is Cause.PLATFORM
    assert result.stopped is StopReason.PLATFORM_ERROR
    assert result.criteria == ()
    assert result.checks[0].passed
    assert "pontoon" in render_transcript(result.turns)
    assert outcome.results["boat"].status is Status.PASSED
    assert outcome.run.counts.errored == 1
    assert outcome.run.pass_rate == 1.0


@pytest.mark.requirement("H1")
async def test_one_malformed_judge_answer_costs_its_own_case_only(tmp_path: Path) -> None:
    """J01, J11, S32: prose twice is a judge error, never a pass, and stays out of the pass rate."""
    prose = [
        {"when": {"role": "judge", "last": "UNJUDGEABLE"}, "reply": "Looks fine to me."},
        {"when": {"role": "judge", "turn": 2}, "reply": "I said that it looks fine."},
    ]
    odd = {**BOAT, "description": "UNJUDGEABLE"}
    cases = {f"case-{number}": odd if number == 3 else BOAT for number in range(6)}
    outcome = await written_project(tmp_path, rules=[*prose, *CALLS_THEN_ANSWERS], cases=cases).run()
    assert outcome.results["case-3"].status is Status.ERRORED
    error = outcome.results["case-3"].error
    assert error is not None
    assert error.cause is Cause.JUDGE
    assert outcome.run.counts.passed == 5
    assert outcome.run.pass_rate == 1.0


@pytest.mark.requirement("F11")
async def test_the_run_says_what_was_under_test_and_an_edit_changes_the_hash(tmp_path: Path) -> None:
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT})
    first = (await maker.run()).run.under_test
    again = (await maker.run()).run.under_test
    maker = written_project(
        tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT}, agent={"rules": ["Never promise a refund."]}
    )
    edited = (await maker.run()).run.under_test
    assert first == again
    assert first.agent_model == first.judge_model == "script:models/agent.yaml"
    assert first.judge_prompt
    assert edited.behavior_hash != first.behavior_hash


@pytest.mark.requirement("B9", "A8")
async def test_history_alone_asks_for_the_one_next_reply_and_a_tool_test_needs_no_judge(tmp_path: Path) -> None:
    next_reply = {
        "history": [{"person": "Hello"}, {"agent": "Hi, how can I help?"}, {"person": "A boat for Saturday"}],
        "expect": [{"called": "list_boats"}, {"not_called": "notify_team"}],
    }
    project: dict[str, object] = {"models": {}}
    outcome = await written_project(
        tmp_path, rules=CALLS_THEN_ANSWERS, cases={"next": next_reply}, project=project
    ).run()
    assert outcome.only.status is Status.PASSED
    assert outcome.only.judge is None
    assert [turn.index for turn in outcome.only.turns if turn.messages] == [1]


@pytest.mark.requirement("A5", "A6", "A9")
async def test_what_the_agent_writes_of_the_person_is_read_back_by_the_checks(tmp_path: Path) -> None:
    rules = [
        {"when": {"answered": "notify_team"}, "reply": "Noted."},
        {
            "when": {"last": "six"},
            "calls": [
                {"tool": "update_person", "arguments": {"party_size": 6}},
                {"tool": "notify_team", "arguments": {"text": "Six people on Saturday"}},
            ],
        },
        {"reply": "Hello."},
    ]
    person = {
        "person": {"first_name": "Ana", "fields": {"party_size": 2}},
        "script": ["We are six"],
        "expect": [
            {"person": {"party_size": 6, "first_name": "Ana"}},
            {"effect": {"kind": "notify", "summary": "Six people", "exactly": 1}},
        ],
    }
    outcome = await written_project(tmp_path, rules=rules, cases={"person": person}).run()
    result = outcome.only
    assert [check.detail for check in result.checks if not check.passed] == []
    assert "[person: party_size = 6]" in render_transcript(result.turns)


async def test_samples_run_apart_and_are_all_kept(tmp_path: Path) -> None:
    """K01, K02, C12: each sample has its own row and its own conversation."""
    outcome = await written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT}).run(RunRequest(samples=3))
    assert [result.key.sample for result in outcome.stored] == [1, 2, 3]
    assert outcome.run.cases[0].passed == 3


async def test_a_skipped_case_is_not_played_and_a_known_failure_does_not_fail_the_run(tmp_path: Path) -> None:
    cases = {
        "later": {**BOAT, "skip": "the price list is not there yet"},
        "known": {**BOAT, "expect": [{"reply": {"contains": "yacht"}}], "known_failure": "no yachts yet"},
    }
    outcome = await written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases=cases).run()
    assert outcome.results["later"].status is Status.SKIPPED
    assert outcome.results["later"].note == "the price list is not there yet"
    assert outcome.results["known"].status is Status.FAILED
    assert (outcome.run.counts.failed, outcome.run.counts.known_failures, outcome.run.counts.skipped) == (0, 1, 1)


@pytest.mark.requirement("F1")
async def test_the_failed_cases_of_the_last_run_can_be_run_again(tmp_path: Path) -> None:
    """R11: found by id; nothing failed is said, not a green run of nothing."""
    wrong = {**BOAT, "expect": [{"reply": {"contains": "yacht"}}]}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT, "yacht": wrong})
    with pytest.raises(NothingSelected, match="no earlier run"):
        await maker.run(RunRequest(failed=True))
    await maker.run()
    again = await maker.run(RunRequest(failed=True))
    assert list(again.results) == ["yacht"]
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT, "yacht": BOAT})
    await maker.run(RunRequest(failed=True))
    with pytest.raises(NothingSelected, match="no selected case failed in the last run"):
        await maker.run(RunRequest(failed=True))


async def test_fail_fast_begins_nothing_after_the_first_failure(tmp_path: Path) -> None:
    wrong = {**BOAT, "expect": [{"reply": {"contains": "yacht"}}]}
    cases = {"wrong": wrong, **{f"boat-{number}": BOAT for number in range(5)}}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases=cases)
    outcome = await maker.run(RunRequest(fail_fast=True, concurrency=1))
    assert outcome.run.status is RunStatus.CANCELLED
    assert (outcome.run.counts.failed, outcome.run.counts.cancelled) == (1, 5)


async def test_a_stop_keeps_what_finished_and_cancels_the_rest(tmp_path: Path) -> None:
    rules = [{"when": {"last": "wait"}, "reply": "I am waiting.", "delay": 60}, *CALLS_THEN_ANSWERS]
    slow = {"script": ["please wait"], "expect": [{"reply": {"contains": "waiting"}}]}
    maker = written_project(tmp_path, rules=rules, cases={"boat": BOAT, "slow": slow})
    stop = Stop()
    async with maker.open() as context:
        prepared = await prepare(context, RunRequest(concurrency=1))
        async for event in perform(context, prepared, stop):
            if isinstance(event, SampleStarted) and event.key.case == "slow":
                stop.set()
        run = await context.store.runs.get(prepared.run.run_id)
        stored = {r.key.case: r.status async for r in context.store.results.of_run(run.run_id)}
    assert run.status is RunStatus.CANCELLED
    assert stored == {"boat": Status.PASSED, "slow": Status.CANCELLED}


async def test_criteria_without_a_judge_are_refused_before_anything_runs(tmp_path: Path) -> None:
    """J21, S22: neither the agent's nor the simulator's model is ever taken."""
    project = {"models": {"simulator": "script:models/agent.yaml"}}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": BOAT}, project=project)
    with pytest.raises(JudgeMissing, match="booking/boat has criteria and no judge is configured"):
        await maker.run()


async def test_documents_with_errors_run_nothing_and_show_all_findings(tmp_path: Path) -> None:
    """X07: one broken file stops the run, with every finding of every file."""
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"boat": {**BOAT, "playbook": "boking"}})
    maker.write("suites/second.yaml", {"suite": "second", "cases": {"odd": {"skript": ["hello"]}}})
    with pytest.raises(DocumentsInvalid) as refused:
        await maker.run()
    assert "suites/second.yaml" in str(refused.value)


@pytest.mark.requirement("F4")
async def test_a_case_over_its_units_is_an_error_of_the_limit(tmp_path: Path) -> None:
    rules = [{"reply": "Long.", "usage": {"input_tokens": 900_000, "output_tokens": 10}}]
    case = {"script": ["Hello", "Again"], "expect": [{"reply": {"contains": "Long"}}]}
    result = (await written_project(tmp_path, rules=rules, cases={"long": case}).run()).only
    assert result.status is Status.ERRORED
    assert result.stopped is StopReason.UNIT_LIMIT
    assert result.error is not None
    assert result.error.cause is Cause.LIMIT
    assert result.units == 23
    assert len(result.turns) == 2


@pytest.mark.requirement("F4", "F6")
async def test_the_one_next_reply_and_the_judge_count_for_the_units_of_a_case_too(tmp_path: Path) -> None:
    dear = {"input_tokens": 900_000, "output_tokens": 10}
    rules = [
        {"when": {"role": "judge"}, "verdicts": ["pass"], "usage": dear},
        {"when": {"last": "dear"}, "reply": "Long.", "usage": dear},
        {"reply": "Short."},
    ]
    cases = {
        "next-reply": {"history": [{"person": "A dear one"}], "expect": [{"reply": "Long"}]},
        "judged": {"script": ["Hello"], "expect": [{"reply": "Short"}, {"judge": "The agent is brief."}]},
    }
    results = (await written_project(tmp_path, rules=rules, cases=cases).run()).results
    for result in results.values():
        assert (result.status, result.units, result.checks[0].passed) == (Status.ERRORED, 23, True)
        assert result.error is not None
        assert result.error.cause is Cause.LIMIT
    assert results["next-reply"].stopped is StopReason.UNIT_LIMIT
    assert [criterion.verdict for criterion in results["judged"].criteria] == [Verdict.PASS]


@pytest.mark.requirement("D4")
async def test_a_reply_that_does_not_come_in_time_is_an_error_that_names_line_and_limit(tmp_path: Path) -> None:
    """S27, C11."""
    rules = [{"when": {"last": "slow"}, "reply": "Late.", "delay": 60}, {"reply": "Hello."}]
    case = {
        "script": ["Hi", "slow please"],
        "expect": [{"reply": {"contains": "Late"}}],
        "limits": {"reply_seconds": 0.05},
    }
    result = (await written_project(tmp_path, rules=rules, cases={"slow": case}).run()).only
    assert result.status is Status.ERRORED
    assert result.stopped is StopReason.REPLY_TIMEOUT
    assert result.error is not None
    assert result.error.cause is Cause.AGENT
    assert "slow please" in result.error.message
    assert "0.05 s" in result.error.message


@pytest.mark.requirement("D4")
async def test_a_run_over_its_minutes_is_an_error_of_the_limit(tmp_path: Path) -> None:
    rules = [{"reply": "Hello.", "delay": 60}]
    case = {"script": ["Hi"], "expect": [{"reply": {"contains": "Hello"}}], "limits": {"run_minutes": 0.001}}
    result = (await written_project(tmp_path, rules=rules, cases={"slow": case}).run()).only
    assert result.stopped is StopReason.RUN_TIMEOUT
    assert result.error is not None
    assert result.error.cause is Cause.LIMIT
    assert "run_minutes" in result.error.message


async def test_the_agent_reads_a_mocks_answer_in_the_order_in_which_it_is_written(tmp_path: Path) -> None:
    """T26: key order decides nothing, and yet the agent as deployed reads it as its endpoint writes it."""
    rules = [
        {"when": {"answered": {"tool": "list_boats", "text": '{"zebra": 1, "ant": 2}'}}, "reply": "In order."},
        {"when": {"answered": {"tool": "list_boats", "text": '{"zebra":1,"ant":2}'}}, "reply": "In order."},
        {"when": {"answered": "list_boats"}, "reply": "Mixed up."},
        {"calls": [{"tool": "list_boats", "arguments": {"date": "Saturday"}}]},
    ]
    case = {
        "script": ["A boat"],
        "world": {"mocks": [{"tool": "list_boats", "result": {"zebra": 1, "ant": 2}}]},
        "expect": [{"reply": {"equals": "In order."}}],
    }
    result = (await written_project(tmp_path, rules=rules, cases={"order": case}).run()).only
    assert result.status is Status.PASSED


def many(number: int) -> dict[str, object]:
    return {f"boat-{index}": BOAT for index in range(number)}


@pytest.mark.requirement("B11")
async def test_the_visitor_profile_bounds_scripts_and_tests(tmp_path: Path) -> None:
    """Page B's limits, each with its name; what is written beside the profile goes first."""
    project = {"limits": {"profile": "visitor"}}
    long = {**BOAT, "script": ["Hello"] * 9}
    with pytest.raises(DocumentsInvalid, match="the script has 9 lines; the limit `script_lines` is 8"):
        await written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={"long": long}, project=project).run()
    with pytest.raises(DocumentsInvalid, match="the project has 51 cases; the limit `tests` is 50"):
        await written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases=many(51), project=project).run()
    project = {"limits": {"profile": "visitor", "tests": 60, "script_lines": 9}}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases={**many(51), "long": long}, project=project)
    assert (await maker.run(RunRequest(selectors=("booking/boat-7",)))).run.counts.passed == 1


@pytest.mark.requirement("B11")
async def test_the_visitor_profile_bounds_what_is_run_at_once_and_in_an_hour(tmp_path: Path) -> None:
    project = {"limits": {"profile": "visitor"}}
    maker = written_project(tmp_path, rules=CALLS_THEN_ANSWERS, cases=many(21), project=project)
    with pytest.raises(LimitReached, match="would play 21 cases; the limit `run_all_tests` is 20; select some"):
        await maker.run()
    chosen = RunRequest(selectors=("booking",), samples=2)
    assert (await maker.run(chosen)).run.counts.passed == 21
    with pytest.raises(LimitReached, match=r"42 conversations were begun .* `runs_per_hour` is 60; select at most 18"):
        await maker.run(chosen)
    assert (await maker.run(RunRequest(selectors=("booking/boat-1",)))).run.counts.passed == 1
