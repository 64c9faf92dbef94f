"""docs/guides/live-appointments.md: its agent can be read, and what it says to type does something."""

import asyncio
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import guide

from greenroom.clock import FrozenClock
from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document
from greenroom.operations.context import opened
from greenroom.store.partition import Partition
from greenroom.world.calendars import home_of

GUIDE = guide("live-appointments")
(YAML,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)
COMMANDS = re.findall(r"^    greenroom (appointments.*?)(?:   .*)?$", GUIDE, re.MULTILINE)


def test_the_agent_of_the_guide_is_sound() -> None:
    agent = load_document(YAML, file="agents/lakeside.yaml")
    assert isinstance(agent, Agent)
    assert [home_of(agent, key) for key in ("dana", "bob", "")] == ["dana", "", ""]
    assert agent.scheduling is not None
    assert agent.scheduling.remind == (86_400.0, 7_200.0)


async def met(folder: Path) -> None:
    """Whom the guide asks for is known."""
    async with opened(folder, environment={}, clock=FrozenClock(JUNE)) as context:
        await context.store.people(Partition.LIVE).create("sms:+15550100")


@pytest.mark.parametrize("asked", COMMANDS)
def test_the_commands_of_the_guide_do_what_they_say(
    asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "greenroom.yaml").write_text("workspace: lakeside", encoding="utf-8")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "lakeside.yaml").write_text(YAML, encoding="utf-8")
    asyncio.run(met(tmp_path))
    screen = CommandLine(folder=tmp_path, capsys=capsys)(*shlex.split(asked), at=JUNE)
    assert screen.code == 0, screen


def test_there_are_commands_in_the_guide() -> None:
    assert len(COMMANDS) == 5
