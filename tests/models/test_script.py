"""`script:FILE`: rules in order, their conditions, answers and faults, and what is said of a file that is wrong."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models.asking import CountingClock, agent_asks

from greenroom.conversation.usage import Role, Usage
from greenroom.documents.agent import ModelChoice
from greenroom.errors import DocumentsInvalid, ModelSpecInvalid, ModelUnreachable, ScriptAtFault
from greenroom.models.model import (
    AgentSays,
    Finish,
    ModelAnswer,
    ModelRequest,
    OutputSchema,
    RequestedCall,
    ToolAnswer,
    UserSays,
)
from greenroom.models.opening import Models


class Desk:
    """A script under test."""

    def __init__(self, root: Path, rules: str) -> None:
        self.clock = CountingClock()
        (root / "desk.yaml").write_text(f"rules:\n{rules}", encoding="utf-8")
        self._models = Models(root, {}, self.clock)

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        model = await self._models.open(ModelChoice(name="script:desk.yaml"))
        return await model.ask(request)

    async def says(self, *messages: str, conversation: str = "talk") -> str:
        return (await self.ask(agent_asks(*messages, conversation=conversation))).text


def judged(question: str, *, scored: bool = False) -> ModelRequest:
    properties: dict[str, dict[str, str]] = {"verdict": {}, **({"score": {}} if scored else {})}
    schema = {"properties": {"verdicts": {"items": {"properties": properties}}}}
    return ModelRequest(
        role=Role.JUDGE,
        system="You grade.",
        messages=(UserSays(text=question),),
        output=OutputSchema(name="verdicts", schema=schema),
    )


def weather_answered(text: str, call_id: str = "a1") -> ModelRequest:
    asked = RequestedCall(call_id=call_id, tool="get_weather", arguments={"day": "Saturday"})
    return agent_asks(
        "How is Saturday?", AgentSays(calls=(asked,)), ToolAnswer(call_id=call_id, tool="get_weather", text=text)
    )


async def test_the_first_rule_that_fits_answers(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path, "  - {when: {last: boat}, reply: A boat!}\n  - {when: {last: a}, reply: An a!}\n  - reply: Hm."
    )
    assert [await desk.says(text) for text in ("a boat", "a car", "Why?")] == ["A boat!", "An a!", "Hm."]


@pytest.mark.parametrize(
    ("condition", "fits", "fails"),
    [
        ("{last: Boat}", "Boat trip", "boat trip"),
        ("{last: {equals: Boat}}", "Boat", "Boats"),
        ("{last: {regex: '^[Bb]oat'}}", "boat trip", "a boat"),
        ("{last: {one_of: [boat, {regex: '^car'}]}}", "car trip", "a car"),
        ("{last: 12}", "at 12", "at noon"),
        ("{turn: 1}", "hi", None),
        ("{role: agent}", "hi", None),
        ("{role: [judge, agent]}", "hi", None),
        ("{system: boats}", "hi", None),
        ("{offered: get_weather}", "hi", None),
    ],
)
async def test_conditions_of_one_request(tmp_path: Path, condition: str, fits: str, fails: str | None) -> None:
    desk = Desk(tmp_path, f"  - {{when: {condition}, reply: fits}}\n  - reply: other")
    assert await desk.says(fits) == "fits"
    if fails is not None:
        assert await desk.says(fails) == "other"


@pytest.mark.parametrize(
    "condition", ["{turn: 2}", "{role: judge}", "{system: planes}", "{offered: book}", "{answered: x}"]
)
async def test_conditions_that_do_not_hold(tmp_path: Path, condition: str) -> None:
    desk = Desk(tmp_path, f"  - {{when: {condition}, reply: fits}}\n  - reply: other")
    assert await desk.says("hi") == "other"


async def test_a_turn_is_counted_by_the_other_sides_messages(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {when: {turn: 2}, reply: second}\n  - reply: other")
    request = agent_asks("one", AgentSays(text="yes?"), "two")
    assert (await desk.ask(request)).text == "second"


async def test_a_rule_may_wait_for_the_nth_time_in_each_conversation(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {when: {last: hi, time: 2}, reply: again}\n  - reply: hello")
    assert [await desk.says("hi", conversation="a") for _ in range(3)] == ["hello", "again", "hello"]
    assert [await desk.says(text, conversation="b") for text in ("no", "hi", "hi")] == ["hello", "hello", "again"]


async def test_rules_with_times_take_turns_in_whatever_order_they_stand(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "".join(f"  - {{when: {{time: {n}}}, reply: answer {n}}}\n" for n in (2, 1, 3)))
    assert [await desk.says("hi") for _ in range(3)] == ["answer 1", "answer 2", "answer 3"]


async def test_a_tool_is_called_and_its_answer_put_into_words(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        """\
  - when: {answered: {tool: get_weather, text: error}}
    reply: I can't see the weather.
  - when: {answered: get_weather}
    reply: "It is {{tool.get_weather.sky}} with {{ tool.get_weather.wind.0 }} knots; you asked: {{last}}"
  - when: {last: Saturday}
    reply: Let me look.
    calls:
      - {tool: get_weather, arguments: {day: Saturday, said: "{{last}}"}}
      - get_tides
