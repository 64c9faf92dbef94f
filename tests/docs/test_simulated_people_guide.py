"""The template of the guide on simulated people is a case that runs, and the guide names every section."""

import re
import shutil
from pathlib import Path

from tests.cli.command_line import LAKESIDE
from tests.docs.guides import guide, written
from tests.projects import ProjectMaker

from greenroom.authoring.lint import lint
from greenroom.conversation.outcomes import Status
from greenroom.conversation.turns import StopReason
from greenroom.documents.loading import load_project
from greenroom.documents.simulation import Brief
from greenroom.operations.runs import RunRequest

GUIDE = guide("simulated-people")
SUITE, PERSON = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
AGENT = [
    {"when": {"role": "router"}, "reply": "changes"},
    {"when": {"role": "judge"}, "verdicts": ["pass"]},
    {"when": {"answered": "get_booking"}, "reply": "It is the powerboat on Saturday. Shall I cancel it?"},
    {"when": {"answered": "cancel_booking"}, "reply": "LK-2041 is cancelled."},
    {"when": {"last": "LK-2041"}, "calls": [{"tool": "get_booking", "arguments": {"code": "LK-2041"}}]},
    {"when": {"last": "Yes"}, "calls": [{"tool": "cancel_booking", "arguments": {"code": "LK-2041"}}]},
    {"when": {"last": "money"}, "reply": "The team decides and writes to you."},
    {"when": {"last": "thank you"}, "reply": "Get well soon!"},
    {"reply": "Of course. What is the booking code?"},
]


def lakeside(root: Path, person: str = PERSON) -> ProjectMaker:
    shutil.copytree(LAKESIDE, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".greenroom", "suites"))
    maker = ProjectMaker(root=root)
    maker.write("models/agent.yaml", {"rules": AGENT})
    written({"suites/people.yaml": SUITE, "models/guide.yaml": person}, root)
    return maker


async def test_the_template_runs_to_a_pass_with_the_scripted_person(tmp_path: Path) -> None:
    script = "script:models/agent.yaml"
    maker = lakeside(tmp_path)
    outcome = await maker.run(RunRequest(model=script, judge=script, simulator="script:models/guide.yaml"))
    assert outcome.only.status is Status.PASSED, outcome.only
    assert outcome.only.stopped is StopReason.PERSON_DONE


def test_the_template_is_free_of_warnings(tmp_path: Path) -> None:
    assert lint(load_project(lakeside(tmp_path).root, environment={})) == ()


def test_every_section_is_in_the_guide() -> None:
    assert [name for name in Brief.model_fields if name != "text" and f"| `{name}` |" not in GUIDE] == []
