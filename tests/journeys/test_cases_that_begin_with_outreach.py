"""A case that begins with an outreach: its opening is captured and is how the conversation opens (features.md A8)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.authoring.lint import lint
from greenroom.conversation.outcomes import SampleResult, Status
from greenroom.conversation.records import RouteBy
from greenroom.conversation.transcript import render_transcript
from greenroom.documents.loading import read_project

AGENT: Mapping[str, object] = {
    "templates": {
        "marinas": [
            {"text": "Hello {{person.first_name}}, the season opens. We rent from two marinas."},
            {"carousel": [{"title": "North", "chips": ["Book at North"]}, {"title": "South"}]},
        ]
    },
    "playbooks": {
        "booking": {"when": "The person wants a boat.", "prompt": "BOOKING"},
        "refunds": {"when": "The person wants money back.", "prompt": "REFUNDS"},
    },
    "outreach": {
        "season-opening": {
            "to": {"status": "lead", "consent.messages": True},
            "opening": "marinas",
            "playbook": "booking",
        },
        "news": {"to": {"consent.messages": True}, "opening": "Hello, this is Lakeside."},
    },
}
RULES: Sequence[object] = [
    {"when": {"role": "router"}, "reply": "refunds"},
    {"when": {"role": "simulator", "last": {"regex": "season opens"}}, "say": "What does it cost?"},
    {"when": {"role": "simulator"}, "say": "", "end": "goal_met"},
    {"reply": "You said: {{last}}"},
]
ANA: Mapping[str, object] = {"first_name": "Ana", "status": "lead", "consent": {"messages": True}}


async def played(root: Path, **case: object) -> SampleResult:
    written = {"person": ANA, "expect": [{"effect": {"kind": "outbound", "summary": "season"}}], **case}
    project = {"models": {"judge": "script:models/agent.yaml", "simulator": "script:models/agent.yaml"}}
    maker = written_project(root, rules=RULES, cases={"one": written}, agent=AGENT, project=project)
    return (await maker.run()).only


def transcript(result: SampleResult) -> list[str]:
    return render_transcript(result.turns, history=result.history).split("\n\n")


OPENING = [
    "[outbound message: season-opening]",
    "Agent: Hello Ana, the season opens. We rent from two marinas.\n"
    "[carousel: 2 cards]\n  [card 1: North]\n    [chips: Book at North]\n  [card 2: South]",
]


@pytest.mark.requirement("A8")
async def test_the_captured_opening_opens_the_conversation_and_the_answer_is_served_in_its_playbook(
    tmp_path: Path,
) -> None:
    """The router would have gone elsewhere and is not asked; a tap on the opening is a tap."""
    tap = {"tap": {"chip": "Book at North", "card": "North", "otherwise": "North please"}}
    result = await played(
        tmp_path,
        outreach="season-opening",
        script=[tap, "Thanks"],
        expect=[
            {"effect": {"kind": "outbound", "summary": "season-opening"}},
            {"reply": {"contains": "the season opens", "turn": 0}},
            {"reply": {"shape": "carousel", "turn": 0}},
            {"playbook": "booking"},
        ],
    )
    assert (result.status, result.error) == (Status.PASSED, None)
    assert transcript(result) == [
        *OPENING,
        "Person: [tap: Book at North]",
        "Agent: You said: Book at North",
        "Person: Thanks",
        "Agent: You said: Thanks",
    ]
    assert [turn.playbook for turn in result.turns] == ["booking", "booking", "refunds"]
    (effect,) = result.turns[0].effects
    assert (effect.captured, effect.data) == (True, {"kind": "outreach", "name": "season-opening"})


@pytest.mark.requirement("A8")
async def test_the_opening_alone_can_be_a_case(tmp_path: Path) -> None:
    result = await played(tmp_path, outreach="season-opening")
    assert result.status is Status.PASSED
    assert transcript(result) == OPENING


@pytest.mark.requirement("A8", "D1")
async def test_a_simulated_person_answers_the_opening(tmp_path: Path) -> None:
    result = await played(tmp_path, outreach="season-opening", simulate={"brief": "You rent boats. End soon."})
    assert transcript(result) == [*OPENING, "Person: What does it cost?", "Agent: You said: What does it cost?"]


@pytest.mark.requirement("A8", "B9")
@pytest.mark.parametrize("last", [{"person": "Do call me in spring."}, {"agent": "I will."}])
async def test_after_a_history_the_opening_goes_on_with_the_conversation(
    tmp_path: Path, last: Mapping[str, object]
) -> None:
    """A10 in the same way: what had happened before the message is the history."""
    history = [{"person": "Hi"}, {"agent": "Hello."}, last]
    for more in ({"script": ["Yes"]}, {"simulate": {"brief": "You rent boats. End soon.", "max_turns": 1}}, {}):
        result = await played(tmp_path, outreach="season-opening", history=history, **more)
        assert result.status is Status.PASSED
        blocks = transcript(result)
        assert blocks[blocks.index("[now]") + 1 :][:2] == OPENING
        assert len(blocks[blocks.index("[now]") + 1 :]) == (4 if more else 2)


async def test_an_outreach_without_a_playbook_leaves_the_answer_to_the_router(tmp_path: Path) -> None:
    expect = [{"effect": {"kind": "outbound", "summary": "news"}}]
    result = await played(tmp_path, outreach="news", script=["Hi"], expect=expect)
    assert transcript(result)[:2] == ["[outbound message: news]", "Agent: Hello, this is Lakeside."]
    assert [turn.playbook for turn in result.turns] == [None, "refunds"]


async def test_the_record_of_the_opening_says_why_its_playbook_was_chosen(tmp_path: Path) -> None:
    written = {"outreach": "season-opening", "script": ["Hi"], "expect": [{"playbook": "booking"}], "person": ANA}
    maker = written_project(tmp_path, rules=RULES, cases={"one": written}, agent=AGENT)
    outcome = await maker.run()
    async with maker.open() as context:
        records = await context.store.results.records(outcome.run.run_id, "booking", "one", 1)
    assert [(one.route.playbook, one.route.by) for one in records] == [("booking", RouteBy.START)] * 2


def said_of(root: Path, *, agent: Mapping[str, object] | None = None, **case: object) -> list[str]:
    written = {"expect": [{"reply": "x"}], "person": ANA, **case}
    maker = written_project(root, rules=[], cases={"one": written}, agent={**AGENT, **(agent or {})})
    found = lint(read_project(maker.root, environment={}))
    return [finding.message for finding in found if finding.file.startswith("suites")]


@pytest.mark.requirement("B3")
def test_lint_refuses_an_outreach_that_is_not_there_and_another_playbook(tmp_path: Path) -> None:
    assert said_of(tmp_path, outreach="season-openin") == [
        "there is no outreach 'season-openin'; did you mean 'season-opening'?"
    ]
    assert said_of(tmp_path, outreach="xyz") == ["there is no outreach 'xyz'; there are season-opening, news"]
    assert said_of(tmp_path, outreach="xyz", agent={"outreach": {}}) == [
        "there is no outreach 'xyz'; the agent has no `outreach`"
    ]
    assert said_of(tmp_path, outreach="season-opening", playbook="refunds") == [
        "the outreach 'season-opening' leads to the playbook 'booking'; leave `playbook` out"
    ]


@pytest.mark.requirement("B3")
def test_lint_says_when_the_person_would_not_get_it_live(tmp_path: Path) -> None:
    leaves = {"sms": {"secret": "${S}", "outbound": "https://sms.example"}}
    assert said_of(tmp_path, outreach="season-opening") == []
    assert said_of(tmp_path, outreach="season-opening", agent={"channels": leaves}) == [
        "live 'season-opening' goes out by sms, not by web"
    ]
    assert said_of(tmp_path, outreach="season-opening", channel="sms", agent={"channels": leaves}) == []
    assert said_of(tmp_path, outreach="season-opening", person={"status": "customer"}) == [
        f"live this person would not get 'season-opening': {why}"
        for why in (
            'status: expected exactly "lead", got "customer"',
            "consent.messages: expected exactly true, but there is no value",
        )
    ]
    assert said_of(tmp_path, outreach="season-opening", person=None) == [
        "live nobody unknown gets an outreach; write the `person`, such as {consent: {messages: true}}"
    ]


@pytest.mark.requirement("A10")
async def test_a_case_can_start_when_the_reminder_has_fired(tmp_path: Path) -> None:
    """No timer runs in a sandbox: what it would have said is the history, and the person answers that."""
    history = [{"agent": "Powerboat: Saturday 2026-06-06, 14:00"}]
    result = await played(tmp_path, history=history, script=["I'll be late"], expect=[{"reply": {"contains": "late"}}])
    assert result.status is Status.PASSED
    assert transcript(result) == [
        "[earlier]",
        "Agent: Powerboat: Saturday 2026-06-06, 14:00",
        "[now]",
        "Person: I'll be late",
        "Agent: You said: I'll be late",
    ]