""",
    )
    first = await desk.ask(agent_asks("How is Saturday?"))
    assert first.text == "Let me look."
    assert [(call.tool, call.arguments) for call in first.calls] == [
        ("get_weather", {"day": "Saturday", "said": "How is Saturday?"}),
        ("get_tides", {}),
    ]
    fine = await desk.ask(weather_answered('{"sky": "clear", "wind": [12, 14]}'))
    assert fine.text == "It is clear with 12 knots; you asked: How is Saturday?"
    assert (await desk.ask(weather_answered('{"error": "down"}'))).text == "I can't see the weather."


async def test_a_value_that_is_one_template_keeps_its_type(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        "  - {when: {answered: get_weather}, calls: {tool: book, arguments: {wind: '{{tool.get_weather.wind}}'}}}",
    )
    answer = await desk.ask(weather_answered('{"wind": 12}'))
    assert answer.calls[0].arguments == {"wind": 12}


@pytest.mark.parametrize(("text", "words"), [("{}", "there is no 'wind'"), ("plain", "there is no 'wind'")])
async def test_a_template_that_cannot_be_filled_names_rule_and_reason(tmp_path: Path, text: str, words: str) -> None:
    desk = Desk(tmp_path, "  - {reply: 'wind {{tool.get_weather.wind}}'}")
    with pytest.raises(ScriptAtFault, match=f"rule 1 of desk.yaml.*{words}"):
        await desk.ask(weather_answered(text))


async def test_braces_that_are_data_stay(tmp_path: Path) -> None:
    """P16."""
    assert await Desk(tmp_path, "  - reply: 'a { b } {c: {d}}'").says("hi") == "a { b } {c: {d}}"


@pytest.mark.parametrize(("written", "text"), [("0", "0"), ("false", "false"), ("''", ""), ("no", "no")])
async def test_a_reply_is_the_text_as_written(tmp_path: Path, written: str, text: str) -> None:
    """P01."""
    assert await Desk(tmp_path, f"  - reply: {written}").says("hi") == text


QUESTION = """The transcript:
1. this is quoted
2. so is this

The criteria:
1. marinas: The agent names both marinas
2. The agent is polite
3. tone: The agent sounds calm [scored, passes at 70]

Answer with exactly 3 verdicts, in this order."""


async def test_a_judge_gives_a_verdict_for_each_criterion(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        """\
  - when: {role: judge}
    verdicts:
      - {criterion: both marinas, seen: South, verdict: pass}
      - {criterion: both marinas, verdict: fail, reason: Only North., line: North is free.}
      - {criterion: {regex: '^tone:'}, verdict: fail, score: 40}
      - pass
