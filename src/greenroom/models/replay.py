"""`replay:FILE`: recorded answers by request, from a recording of ours or from OpenAI chat logs.

An answer is found by what was asked (`canonical`), first among those of the same conversation, so that each sample
gets its own again (R01, R02). A request that was not recorded is refused with the part that differs (R05).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, cast

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.conversation.usage import Usage
from greenroom.errors import ModelRejected, ModelSpecInvalid
from greenroom.models.canonical import canonical, difference, key_of
from greenroom.models.chat_logs import ChatLog, ChatLogs, Missed, chat_log
from greenroom.models.json_text import NotJson, as_list, as_object, read_json
from greenroom.models.model import Finish, ModelAnswer, ModelRequest, RequestedCall

__all__ = ["ReplayModel", "read_recorded"]


class _Source(Protocol):
    """Where recorded answers come from; raises `Missed`."""

    def answer(self, request: ModelRequest) -> ModelAnswer: ...


class ReplayModel:
    """A model that gives the answers that were recorded, and no others."""

    def __init__(self, *, name: str, sources: tuple[_Source, ...]) -> None:
        self._name = name
        self._sources = sources

    @property
    def name(self) -> str:
        """The model as it was written."""
        return self._name

    @property
    def scripted(self) -> bool:
        """Every report says so."""
        return True

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """The recorded answer; see `Model`.

        Raises:
            ModelRejected: nothing was recorded for this request; says which part differs from the nearest one.
        """
        missed: list[str] = []
        for source in self._sources:
            try:
                return source.answer(request)
            except Missed as why:
                missed.append(str(why))
        raise ModelRejected(self._name, "; ".join(missed))


def read_recorded(path: Path, shown: str, text: str) -> ReplayModel:
    """The model of one file; blocks while it reads.

    Raises:
        ModelSpecInvalid: the file is missing, or some of its lines can't be played; one line for each.
    """
    recorded: list[_Entry] = []
    logs: list[ChatLog] = []
    problems: list[str] = []
    for number, line in enumerate(_lines(path, text), start=1):
        if not line.strip():
            continue
        try:
            value = as_object(read_json(line)) or {}
            if "messages" in value:
                logs.append(chat_log(number, as_list(value["messages"])))
            elif "request" in value and "answer" in value:
                recorded.append(_entry(value))
            else:
                problems.append(f"{shown}:{number}:1: neither a recorded answer nor a chat log with `messages`")
        except (NotJson, ValueError) as problem:
            problems.append(f"{shown}:{number}:1: this line can't be read: {problem}")
    if problems:
        raise ModelSpecInvalid("\n".join(problems))
    sources: list[_Source] = []
    if recorded:
        sources.append(_Recorded(shown, recorded))
    if logs:
        sources.append(ChatLogs(shown, logs))
    if not sources:
        raise ModelSpecInvalid(f"model {text!r}: {shown} is empty; `--record {shown}` makes it")
    return ReplayModel(name=text, sources=tuple(sources))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One recorded line."""

    key: str
    conversation: str
    request: JsonObject
    answer: ModelAnswer


class _Recorded:
    """The answers of one recording."""

    def __init__(self, file: str, entries: list[_Entry]) -> None:
        self._file = file
        self._entries = entries
        self._by_key: dict[str, list[_Entry]] = {}
        self._own: dict[tuple[str, str], list[_Entry]] = {}
        self._served: dict[tuple[str, str], int] = {}
        for entry in entries:
            self._by_key.setdefault(entry.key, []).append(entry)
            self._own.setdefault((entry.key, entry.conversation), []).append(entry)

    def answer(self, request: ModelRequest) -> ModelAnswer:
        parts = canonical(request)
        key = key_of(parts)
        own = self._own.get((key, request.conversation))
        # A conversation that was not recorded under this name takes the answers of all others in order.
        among, counted = (own, request.conversation) if own else (self._by_key.get(key, []), "")
        turn = self._served.get((key, counted), 0)
        if turn < len(among):
            self._served[key, counted] = turn + 1
            return among[turn].answer
        if among:
            times = f"{len(among)} times" if len(among) > 1 else "once"
            raise Missed(f"{self._file} has this request {times}, and it is asked again; record as many samples")
        raise Missed(self._nearest(parts))

    def _nearest(self, parts: JsonObject) -> str:
        _, words = max((difference(parts, entry.request) for entry in self._entries), key=lambda found: found[0])
        return f"this request is not in {self._file}; against the nearest one there, {words}"


def _lines(path: Path, text: str) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise ModelSpecInvalid(f"model {text!r}: can't read {path}: {error.strerror or error}") from error


def _entry(line: JsonObject) -> _Entry:
    request = as_object(line["request"]) or {}
    answer = as_object(line["answer"]) or {}
    return _Entry(
        key=key_of(request),
        conversation=str(line.get("conversation") or ""),
        request=request,
        answer=_answer(answer),
    )


def _answer(written: JsonObject) -> ModelAnswer:
    as_written = str(written.get("answered_as"))
    return ModelAnswer(
        text=str(written.get("text") or ""),
        calls=tuple(_call(call) for call in map(as_object, as_list(written.get("calls"))) if call is not None),
        usage=_usage(as_object(written.get("usage")) or {}),
        finish=Finish(str(written.get("finish") or "stop")),
        model=str(written.get("model") or ""),
        answered_as=cast('Literal["schema", "tool", "text"]', as_written)
        if as_written in {"schema", "tool", "text"}
        else "text",
    )


def _call(call: JsonObject) -> RequestedCall:
    return RequestedCall(call_id=str(call.get("id")), tool=str(call.get("tool")), arguments=call.get("arguments"))


def _usage(counts: Mapping[str, Json]) -> Usage:
    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) else 0

    return Usage(
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cache_read_tokens=count("cache_read_tokens"),
        cache_write_tokens=count("cache_write_tokens"),
        cache_write_1h_tokens=count("cache_write_1h_tokens"),
        unsplit_tokens=count("unsplit_tokens"),
        unreported=count("unreported_calls"),
        unsplit_calls=1 if count("unsplit_tokens") else 0,
        calls=1,
    )
