"""JSON out of what models write."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.models.json_text import NotJson, encoded, json_in, ordered, read_arguments, read_json

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=5), json_values, max_size=4)
prose = st.text(alphabet="abc ,.:!\n", max_size=30)


@given(json_values)
def test_every_json_value_is_read_back(value: object) -> None:
    assert json_in(encoded(value).decode()) == json.loads(json.dumps(value))


@given(json_objects, st.sampled_from(["json", "", "JSON"]), prose, prose)
def test_one_code_fence_is_taken_out_whatever_stands_around_it(
    value: object, tag: str, before: str, after: str
) -> None:
    """J02, J12."""
    assert json_in(f"{before}\n```{tag}\n{encoded(value).decode()}\n```\n{after}") == value


@given(json_objects, prose, prose)
def test_one_object_is_found_among_words(value: object, before: str, after: str) -> None:
    assert json_in(f"{before} {encoded(value).decode()} {after}") == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Looks fine to me", "no JSON object"),
        ("", "empty"),
        ("   \n", "empty"),
        ('{"verdicts": [{"verdict": "pass"}', "cut off"),
        ('{"verdicts": [{"verdict": "pa', "cut off"),
        ('could be {"verdict": "pass"}, final: {"verdict": "fail"}', "2 JSON objects"),
        ('{"score": NaN}', "no JSON"),
        ('{"a": 1,}', "no JSON"),
        ('{"a": 1e999}', "larger than any"),
        ('so: {"a": [-1e999]}', "no JSON object"),
        (f'{{"a": {"9" * 400}}}', "larger than any"),
        (f'{{"a": {"9" * 5000}}}', "larger than any"),
        ("```json\n{broken\n```", "expected|Expecting|unexpected|key must"),
    ],
)
def test_what_is_no_single_json_value_is_refused(text: str, words: str) -> None:
    """J01, J10, J20."""
    with pytest.raises(NotJson, match=words):
        json_in(text)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("false", False), ('""', ""), ("[]", []), ("null", None)])
def test_falsy_values_are_values(text: str, value: object) -> None:
    """P01."""
    assert json_in(text) == value


def test_lone_surrogates_become_a_replacement_and_pairs_become_a_sign() -> None:
    """P26."""
    assert read_json(r'"\ud83d"') == "\ufffd"
    assert encoded("\ud83d\ude00").decode() == '"😀"'
    assert encoded({"a": "\ud83d"}).decode() == '{"a":"\ufffd"}'


@given(json_objects)
def test_the_order_of_keys_makes_no_difference_to_a_comparison(value: dict[str, object]) -> None:
    """T26."""
    assert ordered(value) == ordered(dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [('{"a": 1}', {"a": 1}), ("", {}), (None, {}), ("[1]", "[1]"), ("{a", "{a"), ({"a": 1}, {"a": 1})],
)
def test_arguments_are_an_object_or_the_text_they_were(raw: object, arguments: object) -> None:
    assert read_arguments(raw) == arguments


def test_a_bomb_of_brackets_is_no_json() -> None:
    with pytest.raises(NotJson):
        json_in("[" * 200_000)


@pytest.mark.parametrize("inside", ["1", r'"\ud83d"', "1e999"])
def test_what_is_deeper_than_anything_that_works_on_it_can_go_is_no_json(inside: str) -> None:
    with pytest.raises(NotJson):
        read_json("[" * 151 + inside + "]" * 151)
    with pytest.raises(NotJson):
        json_in('so: {"a": ' + "[" * 900 + inside + "]" * 900 + "}")


def test_what_is_as_deep_as_it_may_be_is_read_and_can_be_written() -> None:
    deep = "[" * 150 + r'"\ud83d"' + "]" * 150
    assert encoded(read_json(deep)).decode() == deep.replace(r"\ud83d", "\ufffd")


def test_a_number_of_more_than_64_bits_can_be_written_and_is_read_as_the_nearest_that_there_is() -> None:
    assert encoded({"b": 10**30, "a": "\ud83d"}).decode() == f'{{"b":{10**30},"a":"\ufffd"}}'
    assert ordered({"b": 10**400, "a": 1}) == f'{{"a":1,"b":{10**400}}}'
    assert read_json(f'["\\ud83d", {10**30}, {2**64 - 1}, {-(2**63)}]') == ["\ufffd", 1e30, 2**64 - 1, -(2**63)]
