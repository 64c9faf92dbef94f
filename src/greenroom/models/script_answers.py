"""What a rule of a script answers to a request: its templates filled, its verdicts put in the judge's form.

Pure but for patterns. Which rule it is has been decided before.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, cast

from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Verdict
from greenroom.conversation.usage import Usage
from greenroom.models.json_text import NotJson, as_object, encoded, read_json
from greenroom.models.model import AgentSays, Finish, ModelAnswer, ModelRequest, RequestedCall, ToolAnswer, UserSays
from greenroom.models.script_document import Rule, ScriptedUsage, ScriptedVerdict
from greenroom.models.script_rules import last_said, text_fits

__all__ = ["TEMPLATE", "Unfilled", "answer_by", "estimated", "template_problem"]

TEMPLATE: Final = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_NUMBERED: Final = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_CHARS_A_TOKEN: Final = 4
_LONGEST_SHOWN: Final = 80


class Unfilled(Exception):
    """A rule can't answer this request; the text says why. Never leaves this package."""


def template_problem(text: str) -> str | None:
    """What is wrong with the templates of a text; None when nothing is."""
    for name in TEMPLATE.findall(text):
        head, _, rest = name.partition(".")
        if name != "last" and (head != "tool" or not rest):
            return f"`{{{{{name}}}}}` is no template here; there are `{{{{last}}}}` and `{{{{tool.NAME.path}}}}`"
    return None


async def answer_by(rule: Rule, request: ModelRequest, model: str) -> ModelAnswer:
    """The answer of a rule.

    Raises:
        Unfilled: a template asks for what isn't there, or no verdict fits one of the criteria.
    """
    played = rule.say is not None or rule.tap is not None or rule.end is not None
    structured = rule.output is not None or bool(rule.verdicts) or played
    if rule.verdicts:
        text = encoded({"verdicts": await _verdicts(rule.verdicts, request)}).decode()
    elif played:
        text = encoded(_next_message(rule, request)).decode()
    elif rule.output is not None:
        text = encoded(_filled(rule.output, request)).decode()
    else:
        text = _filled_text(rule.reply or "", request)
    calls = tuple(
        RequestedCall(
            call_id=f"call-{len(request.messages)}-{index}",
            tool=call.tool,
            arguments={} if call.arguments is None else _filled(call.arguments, request),
        )
        for index, call in enumerate(rule.calls)
    )
    return ModelAnswer(
        text=text,
        calls=calls,
        usage=_usage(rule.usage, request, text, calls),
        finish=rule.finish or (Finish.TOOL_CALLS if calls else Finish.STOP),
        model=model,
        answered_as="schema" if structured and request.output is not None else "text",
    )


def _next_message(rule: Rule, request: ModelRequest) -> Json:
    """What a simulated person answers."""
    message: dict[str, Json] = {"say": _filled_text(rule.say or "", request)}
    if rule.tap is not None:
        message["tap"] = _filled_text(rule.tap, request)
    message["end"] = None if rule.end is None else rule.end.value
    return message


def estimated(request: ModelRequest, text: str, calls: Sequence[RequestedCall]) -> Usage:
    """A cost by length, four characters a token: the same for the same conversation on every machine."""
    asked = len(request.system) + sum(len(tool.name) + len(tool.description) for tool in request.tools)
    for message in request.messages:
        asked += len(message.text)
        if isinstance(message, AgentSays):
            asked += _calls_length(message.calls)
    return Usage(input_tokens=_tokens(asked), output_tokens=_tokens(len(text) + _calls_length(calls)), calls=1)


