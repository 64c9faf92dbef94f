"""The one matcher language: what fits, and how a mismatch reads (features.md H7)."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from greenroom.conversation.json_values import Json
from greenroom.documents.matchers import is_matcher
from greenroom.errors import PatternRefused, PatternTimeout
from greenroom.world.equality import same
from greenroom.world.matching import ABSENT, Found, first_mismatch, lookup, mismatch, mismatch_found, uses_pattern

pytestmark = pytest.mark.requirement("H7")

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
)

FITS: list[tuple[Json, Json]] = [
    ("Saturday", "Saturday"),
    (25, 25.0),
    (0.0, 0),
    ({"a": 1, "b": [2, 3]}, {"b": [2.0, 3], "a": 1}),
    ({}, {}),
    ({"colour": "red", "type": "boat"}, {"type": "boat", "colour": "red"}),
    ("any", "any"),
    ({"equals": {"type": "boat"}}, {"type": "boat"}),
    ({"contains": "dock"}, "at the dock"),
    ({"contains": "red"}, ["red", "blue"]),
    ({"contains": {"number": 3, "within": 1}}, [9, 2.5]),
    ({"regex": "^Sat"}, "Saturday"),
    ({"regex": "day"}, "Saturday"),
    ({"one_of": ["a", {"regex": "^b"}]}, "boat"),
    ({"one_of": [1, None]}, None),
    ({"number": 10, "within": 0.5}, 9.5),
    ({"number": 44.08, "within": 0.01}, 44.09),
    ({"number": 10**400, "within": 1}, 10**400 + 1),
    ({"number": 25}, 25.0),
    ({"at_least": 4}, 4.0),
    ({"at_least": 4, "at_most": 6}, 6),
    ({"at_most": 44.08}, 44.08),
    ({"at_least": "2026-06-01", "at_most": "2026-06-30"}, "2026-06-06"),
    ({"at_least": "2026-06-01"}, "2026-06-01T08:00:00+00:00"),
    ({"type": "string"}, ""),
    ({"type": "number"}, 1.5),
    ({"type": "integer"}, 3.0),
    ({"type": "boolean"}, False),
    ({"type": "null"}, None),
    ({"type": "array"}, []),
    ({"type": "object"}, {}),
    ({"present": True}, None),
    ({"absent": False}, None),
    ({"any": True}, ""),
    ({"any": True}, False),
    ({"any": True, "type": "string", "contains": "a"}, "cat"),
]

DOES_NOT_FIT: list[tuple[Json, Json, str]] = [
    ({"at_least": 4}, 3.99, "expected 4 or more, got 3.99"),
    ({"at_least": 4, "at_most": 6}, 7, "expected 4 or more and 6 or less, got 7"),
    ({"at_least": 4}, "5", 'expected 4 or more, got "5"'),
    ({"at_least": 0}, True, "expected 0 or more, got true"),
    ({"at_most": "2026-06-30"}, "2026-07-01", 'expected "2026-06-30" or less, got "2026-07-01"'),
    ({"at_least": "a"}, "b", 'expected "a" or more, got "b"'),
    ({"at_least": 4}, None, "expected 4 or more, got null"),
    ("Saturday", "Sunday", 'expected exactly "Saturday", got "Sunday"'),
    (True, 1, "expected exactly true, got 1 (boolean against number)"),
    (1, True, "expected exactly 1, got true (number against boolean)"),
    (25, "25", 'expected exactly 25, got "25" (number against text)'),
    (False, 0, "expected exactly false, got 0 (boolean against number)"),
    (0, "", 'expected exactly 0, got "" (number against text)'),
    (None, [], "expected exactly null, got [] (null against list)"),
    ([1, 2], [2, 1], "expected exactly [1, 2], got [2, 1] (at `0`: 1 against 2)"),
    (
        {"a": {"b": 1}},
        {"a": {}},
        'expected exactly {"a": {"b": 1}}, got {"a": {}} (at `a`: {"b": 1} against {} (`b` is missing))',
    ),
    ({"a": 1}, {"a": 1, "c": 2}, 'expected exactly {"a": 1}, got {"a": 1, "c": 2} (`c` is not expected)'),
    ({"contains": "Dock"}, "at the dock", 'expected something that contains "Dock", got "at the dock"'),
    ({"contains": "1"}, 1, 'expected something that contains "1", got 1'),
    ({"contains": 5}, "5 boats", 'expected something that contains 5, got "5 boats"'),
    ({"regex": "^\\d+$"}, 12, 'expected text that matches the pattern "^\\\\d+$", got 12'),
    ({"one_of": ["a", {"number": 2}]}, "c", 'expected one of "a", the number 2, got "c"'),
    ({"number": 10}, 10**400, f"expected the number 10, got 1{'0' * 159}… (401 characters)"),
    ({"number": 10, "within": 0.5}, 10.6, "expected the number 10 within 0.5, got 10.6"),
    ({"number": 1}, True, "expected the number 1, got true"),
    ({"number": 1}, "1", 'expected the number 1, got "1"'),
    ({"type": "integer"}, 1.5, "expected a value of type integer, got 1.5"),
    ({"type": "string"}, 0, "expected a value of type string, got 0"),
    ({"any": True}, None, "expected any value but null, got null"),
    ({"absent": True}, "x", 'expected no value at all, got "x"'),
    (
        {"type": "string", "regex": "^a"},
        "b",
        'expected a value of type string and text that matches the pattern "^a", got "b"',
    ),
    ({"within": 1}, 1, 'expected a matcher that can be read ({"within": 1} can\'t: `within` needs `number`), got 1'),
    ({"a\nb": 1}, {}, 'expected exactly {"a\\nb": 1}, got {} (`a\\nb` is missing)'),
    ({"equals": "", "any": False}, "", 'expected exactly "" and what can\'t be read (`any: false`), got ""'),
    ({"any": False}, 1, "expected what can't be read (`any: false`), got 1"),
    ({"one_of": "abc"}, "a", 'expected what can\'t be read (`one_of: "abc"`), got "a"'),
]


@pytest.mark.parametrize(("matcher", "value"), FITS)
def test_it_fits(matcher: Json, value: Json) -> None:
    assert mismatch(matcher, value) is None


@pytest.mark.parametrize(("matcher", "value", "why"), DOES_NOT_FIT)
def test_it_does_not_fit_and_the_sentence_says_why(matcher: Json, value: Json, why: str) -> None:
    """P01, P10, T26: falsy values stay apart, characters are literal, the mode is named, lists are ordered."""
    assert mismatch(matcher, value) == why


def test_texts_that_look_equal_are_told_apart() -> None:
    """T07: type, length and the first differing character."""
    assert mismatch("café ", "cafe\u0301") == (
        'expected exactly "café ", got "cafe\u0301" (texts of 5 and 5 characters; character 4 is '
        "U+00E9 LATIN SMALL LETTER E WITH ACUTE against U+0065 LATIN SMALL LETTER E)"
    )
    assert mismatch("ok", "ok ") == (
        'expected exactly "ok", got "ok " (texts of 2 and 3 characters; the other one goes on with U+0020 SPACE)'
    )
    assert mismatch("ACME", "Acme") == (
        'expected exactly "ACME", got "Acme" (texts of 4 and 4 characters; character 2 is '
        "U+0043 LATIN CAPITAL LETTER C against U+0063 LATIN SMALL LETTER C)"
    )


def test_long_texts_are_cut_and_still_told_apart() -> None:
    why = mismatch("x" * 5000 + "y", "x" * 5000 + "z")
    assert why is not None
    assert len(why) < 600
    assert "character 5001 is U+0079 LATIN SMALL LETTER Y against U+007A LATIN SMALL LETTER Z" in why


def test_a_lone_surrogate_is_shown_as_its_escape() -> None:
    """P26: the sentence can be stored and printed."""
    why = mismatch("a", "\ud83d")
    assert why is not None
    assert why.encode("utf-8")
    assert '"\\ud83d"' in why


def test_a_plain_string_means_contains_in_places_of_text() -> None:
    assert mismatch("boat", "a boat", text_contains=True) is None
    assert mismatch({"one_of": ["ship", "boat"]}, "a boat", text_contains=True) is None
    assert mismatch("Boat", "a boat", text_contains=True) == 'expected something that contains "Boat", got "a boat"'
    assert mismatch({"equals": "boat"}, "a boat", text_contains=True) is not None


def test_what_special_characters_mean_is_themselves() -> None:
    """P10: a plain string is never a pattern."""
    assert mismatch("Price: $5.00 (+tax)*", "Price: $5.00 (+tax)*") is None
    assert mismatch("Price: $5.00 (+tax)*", "Price: $5.00 tax", text_contains=True) is not None


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [
        ({"absent": True}, True),
        ({"present": False}, True),
        ({"one_of": ["x", {"absent": True}]}, True),
        ({"present": True}, False),
        ({"any": True}, False),
        (None, False),
        ({"one_of": []}, False),
        ({"regex": "^$"}, False),
        ({"type": "null"}, False),
        ({"contains": ""}, False),
        ({"number": 0}, False),
    ],
)
def test_nothing_is_not_null(matcher: Json, fits: bool) -> None:
    assert (mismatch_found(matcher, ABSENT) is None) is fits


def test_a_pattern_that_can_t_be_decided_is_neither_match_nor_mismatch() -> None:
    with pytest.raises(PatternTimeout):
        mismatch({"regex": "^(a+)+$"}, "a" * 40 + "b")
    with pytest.raises(PatternRefused):
        mismatch({"regex": "("}, "a")


def test_a_value_of_endless_nesting_is_a_mismatch() -> None:
    deep: Json = "bottom"
    for _ in range(5000):
        deep = [deep]
    assert mismatch({"equals": [[1]]}, deep) == (
        'expected exactly [[1]], got "a value nested too deeply to be read" (at `0`: [1] against '
        '"a value nested too deeply to be read" (at `0`: 1 against "a value nested too deeply to be read" '
        "(number against list)))"
    )
    assert mismatch({"contains": {"equals": deep}}, [deep]) is not None
    assert mismatch({"equals": deep}, [deep]) is not None
    assert mismatch({"type": "list"}, deep) is None


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("items.0.sku", Found("A1")),
        ("items.1.sku", Found(None)),
        ("items.2.sku", ABSENT),
        ("items.-1.sku", ABSENT),
        ("items.٠.sku", ABSENT),
        ("items." + "9" * 5000, ABSENT),
        ("a.b", Found("whole key")),
        ("a.c", Found("nested")),
        ("a.b.c", Found("deeper")),
        ("name.0", ABSENT),
        ("nothing", ABSENT),
        ("", ABSENT),
        ("deep.x.y.z", Found(1)),
    ],
)
def test_a_path_leads_into_mappings_and_lists(path: str, found: Found) -> None:
    data: Json = {
        "items": [{"sku": "A1"}, {"sku": None}],
        "a.b": "whole key",
        "a": {"b": {"c": "deeper"}, "c": "nested"},
        "name": "Ana",
        "deep": {"x.y": {"z": 1}, "x": {"y": {"other": 2}}},
    }
    assert lookup(data, path) == found


def test_conditions_are_told_with_their_path() -> None:
    conditions: Mapping[str, Json] = {"day": {"regex": "^Sat"}, "guest.seats": 2}
    assert first_mismatch(conditions, {"day": "Saturday", "guest": {"seats": 2.0}}) is None
    assert first_mismatch(conditions, {"day": "Saturday", "guest": {"seats": 3}}) == (
        "`guest.seats`: expected exactly 2, got 3"
    )
    assert first_mismatch(conditions, {"guest": {}}) == (
        '`day`: expected text that matches the pattern "^Sat", but there is no value'
    )


def test_required_calls_of_every_kind_of_condition() -> None:
    """T01, T06: any, exact, with a tolerance, by pattern."""
    conditions: Mapping[str, Json] = {
        "reason": {"any": True},
        "order_id": "1001",
        "amount": {"number": 10, "within": 0.5},
        "session_token": {"regex": "^tok_"},
    }
    call = {"order_id": "1001", "amount": 10.25, "reason": "late", "session_token": "tok_91"}
    assert first_mismatch(conditions, call) is None
    assert first_mismatch(conditions, {**call, "amount": 10.75}) == (
        "`amount`: expected the number 10 within 0.5, got 10.75"
    )


def test_whether_a_matcher_runs_a_pattern_is_known_beforehand() -> None:
    assert uses_pattern({"regex": "a"})
    assert uses_pattern({"one_of": ["x", {"contains": {"regex": "a"}}]})
    assert not uses_pattern({"equals": {"regex": "a"}})
    assert not uses_pattern({"colour": {"regex": "a"}})
    assert not uses_pattern("a")


@given(json_values)
def test_every_value_equals_itself_and_its_frozen_twin(value: Json) -> None:
    assert mismatch({"equals": value}, value) is None
    assert mismatch({"equals": _frozen(value)}, value) is None
    if not is_matcher(value):
        assert mismatch(value, value) is None


@given(json_values, json_values)
def test_equality_goes_both_ways_and_a_mismatch_is_a_sentence(left: Json, right: Json) -> None:
    why = mismatch({"equals": left}, right)
    assert (why is None) == same(left, right) == same(right, left)
    assert why is None or (why.startswith("expected exactly ") and "\n" not in why and why.encode("utf-8"))


@given(st.dictionaries(st.text(), json_values, min_size=2, max_size=5))
def test_the_order_of_keys_says_nothing(value: dict[str, Json]) -> None:
    assert same(value, dict(reversed(value.items())))


@given(st.lists(json_values, min_size=2, max_size=5))
def test_the_order_of_lists_counts(value: list[Json]) -> None:
    """T26."""
    assume(not same(value[0], value[-1]))
    assert not same(value, [value[-1], *value[1:-1], value[0]])


@given(json_values, st.lists(json_values, max_size=5))
def test_one_of_fits_when_one_fits(value: Json, others: list[Json]) -> None:
    listed = [{"equals": other} for other in others]
    expected = any(same(other, value) for other in others)
    assert (mismatch({"one_of": listed}, value) is None) is expected


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "number", "null"]),
            "any": st.booleans(),
            "present": st.booleans(),
            "absent": st.booleans(),
            "contains": scalars,
            "number": st.integers() | st.floats(),
            "one_of": st.lists(scalars) | st.text(),
            "equals": scalars,
            "within": st.integers() | st.floats() | st.text(),
        },
    ),
    json_values,
)
def test_words_fit_together_exactly_when_each_fits(words: dict[str, Json], value: Json) -> None:
    assume(words)
    together = mismatch(words, value) is None
    parts = [{word: wanted} for word, wanted in words.items() if word not in {"number", "within"}]
    if "number" in words:
        parts.append({word: words[word] for word in ("number", "within") if word in words})
    elif "within" in words:
        assert not together
        return
    assert together == all(mismatch(part, value) is None for part in parts)


@given(json_values, st.text())
def test_a_path_never_fails_otherwise_than_by_finding_nothing(data: Json, path: str) -> None:
    found = lookup(data, path)
    assert found.there or found == ABSENT


def _frozen(value: Json) -> Json:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
