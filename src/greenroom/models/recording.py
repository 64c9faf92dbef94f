"""`--record FILE`: every answer of a model as one line of JSON, written as it comes (R01, R06, W01).

Errors and refusals are never recorded. Keys never are either: they travel beside a request, and a text that holds one
all the same loses it.
"""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from greenroom.conversation.json_values import Json
from greenroom.errors import ModelSpecInvalid, OutputFault
from greenroom.models.canonical import canonical
from greenroom.models.json_text import encoded
from greenroom.models.model import Finish, Model, ModelAnswer, ModelRequest

__all__ = ["Recorder", "RecordingModel", "answer_as_json"]


def answer_as_json(answer: ModelAnswer) -> Json:
    """What is kept of an answer; times and tries belong to the moment."""
    usage = answer.usage
    counts = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
        "unsplit_tokens": usage.unsplit_tokens,
        "unreported_calls": usage.unreported,
    }
    return {
        "text": answer.text,
        "calls": [{"id": call.call_id, "tool": call.tool, "arguments": call.arguments} for call in answer.calls],
        "usage": {name: count for name, count in counts.items() if count},
        "finish": answer.finish.value,
        "model": answer.model,
        "answered_as": answer.answered_as,
    }


class Recorder:
    """One file that answers are appended to; each is on the disk's way before its case goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._secrets: list[bytes] = []
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Make the file.

        Raises:
            ModelSpecInvalid: it can't be written, or holds something already: a recording is never written over.
        """
        await asyncio.to_thread(self._start)

    def keep_out(self, secrets: Sequence[str]) -> None:
        """Never write these texts."""
        self._secrets.extend(encoded(secret)[1:-1] for secret in secrets if secret)

    async def write(self, model: str, request: ModelRequest, answer: ModelAnswer) -> None:
        """Append one answer; raises `OutputFault` where it can't be written, and leaves what was recorded whole."""
        line = encoded({
            "model": model,
            "conversation": request.conversation,
            "request": canonical(request),
            "answer": answer_as_json(answer),
        })
        for secret in self._secrets:
            line = line.replace(secret, "…".encode())
        async with self._turn:
            await asyncio.to_thread(self._append, line + b"\n")

    def _start(self) -> None:
        try:
            if self._path.exists() and self._path.stat().st_size:
                raise ModelSpecInvalid(
                    f"{self._path} is there already and is not written over; remove it or record to another file"
                )
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        except OSError as error:
            raise ModelSpecInvalid(f"can't record to {self._path}: {error.strerror or error}") from error

    def _append(self, line: bytes) -> None:
        whole = 0
        try:
            with self._path.open("ab") as file:
                whole = file.tell()
                file.write(line)
        except OSError as error:
            # Half a line would spoil the file for whoever replays it.
            with suppress(OSError):
                os.truncate(self._path, whole)
            advice = "make room for it, or run without --record"
            raise OutputFault(f"can't record to {self._path}", error.strerror or str(error), advice) from error


class RecordingModel:
    """A model whose answers are recorded."""

    def __init__(self, model: Model, recorder: Recorder) -> None:
        self._model = model
        self._recorder = recorder

    @property
    def name(self) -> str:
        """The model's own."""
        return self._model.name

    @property
    def scripted(self) -> bool:
        """As the model says."""
        return self._model.scripted

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """The model's answer, recorded unless it is a refusal (R06)."""
        answer = await self._model.ask(request)
        if answer.finish is not Finish.REFUSAL:
            await self._recorder.write(self._model.name, request, answer)
        return answer
