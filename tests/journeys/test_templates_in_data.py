"""`template: …` in a case's data: lines, history and answers of mocks know the person and the case's time."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.operations.chat import ChatRequest, open_chat

NASTY = 'An"a\\ {{system.channel}}'
"""What would break JSON that was pasted together, and a template that is filled in twice."""
PERSON = {"first_name": NASTY, "email": "ana@example.com", "fields": {"party_size": 6}}
WORLD = {"now": "2026-06-06T14:00"}
NOW = "2026-06-06T14:00-05:00"
AGENT = {"time_zone": "America/Chicago", "greeting": "It is {{system.now}}."}
LOOKS_UP = {"tool": "list_boats", "arguments": {"date": "2026-06-06"}}
RULES = [
    {"when": {"answered": "update_person"}, "reply": "Kept."},
    {"when": {"answered": "list_boats"}, "reply": "Found."},
    {"when": {"last": "seven"}, "calls": [{"tool": "update_person", "arguments": {"party_size": 7}}]},
    {"when": {"last": "boats"}, "calls": [LOOKS_UP]},
    {"reply": "You said: {{last}}"},
]
EXPECT = [{"never_says": "never"}]


def project(root: Path, agent: Mapping[str, object] | None = None, **case: object) -> ProjectMaker:
    whole = {"expect": EXPECT, "world": WORLD, "person": PERSON, **case}
    return written_project(root, rules=RULES, cases={"one": whole}, agent={**AGENT, **(agent or {})})


async def played(root: Path, agent: Mapping[str, object] | None = None, **case: object) -> SampleResult:
    result = (await project(root, agent, **case).run()).only
    assert result.status is Status.PASSED, result
    return result


def said(result: SampleResult) -> list[str]:
    return [turn.event.text for turn in result.turns if isinstance(turn.event, Said)]


def answers(result: SampleResult, tool: str = "list_boats") -> list[Json]:
    calls = [entry for turn in result.turns for entry in turn.entries if isinstance(entry, ToolCall)]
    return [call.result for call in calls if call.tool == tool]


def mock(result: object) -> dict[str, object]:
    return {**WORLD, "mocks": [{"tool": "list_boats", "result": result}]}


@pytest.mark.requirement("B9", "B10")
async def test_lines_of_the_person_are_filled_in_where_they_say_so_and_sent_as_written_else(tmp_path: Path) -> None:
    """P12. What stands for a name is no template itself."""
    result = await played(
        tmp_path,
        script=[
            {"template": "I'm {{person.first_name}}, it is {{ system.now }}"},
            {"say": {"template": "We are {{person.party_size}}"}, "expect": [{"reply": "You said: We are 6"}]},
            {"tap": {"chip": "North", "otherwise": {"template": "North, on {{system.channel}}"}}},
            "Mind {{person.first_name}} and {braces}",
        ],
    )
    assert said(result) == [
        f"I'm {NASTY}, it is {NOW}",
        "We are 6",
        "North, on web",
        "Mind {{person.first_name}} and {braces}",
    ]


@pytest.mark.requirement("B9")
async def test_what_was_said_before_is_filled_in_too(tmp_path: Path) -> None:
    result = await played(
        tmp_path,
        history=[
            {"agent": {"template": "Hello {{person.email}}."}},
            {"person": {"template": "It is {{system.now}}"}},
            {"agent": "{{person.email}}"},
            {"person": "Yes"},
        ],
    )
    heard = [step.agent or getattr(step.person, "text", None) for step in result.history]
    assert heard == ["Hello ana@example.com.", f"It is {NOW}", "{{person.email}}", "Yes"]


async def test_a_stranger_has_no_name_to_say(tmp_path: Path) -> None:
    result = await played(tmp_path, person=None, script=[{"template": "I'm '{{person.first_name}}'"}])
    assert said(result) == ["I'm ''"]


@pytest.mark.requirement("C6")
async def test_a_mock_answers_with_values_of_the_person_and_the_time(tmp_path: Path) -> None:
    """JSON stays JSON whatever is filled in, and a number a number."""
    written = {
        "for": "{{person.first_name}}",
        "at": ["until {{system.now}}", True, None, 3],
        "seats": "{{person.party_size}}",
        "{{person.email}}": "a key",
    }
    result = await played(tmp_path, script=["boats"], world=mock({"template": written}))
    assert answers(result) == [
        {"for": NASTY, "at": [f"until {NOW}", True, None, 3], "seats": 6, "{{person.email}}": "a key"}
    ]


@pytest.mark.requirement("C6")
@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"template": "It is {{system.now}}"}, f"It is {NOW}"),
        ({"template": {"template": "{{person.email}}"}}, {"template": "ana@example.com"}),
        ({"template": "marinas", "id": 1}, {"template": "marinas", "id": 1}),
        ({"text": "{{person.email}}"}, {"text": "{{person.email}}"}),
        ([{"template": "{{person.email}}"}], [{"template": "{{person.email}}"}]),
    ],
)
async def test_only_a_result_whose_one_key_is_template_is_one(tmp_path: Path, written: object, told: object) -> None:
    """Written twice, it is the result's own key."""
    assert answers(await played(tmp_path, script=["boats"], world=mock(written))) == [told]


@pytest.mark.requirement("C6", "H6")
async def test_a_mock_knows_the_person_as_they_are_when_it_answers(tmp_path: Path) -> None:
    sequence = {"results": [{"template": "{{person.party_size}}"}, "none"], "then": "cycle"}
    world = {**WORLD, "mocks": [{"tool": "list_boats", **sequence}]}
    result = await played(tmp_path, script=["boats", "we are seven", "boats", "boats"], world=world)
    assert answers(result) == [6, "none", 7]


@pytest.mark.requirement("C7")
async def test_a_tools_own_mock_may_be_a_template_in_runs_and_chats(tmp_path: Path) -> None:
    boats = {"url": "https://boats.example", "mocks": [{"result": {"template": {"on": "{{system.channel}}"}}}]}
    own = {"tools": {"list_boats": boats}}
    assert answers(await played(tmp_path, own, script=["boats"])) == [{"on": "web"}]
    chatted = project(tmp_path, own, script=["boats"])
    async with chatted.open() as context, open_chat(context, ChatRequest(agent="desk")) as chat:
        (call,) = [entry for entry in (await chat.say("boats")).entries if isinstance(entry, ToolCall)]
        assert call.result == {"on": "web"}
