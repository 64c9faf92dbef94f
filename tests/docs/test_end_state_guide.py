"""docs/guides/end-state.md: its files are a project that passes, and its parts can stand in a case."""

import re
import textwrap
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import commands, files, guide, ran, written
from tests.projects import ProjectMaker

from greenroom.conversation.outcomes import SampleResult, Status

GUIDE = guide("end-state")
FILES = files(GUIDE)
(LINES,) = re.findall(r"```yaml\n(script:\n.*?)```", GUIDE, re.DOTALL)


async def results(root: Path, **changed: str) -> dict[str, SampleResult]:
    return dict((await ProjectMaker(root=written({**FILES, **changed}, root)).run()).results)


@pytest.mark.requirement("A5", "E1")
def test_the_project_of_the_guide_passes_by_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = ran(commands(GUIDE), CommandLine(folder=written(FILES, tmp_path), capsys=capsys))

    assert len(FILES) + 1 == GUIDE.count("```yaml")
    assert done.code == 0, done
    assert "no errors, no warnings" in done.err
    assert "4: 4 passed" in done.out


async def test_the_parts_of_the_guide_stand_in_a_case(tmp_path: Path) -> None:
    head = "suite: party\nagents: [harbour]\ncases:\n  lines:\n    person: visitor\n"
    ran = await results(tmp_path, **{"suites/party.yaml": head + textwrap.indent(LINES, "    ")})
    assert ran["lines"].status is Status.PASSED, ran


async def test_a_failure_reads_as_the_guide_shows_it(tmp_path: Path) -> None:
    always = FILES["models/harbour.yaml"].replace("last: six of us", "role: agent")
    (check,) = (await results(tmp_path, **{"models/harbour.yaml": always}))["only-answers"].checks
    assert f"    {check.check}\n      {check.detail}\n" in GUIDE
