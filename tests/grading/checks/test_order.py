"""Order rules over one list of messages, calls and effects (features.md H9)."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.grading.makers import call, effect, evidence, line, make_case, turn

from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Tap, TapKind
from greenroom.conversation.messages import Message, Options, Text
from greenroom.conversation.outcomes import Badge, CheckOutcome, CheckStatus, Status
from greenroom.conversation.turns import Turn
from greenroom.documents.checks import Before, Check, NeverAfter, Order
from greenroom.documents.loading import load_document
from greenroom.documents.steps import AgentStep, Step
from greenroom.documents.suite import GivenPerson, Suite
from greenroom.grading.checks.registry import decide, decide_checks, has_patterns
from greenroom.grading.evidence import Evidence
from greenroom.grading.grade import grade

pytestmark = pytest.mark.requirement("H9", "E1")

TALK = evidence(
    turn(0, None, "Hello, this is Lakeside."),
    turn(1, "Cancel W100", call("get_order", {"id": "W100"}), "Shall I cancel W100?"),
    turn(2, "Yes", call("cancel_order", {"id": "W100"}), effect(EffectKind.NOTIFY, "Cancelled W100"), "Done."),
    playbooks={"changes": "Changing a booking"},
)


def written(rule: str) -> Check:
    """A check, read by the real loader."""
    suite = load_document(f"suite: s\ncases:\n  c:\n    script: [Hi]\n    expect:\n      - {rule}\n")
    assert isinstance(suite, Suite)
    (check,) = suite.cases["c"].expect
    return check  # type: ignore[return-value]


def decided(rule: str, seen: Evidence = TALK) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(written(rule)), seen)
    return outcome


@pytest.mark.parametrize(
    "rule",
    [
        "order: [{called: get_order}, {agent: Shall I}, {person: 'Yes'}, {called: cancel_order}, {effect: notify}]",
        "order: [{agent: {equals: 'Hello, this is Lakeside.'}}, {person: {any: true}}]",
        "order: [{agent: {any: true}}, {agent: {any: true}}, {agent: {any: true}}]",
        "order: [{called: {tool: Get_Order, with: {id: {regex: '^W'}}, strict: true}}, {called: cancel_order}]",
        "before: {first: {agent: {regex: '\\?$'}}, then: {called: cancel_order}}",
        "before: {first: {called: get_weather}, then: {called: hand_over}}",
        "before: {first: {person: 'Yes'}, then: {effect: {kind: notify, summary: W100}}}",
        "never_after: {after: {called: cancel_order}, never: {called: cancel_order}}",
        "never_after: {after: {effect: handed_over}, never: {agent: {any: true}}}",
        "never_after: {after: {effect: notify}, never: {called: get_order}}",
    ],
)
def test_what_happened_in_that_order_holds(rule: str) -> None:
    assert decided(rule).status is CheckStatus.PASSED


@pytest.mark.parametrize(
    ("rule", "detail"),
    [
        (
            "order: [{called: cancel_order}, {called: get_order}]",
            "step 2, `called: get_order`, does not happen after step 1, `called: cancel_order` (turn 2); "
            "it comes in turn 1 only",
        ),
        (
            "order: [{called: hand_over}]",
            "step 1, `called: hand_over`, never happened; called were get_order (turn 1), cancel_order (turn 2)",
        ),
        (
            "order: [{called: refund}]",
            "step 1, `called: refund`, never happened: refund is not on the agent",
        ),
        (
            "order: [{person: 'Yes'}, {agent: Goodbye}]",
            'step 2, `agent: Goodbye`, does not happen after step 1, `person: "Yes"` (turn 2); it never happened',
        ),
        (
            "before: {first: {person: {contains: sure}}, then: {called: cancel_order}}",
            "cancel_order {id: W100} came in turn 2 without an earlier `person: {contains: sure}`; it never happened",
        ),
        (
            "before: {first: {effect: notify}, then: {agent: Shall I}}",
            "the agent's 'Shall I cancel W100?' came in turn 1 without an earlier `effect: notify`; "
            "it comes in turn 2 only",
        ),
        (
            "before: {first: {called: cancel_order}, then: {called: cancel_order}}",
            "cancel_order {id: W100} came in turn 2 without an earlier `called: cancel_order`; it comes in turn 2 only",
        ),
        (
            "never_after: {after: {called: get_order}, never: {effect: {kind: notify, data: {to: {absent: true}}}}}",
            "notify: Cancelled W100 came in turn 2, after get_order {id: W100} in turn 1",
        ),
        (
            "never_after: {after: {person: 'Yes'}, never: {person: {any: true}}}",
            None,
        ),
    ],
)
def test_what_did_not_is_told_with_where_things_stand(rule: str, detail: str | None) -> None:
    outcome = decided(rule)
    assert (outcome.status, outcome.detail) == (
        (CheckStatus.PASSED, "") if detail is None else (CheckStatus.FAILED, detail)
    )


def test_labels_and_what_was_tapped_are_steps_too() -> None:
    tapped = Tap(tapped=TapKind.SLOT, label="Saturday at two", value="2026-06-06T14:00")
    options = Message(parts=(Text(text="When?"), Options(options=("North", "South"))))
    seen = evidence(
        Turn(index=1, event=tapped, entries=(options, call("hand_over")), playbook="changes"),
        playbooks={"changes": "Changing a booking"},
    )
    rule = (
        "order: [{person: two}, {called: 'Procedure: changing a booking'}, {agent: '[options: North'}, "
        "{called: Escalate to a person}]"
    )
    assert decided(rule, seen).passed
    assert decided("order: [{person: '2026-06-06T14:00'}]", seen).passed
    assert not decided("order: [{called: 'Procedure: changes'}, {person: two}]", seen).passed


def test_under_a_script_line_only_that_turn_is_looked_at() -> None:
    rule = written("order: [{called: get_order}, {called: cancel_order}]")
    case = make_case(rule, script=[line("Cancel W100"), line("Yes", rule)])
    assert [outcome.passed for outcome in decide_checks(case, TALK)] == [True, False]


def test_how_an_agent_speaks_and_stops_is_no_call() -> None:
    seen = evidence(turn(1, "Hi", call("send_message"), call("end_conversation"), "Bye."))
    assert not decided("order: [{called: send_message}]", seen).passed


@pytest.mark.requirement("C10")
def test_an_unanswered_call_that_breaks_a_rule_is_the_agents_failure_and_not_listed() -> None:
    missed = call("cancel_order", {"id": 1}, answered_by=AnsweredBy.NONE, call_id="c2")
    seen = evidence(turn(1, "Hi", call("get_order"), missed, "Done."))
    broken = decide(
        make_case(written("never_after: {after: {called: get_order}, never: {called: cancel_order}}")), seen
    )
    assert (broken.unanswered, broken.forbidden) == ((), (missed,))
    holds = decide(make_case(written("never_after: {after: {called: hand_over}, never: {called: cancel_order}}")), seen)
    assert (holds.unanswered, holds.forbidden) == ((missed,), ())


@pytest.mark.requirement("B9")
async def test_rules_about_calls_alone_make_a_tool_test() -> None:
    missed = call("get_order", answered_by=AnsweredBy.NONE)
    seen = evidence(turn(1, None, missed, "Hello"), lines={})
    history = [GivenPerson(person="Where is W100?")]
    calls = make_case(written("order: [{called: get_order}]"), history=history)
    words = make_case(written("order: [{called: get_order}, {agent: Hello}]"), history=history)
    assert (await grade(calls, seen, judge=None)).status is Status.PASSED
    graded = await grade(words, seen, judge=None)
    assert (graded.status, graded.badges) == (Status.FAILED, (Badge.NEEDS_REVIEW, Badge.NO_MOCK))


@pytest.mark.requirement("C12")
@pytest.mark.parametrize(
    "step",
    [
        "{agent: {regex: x}}",
        "{person: {regex: x}}",
        "{called: {tool: t, with: {a: {regex: x}}}}",
        "{effect: {kind: notify, data: {a: {regex: x}}}}",
    ],
)
def test_patterns_in_steps_are_known_beforehand(step: str) -> None:
    assert has_patterns(make_case(written(f"order: [{step}]")))
    assert has_patterns(make_case(written(f"before: {{first: {{agent: x}}, then: {step}}}")))
    assert has_patterns(make_case(written(f"never_after: {{after: {step}, never: {{agent: x}}}}")))


LETTERS = st.text(alphabet="abc", max_size=7)


def said_letters(letters: str) -> Evidence:
    """Each letter is a message; three to a turn."""
    return evidence(
        *(turn(index, None, *letters[at : at + 3]) for index, at in enumerate(range(0, len(letters), 3), 1))
    )


def says(letter: str) -> Step:
    return AgentStep(agent=letter)


def holds(check: Check, letters: str) -> bool:
    return decide_checks(make_case(check), said_letters(letters))[0].passed


@given(letters=LETTERS, steps=st.text(alphabet="abc", min_size=1, max_size=4))
@example(letters="ab", steps="ba")
def test_order_is_a_subsequence(letters: str, steps: str) -> None:
    def is_subsequence(wanted: str, text: str) -> bool:
        if not wanted:
            return True
        return any(char == wanted[0] and is_subsequence(wanted[1:], text[at + 1 :]) for at, char in enumerate(text))

    assert holds(Order(steps=tuple(map(says, steps))), letters) is is_subsequence(steps, letters)


PAIRS: Sequence[tuple[str, str]] = [(one, other) for one in "abc" for other in "abc"]


@given(letters=LETTERS, pair=st.sampled_from(PAIRS))
def test_before_and_never_after_hold_for_every_pair_of_moments(letters: str, pair: tuple[str, str]) -> None:
    one, other = pair
    before = all(one in letters[:at] for at, char in enumerate(letters) if char == other)
    never_after = all(one not in letters[:at] for at, char in enumerate(letters) if char == other)
    assert holds(Before(first=says(one), then=says(other)), letters) is before
    assert holds(NeverAfter(after=says(one), never=says(other)), letters) is never_after