def _tokens(chars: int) -> int:
    return -(-chars // _CHARS_A_TOKEN)


def _calls_length(calls: Sequence[RequestedCall]) -> int:
    return sum(len(call.tool) + len(encoded(call.arguments)) for call in calls)


def _usage(written: ScriptedUsage, request: ModelRequest, text: str, calls: Sequence[RequestedCall]) -> Usage:
    by_length = estimated(request, text, calls)
    return Usage(
        input_tokens=by_length.input_tokens if written.input_tokens is None else written.input_tokens,
        output_tokens=by_length.output_tokens if written.output_tokens is None else written.output_tokens,
        cache_read_tokens=written.cache_read_tokens,
        cache_write_tokens=written.cache_write_tokens,
        cache_write_1h_tokens=written.cache_write_1h_tokens,
        calls=1,
    )


async def _verdicts(written: Sequence[ScriptedVerdict], request: ModelRequest) -> list[Json]:
    question = next((message.text for message in request.messages if isinstance(message, UserSays)), "")
    criteria = _criteria(question)
    if not criteria:
        raise Unfilled(
            "the question has no numbered criteria that `verdicts` could answer; let the rule fit the judge alone, "
            "`when: {role: judge}`"
        )
    scored = "score" in encoded(request.output.schema).decode() if request.output is not None else False
    return [await _verdict(written, criterion, question, scored=scored) for criterion in criteria]


async def _verdict(written: Sequence[ScriptedVerdict], criterion: str, question: str, *, scored: bool) -> Json:
    for entry in written:
        if await text_fits(entry.criterion, criterion) and await text_fits(entry.seen, question):
            verdict: dict[str, Json] = {"reason": entry.reason, "verdict": entry.verdict.value, "line": entry.line}
            if scored:
                verdict["score"] = _score(entry, criterion)
            return verdict
    raise Unfilled(
        f"none of its verdicts fits the criterion {criterion!r}; add an entry to `verdicts`, such as "
        f"{{verdict: pass, criterion: {json.dumps(criterion[:40], ensure_ascii=False)}}}"
    )


def _score(entry: ScriptedVerdict, criterion: str) -> int | None:
    if entry.score is not None or "[scored" not in criterion:
        return entry.score
    return 100 if entry.verdict is Verdict.PASS else 0


def _criteria(question: str) -> list[str]:
    """The last list of lines numbered from 1: a question ends with its criteria."""
    found: list[str] = []
    for number, text in cast("list[tuple[str, str]]", _NUMBERED.findall(question)):
        if number == "1":
            found = []
        if int(number) == len(found) + 1:
            found.append(text)
    return found


def _filled(value: Json, request: ModelRequest) -> Json:
    """A value with the templates in its texts filled; a text that is one template becomes the value itself."""
    if isinstance(value, str):
        whole = TEMPLATE.fullmatch(value)
        return _value_of(whole.group(1), request) if whole is not None else _filled_text(value, request)
    if isinstance(value, Mapping):
        return {key: _filled(item, request) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_filled(item, request) for item in value]
    return value


def _filled_text(text: str, request: ModelRequest) -> str:
    def put_in(found: re.Match[str]) -> str:
        value = _value_of(found.group(1), request)
        return value if isinstance(value, str) else encoded(value).decode()

    return TEMPLATE.sub(put_in, text)


def _value_of(name: str, request: ModelRequest) -> Json:
    if name == "last":
        return last_said(request)
    _, _, path = name.partition(".")
    tool, _, inner = path.partition(".")
    answers = [message for message in request.messages if isinstance(message, ToolAnswer) and message.tool == tool]
    if not answers:
        raise Unfilled(
            f"`{{{{{name}}}}}`: the tool {tool!r} has not answered in this conversation; let the rule fit its answer, "
            f"`when: {{answered: {tool}}}`"
        )
    value: Json = answers[-1].text
    with suppress(NotJson):
        value = read_json(answers[-1].text)
    for key in inner.split(".") if inner else ():
        value = _inside(value, key, name)
    return value


def _inside(value: Json, key: str, name: str) -> Json:
    mapping = as_object(value)
    if mapping is not None and key in mapping:
        return mapping[key]
    if isinstance(value, list) and key.isdigit() and int(key) < len(value):
        return value[int(key)]
    there = f"it has {', '.join(mapping)}" if mapping else "it is " + _shown(value)
    raise Unfilled(f"`{{{{{name}}}}}`: there is no {key!r} in the tool's answer; {there}")


def _shown(value: Json) -> str:
    text = encoded(value).decode()
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
