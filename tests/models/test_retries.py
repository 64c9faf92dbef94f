"""When a call is tried again, and after what wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.asking import NOON, CountingClock

from greenroom.errors import ModelRejected, ModelUnreachable
from greenroom.models.refusals import asked_wait, read_refusal
from greenroom.models.retries import PassingFault, RetryPolicy, with_retries


async def waits(policy: RetryPolicy, *, retry_after: float | None = None) -> list[float]:
    """The waits of a call that never comes through."""
    clock = CountingClock()

    async def attempt(_number: int) -> None:
        raise PassingFault("down", retry_after=retry_after)

    with pytest.raises(ModelUnreachable):
        await with_retries("m", clock, policy, attempt)
    return clock.slept


@given(st.integers(1, 12), st.floats(0.01, 2), st.floats(2, 30))
async def test_waits_grow_up_to_a_bound_and_never_beyond(tries: int, first: float, longest: float) -> None:
    slept = await waits(RetryPolicy(tries=tries, first_wait=first, longest_wait=longest))
    assert len(slept) == tries - 1
    assert slept == sorted(slept)
    assert all(first / 2 <= seconds <= longest for seconds in slept)


@given(st.floats(0, 60))
async def test_a_wait_is_never_shorter_than_was_asked_for(asked: float) -> None:
    assert all(seconds >= asked for seconds in await waits(RetryPolicy(), retry_after=asked))


async def test_a_fault_that_no_second_try_can_mend_is_told_at_once() -> None:
    """A certificate that isn't trusted."""
    clock = CountingClock()

    async def attempt(_number: int) -> None:
        raise PassingFault("not trusted", again=False)

    with pytest.raises(ModelUnreachable, match=r"^m: not trusted$"):
        await with_retries("m", clock, RetryPolicy(), attempt)
    assert clock.slept == []


async def test_a_refusal_of_a_later_try_counts_the_tries_before_it() -> None:
    """What was asked for in vain is asked for all the same."""

    async def attempt(number: int) -> None:
        raise PassingFault("busy") if number < 3 else ModelRejected("m", "no such model")

    with pytest.raises(ModelRejected, match=r"^m: no such model \(after 3 tries\)$") as refused:
        await with_retries("m", CountingClock(), RetryPolicy(), attempt)
    assert refused.value.attempts == 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:10 GMT"}, 10.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "nan"}, None),
    ],
)
def test_a_wait_is_asked_for_as_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOON) == seconds


@pytest.mark.parametrize(
    ("status", "said", "seconds", "quota", "limits"),
    [
        (429, "Rate limit reached for gpt-6. Please try again in 1.2s.", 1.2, False, True),
        (429, "Please try again in 20ms.", 0.02, False, True),
        (429, "Please try again in 6m0s.", 360.0, False, True),
        (429, "Please try again in 5 minutes.", None, False, True),
        (429, "You exceeded your current quota, please check your plan and billing details.", None, True, False),
        (429, "You exceeded your current quota. Please retry in 22.5s.", 22.5, False, True),
        (429, "insufficient_quota; try again in 5s", None, True, False),
        (429, "Request too large for gpt-6 on tokens per min; try again in 5s", None, False, False),
        (402, "pay", None, True, False),
        (503, "The model is overloaded. Please try again later.", None, False, True),
        (500, "The server had an error; try again in 5s", 5.0, False, False),
        (400, "wrong; try again in 5s", None, False, False),
    ],
)
def test_what_an_error_says_decides_whether_to_wait_and_who_waits(
    status: int, said: str, seconds: float | None, *, quota: bool, limits: bool
) -> None:
    """C02, T22: a quota that is used up is final; one that names a time is the minute's."""
    refusal = read_refusal(status, {}, said.encode(), where="http://x", key_variable="KEY", now=NOON)
    assert (refusal.retry_after, refusal.quota, refusal.limits) == (seconds, quota, limits)


def test_the_delay_that_google_writes_into_the_details_is_read() -> None:
    body = b'{"error": {"code": 429, "message": "You exceeded your current quota", "details": [{"retryDelay": "22s"}]}}'
    refusal = read_refusal(429, {}, body, where="http://x", key_variable="KEY", now=NOON)
    assert (refusal.retry_after, refusal.passing, refusal.quota) == (22.0, True, False)
