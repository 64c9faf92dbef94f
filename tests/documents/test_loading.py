"""A project's files become documents, or one list of everything that is wrong."""

from pathlib import Path

import pytest
from tests import builders

from greenroom.documents.loading import find_project, load_project
from greenroom.errors import DocumentsInvalid, UsageError


def test_a_project_is_found_from_any_folder_in_it(tmp_path: Path) -> None:
    (tmp_path / "greenroom.yaml").write_text("workspace: lakeside\n")
    inner = tmp_path / "suites" / "more"
    inner.mkdir(parents=True)

    assert find_project(inner) == tmp_path


def test_without_a_project_the_message_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no greenroom\.yaml in .* or above it; .*--project DIR.*greenroom init"):
        find_project(tmp_path)


def test_the_findings_of_all_files_come_at_once(tmp_path: Path) -> None:
    for file, text in {
        "greenroom.yaml": "workspace: lakeside\nconcurrency: 0\n",
        "agents/desk.yaml": "agent: desk\nmodle: script:x.yaml\n",
        "suites/booking.yaml": "suite: booking\ncases:\n  One: {script: [Hi], expect: [judge: Fine.]}\n",
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)

    with pytest.raises(DocumentsInvalid) as refused:
        load_project(tmp_path, environment={})

    assert str(refused.value).splitlines() == [
        "agents/desk.yaml:1:1: `model` is missing",
        "agents/desk.yaml:2:1: unknown key 'modle'; did you mean 'model'?",
        "greenroom.yaml:2:14: the number 0 is out of bounds: at least 1",
        "suites/booking.yaml:3:3: the id 'One' is not lower-case words joined by hyphens; write 'one'",
    ]


def test_the_makers_of_tests_go_through_the_loader() -> None:
    assert builders.agent(rules="Be kind.").rules == ("Be kind.",)
    assert builders.case(samples=3).samples == 3
