"""docs/guides/scheduling.md: its agent and its suite run as they stand, and the transcript is what it shows."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import commands, files, guide, ran, written
from tests.projects import ProjectMaker

from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.conversation.transcript import render_transcript

GUIDE = guide("scheduling")
FILES = files(GUIDE)
FRIDAY = datetime(2026, 6, 5, 14, 0, tzinfo=UTC)
"""9:00 in Chicago."""


def project(root: Path) -> ProjectMaker:
    return ProjectMaker(root=written(FILES, root))


def test_the_project_of_the_guide_passes_by_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = ran(commands(GUIDE), CommandLine(folder=written(FILES, tmp_path), capsys=capsys))

    assert len(FILES) == GUIDE.count("```yaml")
    assert done.code == 0, done
    assert "no errors, no warnings" in done.err


@pytest.mark.requirement("A5", "A8", "E1")
async def test_the_suite_of_the_guide_passes_and_its_transcript_is_the_one_shown(tmp_path: Path) -> None:
    results = (await project(tmp_path).run()).results
    assert {case: result.status for case, result in results.items()} == dict.fromkeys(
        ["books-a-visit", "somebody-was-faster", "puts-it-off"], Status.PASSED
    ), [(result.checks, render_transcript(result.turns)) for result in results.values()]
    shown = "\n".join(f"    {line}".rstrip() for line in _without_reply(results["books-a-visit"]).split("\n"))
    assert shown in GUIDE


def _without_reply(result: SampleResult) -> str:
    return render_transcript(result.turns).removesuffix("\n\nAgent: See you then.")


def test_a_chat_offers_the_same_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path)
    command = CommandLine(folder=tmp_path, capsys=capsys)
    monkeypatch.setattr("sys.stdin", StringIO("I'd like to see a boat\n[Fri 5 June, 1:00 pm]\n"))
    said = command("chat", "harbour", at=FRIDAY).out
    assert "[time picker, 3 slots: Fri 5 June, 11:00 am | Fri 5 June, 1:00 pm | Fri 5 June, 2:00 pm]" in said
    assert "[booked: Boat visit, Fri 5 June 2026, 1:00 pm–2:00 pm, with Dana Whitfield]" in said
