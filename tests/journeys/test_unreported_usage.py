"""A provider that doesn't report what its calls use: the run says so, and never calls it 0 (M06, M07)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.projects import Outcome, written_project
from tests.reports.examples import Example
from tests.servers.openai_compatible import Reply, chat_server, said

from greenroom.conversation.outcomes import Badge, CheckStatus, Status
from greenroom.conversation.rollup import exit_verdict
from greenroom.conversation.usage import Role, Usage
from greenroom.operations.runs import RunRequest
from greenroom.reports.inspection import inspection_lines
from greenroom.reports.json import result_json
from greenroom.reports.lines import plain
from greenroom.reports.text import TextReport

SILENT = Reply(text="Good morning.", usage=None)
TOTAL = Reply(text="Good morning.", usage={"total_tokens": 40})
"""Which of them were read and which written doesn't matter to a budget of tokens."""
PLAIN = {"script": ["Hello", "And?"], "expect": [{"reply": "morning"}]}


async def played(
    root: Path, *replies: Reply, case: dict[str, object] | None = None, limits: Mapping[str, int] | None = None
) -> Outcome:
    """One case with an agent whose model gives these answers over the wire."""
    async with chat_server() as server:
        server.answer(*replies)
        agent: dict[str, object] = {"model": f"openai:any@{server.url}", "tools": {}}
        project = {"limits": limits} if limits else {}
        rules = [{"reply": "unused"}]
        maker = written_project(root, rules=rules, cases={"boat": case or PLAIN}, agent=agent, project=project)
        return await maker.run(RunRequest(concurrency=1))


def cost(outcome: Outcome) -> str:
    """The line of the text report that says it."""
    run = outcome.run
    report = Example(run=run, results=tuple(outcome.stored), verdict=exit_verdict(run.counts))
    text = TextReport(run=report.run, version="0", verdict=report.verdict)
    return next(line.text.rstrip() for line in text.end() if line.text.startswith("Cost"))


@pytest.mark.requirement("F4")
async def test_what_no_call_reported_is_null_with_a_count_and_the_units_are_the_least(tmp_path: Path) -> None:
    outcome = await played(tmp_path, SILENT, SILENT)
    assert outcome.only.status is Status.PASSED
    assert outcome.only.usage == {Role.AGENT: Usage(calls=2, unreported=2)}
    usage = result_json(outcome.only)["usage"]
    assert isinstance(usage, dict)
    assert (usage["input_tokens"], usage["output_tokens"], usage["unreported_calls"]) == (None, None, 2)
    assert (outcome.run.units, outcome.run.unreported, outcome.run.tokens) == (1, 2, 0)
    assert cost(outcome) == "Cost       at least 1 unit: 2 calls reported no usage"
    shown = list(plain(inspection_lines(outcome.only)))
    assert "  agent: 2 calls, no usage reported" in shown


async def test_what_some_calls_reported_is_summed_and_the_others_are_counted(tmp_path: Path) -> None:
    """M07: the sum of the rows is the run's, and what is unknown isn't in it as 0."""
    told = Reply(text="Good morning.", usage={"prompt_tokens": 1200, "completion_tokens": 40})
    outcome = await played(tmp_path, told, SILENT)
    assert outcome.only.usage == {Role.AGENT: Usage(input_tokens=1200, output_tokens=40, calls=2, unreported=1)}
    expected = "Cost       at least 1 unit: 1,240 tokens known, 1 call did not report all of its usage"
    assert cost(outcome) == expected


@pytest.mark.parametrize(
    ("most", "second", "status", "told"),
    [
        (100, SILENT, CheckStatus.ERROR, "the agent used at least 25 tokens, and 1 call reported no usage or a part"),
        (20, SILENT, CheckStatus.FAILED, "the agent used 25 tokens, 20 are allowed"),
        (100, TOTAL, CheckStatus.PASSED, ""),
        (60, TOTAL, CheckStatus.FAILED, "the agent used 65 tokens, 60 are allowed"),
    ],
)
async def test_a_budget_of_tokens_is_undecided_unless_it_is_over_already(
    tmp_path: Path, most: int, second: Reply, status: CheckStatus, told: str
) -> None:
    case: dict[str, object] = {"script": ["Hello", "And?"], "expect": [{"max": {"tokens": most}}]}
    outcome = await played(tmp_path, said("Good morning."), second, case=case)
    (check,) = outcome.only.checks
    assert (check.status, check.detail.startswith(told)) == (status, True)
    assert (outcome.only.status is Status.PASSED) is (status is CheckStatus.PASSED)
    assert (Badge.NEEDS_REVIEW in outcome.only.badges) is (status is CheckStatus.ERROR)


@pytest.mark.requirement("F6")
async def test_the_bound_on_a_case_goes_by_what_is_known(tmp_path: Path) -> None:
    """A server that never reports is not stopped by `case_units`; what is known still is bounded."""
    dear = Reply(text="Good morning.", usage={"prompt_tokens": 200_000, "completion_tokens": 1})
    limits = {"case_units": 3}
    assert (await played(tmp_path / "a", SILENT, SILENT, limits=limits)).only.status is Status.PASSED
    stopped = (await played(tmp_path / "b", SILENT, dear, limits=limits)).only
    assert stopped.error is not None
    assert stopped.error.message == "The case has used at least 6 units and may use 3 (`case_units`)."
