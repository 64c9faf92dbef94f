"""What is said of a call that nothing answers: why, and what to write so that something does (features.md C9, C10)."""

import pytest
from tests.world.makers import ask, case, sandbox, tool

from greenroom.world.sandbox.world import SandboxWorld
from greenroom.world.tools import UNAVAILABLE


def world(**written: object) -> SandboxWorld:
    return sandbox(case(world=written))


@pytest.mark.requirement("C10")
async def test_an_unanswered_call_says_which_entry_to_add() -> None:
    around = world(mocks=[{"tool": "get_order", "when": {"order_id": {"regex": "^2"}}, "result": {}}])
    answer = await ask(around.tools, tool(), order_id="1001")
    assert answer.unanswered
    assert answer.result == UNAVAILABLE
    assert answer.error is not None
    assert answer.missing == (
        'its entry doesn\'t fit: `order_id`: expected text that matches the pattern "^2", got "1001"; '
        'add `- {tool: get_order, when: {order_id: "1001"}, result: {}}` under `world.mocks` of the case'
    )


@pytest.mark.requirement("C10")
async def test_a_call_that_nothing_was_prepared_for_says_so() -> None:
    answer = await ask(world().tools, tool(), order_id="1001")
    assert answer.missing == (
        "no mock was prepared for it; "
        'add `- {tool: get_order, when: {order_id: "1001"}, result: {}}` under `world.mocks` of the case'
    )


@pytest.mark.requirement("C10", "H6")
async def test_a_sequence_that_ends_unanswered_leaves_the_call_unanswered() -> None:
    around = world(mocks=[{"tool": "get_order", "results": ["a"], "then": "unanswered"}])
    own = tool(mocks=[{"result": "own"}])
    first, second = await ask(around.tools, own), await ask(around.tools, own)
    assert (first.result, second.unanswered) == ("a", True)
    assert second.missing == (
        "the results of its mock are used up; "
        "add a result to its `results`, or end them with `then: repeat-last` or `then: cycle`"
    )


@pytest.mark.requirement("C9", "C10")
async def test_a_write_that_nothing_answers_asks_for_both_halves() -> None:
    """R2 11: an entry with a result would never ask for the confirmation."""
    write = tool(kind="integration", confirm_with="confirm_order")
    assert ((await ask(world().tools, write, order_id="1001")).missing or "").endswith(
        "add `- {tool: get_order}` and `- {tool: confirm_order, result: {}}` under `world.mocks` of the case"
    )
    half = world(mocks=[{"tool": "confirm_order", "result": "done"}])
    assert ((await ask(half.tools, write, order_id="1001")).missing or "").endswith(
        "add `- {tool: get_order}` under `world.mocks` of the case"
    )
