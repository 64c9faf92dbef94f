"""Sums of days, and the middle of many times."""

from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.daily import Figures, quantile, summed

COUNTS = st.dictionaries(st.integers(0, 10_000), st.integers(1, 50), min_size=1, max_size=30)


@given(counts=COUNTS, share=st.floats(0.01, 1.0))
def test_a_quantile_is_the_least_value_that_so_many_do_not_exceed(counts: dict[int, int], share: float) -> None:
    values = sorted(value for value, many in counts.items() for _ in range(many))
    found = quantile(counts, share)
    assert found is not None
    assert sum(value <= found for value in values) >= share * len(values)
    assert sum(value < found for value in values) < share * len(values)


def test_of_nothing_there_is_no_quantile() -> None:
    assert quantile({}, 0.5) is None


@given(
    st.lists(
        st.builds(
            Figures, begun=st.dictionaries(st.sampled_from(["web", "sms"]), st.integers(0, 9)), turn_times=COUNTS
        ),
        max_size=5,
    )
)
def test_days_together_are_as_many_as_each(days: list[Figures]) -> None:
    total = summed(days)
    assert sum(total.begun.values()) == sum(sum(each.begun.values()) for each in days)
    assert sum(total.turn_times.values()) == sum(sum(each.turn_times.values()) for each in days)
    assert summed([]) == Figures()