""",
    )
    answer = await desk.ask(judged(QUESTION, scored=True))
    assert answer.answered_as == "schema"
    assert json.loads(answer.text) == {
        "verdicts": [
            {"reason": "Only North.", "verdict": "fail", "line": "North is free.", "score": None},
            {"reason": "The script says so.", "verdict": "pass", "line": "", "score": None},
            {"reason": "The script says so.", "verdict": "fail", "line": "", "score": 40},
        ]
    }
    seen = await desk.ask(judged(QUESTION.replace("so is this", "North and South")))
    assert json.loads(seen.text)["verdicts"][0]["verdict"] == "pass"


async def test_one_word_is_the_verdict_on_everything(tmp_path: Path) -> None:
    answer = await Desk(tmp_path, "  - {when: {role: judge}, verdicts: pass}").ask(judged(QUESTION, scored=True))
    verdicts = json.loads(answer.text)["verdicts"]
    assert [(verdict["verdict"], verdict["score"]) for verdict in verdicts] == [
        ("pass", None),
        ("pass", None),
        ("pass", 100),
    ]


async def test_a_criterion_without_a_verdict_is_no_silent_pass(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {when: {role: judge}, verdicts: {criterion: marinas, verdict: pass}}")
    with pytest.raises(ScriptAtFault, match="none of its verdicts fits the criterion 'The agent is polite'"):
        await desk.ask(judged(QUESTION))


async def test_a_structured_answer_is_written_as_it_is(tmp_path: Path) -> None:
    answer = await Desk(tmp_path, "  - output: {say: Hello, end: null}").ask(judged("1. x"))
    assert json.loads(answer.text) == {"say": "Hello", "end": None}


async def test_usage_is_what_is_written_or_the_same_estimate_every_time(tmp_path: Path) -> None:
    written = "{input_tokens: 1000, output_tokens: 50, cache_read_tokens: 10, cache_write_1h_tokens: 5}"
    desk = Desk(tmp_path, f"  - {{when: {{last: big}}, reply: x, usage: {written}}}\n  - reply: four chars a token")
    big = (await desk.ask(agent_asks("big"))).usage
    assert big == Usage(input_tokens=1000, output_tokens=50, cache_read_tokens=10, cache_write_1h_tokens=5, calls=1)
    first, second = [(await desk.ask(agent_asks("hi"))).usage for _ in range(2)]
    assert first == second
    assert first.output_tokens == 5
    assert first.input_tokens > 0


async def test_delays_are_slept_at_every_try(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {reply: x, delay: 1.5, fault: {kind: timeout, times: 1}}")
    assert (await desk.ask(agent_asks("hi"))).attempts == 2
    assert [seconds for seconds in desk.clock.slept if seconds == 1.5] == [1.5, 1.5]


async def test_a_scripted_rate_limit_asks_for_its_wait(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {reply: x, fault: {kind: rate_limit, times: 2, retry_after: 3}}")
    answer = await desk.ask(agent_asks("hi"))
    assert (answer.attempts, answer.usage.retries) == (3, 2)
    assert all(seconds >= 3 for seconds in desk.clock.slept)


async def test_an_empty_answer_and_a_refusal_are_answers(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {when: {last: empty}, fault: empty}\n  - {fault: refusal}")
    empty, refused = await desk.ask(agent_asks("empty")), await desk.ask(agent_asks("x"))
    assert (empty.text, empty.calls, empty.finish) == ("", (), Finish.STOP)
    assert (refused.finish, refused.text) == (Finish.REFUSAL, "I can't help with that.")


async def test_a_connection_that_never_comes_back(tmp_path: Path) -> None:
    with pytest.raises(ModelUnreachable, match=r"script:desk.yaml: .*broke off.*\(after 4 tries\)"):
        await Desk(tmp_path, "  - fault: connection").ask(agent_asks("hi"))


async def test_when_no_rule_fits_the_message_shows_the_request_and_a_rule(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - {when: {role: judge}, verdicts: pass}")
    with pytest.raises(ScriptAtFault) as caught:
        await desk.ask(agent_asks('I\'d like to rent\na "boat"'))
    assert str(caught.value) == (
        "script:desk.yaml: no rule of desk.yaml fits a request to the agent in turn 1, whose newest words are "
        "'I\\'d like to rent a \"boat\"'\nAdd a rule such as\n"
        '  - when: {role: agent, last: "I\'d like to rent a \\"boat\\""}\n'
        "    reply: …"
    )
    with pytest.raises(ScriptAtFault, match=r"answered by get_weather.*\n.*\n.*answered: get_weather"):
        await desk.ask(weather_answered("{}"))


async def test_the_rule_that_is_proposed_is_one_that_fits(tmp_path: Path) -> None:
    words = 'I\'d like a "boat": now'
    with pytest.raises(ScriptAtFault) as caught:
        await Desk(tmp_path, "  - {when: {role: judge}, reply: x}").says(words)
    assert await Desk(tmp_path, str(caught.value).split("\n", 2)[2]).says(words) == "…"


@pytest.mark.parametrize(
    ("role", "rule"),
    [
        (Role.ROUTER, '  - when: {role: router, last: "Hello"}\n    reply: …  # a playbook\'s id, or stay'),
        (Role.SIMULATOR, '  - when: {role: simulator, last: "Hello"}\n    say: …'),
        (Role.JUDGE, "  - when: {role: judge}\n    verdicts: pass"),
    ],
)
async def test_the_rule_that_is_proposed_answers_as_its_part_does(tmp_path: Path, role: Role, rule: str) -> None:
    """A judge's question has a fence of its own each time, so that no rule could fit its words."""
    with pytest.raises(ScriptAtFault) as caught:
        await Desk(tmp_path, "  - {when: {role: author}, reply: x}").ask(replace(agent_asks("Hello"), role=role))
    assert str(caught.value).endswith(f"Add a rule such as\n{rule}")


