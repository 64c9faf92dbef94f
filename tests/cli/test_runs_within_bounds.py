"""Samples, gates and bounds, from the documents to the exit code (features.md F2, F6, H2, H10)."""

import json
from typing import Any

import pytest
from tests.cli.command_line import CommandLine

SUITE = """
suite: bounds
agents: [desk]
cases:
  answers:
    samples: 3
    pass_at_least: 2
    script: [Is R-17 ready?]
    expect: [{called: get_repair}]
  does-not:
    samples: 2
    script: [Good morning]
    expect: [{called: get_repair}]
"""
DEAR = """
rules:
  - reply: Let me think about that.
    usage: {input_tokens: 90000, output_tokens: 8000}
"""


@pytest.fixture
def bounds(desk: CommandLine) -> CommandLine:
    (desk.folder / "suites" / "bounds.yaml").write_text(SUITE, encoding="utf-8")
    return desk


def cases(command: CommandLine, *arguments: str) -> dict[str, Any]:
    report = json.loads(command("run", *arguments, "--format", "json").out)
    return {case["case"]: case for case in report["cases"]}


@pytest.mark.requirement("F2", "H2")
def test_a_case_passes_when_enough_of_its_samples_pass(bounds: CommandLine) -> None:
    told = cases(bounds, "bounds")
    assert (told["answers"]["status"], told["answers"]["passed"], told["answers"]["need"]) == ("passed", 3, 2)
    assert (told["does-not"]["status"], told["does-not"]["failed"], told["does-not"]["need"]) == ("failed", 2, 2)


def test_samples_of_the_command_line_win(bounds: CommandLine) -> None:
    assert cases(bounds, "bounds/answers", "--samples", "1")["answers"]["samples"] == 1


@pytest.mark.requirement("F6", "H10")
def test_a_case_may_not_cost_more_than_its_limit(bounds: CommandLine) -> None:
    (bounds.folder / "models" / "dear.yaml").write_text(DEAR, encoding="utf-8")
    project = bounds.folder / "greenroom.yaml"
    project.write_text(project.read_text(encoding="utf-8") + "limits: {case_units: 3}\n", encoding="utf-8")
    report = json.loads(bounds("run", "first", "--model", "script:models/dear.yaml", "--format", "json").out)
    errors = [result["error"] for result in report["results"]]
    assert {error["cause"] for error in errors} == {"limit"}
    assert all("case_units" in error["message"] for error in errors)


def test_only_what_is_played_is_warned_of(bounds: CommandLine) -> None:
    (bounds.folder / "suites" / "other.yaml").write_text(
        "suite: other\nagents: [desk]\ncases: {c: {script: [Hi], expect: [{not_called: get_boat}]}}\n",
        encoding="utf-8",
    )

    assert "get_boat" in bounds("run", "other").err
    assert "get_boat" not in bounds("run", "bounds/answers").err
    assert "get_boat" in bounds("lint").out
