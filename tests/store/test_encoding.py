"""What is stored comes back the same; what JSON or a database can't hold comes back visibly, never not at all."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import planned, run_summary, sample_result, turn_records

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Badge, CaseError, Cause, SampleResult, Status
from greenroom.conversation.turns import Turn
from greenroom.store.encoding import decode, encode, pack, unpack, visible
from greenroom.store.opening import Store

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
ANY_TEXT = st.text(alphabet=st.characters())
"""Lone surrogates and NUL too."""


def answered(result: Json) -> Turn:
    """A turn with a call that was answered by this."""
    call = ToolCall(
        call_id="1",
        tool="t",
        arguments={"q": result},
        tool_kind=ToolKind.CLIENT,
        answered_by=AnsweredBy.MOCK,
        result=result,
    )
    return Turn(index=1, event=None, entries=(call,))


def told(turn: Turn) -> Json:
    """What that call heard, after a journey through the store's encoding."""
    return decode(Turn, unpack(pack(encode(turn)))).calls[0].result


@given(VALUES)
def test_every_json_value_comes_back_with_its_type(value: Json) -> None:
    """P01: false, 0, an empty text, an empty list and null are five different results."""
    assert repr(told(answered(value))) == repr(value)


@given(ANY_TEXT)
def test_any_text_comes_back_or_its_visible_escapes_do(text: str) -> None:
    """P26."""
    expected = text.encode("utf-8", "backslashreplace").decode()

    assert told(answered([text, {text: "as a key"}])) == [expected, {expected: "as a key"}]


@given(ANY_TEXT)
def test_visible_text_can_be_held_by_both_databases(text: str) -> None:
    shown = visible(text)

    assert "\0" not in shown
    assert shown.encode().decode() == shown


def test_infinity_and_nan_become_null_as_in_json() -> None:
    """P06."""
    assert told(answered([math.nan, math.inf, 1.5])) == [None, None, 1.5]
    assert told(answered(["\ud83d", math.nan, -math.inf, 1.5])) == ["\\ud83d", None, None, 1.5]


@pytest.mark.parametrize("levels", [140, 199, 240, 300, 5000])
def test_deep_nesting_comes_back_or_says_that_it_was_cut(levels: int) -> None:
    value: Json = "bottom"
    for _ in range(levels):
        value = [value]

    heard, depth = told(answered(value)), 0
    while isinstance(heard, list):
        heard, depth = heard[0], depth + 1

    assert (heard, depth) == ("bottom", levels) if levels < 250 else heard == "(deeper than 150 levels: cut)"


@pytest.mark.requirement("F14")
async def test_a_result_of_two_megabytes_comes_back_and_no_list_reads_it(store: Store) -> None:
    """R15."""
    rows: list[Json] = [{"boat": f"pontoon-{number}", "price": number * 1.5, "free": True} for number in range(40_000)]
    result = replace(sample_result("big"), turns=(answered(rows),))
    await store.runs.create(run_summary(), planned("big"))

    await store.results.save("run-1", result, turn_records(result))

    assert await store.results.one("run-1", "booking", "big", 1) == result
    assert await store.results.records("run-1", "booking", "big", 1) == turn_records(result)
    listed = [found async for found in store.results.of_run("run-1", bodies=False)]
    assert listed == [replace(result, turns=(), checks=(), criteria=(), judge=None)]


async def test_every_language_and_every_bad_character_is_stored_shown_and_listed(store: Store) -> None:
    """P26, X15: a lone surrogate, NUL, ESC, non-characters, right-to-left text."""
    bad = "half \ud83d, nul \0, esc \x1b[31m, \ufffe, שלום, 🛶, line\u2028break"
    result = SampleResult(
        key=sample_result("a").key,
        status=Status.ERRORED,
        badges=(Badge.NEEDS_REVIEW, Badge.NO_MOCK),
        error=CaseError(cause=Cause.AGENT, message=bad),
        turns=(answered(bad),),
        note=bad,
    )
    await store.runs.create(run_summary(), planned("a"))

    await store.results.save("run-1", result, turn_records(result))

    kept = bad.replace("\ud83d", "\\ud83d")
    whole = await store.results.one("run-1", "booking", "a", 1)
    assert whole == replace(
        result, error=CaseError(cause=Cause.AGENT, message=kept), turns=(answered(kept),), note=kept
    )
    [listed] = [found async for found in store.results.of_run("run-1", bodies=False)]
    assert listed.error == CaseError(cause=Cause.AGENT, message=kept.replace("\0", "\\x00"))
    assert listed.badges == result.badges
