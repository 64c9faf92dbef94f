"""OpenAI chat logs as recorded agents: JSONL whose lines have `messages`, played as they are.

The recorded step that follows the same words of both sides is the answer. The system prompt, call ids and what tools
answered are not compared: the log's agent saw its own tools, a case's mocks need not say the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.conversation.usage import Role, Usage
from greenroom.models.json_text import as_list, as_object, ordered, read_arguments
from greenroom.models.model import Finish, ModelAnswer, ModelRequest, RequestedCall, ToolAnswer, UserSays
from greenroom.models.script_answers import estimated

__all__ = ["ChatLog", "ChatLogs", "Missed", "chat_log"]

_SHOWN = 60
_Said: TypeAlias = tuple[str, ...]
"""What is compared of a message: the side, its words with white space folded, and its calls."""


class Missed(Exception):
    """Nothing recorded answers this request; the text says what differs. Never leaves this package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One message of either side."""

    said: _Said
    answer: ModelAnswer | None
    """None for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLog:
    """One recorded conversation."""

    line: int
    steps: tuple[_Step, ...]


def chat_log(line: int, messages: Sequence[Json]) -> ChatLog:
    """A conversation from OpenAI's messages; tool answers and system prompts are left out."""
    steps: list[_Step] = []
    for message in map(as_object, messages):
        if message is None:
            continue
        if message.get("role") == "user":
            steps.append(_Step(said=("user", _folded(_words(message))), answer=None))
        elif message.get("role") == "assistant":
            steps.append(_agent_step(message, line, len(steps)))
    return ChatLog(line=line, steps=tuple(steps))


class ChatLogs:
    """Recorded conversations that a request can be found in."""

    def __init__(self, file: str, logs: Sequence[ChatLog]) -> None:
        self._file = file
        self._logs = logs
        self._served: dict[_Said, int] = {}

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """The recorded step that follows. Where several logs agree so far, they take turns.

        Raises:
            Missed: no log goes on after these words, with what the nearest one says instead.
        """
        if request.role is not Role.AGENT:
            raise Missed(f"{self._file} holds an agent's side only and can't play the {request.role}")
        asked = _asked(request)
        found = [answer for log in self._logs if (answer := _following(log, asked)) is not None]
        if not found:
            raise Missed(self._nearest(asked))
        key = tuple(part for said in asked for part in said)
        turn = self._served.get(key, 0)
        if len(found) > 1:
            self._served[key] = turn + 1
        answer = found[turn % len(found)]
        return replace(answer, usage=estimated(request, answer.text, answer.calls))

    def _nearest(self, asked: Sequence[_Said]) -> str:
        agreed, log, said = max(
            ((_agreed(log, said), log, said) for log in self._logs for said in [_without_greeting(log, asked)]),
            key=lambda found: found[0],
        )
        if agreed == len(said):
            ends = agreed >= len(log.steps)
            what = "ends there" if ends else f"goes on with the person's {_shown(log.steps[agreed].said)}"
            return f"the conversation in line {log.line} of {self._file} agrees so far and {what}"
        expected = _shown(log.steps[agreed].said) if agreed < len(log.steps) else "nothing more"
        return (
            f"no conversation in {self._file} goes on so; the nearest is line {log.line}, which agrees for {agreed} "
            f"messages and then has {expected} where {_shown(said[agreed])} was said"
        )


def _agent_step(message: JsonObject, line: int, position: int) -> _Step:
    text = _words(message)
    calls: list[RequestedCall] = []
    for index, raw in enumerate(map(as_object, as_list(message.get("tool_calls")))):
        function = as_object(raw.get("function")) if raw is not None else None
        if function is None:
            continue
        calls.append(
            RequestedCall(
                # A log's own ids may repeat within one conversation (T05), and answers are paired by them.
                call_id=f"line{line}-{position}-{index}",
                tool=str(function.get("name") or ""),
                arguments=read_arguments(function.get("arguments")),
            )
        )
    answer = ModelAnswer(
        text=text,
        calls=tuple(calls),
        usage=Usage(calls=1, unreported=1),
        finish=Finish.TOOL_CALLS if calls else Finish.STOP,
    )
    return _Step(said=_said_by_agent(text, calls), answer=answer)


def _asked(request: ModelRequest) -> list[_Said]:
    said: list[_Said] = []
    for message in request.messages:
        if isinstance(message, UserSays):
            said.append(("user", _folded(message.text)))
        elif not isinstance(message, ToolAnswer):
            said.append(_said_by_agent(message.text, message.calls))
    return said


def _following(log: ChatLog, asked: Sequence[_Said]) -> ModelAnswer | None:
    """The agent's step after what was said, when the log agrees so far."""
    said = _without_greeting(log, asked)
    if len(said) >= len(log.steps) or any(step.said != one for step, one in zip(log.steps, said, strict=False)):
        return None
    return log.steps[len(said)].answer


def _agreed(log: ChatLog, said: Sequence[_Said]) -> int:
    """For how many messages a log agrees."""
    same = min(len(log.steps), len(said))
    return next((n for n in range(same) if log.steps[n].said != said[n]), same)


def _without_greeting(log: ChatLog, asked: Sequence[_Said]) -> Sequence[_Said]:
    """What was said from the person's first words on, for logs that begin with them: no model gave the greeting."""
    if log.steps and log.steps[0].said[0] == "user":
        start = next((index for index, said in enumerate(asked) if said[0] == "user"), len(asked))
        return asked[start:]
    return asked


def _said_by_agent(text: str, calls: Sequence[RequestedCall]) -> _Said:
    asked = (f"{call.tool} {_arguments(call.arguments)}" for call in calls)
    return ("assistant", _folded(text), *asked)


def _arguments(arguments: Json) -> str:
    return ordered(arguments)


def _words(message: JsonObject) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(str((as_object(part) or {}).get("text") or "") for part in as_list(content))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _shown(said: Sequence[str]) -> str:
    text = " ".join(part for part in said[1:] if part)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
