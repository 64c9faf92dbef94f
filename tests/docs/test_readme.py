"""What README, CONTRIBUTING and the pages beside them say is so."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.command_line import LAKESIDE, SOURCES

from greenroom.authoring.lint import lint
from greenroom.cli.app import app
from greenroom.documents.loading import load_project

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGES = sorted(path.parent.name for path in (ROOT / "src" / "greenroom").glob("*/__init__.py"))


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def command_script(folder: Path) -> None:
    """`greenroom` on the PATH, from these sources."""
    script = folder / "greenroom"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m greenroom "$@"\n', encoding="utf-8")
    script.chmod(0o755)


def test_the_commands_of_the_readme_run_one_after_another(tmp_path: Path) -> None:
    command_script(tmp_path)
    (shell,) = blocks("shell")
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(SOURCES)}
    ran = subprocess.run(
        ["sh", "-e", "-c", shell],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_suite_of_the_readme_fits_the_example_agent(tmp_path: Path) -> None:
    shutil.copytree(LAKESIDE, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".greenroom", "booking.yaml"))
    (suite,) = blocks("yaml")
    (tmp_path / "suites" / "readme.yaml").write_text(suite, encoding="utf-8")
    assert [str(each) for each in lint(load_project(tmp_path, environment={})) if each.severity == "error"] == []


def test_the_readme_names_every_command() -> None:
    names = {command.callback.__name__ for command in app.registered_commands if command.callback is not None}
    assert set(re.findall(r"^\| `greenroom (\w+)", README, re.MULTILINE)) == names


def test_the_picture_of_a_run_is_small_and_loads_nothing() -> None:
    picture = (ROOT / "docs" / "run.svg").read_text(encoding="utf-8")
    texts = "".join(ElementTree.fromstring(picture).itertext()).replace("\N{NO-BREAK SPACE}", " ")

    assert set(re.findall(r"[a-z]+://[^\s\"<]*", picture)) == {"http://www.w3.org/2000/svg"}
    assert re.findall(r"@import|@font-face|url\((?!#)|href=|<script|<image", picture) == []
    assert len(picture) < 40_000
    assert "$ greenroom run" in texts and "Exit code 1" in texts


def test_every_page_of_the_docs_is_named_in_the_readme() -> None:
    pages = [page for folder in ("guides", "reference") for page in (ROOT / "docs" / folder).glob("*.md")]

    assert [page.name for page in pages if f"({page.relative_to(ROOT)})" not in README] == []


def test_links_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []


@pytest.mark.parametrize("package", PACKAGES)
def test_architecture_says_what_each_package_is_for(package: str) -> None:
    assert f"`{package}`" in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_line() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    told = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    groups = settings["dependency-groups"].values()
    wanted = [*settings["project"]["dependencies"], *(each for group in groups for each in group)]
    names = {re.split(r"[\[<>=;~ ]", each)[0] for each in wanted}
    assert sorted(name for name in names if not re.search(rf"\b{re.escape(name)}\b", told)) == []


def test_every_decision_has_its_four_parts() -> None:
    pages = [page for page in (ROOT / "docs" / "decisions").glob("*.md") if page.name != "README.md"]
    parts = ("**Question.**", "**Choice.**", "**Reason.**", "**What would reopen it.**")
    missing = {page.name: [part for part in parts if part not in page.read_text(encoding="utf-8")] for page in pages}
    assert {name: lacks for name, lacks in missing.items() if lacks} == {}
