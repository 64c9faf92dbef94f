"""Samples of one case: played at the same time, counted apart, opened at the first that failed (features.md F2, H2)."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.conversation.outcomes import Cause, Status
from greenroom.conversation.progress import SampleFinished, SampleStarted
from greenroom.errors import UsageError
from greenroom.operations.results import parse_target, show_result
from greenroom.operations.runs import RunRequest
from greenroom.reports.json import JsonReport
from greenroom.reports.streams import written
from greenroom.reports.words import samples_words


@asynccontextmanager
async def project(root: Path, *replies: Reply, **case: object) -> AsyncGenerator[tuple[ProjectMaker, ChatServer]]:
    """One case against an agent whose model is a server that gives these answers, one to each conversation in turn."""
    async with chat_server() as server:
        server.answer(*replies)
        written_case = {"script": ["Hi"], "expect": [{"reply": {"contains": "Hello"}}], **case}
        agent = {"model": f"openai:loop@{server.url}"}
        yield written_project(root, rules=[{"reply": "-"}], cases={"hello": written_case}, agent=agent), server


UNSTEADY = (said("Hello."), Reply(status=400), said("Go away."), said("Hello."))
"""Passed, errored, failed, passed: when one sample follows the other."""
ONE_BY_ONE = RunRequest(concurrency=1)


@pytest.mark.requirement("F2", "H2")
async def test_samples_of_a_case_run_at_the_same_time_and_apart(tmp_path: Path) -> None:
    """C12, K01, K02, S30: all begin before the first ends; each has its own conversation and row."""
    slow = [Reply(text="Hello.", seconds=0.2)] * 5
    async with project(tmp_path, *slow, samples=5) as (maker, server):
        outcome = await maker.run(RunRequest(concurrency=5))

    assert server.most_in_flight == 5
    moments = [type(event) for event in outcome.told if isinstance(event, SampleStarted | SampleFinished)]
    assert moments == [SampleStarted] * 5 + [SampleFinished] * 5
    assert [result.key.sample for result in outcome.stored] == [1, 2, 3, 4, 5]
    (case,) = outcome.run.cases
    assert (case.status, case.passed, case.decided) == (Status.PASSED, 5, 5)


@pytest.mark.requirement("F2", "H2")
@pytest.mark.parametrize(("pass_at_least", "status"), [(2, Status.PASSED), (3, Status.ERRORED), (None, Status.FAILED)])
async def test_a_gate_says_how_many_samples_must_pass(
    tmp_path: Path, pass_at_least: int | None, status: Status
) -> None:
    gate = {} if pass_at_least is None else {"pass_at_least": pass_at_least}
    async with project(tmp_path, *UNSTEADY, samples=4, **gate) as (maker, _):
        outcome = await maker.run(ONE_BY_ONE)
    (case,) = outcome.run.cases

    assert case.status is status
    assert samples_words(case) == "2 / 3 passed · 1 error"
    assert outcome.run.pass_rate == pytest.approx(2 / 3)
    told = json.loads(b"".join(written(JsonReport(outcome.run, version="0"), outcome.stored)))
    assert told["cases"][0]["need"] == (pass_at_least or 4)
    assert told["cases"][0]["pass_all"] == pytest.approx([2 / 3, 1 / 3, 0])
    assert told["run"]["pass_rate_interval"] == told["cases"][0]["pass_rate_interval"]


@pytest.mark.requirement("F2", "F14")
async def test_opening_a_case_opens_its_first_failed_sample(tmp_path: Path) -> None:
    """K05: an error before it is not what is opened; a sample can be named."""
    async with project(tmp_path, *UNSTEADY, samples=4) as (maker, _):
        outcome = await maker.run(ONE_BY_ONE)
    assert [result.status for result in outcome.stored] == [
        Status.PASSED, Status.ERRORED, Status.FAILED, Status.PASSED
    ]  # fmt: skip
    async with maker.open() as context:
        opened = [
            await show_result(context, parse_target(target))
            for target in ("last/hello", "last/booking/hello", "last/hello/2")
        ]
    assert [shown.result.key.sample for shown in opened] == [3, 3, 2]
    assert opened[2].result.error is not None
    assert opened[2].result.error.cause is Cause.PLATFORM
    assert [record.turn for record in opened[0].records] == [0, 1]


@pytest.mark.requirement("F2")
async def test_a_case_that_passed_opens_at_its_first_sample(tmp_path: Path) -> None:
    async with project(tmp_path, said("Hello."), said("Hello."), samples=2) as (maker, _):
        await maker.run()
    async with maker.open() as context:
        assert (await show_result(context, parse_target("last/hello"))).result.key.sample == 1


@pytest.mark.requirement("F14")
async def test_a_case_whose_id_is_digits_can_be_opened(tmp_path: Path) -> None:
    """Where its suite has no such case, digits name a sample."""
    lines = {"script": ["Hi"], "expect": [{"reply": {"contains": "Hello"}}], "samples": 2}
    maker = written_project(tmp_path, rules=[{"reply": "Hello."}], cases={"2": lines, "hello": lines})
    await maker.run()
    async with maker.open() as context:
        opened = [
            (await show_result(context, parse_target(target))).result.key
            for target in ("last/2", "last/booking/2", "last/2/2", "last/booking/2/2", "last/hello/2")
        ]
    assert [(key.case, key.sample) for key in opened] == [("2", 1), ("2", 1), ("2", 2), ("2", 2), ("hello", 2)]


@pytest.mark.requirement("F2")
async def test_no_more_samples_can_be_asked_for_than_the_project_allows(tmp_path: Path) -> None:
    async with project(tmp_path, said("Hello.")) as (maker, _):
        with pytest.raises(UsageError, match=r"--samples is 21; the limit `samples_max` is 20"):
            await maker.run(RunRequest(samples=21))


@pytest.mark.requirement("F2")
async def test_more_or_fewer_samples_can_be_asked_for(tmp_path: Path) -> None:
    """The gate never asks for more samples than are played."""
    async with project(tmp_path, said("Hello."), said("Hello."), samples=4, pass_at_least=3) as (maker, _):
        outcome = await maker.run(RunRequest(samples=2))
    assert [(case.samples, case.need, case.passed) for case in outcome.run.cases] == [(2, 2, 2)]


@pytest.mark.requirement("F4")
async def test_a_sample_that_no_model_ever_answered_costs_nothing(tmp_path: Path) -> None:
    """R1 P16; one that was answered before it broke off costs what was used."""
    rules: list[object] = [{"when": {"last": "Hi"}, "reply": "Hello."}, {"fault": {"kind": "rejected"}}]
    cases = {
        name: {"script": lines, "expect": [{"reply": "x"}]} for name, lines in (("no", ["A"]), ("yes", ["Hi", "A"]))
    }
    outcome = await written_project(tmp_path, rules=rules, cases=cases).run()

    assert {name: (result.status, result.units) for name, result in outcome.results.items()} == {
        "no": (Status.ERRORED, 0),
        "yes": (Status.ERRORED, 1),
    }
    assert outcome.run.units == 1
