"""The examples in the guides on models do what the guides say."""

import json
import re
from pathlib import Path

import pytest
from tests.docs.guides import guide
from tests.models.asking import CountingClock

from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.models.model import AgentSays, ChatMessage, Model, ModelRequest, ToolAnswer, UserSays
from greenroom.models.opening import Models
from greenroom.models.script_document import FaultKind, Rule, ScriptedUsage, ScriptedVerdict, When
from greenroom.models.specs import PROVIDERS

SCRIPTS_GUIDE = guide("script-models")
MODELS_GUIDE = guide("models")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", SCRIPTS_GUIDE, re.DOTALL)


async def script(root: Path, text: str) -> Model:
    (root / "guide.yaml").write_text(text, encoding="utf-8")
    async with Models(root, {}, CountingClock()) as models:
        return await models.open(ModelChoice(name="script:guide.yaml"))


def asks(role: Role, *messages: ChatMessage) -> ModelRequest:
    return ModelRequest(role=role, system="", messages=messages, conversation="guide")


@pytest.mark.parametrize("text", blocks("yaml"), ids=["desk", "after a call", "verdicts", "person", "faults"])
async def test_every_script_in_the_guide_is_one(tmp_path: Path, text: str) -> None:
    assert (await script(tmp_path, text)).scripted


async def test_the_conversation_in_the_guide_is_what_comes_of_its_script(tmp_path: Path) -> None:
    model = await script(tmp_path, blocks("yaml")[0])
    messages: list[ChatMessage] = []
    spoken: list[str] = []
    for line in (shown.removeprefix("Person: ") for shown in blocks("text")[0].splitlines() if shown[:6] == "Person"):
        spoken.append(f"Person: {line}")
        messages.append(UserSays(text=line))
        calls = True
        while calls:
            answer = await model.ask(asks(Role.AGENT, *messages))
            calls = bool(answer.calls)
            messages.append(AgentSays(text=answer.text, calls=answer.calls))
            for call in answer.calls:
                spoken.append(f"Agent: [calls {call.tool} {json.dumps(call.arguments)}]")
                messages.append(ToolAnswer(call_id=call.call_id, tool=call.tool, text='{"sky": "clear"}'))
            if answer.text:
                spoken.append(f"Agent: {answer.text}")
    assert "\n".join(spoken) + "\n" == blocks("text")[0]


async def test_a_rule_for_the_answer_stands_above_the_rule_that_calls(tmp_path: Path) -> None:
    model = await script(tmp_path, blocks("yaml")[1])
    messages: list[ChatMessage] = [UserSays(text="a boat please")]
    made: list[str] = []
    while calls := (answer := await model.ask(asks(Role.AGENT, *messages))).calls:
        messages.append(AgentSays(text="", calls=calls))
        messages += [ToolAnswer(call_id=call.call_id, tool=call.tool, text="done") for call in calls]
        made += [call.tool for call in calls]
    assert made == ["update_person", "send_message"]
    assert answer.text == "Which of the two suits you?"


async def test_router_and_judge_of_the_guide_answer_too(tmp_path: Path) -> None:
    model = await script(tmp_path, blocks("yaml")[0])
    assert (await model.ask(asks(Role.ROUTER, UserSays(text="a boat please")))).text == "booking"
    assert (await model.ask(asks(Role.ROUTER, UserSays(text="thanks")))).text == "stay"
    judged = await model.ask(asks(Role.JUDGE, UserSays(text="1. names both marinas\n2. is polite")))
    assert [verdict["verdict"] for verdict in json.loads(judged.text)["verdicts"]] == ["fail", "pass"]


async def test_the_judge_that_answers_prose_first_can_be_read_the_second_time(tmp_path: Path) -> None:
    model = await script(tmp_path, blocks("yaml")[4])
    question = asks(Role.JUDGE, UserSays(text="1. is polite"))
    assert [(await model.ask(question)).text[:5] for _ in range(2)] == ["Looks", '{"ver']


def test_every_key_and_fault_is_in_the_guide() -> None:
    keys = {*When.model_fields, *Rule.model_fields} - {"when"}
    assert [key for key in sorted(keys) if f"| `{key}` |" not in SCRIPTS_GUIDE] == []
    assert [fault for fault in FaultKind if f"| `{fault}` |" not in SCRIPTS_GUIDE] == []
    inner = {*ScriptedUsage.model_fields, *ScriptedVerdict.model_fields}
    assert [key for key in sorted(inner) if key not in SCRIPTS_GUIDE] == []


def test_every_provider_and_its_key_is_in_the_guide() -> None:
    assert [name for name in PROVIDERS if f"`{name}:" not in MODELS_GUIDE] == []
    named = [key for name in ("openai", "anthropic", "google") for key in PROVIDERS[name].keys]
    assert [key for key in named if key not in MODELS_GUIDE] == []
