"""Values in texts: two kinds, and everything else is left as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.documents.templates import environment_names, fill, filled_environment, template_names
from greenroom.errors import UsageError

VALUES = {
    "person": {"first_name": "Ana", "fields": {"party_size": 6.0, "vip": True}, "note": '5 < 6 & "x"', "company": None},
    "system": {"channel": "web"},
}


@pytest.mark.requirement("D2")
def test_known_names_are_filled_in() -> None:
    """P15: nothing is escaped."""
    text = "{{person.first_name}} on {{ system.channel }}: {{person.fields.party_size}} {{person.fields.vip}}"

    assert fill(text, VALUES) == "Ana on web: 6.0 true"
    assert fill("{{person.note}}", VALUES) == '5 < 6 & "x"'


@pytest.mark.parametrize(
    "text",
    [
        "{# hello",
        '{"k": ""} {{ and }} {{other.name}} {{ person }}',
        "{{person .first_name}} {{{person}} {{% if %}}",
        "---\n{{\n}}",
        "${first_name} $person {person.first_name}",
    ],
)
def test_other_braces_are_text(text: str) -> None:
    """P11, P12, P16."""
    assert fill(text, VALUES) == text
    assert template_names(text) == ()


def test_what_is_not_known_is_empty_and_what_has_no_root_stays() -> None:
    assert fill("[{{person.company}}{{person.last_name}}{{person.first_name.x}}]", VALUES) == "[]"
    assert fill("{{person.first_name}}", {"system": {}}) == "{{person.first_name}}"


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    values = {"person": {"first_name": "{{system.channel}}"}, "system": {"channel": "web"}}

    assert fill("{{person.first_name}}", values) == "{{system.channel}}"


@given(st.text(st.characters(exclude_characters="{")))
def test_a_text_without_braces_is_never_touched(text: str) -> None:
    assert fill(text, VALUES) == text


def test_the_environment_fills_in_what_a_text_names() -> None:
    """P20, P21: a value is text, whatever it looks like."""
    assert filled_environment("http://${HOST}:${PORT}/${HOST}", {"HOST": "a", "PORT": "30"}) == "http://a:30/a"
    assert environment_names("http://${HOST}:${PORT} $HOME {PORT} ${not-a-name}") == ("HOST", "PORT")


def test_a_missing_variable_is_an_error_that_names_it() -> None:
    with pytest.raises(UsageError, match="the environment variable PORT is not set"):
        filled_environment("http://localhost:${PORT}", {"HOST": "a"})
