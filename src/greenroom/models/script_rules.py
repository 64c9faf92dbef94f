"""Which rule of a script fits a request. Counts by conversation, and knows nothing of answers."""

from collections.abc import Mapping, Sequence
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.documents.matchers import is_matcher
from greenroom.models.model import ChatMessage, ModelRequest, ToolAnswer, UserSays
from greenroom.models.script_document import Answered, Rule, When
from greenroom.patterns import search_off_loop

__all__ = ["RuleBook", "last_said", "newest_answers", "text_fits", "turns_said"]


class RuleBook:
    """The rules of one script, and how often each one with a `time` fitted in each conversation."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._fitted: dict[tuple[str, int], int] = {}

    async def fitting(self, request: ModelRequest) -> tuple[int, Rule] | None:
        """The first rule that fits, with its number from 1; None when none does."""
        found: tuple[int, Rule] | None = None
        for number, rule in enumerate(self._rules, start=1):
            # A rule with a `time` counts the requests that fit it also when an earlier rule answers them.
            if (found is None or rule.when.time is not None) and await _fits(rule.when, request):
                in_time = self._in_time(number, rule.when, request.conversation)
                found = (number, rule) if found is None and in_time else found
        return found

    def _in_time(self, number: int, when: When, conversation: str) -> bool:
        if when.time is None:
            return True
        key = (conversation, number)
        self._fitted[key] = self._fitted.get(key, 0) + 1
        return self._fitted[key] == when.time


def last_said(request: ModelRequest) -> str:
    """The other side's newest words, without a fence around them; nothing when it hasn't spoken."""
    newest = next((message for message in reversed(request.messages) if _is_turn(message)), None)
    if not isinstance(newest, UserSays):
        return ""
    return newest.text if newest.words is None else newest.words


def turns_said(request: ModelRequest) -> int:
    """How many messages the other side has written; that an answer is asked for once more is none."""
    return sum(1 for message in request.messages if _is_turn(message))


def _is_turn(message: ChatMessage) -> bool:
    return isinstance(message, UserSays) and not message.remark


def newest_answers(request: ModelRequest) -> tuple[ToolAnswer, ...]:
    """The tool answers that the request ends with."""
    found: list[ToolAnswer] = []
    for message in reversed(request.messages):
        if not isinstance(message, ToolAnswer):
            break
        found.append(message)
    return tuple(reversed(found))


async def text_fits(matcher: Json, text: str) -> bool:
    """Whether a matcher in a place of text fits; a plain value is text that is contained, nothing fits everything."""
    if matcher is None:
        return True
    if not is_matcher(matcher):
        return _plain(matcher) in text
    for word, wanted in cast("Mapping[str, Json]", matcher).items():
        if not await _word_fits(word, wanted, text):
            return False
    return True


async def _word_fits(word: str, wanted: Json, text: str) -> bool:
    if word == "regex":
        return await search_off_loop(_plain(wanted), text)
    if word == "one_of":
        choices = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else (wanted,)
        for choice in choices:
            if await text_fits(choice, text):
                return True
        return False
    if word == "not":
        return not await text_fits(wanted, text)
    simple = {
        "equals": _plain(wanted) == text,
        "contains": _plain(wanted) in text,
        "type": wanted == "string",
        # There is always a text, though it may be empty.
        "present": bool(text) is wanted,
        "absent": bool(text) is not wanted,
        "any": True,
    }
    return simple.get(word, False)


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else str(value)


async def _fits(when: When, request: ModelRequest) -> bool:
    if when.role and request.role not in when.role:
        return False
    if when.turn is not None and turns_said(request) != when.turn:
        return False
    if when.offered is not None and all(tool.name != when.offered for tool in request.tools):
        return False
    if when.answered is not None and not await _answered(when.answered, request):
        return False
    return await text_fits(when.last, last_said(request)) and await text_fits(when.system, request.system)


async def _answered(wanted: Answered, request: ModelRequest) -> bool:
    for answer in newest_answers(request):
        if answer.tool == wanted.tool and await text_fits(wanted.text, answer.text):
            return True
    return False
