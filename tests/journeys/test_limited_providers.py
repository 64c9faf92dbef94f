"""What a provider's limits make of a run: waiting is told and costs nobody, a quota that is gone ends it (C02)."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.agents.stage import PlayedModel, desk, says, world_of
from tests.models.asking import SteppingClock
from tests.projects import Outcome, ProjectMaker, written_project
from tests.servers.openai_compatible import ChatServer, Reply, chat_server, said

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.session import hosted_session
from greenroom.agents.sessions import Start
from greenroom.cli.running import ReportAsked, run_and_report
from greenroom.cli.setting import Setting
from greenroom.cli.showing import show_run
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.outcomes import Cause, RunStatus, Status
from greenroom.conversation.rollup import FailOn, exit_verdict
from greenroom.documents.project import Limits
from greenroom.models.model import ModelAnswer, ModelRequest
from greenroom.models.time_limits import Waits
from greenroom.operations.runs import RunRequest
from greenroom.reports.text import TextReport

GONE = Reply(status=429, body=b'{"error": {"code": "insufficient_quota", "message": "pay"}}')
PLAIN = {"script": ["Hello"], "expect": [{"reply": "morning"}]}


def project(root: Path, server: ChatServer, **project: object) -> ProjectMaker:
    """Four cases with an agent whose model is on the wire."""
    agent: dict[str, object] = {"model": f"openai:busy@{server.url}", "tools": {}}
    cases = {f"case-{number}": PLAIN for number in range(1, 5)}
    return written_project(root, rules=[{"reply": "unused"}], cases=cases, agent=agent, project=project)


def statuses(outcome: Outcome) -> list[Status]:
    return [result.status for result in outcome.stored]


async def test_a_rate_limit_is_waited_for_by_all_lanes_and_no_error(tmp_path: Path) -> None:
    async with chat_server() as server:
        limit = Reply(status=429, headers={"Retry-After": "0.1"}, body=b"{}")
        server.answer(limit, *[said("Good morning.")] * 4)
        outcome = await project(tmp_path, server).run(RunRequest(concurrency=2))
    assert statuses(outcome) == [Status.PASSED] * 4
    assert outcome.run.rate_limited_s >= 0.1
    assert (outcome.run.status, outcome.run.stopped_why) == (RunStatus.FINISHED, "")
    report = TextReport(run=outcome.run, version="0", verdict=exit_verdict(outcome.run.counts))
    assert any(line.text.endswith("for providers' rate limits") for line in report.end())


async def asked_for(root: Path, server: ChatServer, *, format_: str = "text") -> int:
    """`greenroom run`, to its exit code."""
    project(root, server, concurrency=1)
    setting = Setting(environment={"NO_COLOR": "1"}, folder=root)
    asked = ReportAsked(format="json" if format_ == "json" else "text", file=None, project=None)
    return await run_and_report(setting, RunRequest(fail_on=FailOn.NEVER), asked)


async def test_a_quota_that_is_gone_ends_the_run_and_the_rest_is_told_as_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """C02: the provider is asked no further; what was decided before is kept, and the exit code is 4."""
    async with chat_server() as server:
        server.answer(said("Good morning."), *[GONE] * 3)
        code = await asked_for(tmp_path, server)
        assert len(server.asked) == 2
    told = f"the quota at {server.url} is used up (429: insufficient_quota · pay); 2 samples were not run"
    screen = capsys.readouterr().out
    assert code == 4
    assert f"Stopped    {told}; `greenroom run --failed` plays what did not pass" in " ".join(screen.split("\n"))
    assert screen.splitlines()[-1] == f"Exit code 4: {told}."

    await show_run(Setting(environment={"NO_COLOR": "1"}, folder=tmp_path), "last", project=None, format_="text")
    assert capsys.readouterr().out == screen

    async with ProjectMaker(root=tmp_path).open() as context:
        run = (await context.store.runs.list())[0]
        results = [result async for result in context.store.results.of_run(run.run_id)]
    assert [result.status for result in results] == [
        Status.PASSED,
        Status.ERRORED,
        Status.CANCELLED,
        Status.CANCELLED,
    ]
    assert results[1].error is not None
    assert results[1].error.cause is Cause.PLATFORM
    assert results[3].note == f"Not run: the quota at {server.url} is used up (429: insufficient_quota · pay)."


async def test_a_quota_that_goes_with_the_last_case_stopped_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with chat_server() as server:
        server.answer(*[said("Good morning.")] * 3, GONE)
        assert await asked_for(tmp_path, server, format_="json") == 0
    run = json.loads(capsys.readouterr().out)["run"]
    assert (run["counts"]["errored"], run["status"], run["stopped_why"]) == (1, "finished", None)


@pytest.mark.requirement("D4")
async def test_what_a_turn_waits_for_a_rate_limit_is_no_time_of_the_agent() -> None:
    """S27 the other way round: a reply that others made late is in time, and `max: {seconds}` sees the agent alone."""
    clock, never = SteppingClock(), asyncio.Event()
    waits = Waits(clock)

    async def held_back(_: ModelRequest) -> ModelAnswer:
        clock.passed += 2.0
        with waits.held_back("talk-1"):
            clock.passed += 40.0
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await never.wait()
        return says("Good morning.")

    agent = desk()
    model = PlayedModel(held_back)
    session = hosted_session(
        agent=HostedAgent(agent),
        world=world_of(agent),
        model=model,
        router=model,
        limits=Limits(reply_seconds=0.4),
        clock=clock,
        waits=waits,
    )
    await session.open(Start(conversation="talk-1", channel=Channel.WEB, identity="visitor-1"))
    turn = await session.send(Said(text="Hello"))
    assert (turn.unfinished, turn.duration_s) == (False, 2.0)
    assert session.records[-1].duration_s == 2.0
