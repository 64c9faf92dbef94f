"""Which mock entry answers, and with which of its results (features.md C6, H6)."""

from collections.abc import Mapping

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.json_values import Json
from greenroom.documents.mocks import Mock
from greenroom.world.mocks import MockBook, fitting, mock_to_add

values = st.sampled_from(["a", "b", 1, 1.0, True, None])
arguments = st.dictionaries(st.sampled_from(["x", "y"]), values)
conditions: st.SearchStrategy[dict[str, Json]] = st.dictionaries(
    st.sampled_from(["x", "y"]), values | st.just({"any": True}) | st.just({"absent": True}), max_size=2
)


def mock(tool: str = "get_order", **written: object) -> Mock:
    return Mock.model_validate({"tool": tool, **written})


def oracle(entries: list[dict[str, Json]], call: dict[str, Json]) -> int | None:
    """The rule of features.md C6, written down as plainly as possible."""

    def holds(path: str, wanted: Json) -> bool:
        if wanted == {"absent": True}:
            return path not in call
        if wanted == {"any": True}:
            return call.get(path) is not None
        return path in call and call[path] == wanted and isinstance(call[path], bool) == isinstance(wanted, bool)

    conditioned = [n for n, when in enumerate(entries) if when and all(holds(*item) for item in when.items())]
    fallbacks = [n for n, when in enumerate(entries) if not when]
    return next(iter([*conditioned, *fallbacks]), None)


@pytest.mark.requirement("C6")
@given(st.lists(conditions, max_size=5), arguments)
def test_conditioned_entries_come_first_in_order_then_the_fallback(
    entries: list[dict[str, Json]], call: dict[str, Json]
) -> None:
    mocks = [mock(when=when, result=number) for number, when in enumerate(entries)]
    found = fitting(mocks, call)
    assert (None if found is None else found.result) == oracle(entries, call)


steps = st.lists(
    st.sampled_from(["timeout", "reset", "none"]) | st.integers(0, 3).map(lambda number: f"result {number}"),
    min_size=1,
    max_size=4,
)


def answer_of(sequence: list[str], then: str, call: int) -> str | None:
    """The rule of features.md H6, written down as plainly as possible: which step answers the call, from 0."""
    if call < len(sequence):
        return sequence[call]
    return {"repeat-last": sequence[-1], "cycle": sequence[call % len(sequence)], "unanswered": None}[then]


@pytest.mark.requirement("C6", "C10", "H6")
@given(
    st.lists(st.tuples(conditions, steps, st.sampled_from(["repeat-last", "cycle", "unanswered"])), max_size=4),
    st.lists(arguments, max_size=8),
)
async def test_every_call_of_a_conversation_hears_the_step_that_the_rules_say(
    written: list[tuple[dict[str, Json], list[str], str]], asked: list[dict[str, Json]]
) -> None:
    """Entries, sequences and faults together, against the two plain rules above."""
    book = MockBook([
        mock(
            when=when,
            results=[step if step.startswith("result") else None for step in sequence],
            faults=["none" if step.startswith("result") else step for step in sequence],
            then=then,
        )
        for when, sequence, then in written
    ])
    given_by = dict.fromkeys(range(len(written)), 0)
    for call in asked:
        which = oracle([when for when, _, _ in written], call)
        expected = None
        if which is not None:
            _, sequence, then = written[which]
            expected = answer_of(sequence, then, given_by[which])
            given_by[which] += 1
        entry = await book.fitting("get_order", call)
        heard = None if entry is None else book.next_of(entry)
        told = None if heard is None else heard.fault.value if heard.result is None else heard.result
        assert told == expected


@pytest.mark.requirement("H6")
def test_a_shorter_sequence_stays_at_its_last_beside_a_longer_one() -> None:
    """A reset, then an outage that goes on; and all of it again with `cycle`."""
    flaky = mock(faults=["reset", "none", "none"], statuses=[200, 503], result="x", then="cycle")
    book = MockBook([flaky])
    heard = [answer for _ in range(6) if (answer := book.next_of(flaky)) is not None]
    assert [(one.fault.value, one.status, one.failed) for one in heard] == [
        ("reset", 200, False),
        ("none", 503, True),
        ("none", 503, True),
    ] * 2


