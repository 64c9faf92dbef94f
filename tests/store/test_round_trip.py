"""What was written comes back from the store as it was written: values, order, and which keys were given."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import BaseModel
from tests import builders

from greenroom.conversation.outcomes import RunSummary, SampleResult
from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_project
from greenroom.documents.suite import Case
from greenroom.store.encoding import decode, decode_json, document_json, encode

LAKESIDE = Path(__file__).parents[2] / "examples" / "lakeside"


def differences(left: object, right: object, path: str = "") -> list[str]:
    """Every place in which two documents differ."""
    if isinstance(left, BaseModel) and isinstance(right, BaseModel):
        same = type(left) is type(right) and left.model_fields_set == right.model_fields_set
        pairs = {f".{name}": (getattr(left, name), getattr(right, name)) for name in type(left).model_fields}
    elif isinstance(left, Mapping) and isinstance(right, Mapping):
        first, second = cast("Mapping[object, object]", left), cast("Mapping[object, object]", right)
        same = list(first) == list(second)
        pairs = {f"[{key}]": (first[key], second.get(key)) for key in first}
    elif isinstance(left, tuple | list) and isinstance(right, tuple | list):
        ones, others = cast("Sequence[object]", left), cast("Sequence[object]", right)
        same = len(ones) == len(others)
        pairs = {f"[{number}]": both for number, both in enumerate(zip(ones, others, strict=False))}
    else:
        return [] if left == right else [path]
    return [*([] if same else [path]), *(at for key, both in pairs.items() for at in differences(*both, path + key))]


def test_every_document_of_the_example_comes_back_as_it_was_written() -> None:
    project = load_project(LAKESIDE, environment={})
    for agent in project.agents.values():
        assert differences(agent, decode(Agent, document_json(agent))) == []
    for suite in project.suites.values():
        for case in suite.cases.values():
            assert differences(case, decode(Case, document_json(case)), case.id) == []


def test_a_mock_that_says_nothing_stays_another_than_one_that_answers_null() -> None:
    written = builders.case(world={"mocks": [{"tool": "a", "status": 204}, {"tool": "a", "result": None}]})
    assert differences(written, decode(Case, document_json(written))) == []


def _without(value: object, keys: frozenset[str]) -> object:
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return {key: _without(inner, keys) for key, inner in items if key not in keys}
    return [_without(inner, keys) for inner in cast("list[object]", value)] if isinstance(value, list) else value


def test_what_was_stored_before_something_was_kept_of_it_reads_as_it_was() -> None:
    """Nothing has to be migrated: what such a row doesn't have, it doesn't know of."""
    later = frozenset({"unsplit_tokens", "unreported", "tokens", "fail_on"})
    result, run = builders.sample_result(), builders.run_summary()
    assert decode(SampleResult, encode(_without(decode_json(encode(result)), later))) == result
    assert decode(RunSummary, encode(_without(decode_json(encode(run)), later))) == run
