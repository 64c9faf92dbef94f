"""What a call used, from every form in which providers tell it, or don't (M01, M02, M05, M06)."""

import pytest

from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Usage
from greenroom.models.usage_forms import usage_of


@pytest.mark.parametrize(
    ("block", "used"),
    [
        ({"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}, Usage(input_tokens=20, output_tokens=5)),
        ({"prompt_tokens": 20, "completion_tokens": 0}, Usage(input_tokens=20)),
        ({"prompt_tokens": 20, "total_tokens": 25}, Usage(input_tokens=20, output_tokens=5)),
        ({"completion_tokens": 5, "total_tokens": 25}, Usage(input_tokens=20, output_tokens=5)),
        ({"input_tokens": 20, "output_tokens": 5}, Usage(input_tokens=20, output_tokens=5)),
        (
            {"prompt_tokens": 10, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 5}},
            Usage(input_tokens=5, output_tokens=20, cache_read_tokens=5),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 20, "prompt_cache_hit_tokens": 4},
            Usage(input_tokens=6, output_tokens=20, cache_read_tokens=4),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cache_write_tokens": 4}},
            Usage(input_tokens=9, output_tokens=1, cache_write_tokens=4),
        ),
        (
            {"input_tokens": 10, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 5}},
            Usage(input_tokens=5, output_tokens=1, cache_read_tokens=5),
        ),
        (
            {
                "input_tokens": 2,
                "output_tokens": 1,
                "cache_read_input_tokens": 5,
                "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2},
            },
            Usage(input_tokens=5, output_tokens=1, cache_read_tokens=5, cache_write_tokens=1, cache_write_1h_tokens=2),
        ),
    ],
)
def test_what_is_told_in_any_form_is_known(block: Json, used: Usage) -> None:
    assert usage_of(block) == used + Usage(calls=1)


@pytest.mark.parametrize(
    ("block", "known"),
    [
        (None, Usage()),
        ({}, Usage()),
        ("much", Usage()),
        ({"prompt_tokens": None, "completion_tokens": None}, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, Usage()),
        ({"input_tokens": 0, "output_tokens": 0}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": 20}, Usage(input_tokens=20)),
        ({"completion_tokens": 5}, Usage(output_tokens=5)),
        ({"total_tokens": 25}, Usage(unsplit_tokens=25, unsplit_calls=1)),
    ],
)
def test_what_is_not_told_is_unknown_and_never_0(block: Json, known: Usage) -> None:
    assert usage_of(block) == known + Usage(calls=1, unreported=1)
    assert usage_of(block).unknown is (known == Usage())
