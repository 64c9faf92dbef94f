"""A check on one line, as a person would write it."""

from collections.abc import Mapping

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Shape
from greenroom.conversation.turns import StopReason
from greenroom.documents.checks import (
    AppointmentIs,
    Before,
    Called,
    Check,
    EffectIs,
    EndedByIs,
    Judged,
    Max,
    Mentions,
    NeverAfter,
    NeverSays,
    NotCalled,
    NoToolCalled,
    Order,
    PersonIs,
    PlaybookUsed,
    Reply,
    Says,
    Scored,
    StoppedBy,
)
from greenroom.documents.loading import load_document
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, StepCall, StepEffect
from greenroom.documents.suite import Case, Suite
from greenroom.grading.checks.written import as_written, flow
from greenroom.store.encoding import content_hash, decode, document_json

WRITTEN: Mapping[str, Check] = {
    "called: {tool: get_weather, with: {day: {regex: ^Sat}}, at_most: 1}": Called.model_validate({
        "tool": "get_weather",
        "with": {"day": {"regex": "^Sat"}},
        "at_most": 1,
    }),
    "called: {tool: get_weather}": Called(tool="get_weather"),
    "called: {tool: t, exactly: 0, strict: true, every: true}": Called(tool="t", exactly=0, strict=True, every=True),
    "called: {tool: t, at_least: 0, at_most: 2}": Called(tool="t", at_least=0, at_most=2),
    "not_called: cancel_order": NotCalled(tool="cancel_order"),
    "not_called: {tool: cancel_order, with: {id: W100}}": NotCalled.model_validate({
        "tool": "cancel_order",
        "with": {"id": "W100"},
    }),
    "no_tool_called: true": NoToolCalled(),
    "reply: {contains: It is booked.}": Reply(text={"contains": "It is booked."}),
    "reply: {regex: ^It, turn: any}": Reply(text={"regex": "^It"}, turn="any"),
    "reply: {shape: {not: carousel}, turn: 2}": Reply(not_shape=Shape.CAROUSEL, turn=2),
    'reply: {equals: "Yes: it is, [really]"}': Reply(text={"equals": "Yes: it is, [really]"}),
    'never_says: "no"': NeverSays(text="no"),
    "never_says: {regex: refund$}": NeverSays(text={"regex": "refund$"}),
    'mentions: [$44.08, "10", polyester]': Mentions(values=("$44.08", "10", "polyester")),
    "playbook: booking": PlaybookUsed(playbook="booking"),
    "ended_by: any": EndedByIs(who="any"),
    "stopped: handed_over": StoppedBy(reason=StopReason.HANDED_OVER),
    "person: {party_size: 6, status: null}": PersonIs(fields={"party_size": 6, "status": None}),
    "appointment: {status: booked, representative: dana, exactly: 1}": AppointmentIs(
        status="booked", representative="dana", exactly=1
    ),
    "effect: {kind: notify, summary: New call, exactly: 1}": EffectIs(
        kind=EffectKind.NOTIFY, summary="New call", exactly=1
    ),
    'order: [{called: get_order}, {agent: "Cancel it?"}, {person: {regex: ^Y}}]': Order(
        steps=(
            CalledStep(called=StepCall(tool="get_order")),
            AgentStep(agent="Cancel it?"),
            PersonStep(person={"regex": "^Y"}),
        )
    ),
    "before: {first: {agent: {any: true}}, then: {called: {tool: cancel_order, with: {id: 7}, strict: true}}}": Before(
        first=AgentStep(agent={"any": True}),
        then=CalledStep(
            called=StepCall.model_validate({"tool": "cancel_order", "with": {"id": 7}, "strict": True}),
        ),
    ),
    "never_after: {after: {effect: handed_over}, never: {effect: {kind: notify, summary: x, data: {to: team}}}}": (
        NeverAfter(
            after=EffectStep(effect=StepEffect(kind=EffectKind.HANDED_OVER)),
            never=EffectStep(effect=StepEffect(kind=EffectKind.NOTIFY, summary="x", data={"to": "team"})),
        )
    ),
    "max: {seconds: 2.5, tokens: 9000, turns: 4, tool_calls: 0}": Max(seconds=2.5, tokens=9000, turns=4, tool_calls=0),
    "max: {turns: 4}": Max(turns=4),
}


@pytest.mark.requirement("F14")
@pytest.mark.parametrize("line", WRITTEN)
def test_a_check_is_shown_as_a_person_would_write_it(line: str) -> None:
    assert as_written(WRITTEN[line]) == line


@pytest.mark.requirement("F14")
@pytest.mark.parametrize("line", WRITTEN)
def test_what_is_shown_reads_back_as_the_same_check(line: str) -> None:
    suite = load_document(f"suite: s\ncases:\n  c:\n    script: [Hi]\n    expect:\n      - {line}\n")
    assert isinstance(suite, Suite)
    assert suite.cases["c"].expect == (WRITTEN[line],)


@pytest.mark.requirement("F11")
def test_every_check_is_stored_and_hashed_as_the_check_it_is() -> None:
    """`never_says: x`, `judge: x` and `says: x` have the same fields and are three different cases."""
    alike = (NeverSays(text="x"), Judged(text="x"), Says(text="x"), Scored(text="x"))
    cases = [Case(id="c", suite="s", expect=(check,)) for check in (*WRITTEN.values(), *alike)]
    assert [decode(Case, document_json(case)) for case in cases] == cases
    assert len({content_hash(case) for case in cases}) == len(cases)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.integers(-400, 400).map(lambda quarters: quarters / 4)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON)
def test_flow_is_one_line_of_yaml_that_reads_back(value: Json) -> None:
    line = flow(value)
    assert "\n" not in line
    assert yaml.safe_load(f"[{line}]")[0] == value


@given(text=st.text(alphabet="abey0159._-+ ~=<:#&*!|>'\"%@`{}[],?\\^$()/nulltrfsoNTYF", max_size=12))
def test_text_stays_text(text: str) -> None:
    assert yaml.safe_load(f"{{key: {flow(text)}}}") == {"key": text}
