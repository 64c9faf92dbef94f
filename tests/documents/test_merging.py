"""A suite's defaults in its cases: mappings merge deep, lists replace, mocks append (semantics: documents)."""

import json
from collections.abc import Mapping
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from greenroom.documents.suite_forms import merged
from greenroom.documents.yaml12 import Written, read_yaml

keys = st.sampled_from(["world", "mocks", "person", "a", "b"])
leaves = st.none() | st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2)
trees = st.dictionaries(keys, st.recursive(leaves, lambda inner: st.dictionaries(keys, inner), max_leaves=8))


def written(tree: Mapping[str, object]) -> Written:
    root = read_yaml(json.dumps(tree, indent=1)).root
    assert root is not None
    return root


def expected(defaults: object, own: object, path: tuple[str, ...] = ()) -> object:
    if isinstance(defaults, dict) and isinstance(own, dict):
        below, above = cast("dict[str, object]", defaults), cast("dict[str, object]", own)
        both = {key: expected(below[key], above[key], (*path, key)) for key in below if key in above}
        return below | above | both
    if path == ("world", "mocks") and isinstance(defaults, list) and isinstance(own, list):
        return [*cast("list[object]", own), *cast("list[object]", defaults)]
    return own


@given(trees, trees)
def test_a_case_has_its_own_values_and_the_defaults_below_them(
    defaults: dict[str, object], own: dict[str, object]
) -> None:
    assert merged(written(defaults), written(own)).value == expected(defaults, own)


@given(trees)
def test_without_defaults_a_case_is_as_it_is_written(own: dict[str, object]) -> None:
    assert merged(Written(None, 0), written(own)).value == own
    assert merged(written({}), written(own)).value == own


@given(trees, trees)
def test_every_value_stands_where_it_is_written(defaults: dict[str, object], own: dict[str, object]) -> None:
    below, above = written(defaults), written(own)
    whole = merged(below, above)

    for key in {**defaults, **own}:
        assert whole.walk([key]).at == (above if key in own else below).walk([key]).at
