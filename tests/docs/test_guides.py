"""The guides on suites and cases: their files are documents, and their commands run."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.command_line import SOURCES, CommandLine

from greenroom.authoring.lint import lint
from greenroom.conversation.effects import EffectKind
from greenroom.documents.loading import load_project
from greenroom.documents.mocks import MockStrategy

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
FIRST_SUITE = (GUIDES / "first-suite.md").read_text(encoding="utf-8")
HOW_A_CASE_RUNS = (GUIDES / "how-a-case-runs.md").read_text(encoding="utf-8")


def files(guide: str) -> Mapping[str, str]:
    """What the guide says is in each file that it names."""
    return dict(re.findall(r"`([\w./]+\.yaml)`[^`]*:\n\n```yaml\n(.*?)```", guide, re.DOTALL))


def commands(guide: str) -> str:
    (shell,) = re.findall(r"```shell\n(.*?)```", guide, re.DOTALL)
    return shell


def ran(shell: str, folder: Path, scripts: Path) -> subprocess.CompletedProcess[str]:
    """The commands one after another, with `greenroom` on the PATH from these sources."""
    script = scripts / "greenroom"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m greenroom "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCES)}
    return subprocess.run(
        ["sh", "-e", "-c", shell],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """The project of the first guide, its files written as they stand there."""
    folder = tmp_path / "clinic"
    for name, text in files(FIRST_SUITE).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_every_file_of_the_first_suite_is_there_and_nothing_is_to_be_said_of_it(clinic: Path) -> None:
    written = {str(path.relative_to(clinic)) for path in clinic.rglob("*.yaml")}
    project = load_project(clinic, environment={})

    assert len(written) == FIRST_SUITE.count("```yaml")
    assert [each for each in map(str, lint(project)) if "would go unanswered" not in each] == []


def test_the_first_suite_passes_by_the_commands_of_its_guide(clinic: Path, tmp_path: Path) -> None:
    done = ran(commands(FIRST_SUITE), clinic, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "3: 3 passed" in done.stdout


def test_the_mock_of_the_first_suite_does_not_answer_a_wrong_booking(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the guide says of it."""
    script = clinic / "models" / "clinic.yaml"
    script.write_text(script.read_text(encoding="utf-8").replace("visit: v-2", "visit: v-1"), encoding="utf-8")

    screen = CommandLine(folder=clinic, capsys=capsys)("run", "visits/books-after-confirming")

    assert screen.code == 1
    assert "No mock" in screen.out


def test_the_commands_of_the_page_on_cases_run_in_a_new_project(tmp_path: Path) -> None:
    done = ran(f"greenroom init desk\ncd desk\n{commands(HOW_A_CASE_RUNS)}", tmp_path, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_on_cases_names_every_strategy_and_every_effect() -> None:
    kinds = {kind for kind in EffectKind if f"[{kind.replace('_', ' ')}" in HOW_A_CASE_RUNS}

    assert [word for word in MockStrategy if f"| `{word}`" not in HOW_A_CASE_RUNS] == []
    assert kinds == set(EffectKind)
