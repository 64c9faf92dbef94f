"""JUnit reports that CI servers read (interfaces: JSON report)."""

import re
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden import assert_golden
from tests.reports.examples import EXAMPLES, Example, example, planned

from greenroom.conversation.messages import text_message
from greenroom.conversation.outcomes import CheckOutcome, CheckStatus, SampleKey, SampleResult, Status
from greenroom.conversation.turns import Turn
from greenroom.reports.junit import JunitReport
from greenroom.reports.streams import written

GOLDEN = Path(__file__).parent / "golden"

FIGURES = {"tests", "failures", "errors", "skipped", "time"}
ALLOWED = {
    "testsuites": ({"name"} | FIGURES, {"testsuite"}),
    "testsuite": ({"name", "timestamp"} | FIGURES, {"properties", "testcase"}),
    "properties": (set[str](), {"property"}),
    "property": ({"name", "value"}, set[str]()),
    "testcase": ({"classname", "name", "time"}, {"properties", "failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set[str]()),
    "error": ({"message", "type"}, set[str]()),
    "skipped": ({"message"}, set[str]()),
    "system-out": (set[str](), set[str]()),
}
"""Each element with its attributes and children, as the JUnit schema that Jenkins and GitLab read has them."""


def xml(of: Example) -> str:
    return "".join(written(JunitReport(of.run, version="0.1.0"), of.results))


def check_structure(element: Element) -> None:
    attributes, children = ALLOWED[element.tag]
    assert set(element.attrib) == attributes, element.tag
    assert {child.tag for child in element} <= children, element.tag
    for child in element:
        check_structure(child)


def check_figures(element: Element) -> None:
    cases = list(element.iter("testcase"))
    assert int(element.attrib["tests"]) == len(cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(element.attrib[attribute]) == sum(case.find(tag) is not None for case in cases)
    assert all(len([child for child in case if child.tag in {"failure", "error", "skipped"}]) <= 1 for case in cases)
    assert all(re.fullmatch(r"\d+\.\d{3}", case.attrib["time"]) for case in cases)


def parsed(of: Example) -> Element:
    root = ElementTree.fromstring(xml(of).encode())
    check_structure(root)
    check_figures(root)
    for suite in root:
        check_figures(suite)
    return root


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_report_has_the_structure_that_ci_servers_read(name: str) -> None:
    root = parsed(EXAMPLES[name])

    assert len(list(root.iter("testcase"))) == len(EXAMPLES[name].run.cases)


@pytest.mark.parametrize("name", ["failures", "samples", "needs_review", "live_test", "known_failure", "nasty"])
def test_the_whole_report(name: str) -> None:
    """X15, X16, X17 for the nasty one: no forbidden character, neither itself nor as a reference."""
    assert_golden(xml(EXAMPLES[name]).rstrip("\n"), GOLDEN / f"junit_{name}.xml")


@pytest.mark.requirement("F2")
def test_samples_are_folded_into_one_testcase_and_each_failed_one_keeps_its_reason() -> None:
    """K05."""
    cases = list(parsed(EXAMPLES["samples"]).iter("testcase"))

    assert [case.attrib["name"] for case in cases] == ["books", "cancels", "moves"]
    assert [[child.tag for child in case] for case in cases] == [
        ["properties"],
        ["properties", "failure", "system-out"],
        ["properties", "error", "system-out"],
    ]
    failure = cases[1].find("failure")
    assert failure is not None and failure.text is not None
    assert "sample 2 of 3: failed" in failure.text and "sample 1 of 3: errored" in failure.text


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_gives_xml_that_can_be_read(text: str) -> None:
    """X15, X16, X17, P26."""
    result = SampleResult(
        key=SampleKey(suite=text, case=text),
        status=Status.FAILED,
        checks=(CheckOutcome(check=text, status=CheckStatus.FAILED, detail=text),),
        turns=(Turn(index=0, event=None, entries=(text_message(text),)),),
    )

    root = parsed(example([planned(text, suite=text, name=text)], [result]))

    assert root.find("testsuite/testcase/failure") is not None
