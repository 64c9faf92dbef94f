"""Mistakes in the scripts that play agent, router, person and judge: the test's, told with what to write."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.journeys.live_desk import live_desk
from tests.projects import written_project

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.outcomes import Cause, SampleResult, Status
from greenroom.conversation.turns import StopReason
from greenroom.errors import NotLive, NotServed
from greenroom.operations.gateway import Admitted, ChannelEvent, Gateway
from greenroom.store.inbound import Delivery

pytestmark = pytest.mark.requirement("E6", "H1")

HELLO: Mapping[str, object] = {"script": ["Hello"], "expect": [{"reply": "Hi"}]}
JUDGED: Mapping[str, object] = {"script": ["Hello"], "expect": [{"judge": "The agent is polite."}]}
SIMULATED: Mapping[str, object] = {"simulate": {"brief": "Wants a boat."}, "expect": [{"reply": "Hi"}]}
TWO: Mapping[str, object] = {"playbooks": {name: {"when": f"It is about {name}."} for name in ("boats", "bikes")}}
AGENT = {"when": {"role": "agent"}, "reply": "Hi there."}


async def played(
    root: Path, rules: Sequence[object], case: Mapping[str, object], agent: Mapping[str, object] | None = None
) -> SampleResult:
    models = {"models": dict.fromkeys(("judge", "simulator"), "script:models/agent.yaml")}
    return (await written_project(root, rules=rules, cases={"one": case}, agent=agent, project=models).run()).only


@pytest.mark.parametrize(
    ("rules", "case", "agent", "told"),
    [
        (
            [{"when": {"last": "Goodbye"}, "reply": "Bye."}],
            HELLO,
            {},
            ["no rule of models/agent.yaml fits a request to the agent in turn 1", 'last: "Hello"}', "    reply: …"],
        ),
        ([AGENT], HELLO, TWO, ["fits a request to the router", "    reply: …  # a playbook's id, or stay"]),
        ([AGENT], SIMULATED, {}, ["fits a request to the simulator", "role: simulator", "    say: …"]),
        (
            [{"when": {"role": "agent"}, "reply": "It is {{tool.get_weather.sky}}."}],
            HELLO,
            {},
            ["rule 1 of models/agent.yaml: `{{tool.get_weather.sky}}`", "`when: {answered: get_weather}`"],
        ),
    ],
    ids=["agent", "router", "person", "template"],
)
async def test_a_conversation_that_a_script_breaks_off_is_an_error_of_the_test(
    tmp_path: Path,
    rules: Sequence[object],
    case: Mapping[str, object],
    agent: Mapping[str, object],
    told: Sequence[str],
) -> None:
    result = await played(tmp_path, rules, case, agent)
    assert result.error is not None
    assert (result.status, result.error.cause, result.stopped) == (Status.ERRORED, Cause.TEST, StopReason.TEST_ERROR)
    for words in told:
        assert words in result.error.message


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([AGENT], ["fits a request to the judge", "when: {role: judge}\n    verdicts: pass"]),
        (
            [AGENT, {"when": {"role": "judge"}, "verdicts": [{"criterion": "refund", "verdict": "pass"}]}],
            ["rule 2 of models/agent.yaml", 'such as {verdict: pass, criterion: "The agent is polite."}'],
        ),
    ],
    ids=["no rule", "no verdict"],
)  # fmt: skip
async def test_a_judge_without_an_answer_is_one_too(tmp_path: Path, rules: Sequence[object], told: list[str]) -> None:
    result = await played(tmp_path, rules, JUDGED)
    assert result.error is not None
    assert (result.status, result.error.cause, result.stopped) == (Status.ERRORED, Cause.TEST, StopReason.SCRIPT_END)
    for words in told:
        assert words in result.error.message


async def test_what_a_judge_says_in_prose_is_the_judges_and_its_rule_is_named(tmp_path: Path) -> None:
    result = await played(tmp_path, [AGENT, {"when": {"role": "judge"}, "reply": "Looks fine."}], JUDGED)
    assert result.error is not None
    assert result.error.cause is Cause.JUDGE
    assert result.error.message.endswith("it answered 'Looks fine.' (rule 2 of models/agent.yaml)")


async def says(gateway: Gateway, text: str, conversation: str) -> str:
    """What the agent answers through the gateway."""
    live = await gateway.live.get("desk")
    admitted = Admitted(live=live, channel=Channel.WEB, delivery=Delivery.ANSWER)
    said = ChannelEvent(
        message_id=f"{conversation}-{text}", identity="ana", conversation=conversation, event=Said(text=text)
    )
    return str((await gateway.deliver(admitted, said)).messages)


async def test_a_server_goes_by_an_edited_script_from_the_next_conversation_on(tmp_path: Path) -> None:
    desk = await live_desk(tmp_path, rules=[{"reply": "Before."}])
    async with desk.open() as (_, gateway):
        assert "Before." in await says(gateway, "Hi", "first")
        desk.maker.write("models/agent.yaml", {"rules": [{"reply": "Afterwards."}]})
        assert "Before." in await says(gateway, "And now?", "first")
        assert "Afterwards." in await says(gateway, "Hi", "second")
        desk.maker.write("models/agent.yaml", {"rules": [{"rply": "Never."}]})
        with pytest.raises(NotServed, match="unknown key 'rply'; did you mean 'reply'"):
            await says(gateway, "Hi", "third")
        desk.maker.write("models/agent.yaml", {"rules": [{"reply": "Mended."}]})
        assert "Mended." in await says(gateway, "Hello?", "third")


async def test_an_agent_whose_script_can_not_be_read_is_not_live_and_says_why(tmp_path: Path) -> None:
    desk = await live_desk(tmp_path, rules=[{"reply": "Before."}])
    desk.maker.write("models/agent.yaml", {"rules": [{"rply": "Never."}]})
    async with desk.open() as (_, gateway):
        with pytest.raises(NotLive, match="unknown key 'rply'; did you mean 'reply'"):
            await says(gateway, "Hi", "first")
        desk.maker.write("models/agent.yaml", {"rules": [{"reply": "Mended."}]})
        assert "Mended." in await says(gateway, "Hi", "first")
