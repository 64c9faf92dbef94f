"""Conditions and changes as somebody writes them in a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.json_values import Json
from greenroom.documents.people_filters import changes_from, conditions_from
from greenroom.errors import UsageError

DECLARED = ("party_size", "marina")


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("status: lead", {"status": "lead"}),
        ("{status: lead, consent.messages: true}", {"status": "lead", "consent.messages": True}),
        ("fields.party_size: {at_least: 4, at_most: 6}", {"fields.party_size": {"at_least": 4, "at_most": 6}}),
        (
            "party_size: {one_of: [4, 6]}, tags: {contains: vip}",
            {"party_size": {"one_of": [4, 6]}, "tags": {"contains": "vip"}},
        ),
        ("name: 'Ana: Ruiz'", {"name": "Ana: Ruiz"}),
        ("company: 東京 🚤", {"company": "東京 🚤"}),
        ("status:\n  lead", {"status": "lead"}),
    ],
)
def test_a_condition_is_yaml_with_or_without_braces(text: str, conditions: Json) -> None:
    assert conditions_from(text, DECLARED) == conditions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("statsu: lead", "a person has no field 'statsu'; did you mean 'status'?"),
        ("fields.size: 4", "no agent declares the people field 'size'"),
        ("party_size: {at_least: four}", "`at_least` is a number or a date such as 2026-06-06, not the text 'four'"),
        ("name: {regex: '(?i)ana'}", r"regular expression '(?i)ana'"),
        ("", "this mapping is empty"),
        ("[status, lead]", "a key is text, not a list or a mapping"),
        ("status: lead, status: customer", "'status'"),
        ("status: {", "can't be read"),
        ("status = lead", "a person has no field 'status = lead'"),
    ],
)
def test_a_condition_that_means_nothing_is_told(text: str, said: str) -> None:
    with pytest.raises(UsageError) as told:
        conditions_from(text, DECLARED)
    assert said in str(told.value)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert conditions_from(text, DECLARED)
    except UsageError as told:
        assert str(told)


@pytest.mark.parametrize(
    ("pair", "change"),
    [
        ("status=lead", {"status": "lead"}),
        ("title=0123", {"title": "0123"}),
        ("notes=a = b, c: {", {"notes": "a = b, c: {"}),
        ("status=", {"status": ""}),
        ("party_size=6", {"party_size": 6}),
        ("party_size=null", {"party_size": None}),
        ("consent.messages=true", {"consent.messages": True}),
        ("tags=[vip, north]", {"tags": ["vip", "north"]}),
        ("marina=north", {"marina": "north"}),
        ("fields.code=0123", {"code": "0123"}),
        ("code=true", {"code": "true"}),
        ('code="a: b"', {"code": "a: b"}),
        ("code=a: b", {"code": "a: b"}),
        ("code=[1", {"code": "[1"}),
        ("code=", {"code": None}),
        ("party_size={a", {"party_size": "{a"}),
    ],
)
def test_a_change_is_a_field_and_a_value(pair: str, change: Json) -> None:
    assert changes_from([pair], {"code"}) == change


@pytest.mark.parametrize("pair", ["status", "=lead", "fields.=1"])
def test_a_change_that_can_not_be_read_is_told(pair: str) -> None:
    with pytest.raises(UsageError):
        changes_from([pair], ())
