"""What of data is a template, and what stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.json_values import Json
from greenroom.documents.data_templates import filled_data, is_template

VALUES: dict[str, Json] = {"person": {"first_name": 'A"na', "party_size": 6}, "system": {"channel": "web"}}

_texts = st.text(max_size=8) | st.sampled_from(["template", "{{person.first_name}}", "{{system.channel}} {{x"])
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.requirement("C6")
@given(values)
def test_data_that_does_not_say_so_is_no_template(value: Json) -> None:
    if not is_template(value):
        assert filled_data(value, VALUES) is value


def shape(value: Json) -> object:
    """A value with every text in it left out."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "" if isinstance(value, str) else value


@given(values)
def test_only_texts_are_filled_in_and_what_is_filled_in_can_not_break_out_of_them(value: Json) -> None:
    assert shape(filled_data({"template": value}, VALUES)) == shape(value)


@given(values)
def test_what_is_written_twice_keeps_the_key(value: Json) -> None:
    inner = filled_data({"template": value}, VALUES)
    assert filled_data({"template": {"template": value}}, VALUES) == {"template": inner}
