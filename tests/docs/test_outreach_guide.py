"""docs/guides/outreach.md: its files are a project that passes, and what it says to type does something."""

import re
import shlex
from datetime import UTC, datetime

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import commands, files, guide, ran

from greenroom.authoring.lint import lint
from greenroom.documents.loading import load_project
from greenroom.documents.outreach import is_within

GUIDE = guide("outreach")
FILES = files(GUIDE)
COMMANDS = re.findall(r"^    greenroom (outreach.*?)(?:  .*)?$", GUIDE, re.MULTILINE)


def test_the_project_of_the_guide_has_nothing_to_be_said_of(project: CommandLine) -> None:
    assert lint(load_project(project.folder, environment={})) == ()


def test_its_cases_pass_by_its_commands(project: CommandLine) -> None:
    done = ran(commands(GUIDE), project)
    assert len(FILES) == GUIDE.count("```yaml")
    assert done.code == 0, done


@pytest.mark.parametrize("asked", COMMANDS)
def test_the_commands_of_the_guide_do_what_they_say(asked: str, project: CommandLine) -> None:
    screen = project(*shlex.split(asked))
    assert screen.code == 0, screen


def test_whoever_takes_their_consent_back_gets_no_opening(project: CommandLine) -> None:
    ana = "sms:+15550101", "--set", "first_name=Ana", "--set", "status=lead", "--set", "consent.messages=true"
    ben = "sms:+15550102", "--set", "first_name=Ben", "--set", "status=lead", "--set", "consent.messages=true"
    assert project("people", "--add", *ana, at=None).code == 0
    assert project("people", "--add", *ben, at=None).code == 0
    (setting,) = re.findall(r"`greenroom people PERSON --set (consent\.messages=)true` \(or `=(false)`\)", GUIDE)
    assert project("people", "sms:+15550102", "--set", "".join(setting), at=None).code == 0
    would = project("outreach", "lakeside", "season-opening", "--dry-run", at=None)
    assert would.code == 0
    assert "Ana" in would.out
    assert "they refused messages" in would.out


def test_the_confirmation_of_a_stop_is_what_the_guide_says(project: CommandLine) -> None:
    assert project("run", "outreach/says-stop", at=None).code == 0
    said = project("show", "last/says-stop", at=None).out
    (confirmed,) = re.findall(r"^    (Lakeside: You will .+)$", GUIDE, re.MULTILINE)
    assert confirmed in said


def test_there_are_commands_in_the_guide() -> None:
    assert len(COMMANDS) == 3


def test_its_hours_are_those_of_the_days(project: CommandLine) -> None:
    hours = load_project(project.folder, environment={}).agents["lakeside"].outreach["season-opening"].hours
    within = [
        is_within(hours, datetime(2026, 5, day, hour, tzinfo=UTC)) for day, hour in ((1, 9), (2, 9), (2, 10), (3, 10))
    ]
    assert within == [True, False, True, False]
