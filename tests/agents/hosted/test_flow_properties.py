"""Any flow with any answers goes forward, comes to an end and never breaks."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.stage import PlayedModel, Stage, says
from tests.builders import agent as read_agent

from greenroom.agents.hosted.flow import Course, Place, place_from, place_words
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said, Tap, TapKind
from greenroom.documents.agent import Agent
from greenroom.documents.answers import AnswerType, answer_of_type
from greenroom.documents.flow import every_step

pytestmark = pytest.mark.requirement("A3")

Written = dict[str, object]

FIELDS: Written = {"size": {"type": "number"}, "lunch": {"type": "boolean"}, "marina": {"options": ["north", "south"]}}
TOOLS: Written = {
    "find": {
        "url": "https://a.example",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}}},
        "mocks": [{"result": {"list": [1, None, "x", {"title": "T"}, {"label": ""}], "none": []}}],
    },
    "bare": {"url": "https://b.example"},
}
FIRST: Sequence[Written] = [{"set": {"a": "x", "b": {"list": [1]}}}, {"http": {"tool": "find", "as": "c"}}]
"""What gives the names that the others read."""

_texts = st.sampled_from(["Hi", "{{a}}", "{{b.list}} {{c.list.0}}", "{{b.no.thing}}", "{{person.size}}"])
_said = st.text(max_size=12) | st.sampled_from(["yes", "North", "A", "b.", "6", "2026-06-06", "a@b.c"])
_kinds: st.SearchStrategy[AnswerType] = st.sampled_from(["string", "number", "integer", "boolean", "date", "email"])
_ways: Sequence[Written] = [
    {},
    {"options": ["A", {"label": "B {{a}}", "value": 2}]},
    {"options": {"from": "c.list"}},
    {"options": {"from": "c.none", "label": "{{item.title}}"}},
    {"confirm": ["Yes", "No"], "field": "lunch"},
    {"confirm": ["Yes", "No"]},
    {"slots": {}},
    {"slots": {"day": "{{a}}"}},
    {"options": {"from": "appointments"}},
    *({"field": name} for name in (*FIELDS, "email", "first_name")),
]
_values: Sequence[Written] = [{"size": "{{a}}"}, {"a": "{{b}}"}, {"company": "{{c.list}}"}]
_calls: Sequence[Written] = [
    {"tool": "find", "with": {"n": "{{a}}", "text": "{{b}}"}, "as": "c"},
    {"tool": "bare", "as": "b"},
]
_conditions: Sequence[Written] = [
    {"a": "x"},
    {"b.list": {"any": True}},
    {"c.list.0": {"regex": "1"}},
    {"a": {"absent": True}},
]
_bookings: Sequence[Written] = [{"title": "{{a}}", "start": "{{b}}", "as": "c"}, {"title": "Boat", "start": "{{c}}"}]
_lasts: Sequence[Written] = [{"notify": "{{a}}"}, {"leave": ""}, {"hand_over": "{{b}}"}, {"end": "resolved"}]


@st.composite
def _asked(draw: st.DrawFn) -> Written:
    way = draw(st.sampled_from(_ways) | _kinds.map(lambda kind: Written(type=kind)))
    rest = {"text": draw(_texts), "as": draw(st.sampled_from(["a", "b", "c"])), "tries": draw(st.integers(1, 3))}
    return {"ask": {**way, **rest}}


def _under(word: str, values: Sequence[Written]) -> st.SearchStrategy[Written]:
    return st.sampled_from(values).map(lambda value: Written({word: value}))


def _steps(inner: st.SearchStrategy[list[Written]]) -> st.SearchStrategy[list[Written]]:
    @st.composite
    def branched(draw: st.DrawFn, steps: st.SearchStrategy[Written], key: str) -> Written:
        return {**draw(steps), key: draw(inner.filter(bool))}

    booked = _under("book", _bookings) | _under("cancel", [{"appointment": "{{b}}"}])
    may_fail = st.one_of(_asked(), _under("set", _values), _under("http", _calls), booked)
    says = _texts.map(lambda text: Written(say=text))
    step = st.one_of(
        says,
        st.sampled_from(_lasts),
        may_fail,
        branched(may_fail, "otherwise"),
        branched(_under("when", _conditions), "do"),
    )
    return st.lists(step, max_size=4)


_leaf: st.SearchStrategy[list[Written]] = st.lists(_texts.map(lambda text: Written(say=text)), max_size=1)
flows = st.recursive(_leaf, _steps, max_leaves=4)


@st.composite
def _event(draw: st.DrawFn) -> Event:
    said = draw(_said)
    kind = draw(st.none() | st.sampled_from(TapKind))
    return Said(text=said) if kind is None else Tap(tapped=kind, label=said, value=said)


def _read(flow: Sequence[Written]) -> Agent:
    hours = {"hours": {"daily": "09:00-17:00"}}
    playbooks = {"one": {"flow": [*FIRST, *flow]}}
    return read_agent(people={"fields": FIELDS}, tools=TOOLS, scheduling=hours, playbooks=playbooks)


@given(
    flow=flows,
    said=st.lists(_event(), min_size=1, max_size=8),
    channel=st.sampled_from([Channel.WEB, Channel.PHONE_INBOUND]),
)
@settings(max_examples=60, deadline=None)
def test_no_flow_breaks_and_every_flow_ends_whatever_is_answered(
    flow: list[Written], said: list[Event], channel: Channel
) -> None:
    agent = _read(flow)
    steps = len(list(every_step(agent.playbooks["one"].flow)))

    async def talk() -> None:
        stage = Stage(agent, PlayedModel(lambda _: says("I go on.")))
        session = await stage.opened(channel)
        for event in said:
            turn = await session.send(event)
            assert turn.messages or turn.ended is not None
        for record in session.records:
            # Each step is reached once; only the question that waited is there twice.
            assert len(record.flow) <= steps + 1

    asyncio.run(talk())


@given(flow=flows)
@settings(max_examples=60, deadline=None)
def test_the_way_through_a_flow_only_goes_forward(flow: list[Written]) -> None:
    course = Course(_read(flow).playbooks["one"].flow)
    places = [place for place, _ in every_step(_read(flow).playbooks["one"].flow)]
    order: dict[Place, int] = {place: number for number, place in enumerate(places)}

    for place in places:
        assert place_from(place_words(place)) == place
        for following in (course.after(place), *(course.into(place, key) for key in ("do", "if_none", "otherwise"))):
            assert following is None or order[following] > order[place]


@given(text=st.text(), kind=_kinds)
def test_no_answer_breaks_the_reading_of_one(text: str, kind: AnswerType) -> None:
    read = answer_of_type(text, kind)
    assert read is None or isinstance(read, _READ_AS[kind])


_READ_AS: Mapping[AnswerType, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "date": str,
    "email": str,
}
