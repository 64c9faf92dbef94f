"""The models of one run: opened by how they are written, sharing one session, closed together.

Knows every kind of model; whoever asks one knows none.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from greenroom.clock import Clock
from greenroom.documents.agent import ModelChoice
from greenroom.models.asking import Manner
from greenroom.models.model import Model
from greenroom.models.pacing import Pacing
from greenroom.models.recording import Recorder, RecordingModel
from greenroom.models.replay import read_recorded
from greenroom.models.retries import RetryPolicy
from greenroom.models.script import ScriptedModel
from greenroom.models.script_reading import ScriptFile
from greenroom.models.specs import COMPATIBLE_KEY, PROVIDERS, ModelKind, ModelSpec, key_from, parse_spec

if TYPE_CHECKING:
    from greenroom.models.openai_client import Sessions

__all__ = ["Models"]


class Models:
    """Opens the models of a run; an async context manager that closes whatever it opened.

    `root` is the project's folder, `environment` holds keys, `record` names a file that every answer of a real model
    is written to (`--record FILE`). With `follow_scripts` a script that is edited answers anew from the next
    conversation on; a run is played by what it said when it began.
    """

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str],
        clock: Clock,
        record: Path | None = None,
        policy: RetryPolicy | None = None,
        *,
        follow_scripts: bool = False,
    ) -> None:
        self._root = root
        self._environment = environment
        self._clock = clock
        self.pacing = Pacing(clock)
        """How fast each endpoint is asked, by all models together."""
        self._policy = policy or RetryPolicy()
        self._follow_scripts = follow_scripts
        self._sessions: Sessions | None = None
        self._recorder: Recorder | None = None if record is None else Recorder(record)
        self._opened: dict[ModelChoice, Model] = {}
        self._exit = AsyncExitStack()

    async def __aenter__(self) -> Self:
        if self._recorder is not None:
            await self._recorder.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exit.aclose()

    async def open(self, choice: ModelChoice) -> Model:
        """The model that was chosen; the same choice gives the same model, so that what it learned is kept.

        Reads files and loads libraries in a thread; asks nobody anything.

        Raises:
            ModelSpecInvalid: it can't be opened as it is written: unknown provider, missing key (names the
                variable), missing extra, missing or broken file.
        """
        found = self._opened.get(choice)
        if found is None:
            spec = parse_spec(choice.name, self._root)
            found = await asyncio.to_thread(self._open, spec, choice)
            if self._recorder is not None:
                found = RecordingModel(found, self._recorder)
            self._opened[choice] = found
        return found

    def _open(self, spec: ModelSpec, choice: ModelChoice) -> Model:
        manner = Manner(temperature=choice.temperature, max_tokens=choice.max_tokens, policy=self._policy)
        if spec.path is not None:
            shown = spec.model.replace("\\", "/")
            if spec.kind is ModelKind.REPLAY:
                return read_recorded(spec.path, shown, spec.text)
            file = ScriptFile(spec.path, shown)
            return ScriptedModel(
                name=spec.text,
                file=shown,
                script=file.read(),
                manner=manner,
                clock=self._clock,
                follows=file if self._follow_scripts else None,
            )
        key = key_from(spec, self._environment)
        if key is not None and self._recorder is not None:
            self._recorder.keep_out((key,))
        if spec.kind is ModelKind.OPENAI:
            return self._compatible(spec, key, manner)
        # pydantic-ai takes a second to load: only a run that names such a provider pays for it.
        from greenroom.models.providers import open_provider  # noqa: PLC0415

        base_variable = PROVIDERS[spec.provider].base
        model = open_provider(
            spec,
            key=key,
            base_url=self._environment.get(base_variable) if base_variable else None,
            manner=manner,
            clock=self._clock,
            pace=self.pacing.of(f"{spec.provider}:{spec.model}"),
        )
        self._exit.push_async_callback(model.close)
        return model

    def _compatible(self, spec: ModelSpec, key: str | None, manner: Manner) -> Model:
        # aiohttp takes a sixth of a second to load: only a run that asks a server pays for it.
        from greenroom.models.openai_client import OPENAI_BASE, OpenAIModel, Sessions, endpoint_for  # noqa: PLC0415

        if self._sessions is None:
            self._sessions = Sessions()
            self._exit.push_async_callback(self._sessions.close)
        base = spec.url or self._environment.get("OPENAI_BASE_URL") or OPENAI_BASE
        variable = COMPATIBLE_KEY if spec.url else "OPENAI_API_KEY"
        endpoint = endpoint_for(base, key, variable)
        return OpenAIModel(
            name=spec.text,
            model=spec.model,
            endpoint=endpoint,
            pace=self.pacing.of(f"{endpoint.url} {spec.model}"),
            manner=manner,
            sessions=self._sessions,
            clock=self._clock,
        )
