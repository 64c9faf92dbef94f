"""The examples in the guide on live conversations hold."""

import asyncio
import os
import re
from pathlib import Path
from shutil import which
from typing import Any

import jsonschema
import orjson
import pytest
from tests.docs.guides import guide
from tests.servers.gateway import SECRET, desk_project, serving

from greenroom.api.events import EventIn
from greenroom.api.messages import AnswerOut
from greenroom.clock import SystemClock
from greenroom.conversation.channels import Channel
from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document
from greenroom.world.signing import Signer, verify

GUIDE = guide("gateway")


def block(kind: str, number: int = 0) -> str:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)[number]


def test_the_agent_is_one() -> None:
    agent = load_document(block("yaml"), file="agents/lakeside.yaml")
    assert isinstance(agent, Agent)
    assert agent.channels["sms"].outbound == "https://sms.example/messages"


def test_the_signature_is_one() -> None:
    names: dict[str, Any] = {}
    exec(block("python"), names)
    body = block("json").encode()
    signer = Signer(channel=Channel.SMS, agent="lakeside", secret="s3cret")
    verify(names["signature"]("s3cret", "sms", "lakeside", body), signer, body, SystemClock().now())


@pytest.mark.skipif(not all(map(which, ("sh", "curl", "openssl"))), reason="needs curl and openssl")
async def test_the_event_from_a_shell_is_answered(tmp_path: Path) -> None:
    async with serving(desk_project(tmp_path)) as (channel, _):
        script = block("sh", 1).replace("http://127.0.0.1:8000", channel.url).replace("lakeside", "desk")
        environment = {**os.environ, "SMS_SECRET": SECRET, "no_proxy": "*"}
        shell = await asyncio.create_subprocess_exec(
            "sh", "-c", script, env=environment, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await shell.communicate()
    assert orjson.loads(out)["messages"][0]["text"] == "You said: A boat, please"


def test_the_event_and_the_answer_are_as_the_schema_has_them() -> None:
    EventIn.model_validate_json(block("json"))
    AnswerOut.model_validate_json(block("json", 1))


async def test_what_is_no_event_is_told_as_the_guide_has_it(tmp_path: Path) -> None:
    async with serving(desk_project(tmp_path)) as (channel, _):
        refused = await channel.event({"kind": "said"})
        assert (refused.status, refused.body) == (422, orjson.loads(block("json", 2)))


def test_the_tap_of_the_message_can_be_sent_back() -> None:
    message = orjson.loads(block("json", 3))["message"]
    tap = message["parts"][1]["options"][0]["tap"]
    jsonschema.validate({"message_id": "1", "identity": "a", "event": tap}, EventIn.model_json_schema())


@pytest.mark.parametrize("kind", ["text", "media", "card", "carousel", "chips", "options", "time_picker", "confirm"])
def test_every_part_is_named(kind: str) -> None:
    assert f"`{kind}`" in GUIDE
