"""A scripted tap on what is not there: its fallback is said, and everybody who reads the test can tell (A3, A4)."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command_line import CommandLine
from tests.projects import written_project

from greenroom.reports.schema import report_schema

RULES = (
    {
        "when": {"role": "judge", "last": {"regex": r"\n\[nothing to tap: chip South on card \[b\\\]\]\n"}},
        "verdicts": ["pass"],
    },
    {"when": {"role": "judge"}, "verdicts": ["unknown"]},
    {"when": {"answered": "send_message"}, "reply": ""},
    {"when": {"last": "boat"}, "calls": [{"tool": "send_message", "arguments": {"template": "marinas"}}]},
    {"reply": "You said: {{last}}"},
)
CASE = {
    "script": [
        "a boat",
        {"tap": {"chip": "North", "otherwise": "The north one"}},
        {"tap": {"chip": "South", "card": "[b]", "otherwise": "[nothing to tap: option East]"}},
        {"tap": {"slot": "first", "otherwise": "At two"}},
    ],
    "expect": [{"judge": "The agent says back what it was told."}],
}


@pytest.mark.requirement("A3", "A4", "E4")
def test_a_tap_that_could_not_be_made_stands_in_transcript_judge_question_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written_project(
        tmp_path, rules=RULES, cases={"taps": CASE}, agent={"templates": {"marinas": [{"chips": ["North", "East"]}]}}
    )
    command = CommandLine(folder=tmp_path, capsys=capsys)

    screen = command("run", "--format", "json")

    assert screen.code == 0, screen
    report = json.loads(screen.out)
    jsonschema.validate(report, report_schema())
    (result,) = report["results"]
    assert result["missed_taps"] == [
        {"turn": 3, "tapped": "chip", "target": "South", "card": "[b]", "said": "[nothing to tap: option East]"},
        {"turn": 4, "tapped": "slot", "target": "first", "card": None, "said": "At two"},
    ]
    assert result["transcript"].partition("Person: [tap: North]\n\n")[2] == (
        "Agent: You said: North\n\n"
        "[nothing to tap: chip South on card [b\\]]\n\n"
        "Person: \\[nothing to tap: option East]\n\n"
        "Agent: You said: [nothing to tap: option East]\n\n"
        "[nothing to tap: slot first]\n\n"
        "Person: At two\n\n"
        "Agent: You said: At two"
    )
    assert report["cases"][0]["missed_taps"] == 2
    told = "Not tapped booking/taps: 2 taps found nothing to tap, so `otherwise` was said; `greenroom show "
    assert told in " ".join(command("show", report["run"]["id"]).out.split())
    assert "│ [nothing to tap: slot first]" in command("show", f"{report['run']['id']}/booking/taps").out
