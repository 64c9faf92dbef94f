"""docs/reference/documents.md says what the documents take, and its examples are documents."""

import os
import re
import textwrap
from pathlib import Path

import pytest
from tests.docs.document_tables import definitions, table

from greenroom.authoring.lint import lint
from greenroom.documents.checks import CHECKS
from greenroom.documents.findings import Severity
from greenroom.documents.flow import STEPS
from greenroom.documents.loading import load_project

FILE = Path(__file__).parents[2] / "docs" / "reference" / "documents.md"
PAGE = FILE.read_text(encoding="utf-8")
TABLES = re.compile(r"<!-- table: (.+?) -->\n(.*?)<!-- end -->", re.DOTALL)
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
PLACES = {
    "workspace": "greenroom.yaml",
    "agent": "agents/a.yaml",
    "suite": "suites/s.yaml",
    "customer": "customers/c.yaml",
}
TOLD_ELSEWHERE = {
    "Matcher": "by the table of matcher words",
    "Parts": "by the table of parts",
    "Flow": "by the table of steps",
    "Spoken": "by the table of parts",
    **dict.fromkeys((kind.__name__ for kind in STEPS.values()), "by the table of steps"),
    "GivenPerson": "in the row of `history`",
    "GivenAgent": "in the row of `history`",
}
TOLD_WITH_CHECKS = {check.__name__ for check in CHECKS} | {
    "AgentStep",
    "CalledStep",
    "EffectStep",
    "PersonStep",
    "StepCall",
    "StepEffect",
}


def headings() -> dict[str, str]:
    """By table, the heading that it stands under."""
    found: dict[str, str] = {}
    heading = ""
    for line in PAGE.split("\n"):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif (named := re.fullmatch(r"<!-- table: (.+?) -->", line)) is not None:
            found[named[1]] = heading
    found["Matcher"], found["Parts"] = found["matcher words"], found["parts of a message"]
    found["Flow"], found["Spoken"] = found["steps of a flow"], found["parts of a message"]
    return found


def written_anew() -> str:
    told = headings()
    return TABLES.sub(
        lambda found: f"<!-- table: {found[1]} -->\n\n{table(found[1], told)}\n\n<!-- end -->",
        PAGE,
    )


def test_the_tables_are_what_the_models_say() -> None:
    """`WRITE_GOLDEN=1 make docs` writes them anew."""
    page = written_anew()
    if os.environ.get("WRITE_GOLDEN"):
        FILE.write_text(page, encoding="utf-8")
    assert page == FILE.read_text(encoding="utf-8")


def test_every_part_of_a_document_has_its_table() -> None:
    there = {name for name, _ in TABLES.findall(PAGE)}
    assert sorted(definitions().keys() - there - TOLD_WITH_CHECKS - TOLD_ELSEWHERE.keys()) == []


def test_links_within_the_page_lead_to_headings() -> None:
    anchors = {line.lstrip("# ").lower().replace(" ", "-") for line in PAGE.split("\n") if line.startswith("#")}
    assert sorted(set(re.findall(r"\]\(#([^)]+)\)", PAGE)) - anchors) == []


def test_the_examples_are_a_project_without_errors(tmp_path: Path) -> None:
    whole = [text for text in EXAMPLES if text.partition(":")[0] in PLACES]
    for text in whole:
        path = tmp_path / PLACES[text.partition(":")[0]]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    findings = lint(load_project(tmp_path, environment={"BOATS_KEY": "x"}))

    assert len(whole) == len(PLACES)
    assert [str(each) for each in findings if each.severity is Severity.ERROR] == []


@pytest.mark.parametrize("text", [text for text in EXAMPLES if text.partition(":")[0] not in PLACES])
def test_parts_of_a_case_can_stand_in_one(tmp_path: Path, text: str) -> None:
    least = {"script:": "script: [Hi]\n", "expect:": "expect: [never_says: x]\n"}
    case = "".join(line for key, line in least.items() if not re.search(f"^{key}", text, re.MULTILINE)) + text
    suite = "suite: s\ncases:\n  one:\n" + textwrap.indent(case, "    ")
    (tmp_path / "suites").mkdir()
    (tmp_path / "greenroom.yaml").write_text("workspace: w\n", encoding="utf-8")
    (tmp_path / "suites" / "s.yaml").write_text(suite, encoding="utf-8")

    assert load_project(tmp_path, environment={}).findings == ()
