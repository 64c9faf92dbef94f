"""A run whose process was killed tells the truth about what it had done (R07; features.md F9, F14)."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.cli.command_line import SOURCES, CommandLine

SUITE = """
suite: slow
agents: [desk]
cases:
  passes: {script: [hello], expect: [{reply: Hello}]}
  fails: {script: [hello], expect: [{reply: Good evening}]}
  passes-too: {script: [hello], expect: [{reply: Hello}]}
  waits: {script: [wait], expect: [{reply: Done}]}
  never-begins: {script: [hello], expect: [{reply: Hello}]}
"""
MODEL = """
rules:
  - when: {last: wait}
    reply: Done.
    delay: 600
  - reply: Hello.
"""


@pytest.fixture
def slow(desk: CommandLine) -> CommandLine:
    """A project with a case that takes ten minutes, in real time."""
    (desk.folder / "models" / "desk.yaml").write_text(MODEL, encoding="utf-8")
    (desk.folder / "suites" / "slow.yaml").write_text(SUITE, encoding="utf-8")
    return desk


@contextmanager
def going(slow: CommandLine) -> Generator[subprocess.Popen[str]]:
    """A run that has come as far as the slow case."""
    with subprocess.Popen(
        [sys.executable, "-m", "greenroom", "run", "slow", "--concurrency", "1"],
        cwd=slow.folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": os.environ["PATH"], "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "passes-too" in line:
                break
        try:
            yield running
        finally:
            running.kill()
            running.communicate()


@pytest.mark.requirement("F9", "F14")
def test_a_killed_run_shows_what_it_had_done(slow: CommandLine) -> None:
    """R1 B3: never "running", never "No case was selected", never exit code 0."""
    with going(slow) as running:
        running.send_signal(signal.SIGKILL)
        running.communicate()

    told = json.loads(slow("show", "last", "--format", "json", at=None).out)
    assert told["run"]["status"] == "broken_off"
    assert [(case["case"], case["status"]) for case in told["cases"]] == [
        ("passes", "passed"), ("fails", "failed"), ("passes-too", "passed"), ("waits", "queued"),
        ("never-begins", "queued"),
    ]  # fmt: skip
    assert told["run"]["counts"]["waiting"] == 2
    assert told["run"]["pass_rate"] == pytest.approx(2 / 3)
    shown = slow("show", "last", at=None).out.splitlines()
    assert shown[0].endswith(" · broken off")
    assert "Whatever ran this is gone" in shown[1]
    assert "Cases      5: 2 passed · 1 failed · 2 never ended" in shown
    assert shown[-1] == "Exit code 1: 1 case failed."
    listed = slow("runs", at=None).out
    assert " ".join(listed.split()).startswith("Run Agent Result Passed Failed Open ")
    assert re.search(r"  broken off +2 +1 +2  ", listed)
    assert slow("show", "last/passes", at=None).code == 0
    again = slow("run", "--failed", "--model", "script:models/judge.yaml", "--format", "json", at=None)
    assert [case["case"] for case in json.loads(again.out)["cases"]] == ["fails", "waits", "never-begins"]


@pytest.mark.requirement("F14")
def test_a_run_that_still_goes_shows_how_it_stands(slow: CommandLine) -> None:
    with going(slow):
        shown = slow("show", "last", at=None).out
        listed = slow("runs", at=None).out

    assert shown.splitlines()[0].endswith(" · running")
    assert shown.splitlines()[-1] == "Still running: 3 of 5 cases have ended; this is how they stand."
    assert re.search(r"  running +2 +1 +2  ", listed)
