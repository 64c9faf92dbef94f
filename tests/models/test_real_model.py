"""A real language model answers our client, with the tokens it really took."""

import json
from pathlib import Path

import pytest
from tests.servers.smollm import MODEL, smollm_url  # pyright: ignore[reportUnusedImport] - the fixture is used by name

from greenroom.clock import SystemClock
from greenroom.conversation.usage import Role
from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelRejected
from greenroom.models.calls import ask_structured
from greenroom.models.json_text import as_object
from greenroom.models.model import Finish, ModelRequest, OutputSchema, UserSays
from greenroom.models.opening import Models

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

__all__ = ["smollm_url"]


YES_OR_NO = OutputSchema(
    name="answer",
    schema={
        "type": "object",
        "properties": {"yes": {"type": "boolean"}},
        "required": ["yes"],
        "additionalProperties": False,
    },
)


def request(text: str, *, output: OutputSchema | None = None, max_tokens: int = 12) -> ModelRequest:
    role = Role.AGENT if output is None else Role.JUDGE
    return ModelRequest(
        role=role,
        system="Answer shortly.",
        messages=(UserSays(text=text),),
        output=output,
        temperature=0,
        max_tokens=max_tokens,
    )


async def test_it_answers_and_counts_its_tokens(smollm_url: str, tmp_path: Path) -> None:
    async with Models(tmp_path, {}, SystemClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:{MODEL}@{smollm_url}"))
        answer = await model.ask(request("Say hello."))
    assert answer.text.strip()
    assert answer.model == MODEL
    assert answer.finish in {Finish.STOP, Finish.LENGTH}
    assert answer.usage.input_tokens + answer.usage.cache_read_tokens > 10
    assert 0 < answer.usage.output_tokens <= 12
    assert answer.duration_s > 0


async def test_it_keeps_to_a_schema(smollm_url: str, tmp_path: Path) -> None:
    async with Models(tmp_path, {}, SystemClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:{MODEL}@{smollm_url}"))
        answer = await model.ask(request("Is the sky blue?", output=YES_OR_NO, max_tokens=60))
    assert answer.answered_as == "schema"
    assert set(json.loads(answer.text)) == {"yes"}


async def test_an_answer_it_could_not_finish_gets_more_room_once(smollm_url: str, tmp_path: Path) -> None:
    """J10."""
    async with Models(tmp_path, {}, SystemClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:{MODEL}@{smollm_url}"))
        answer = await ask_structured(model, request("Is the sky blue?", output=YES_OR_NO, max_tokens=12), as_object)
    assert set(answer.value or {}) == {"yes"}
    assert answer.repaired
    assert answer.usage.calls == 2
    assert answer.usage.output_tokens > 12


async def test_a_request_beyond_its_context_is_refused_and_not_repeated(smollm_url: str, tmp_path: Path) -> None:
    """T22."""
    async with Models(tmp_path, {}, SystemClock()) as models:
        model = await models.open(ModelChoice(name=f"openai:{MODEL}@{smollm_url}"))
        with pytest.raises(ModelRejected, match="longer than the model's context"):
            await model.ask(request("weather " * 6000))