@pytest.mark.requirement("C6")
async def test_a_fallback_written_first_still_answers_last() -> None:
    book = MockBook([mock(result="anything"), mock(when={"id": {"regex": "^1"}}, result="one")])
    one = await book.fitting("get_order", {"id": "1001"})
    other = await book.fitting("get_order", {"id": "2001"})
    assert (one and one.result, other and other.result) == ("one", "anything")


@pytest.mark.requirement("E1")
async def test_names_ignore_case_and_extra_spaces() -> None:
    book = MockBook([mock("Escalate to  a person", result=1)])
    assert await book.fitting(" escalate to a PERSON", {}) is not None
    assert await book.fitting("escalate", {}) is None


@pytest.mark.requirement("H6")
@pytest.mark.parametrize(
    ("then", "heard"),
    [
        ("repeat-last", ["a", "b", "b", "b", "b"]),
        ("cycle", ["a", "b", "a", "b", "a"]),
        ("unanswered", ["a", "b", None, None, None]),
    ],
)
def test_a_sequence_has_an_explicit_end(then: str, heard: list[str | None]) -> None:
    sequence = mock(results=["a", "b"], then=then)
    book = MockBook([sequence])
    answers = [book.next_of(sequence) for _ in heard]
    assert [None if answer is None else answer.result for answer in answers] == heard


@pytest.mark.requirement("H6")
def test_statuses_are_a_sequence_too() -> None:
    """T27: fails first and then succeeds."""
    sequence = mock(results=["busy", {"ok": True}], statuses=[503, 200])
    book = MockBook([sequence])
    first, second, third = (book.next_of(sequence) for _ in range(3))
    assert first and (first.failed, first.status, first.result) == (True, 503, "busy")
    assert second and (second.failed, second.status, second.result) == (False, 200, {"ok": True})
    assert third == second


@pytest.mark.requirement("H6")
def test_each_conversation_counts_for_itself() -> None:
    sequence = mock(results=["a", "b"])
    mine, yours = MockBook([sequence]), MockBook([sequence])
    assert [book.next_of(sequence).result for book in (mine, mine, yours)] == ["a", "b", "a"]  # pyright: ignore[reportOptionalMemberAccess]  # a missing one fails the test as well


def test_an_empty_sequence_answers_nothing() -> None:
    empty = mock(results=[])
    assert MockBook([empty]).next_of(empty) is None


@pytest.mark.parametrize("result", [False, 0, "", [], None, {}])
def test_falsy_results_stay_what_they_are(result: Json) -> None:
    """P01."""
    falsy = mock(result=result)
    answer = MockBook([falsy]).next_of(falsy)
    assert answer is not None
    assert (type(answer.result), answer.result, answer.failed) == (type(result), result, False)


@pytest.mark.parametrize(
    ("written", "failed"), [({"error": True}, True), ({"status": 400}, True), ({"status": 399}, False)]
)
def test_an_error_or_a_status_of_400_and_more_fails(written: Mapping[str, bool | int], failed: bool) -> None:
    failing = Mock.model_validate({"tool": "get_order", "result": "why", **written})
    answer = MockBook([failing]).next_of(failing)
    assert answer is not None
    assert answer.failed is failed


@pytest.mark.requirement("C10")
@given(
    st.text(st.characters(codec="utf-8"), min_size=1),
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=20),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(-1e6, 1e6).filter(lambda number: "e" not in repr(number))
            | st.text(st.characters(codec="utf-8")),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "any", "x"]), inner),
            max_leaves=5,
        ),
        max_size=4,
    ),
)
def test_the_entry_to_add_answers_the_call_once_it_is_pasted(name: str, call: dict[str, Json]) -> None:
    line = mock_to_add(name, call)
    assert "\n" not in line
    [pasted] = yaml.safe_load(line)
    assert fitting([Mock.model_validate(pasted)], call) is not None
    assert pasted["tool"] == name


@pytest.mark.requirement("C10")
def test_the_entry_to_add_is_readable() -> None:
    assert mock_to_add("get_order", {"order_id": "1001", "fields": {"type": "all"}, "note": "x" * 500}) == (
        '- {tool: get_order, when: {order_id: "1001", fields: {"equals": {"type": "all"}}}, result: {}}'
    )
