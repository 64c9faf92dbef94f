"""Opening a run's models: what is shared, what is closed, what is loaded, and what is said early."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.models.asking import CountingClock, agent_asks
from tests.servers.anthropic_messages import messages_server
from tests.servers.openai_compatible import chat_server

from greenroom.documents.agent import ModelChoice
from greenroom.errors import ModelSpecInvalid
from greenroom.models.model import AgentSays
from greenroom.models.opening import Models

KEY = "sk-very-secret-0123456789"


async def test_the_same_choice_is_the_same_model_and_another_is_another(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("rules: [{reply: x}]", encoding="utf-8")
    async with Models(tmp_path, {}, CountingClock()) as models:
        first = await models.open(ModelChoice(name="script:a.yaml"))
        assert await models.open(ModelChoice(name="script:a.yaml")) is first
        assert await models.open(ModelChoice(name="script:a.yaml", max_tokens=5)) is not first


async def test_all_models_of_a_run_share_their_connections(tmp_path: Path) -> None:
    async with chat_server() as server, Models(tmp_path, {}, CountingClock()) as models:
        for name in ("agent", "judge", "agent"):
            model = await models.open(ModelChoice(name=f"openai:{name}@{server.url}"))
            await model.ask(agent_asks("hi"))
        assert len(server.connections) == 1


@pytest.mark.parametrize("provider", ["groq", "mistral", "cohere", "google", "bedrock", "openrouter"])
async def test_a_provider_without_its_package_names_the_command_that_installs_it(tmp_path: Path, provider: str) -> None:
    packages = {"google": "google.genai", "bedrock": "boto3", "openrouter": "openai", "mistral": "mistralai"}
    if _installed(packages.get(provider, provider)):
        pytest.skip("the extra is installed here")
    keys = {f"{name}_API_KEY": "x" for name in ("GROQ", "MISTRAL", "CO", "GOOGLE", "OPENROUTER")}
    async with Models(tmp_path, keys, CountingClock()) as models:
        with pytest.raises(ModelSpecInvalid, match=r"pip install 'greenroom\[providers\]'"):
            await models.open(ModelChoice(name=f"{provider}:any"))


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


async def test_a_missing_key_is_told_when_the_model_is_opened(tmp_path: Path) -> None:
    async with Models(tmp_path, {}, CountingClock()) as models:
        with pytest.raises(ModelSpecInvalid, match="ANTHROPIC_API_KEY"):
            await models.open(ModelChoice(name="anthropic:claude-sonnet-5"))


@pytest.mark.parametrize(("name", "loaded"), [("openai:m@http://127.0.0.1:1/v1", False), ("anthropic:m", True)])
def test_pydantic_ai_is_loaded_only_for_its_providers(name: str, *, loaded: bool) -> None:
    program = f"""
import asyncio, sys
from pathlib import Path
from greenroom.clock import SystemClock
from greenroom.documents.agent import ModelChoice
from greenroom.models.model import AgentSays
from greenroom.models.opening import Models

async def main():
    async with Models(Path(), {{"ANTHROPIC_API_KEY": "x"}}, SystemClock()) as models:
        await models.open(ModelChoice(name={name!r}))

asyncio.run(main())
print("pydantic_ai" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(loaded)


async def test_a_provider_gets_the_person_first_and_last(tmp_path: Path) -> None:
    """A greeting, or a given history that the agent spoke last in, is refused by several providers as it stands."""
    async with messages_server() as server:
        environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url.removesuffix("/v1")}
        async with Models(tmp_path, environment, CountingClock()) as models:
            model = await models.open(ModelChoice(name="anthropic:claude-sonnet-5", max_tokens=100, temperature=0.5))
            with override_allow_model_requests(True):
                await model.ask(agent_asks(AgentSays(text="Hi, this is Lakeside.")))
                await model.ask(agent_asks())
    first, second = (asked.body for asked in server.asked)
    assert [message["role"] for message in first["messages"]] == ["user", "assistant", "user"]
    assert [message["role"] for message in second["messages"]] == ["user"]
    assert first["max_tokens"] == 100
    assert "temperature" not in first, "this model knows none"
    assert first["system"][0]["text"] == "You rent boats."
    assert [tool["name"] for tool in first["tools"]] == ["get_weather"]
