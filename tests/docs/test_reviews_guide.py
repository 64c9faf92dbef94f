"""docs/guides/reviews.md: its agent is sound, and its commands do what they say."""

import asyncio
import json
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import guide
from tests.journeys.live_desk import LiveDesk, live_desk
from tests.stores import NOON

from greenroom.conversation.reviews import ReviewFilter
from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document
from greenroom.running.review import TOGETHER, TRANSCRIPT_CHARS
from greenroom.store.reviews import MOST_TRIES

GUIDE = guide("reviews")
(YAML,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
COMMANDS = re.findall(r"^    greenroom (.*?)(?:   .*)?$", GUIDE, re.MULTILINE)


def test_the_agent_of_the_guide_is_sound() -> None:
    agent = load_document(YAML, file="agents/lakeside.yaml")
    assert isinstance(agent, Agent)
    assert len(agent.review) == 2


def test_the_commands_of_the_guide_do_what_they_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def one_closed() -> LiveDesk:
        desk = await live_desk(tmp_path, review=["The agent is polite."])
        desk.judged_by({"verdicts": "pass"})
        await desk.said("Hi", "bye")
        return desk

    desk = asyncio.run(one_closed())
    command = CommandLine(folder=tmp_path, capsys=capsys, environment=desk.maker.environment)
    screens = [
        command(*shlex.split(asked.replace("CONVERSATION", "desk:web:c").replace("lakeside", "desk")), at=NOON)
        for asked in COMMANDS
    ]
    assert [screen.code for screen in screens] == [0] * 8
    assert "There are no conversations here." in screens[0].out
    assert "Review  waiting" in screens[1].out
    assert screens[2].out == "1 conversation reviewed.\n"
    assert "✓ The agent is polite." in screens[3].out
    assert "✓ The agent offered both marinas." in screens[4].out
    assert all("1 begun; messages: 2 in, 2 out" in screen.out for screen in screens[5:7])
    assert json.loads(screens[7].out)["days"][-1]["reviews"]["passed"] == 1


def test_the_figures_of_the_guide_are_right() -> None:
    told = " ".join(GUIDE.split())
    assert f"longer than {TRANSCRIPT_CHARS:,} characters" in told
    assert ("four at a time" in told, TOGETHER) == (True, 4)
    assert ("eight times" in told, MOST_TRIES) == (True, 8)
    assert all(wanted.value in told for wanted in ReviewFilter)
