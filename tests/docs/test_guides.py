"""The guides on suites and cases: their files are documents, and their commands run."""

from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import commands, files, guide, ran, written

from greenroom.authoring.lint import lint
from greenroom.conversation.effects import EffectKind
from greenroom.documents.loading import load_project
from greenroom.documents.mocks import MockStrategy

FIRST_SUITE = guide("first-suite")
HOW_A_CASE_RUNS = guide("how-a-case-runs")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """The project of the first guide, its files written as they stand there."""
    return written(files(FIRST_SUITE), tmp_path / "clinic")


def test_every_file_of_the_first_suite_is_there_and_nothing_is_to_be_said_of_it(clinic: Path) -> None:
    there = {str(path.relative_to(clinic)) for path in clinic.rglob("*.yaml")}
    project = load_project(clinic, environment={})

    assert len(there) == FIRST_SUITE.count("```yaml")
    assert [each for each in map(str, lint(project)) if "would go unanswered" not in each] == []


def test_the_first_suite_passes_by_the_commands_of_its_guide(clinic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = ran(commands(FIRST_SUITE), CommandLine(folder=clinic, capsys=capsys))

    assert done.code == 0, done
    assert "3: 3 passed" in done.out


def test_the_mock_of_the_first_suite_does_not_answer_a_wrong_booking(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the guide says of it."""
    script = clinic / "models" / "clinic.yaml"
    script.write_text(script.read_text(encoding="utf-8").replace("visit: v-2", "visit: v-1"), encoding="utf-8")

    screen = CommandLine(folder=clinic, capsys=capsys)("run", "visits/books-after-confirming")

    assert screen.code == 1
    assert "No mock" in screen.out


def test_the_commands_of_the_page_on_cases_run_in_a_new_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = ran(f"greenroom init\n{commands(HOW_A_CASE_RUNS)}", CommandLine(folder=tmp_path, capsys=capsys))

    assert done.code == 0, done


def test_the_page_on_cases_names_every_strategy_and_every_effect() -> None:
    kinds = {kind for kind in EffectKind if f"[{kind.replace('_', ' ')}" in HOW_A_CASE_RUNS}

    assert [word for word in MockStrategy if f"| `{word}`" not in HOW_A_CASE_RUNS] == []
    assert kinds == set(EffectKind)
