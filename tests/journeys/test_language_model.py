"""A real language model as the agent, end to end: real answers, real token counts (models; too weak to judge)."""

from pathlib import Path

import pytest
from tests.projects import written_project
from tests.servers.smollm import MODEL, smollm_url

from greenroom.conversation.outcomes import Status
from greenroom.conversation.usage import Role

__all__ = ["smollm_url"]


@pytest.mark.slow
async def test_a_suite_runs_against_a_real_language_model(tmp_path: Path, smollm_url: str) -> None:
    case = {
        "script": ["Hello, do you rent boats?", "Thank you, goodbye."],
        "expect": [{"reply": {"regex": "[a-zA-Z]", "turn": "all"}}, {"never_says": "\u0000"}],
    }
    agent = {"model": {"name": f"openai:{MODEL}@{smollm_url}", "max_tokens": 24}, "tools": {}, "notifications": {}}
    maker = written_project(tmp_path, rules=[{"reply": "unused"}], cases={"hello": case}, agent=agent)
    outcome = await maker.run()
    result = outcome.only
    assert result.error is None
    assert result.status is Status.PASSED
    spent = result.usage[Role.AGENT]
    assert spent.calls == 2
    assert spent.input_tokens + spent.cache_read_tokens > 40
    assert 2 <= spent.output_tokens <= 48
    assert [len(turn.messages) for turn in result.turns[1:]] == [1, 1]