class Following(Desk):
    """A script that is edited while conversations go on."""

    def __init__(self, root: Path, rules: str) -> None:
        super().__init__(root, rules)
        self._models = Models(root, {}, self.clock, follow_scripts=True)
        self._file = root / "desk.yaml"

    def edit(self, rules: str) -> None:
        before = self._file.stat()
        self._file.write_text(f"rules:\n{rules}", encoding="utf-8")
        # As an editor that is quicker than the file system's clock: the size tells.
        os.utime(self._file, ns=(before.st_atime_ns, before.st_mtime_ns))


async def test_an_edited_script_answers_from_the_next_conversation_on(tmp_path: Path) -> None:
    desk = Following(tmp_path, "  - reply: Before.")
    assert await desk.says("Hi", conversation="first") == "Before."
    desk.edit("  - reply: Afterwards.")
    assert await desk.says("Hi", "Hi again", conversation="first") == "Before."
    assert await desk.says("Hi", conversation="second") == "Afterwards."
    assert await desk.says("Hi", "Hi again", conversation="first") == "Before."


async def test_an_edit_that_can_not_be_read_is_told_until_it_is_mended(tmp_path: Path) -> None:
    desk = Following(tmp_path, "  - reply: Before.")
    await desk.says("Hi", conversation="first")
    desk.edit("  - rply: Afterwards.")
    for conversation in ("second", "second", "third"):
        with pytest.raises(ScriptAtFault) as caught:
            await desk.says("Hi", conversation=conversation)
        assert str(caught.value) == (
            "script:desk.yaml: the script was edited and can't be read\n"
            "desk.yaml:2:5: unknown key 'rply'; did you mean 'reply'?"
        )
    assert await desk.says("Hi", "Hi", conversation="first") == "Before."
    (tmp_path / "desk.yaml").unlink()
    with pytest.raises(ScriptAtFault, match="No such file"):
        await desk.says("Hi", conversation="fourth")
    (tmp_path / "desk.yaml").write_text("rules:\n  - reply: Mended.", encoding="utf-8")
    assert await desk.says("Hi", conversation="second") == "Mended."


async def test_a_run_is_played_by_the_script_that_it_began_with(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "  - reply: Before.")
    assert await desk.says("Hi", conversation="first") == "Before."
    (tmp_path / "desk.yaml").write_text("rules:\n  - reply: Afterwards.", encoding="utf-8")
    assert await desk.says("Hi", conversation="second") == "Before."


BROKEN = """\
rules:
  - whn: {role: agent}
    reply: x
  - when: {role: agnt, turn: 0}
    reply: x
  - when: {last: {regex: "(?i)boat"}}
    reply: x
  - when: {}
  - reply: a
    output: {}
  - fault: {kind: quota, times: 2}
  - fault: {kind: rate_limit, times: 2}
  - verdicts: {verdict: maybe}
  - calls: {tool: book, arguments: {when: "{{now}}"}}
  - reply: "Hello {{person.name}}"
"""


async def test_everything_wrong_in_a_file_is_told_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "desk.yaml").write_text(BROKEN, encoding="utf-8")
    async with Models(tmp_path, {}, CountingClock()) as models:
        with pytest.raises(DocumentsInvalid) as caught:
            await models.open(ModelChoice(name="script:models/desk.yaml"))
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        f"models/desk.yaml:{place}"
        for place in ("2:5", "4:18", "4:30", "6:26", "8:5", "9:5", "11:12", "12:12", "13:25", "14:43", "15:12")
    ]
    assert "did you mean 'when'?" in lines[0]
    assert "did you mean 'agent'?" in lines[1]
    assert "`{{last}}` and `{{tool.NAME.path}}`" in lines[-1]


@pytest.mark.parametrize(
    "content", [b"", b"rules: []", b"rules:\n\t- reply: x", b"- reply: x", b"\xff\xfe\x00", b"rules: {"]
)
async def test_a_file_that_is_no_script_is_refused_with_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "desk.yaml").write_bytes(content)
    async with Models(tmp_path, {}, CountingClock()) as models:
        with pytest.raises(DocumentsInvalid, match=r"desk\.yaml:\d+:\d+: "):
            await models.open(ModelChoice(name="script:desk.yaml"))


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    async with Models(tmp_path, {}, CountingClock()) as models:
        with pytest.raises(ModelSpecInvalid, match=r"script:gone\.yaml.*No such file"):
            await models.open(ModelChoice(name="script:gone.yaml"))
