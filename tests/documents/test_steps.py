"""How order rules and budgets are written, and what is said of one that is not (features.md H9)."""

import jsonschema
import pytest

from greenroom.documents.findings import errors_of
from greenroom.documents.loading import DocumentKind, read_document
from greenroom.documents.reading import Reading
from greenroom.documents.schemas import document_schema


def said(check: str) -> list[str]:
    """The errors of a case with this entry."""
    reading = Reading(file="suites/s.yaml")
    text = f"suite: s\ncases:\n  c:\n    script: [Hi]\n    expect:\n      - {check}\n"
    read_document(text.encode(), DocumentKind.SUITE, reading)
    return [found.message for found in errors_of(reading.findings)]


WORDS = "`called`, `effect`, `agent`, `person`"


@pytest.mark.requirement("H9")
@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("order: []", "this list is empty; write at least one entry"),
        (
            "order: [get_order]",
            f"a step is a mapping with one of {WORDS}, such as {{called: get_order}}, not the text 'get_order'",
        ),
        (
            "order: [{called: a, agent: b}]",
            f"a step is a mapping with one of {WORDS}, such as {{called: get_order}}; "
            "it has 2 keys, and each step has one of its own",
        ),
        ("order: [{call: get_order}]", "there is no step 'call'; did you mean 'called'?"),
        ("order: [{tap: North}]", f"there is no step 'tap'; steps are {WORDS}"),
        ("order: [{agent: }]", "`agent` wants a value here; for anything the agent says write {any: true}"),
        ("order: [{called: {tool: a, at_least: 2}}]", "unknown key 'at_least'; keys are tool, with, strict"),
        (
            "order: [{agent: {regex: '(?i)sure'}}]",
            "regular expression '(?i)sure': `(?i)` is Python's; write `(?i:…)` around the part it applies to",
        ),
        ("before: {first: {called: a}}", "`then` is missing"),
        ("before: {first: {called: a}, than: {called: b}}", "unknown key 'than'; did you mean 'then'?"),
        ("never_after: [{called: a}, {called: b}]", "a mapping is wanted here, not a list; keys are after, never"),
        ("max: {}", "`max` says how much of what: seconds, tokens, turns, tool_calls"),
        ("max: {calls: 3}", "unknown key 'calls'; did you mean 'tool_calls'?"),
        ("max: {turns: 2.5}", "a whole number is wanted here, not the number 2.5"),
        ("max: {seconds: -1}", "the number -1 is out of bounds: at least 0"),
    ],
)
def test_a_rule_that_cannot_be_read_says_what_is_wanted(check: str, message: str) -> None:
    assert said(check)[0] == message


@pytest.mark.requirement("H9")
def test_the_schema_for_editors_takes_what_the_reader_takes() -> None:
    def case(entry: object) -> object:
        return {"suite": "s", "cases": {"c": {"script": ["Hi"], "expect": [entry]}}}

    schema = document_schema("suite")
    steps = [
        {"called": "a"},
        {"called": {"tool": "a", "with": {"b": 1}}},
        {"effect": "notify"},
        {"agent": {"any": True}},
    ]
    for entry in ({"order": steps}, {"before": {"first": steps[0], "then": steps[2]}}, {"max": {"tokens": 5}}):
        jsonschema.validate(case(entry), schema)
    for entry in ({"order": ["a"]}, {"order": [{"called": "a", "agent": "b"}]}, {"max": {"calls": 5}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(case(entry), schema)
