"""docs/guides/mail.md: its documents are sound, and its suite passes as it stands."""

import re
from pathlib import Path

import orjson
import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import guide, written

from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document

GUIDE = guide("mail")
AGENT, MAIL, SUITE = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
MODEL = {
    "rules": [
        {"when": {"answered": "send_email"}, "reply": "It is on its way."},
        {
            "when": {"last": "in writing"},
            "calls": [
                {"tool": "send_email", "arguments": {"subject": "Your boat", "text": "It is yours on Saturday."}}
            ],
        },
        {
            "when": {"last": "a person"},
            "reply": "One moment.",
            "calls": [{"tool": "hand_over", "arguments": {"reason": "asked for a person"}}],
        },
    ]
}


@pytest.mark.requirement("A8")
def test_the_guides_suite_passes_without_its_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = CommandLine(folder=tmp_path, capsys=capsys)
    documents = {"greenroom.yaml": MAIL, "agents/lakeside.yaml": AGENT, "suites/mail.yaml": SUITE}
    written({**documents, "models/desk.yaml": orjson.dumps(MODEL).decode()}, tmp_path)
    assert command("lint").code == 0
    screen = command("run")
    assert (screen.code, "1 passed" in screen.out) == (0, True), screen.out


def test_the_agent_is_as_the_guide_says() -> None:
    agent = load_document(AGENT, file="agents/lakeside.yaml")
    assert isinstance(agent, Agent)
    assert agent.email is not None
    assert agent.email.to == ("sales@lakeside.example",)
