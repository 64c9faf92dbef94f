"""What people write, short or long, and what it means (documents.md; semantics: documents)."""

import pytest

from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import TapKind
from greenroom.conversation.messages import Card, Chips, Shape, Text
from greenroom.conversation.turns import StopReason
from greenroom.documents.agent import Agent, ModelChoice
from greenroom.documents.checks import (
    Called,
    EffectIs,
    EndedByIs,
    Judged,
    Mentions,
    NeverSays,
    NotCalled,
    NoToolCalled,
    PersonIs,
    PlaybookUsed,
    Reply,
    Says,
    Scored,
    Sees,
    StoppedBy,
)
from greenroom.documents.customer import Customer
from greenroom.documents.loading import load_document
from greenroom.documents.mocks import HttpFixture, Mock, Mutation
from greenroom.documents.suite import Case, GivenAgent, GivenPerson, PersonStart, Say, Suite, TapLine


def suite(text: str) -> Suite:
    read = load_document(f"suite: booking\n{text}")
    assert isinstance(read, Suite)
    return read


def case(text: str) -> Case:
    body = "\n".join(f"    {line}" for line in text.splitlines())
    return suite(f"cases:\n  one:\n{body}\n").cases["one"]


def agent(text: str) -> Agent:
    read = load_document(f"agent: desk\n{text}")
    assert isinstance(read, Agent)
    return read


@pytest.mark.requirement("E1", "E2", "E3")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("called: find", Called(tool="find")),
        (
            "called: {tool: find, with: {day: Sat}, at_most: 2}",
            Called.model_validate({"tool": "find", "with": {"day": "Sat"}, "at_most": 2}),
        ),
        (
            "called: {tool: find, exactly: 0, strict: true, every: true}",
            Called(tool="find", exactly=0, strict=True, every=True),
        ),
        ("not_called: find", NotCalled(tool="find")),
        (
            "not_called: {tool: find, with: {n: {number: 1}}}",
            NotCalled.model_validate({"tool": "find", "with": {"n": {"number": 1}}}),
        ),
        ("no_tool_called: true", NoToolCalled()),
        ("reply: 0123", Reply(text="0123")),
        ("reply: {contains: 10, turn: all}", Reply(text={"contains": "10"}, turn="all")),
        ("reply: {regex: '^Hi', turn: 0}", Reply(text={"regex": "^Hi"}, turn=0)),
        ("reply: {shape: {not: card}}", Reply(not_shape=Shape.CARD)),
        ("reply: {shape: chips, one_of: [yes, no]}", Reply(shape=Shape.CHIPS, text={"one_of": ["yes", "no"]})),
        ("never_says: sorry", NeverSays(text="sorry")),
        ("never_says: {regex: 'a+b'}", NeverSays(text={"regex": "a+b"})),
        ("mentions: [$44.08, polyester, 10, yes]", Mentions(values=("$44.08", "polyester", "10", "yes"))),
        ("mentions: 1,624.00", Mentions(values=("1,624.00",))),
        ("playbook: booking", PlaybookUsed(playbook="booking")),
        ("ended_by: any", EndedByIs(who="any")),
        ("stopped: resolved", StoppedBy(reason=StopReason.RESOLVED)),
        ("person: {status: lead, size: {number: 6}}", PersonIs(fields={"status": "lead", "size": {"number": 6}})),
        ("effect: notify", EffectIs(kind=EffectKind.NOTIFY)),
        (
            "effect: {kind: email, summary: 10, data: {to: a}, exactly: 1}",
            EffectIs(kind=EffectKind.EMAIL, summary="10", data={"to": "a"}, exactly=1),
        ),
        ("judge: It is polite.", Judged(text="It is polite.")),
        ("judge: {name: n, text: t, sees: calls}", Judged(name="n", text="t", sees=Sees.CALLS)),
        ("score: It is polite.", Scored(text="It is polite.")),
        ("score: {text: t, at_least: 80}", Scored(text="t", at_least=80)),
        ("says: Which marina?", Says(text="Which marina?")),
    ],
)
def test_a_check_may_be_written_short(written: str, meant: object) -> None:
    """T01, T02, T06."""
    assert case(f"script: [Hi]\nexpect:\n  - {written}").expect == (meant,)


@pytest.mark.requirement("A3", "B10")
def test_script_lines_are_said_or_tapped() -> None:
    read = case(
        "script:\n"
        "  - I'd like a boat\n"
        "  - yes\n"
        "  - 0123\n"
        "  - '{# hello {{ person.first_name }}'\n"
        "  - say: Which one?\n"
        "    expect: [reply: North]\n"
        "  - tap: {chip: Book, card: North, otherwise: north please}\n"
        "    expect: [called: book]\n"
        "  - tap: {slot: 2026-06-06T14:00, otherwise: Saturday at two}\n"
        "  - tap: {confirm: yes, otherwise: Yes}\n"
        "  - tap: {option: 2, otherwise: two}\n"
    )

    assert read.script == (
        Say(say="I'd like a boat"),
        Say(say="yes"),
        Say(say="0123"),
        Say(say="{# hello {{ person.first_name }}"),
        Say(say="Which one?", expect=(Reply(text="North"),)),
        TapLine(
            tapped=TapKind.CHIP, target="Book", card="North", otherwise="north please", expect=(Called(tool="book"),)
        ),
        TapLine(tapped=TapKind.SLOT, target="2026-06-06T14:00", otherwise="Saturday at two"),
        TapLine(tapped=TapKind.CONFIRM, target="yes", otherwise="Yes"),
        TapLine(tapped=TapKind.OPTION, target="2", otherwise="two"),
    )


@pytest.mark.requirement("B9")
def test_a_history_alone_asks_for_the_next_reply() -> None:
    read = case("history: [{agent: Hello}, {person: Hi}, {person: 5}]\nexpect: [no_tool_called: true]")

    assert read.history == (GivenAgent(agent="Hello"), GivenPerson(person="Hi"), GivenPerson(person="5"))
    assert read.script == ()


@pytest.mark.requirement("A5", "B10", "D2")
def test_a_case_starts_with_a_person_on_a_channel() -> None:
    person = (
        "person: {first_name: Ana, phone: +1555, status: lead, fields: {size: 6}, consent: {messages: true}, tags: vip}"
    )
    read = case(f"{person}\nchannel: phone_inbound\nscript: [Hi]\nexpect: [judge: Fine.]")

    assert read.person == PersonStart(
        first_name="Ana", phone="+1555", status="lead", fields={"size": 6}, consent={"messages": True}, tags=("vip",)
    )
    assert read.channel is Channel.PHONE_INBOUND
    assert case("person: visitor\nscript: [Hi]\nexpect: [judge: Fine.]").person == "visitor"
    assert case("person:\nscript: [Hi]\nexpect: [judge: Fine.]").person is None


@pytest.mark.requirement("C6", "C7", "H6")
def test_a_world_says_what_answers() -> None:
    """P01: false, 0, empty text, an empty list and null are five results."""
    read = case(
        "script: [Hi]\nexpect: [judge: Fine.]\n"
        "world:\n"
        "  mock: selected\n"
        "  real: [find]\n"
        "  no_answer: captured\n"
        "  mocks:\n"
        "    - {tool: find, when: {day: {regex: ^Sat}}, results: [false, 0, '', [], null], then: cycle, delay: 0.5}\n"
        "    - {tool: find, error: true, status: 503, result: {a: [1]}}\n"
    )

    assert read.world.mocks == (
        Mock(tool="find", when={"day": {"regex": "^Sat"}}, results=(False, 0, "", [], None), then="cycle", delay=0.5),  # pyright: ignore[reportArgumentType]: read by pydantic
        Mock(tool="find", error=True, status=503, result={"a": [1]}),
    )
    assert (read.world.mock, read.world.real, read.world.no_answer) == ("selected", ("find",), "captured")


def test_defaults_merge_deep_and_lists_replace_and_mocks_append() -> None:
    read = suite(
        "defaults:\n"
        "  channel: sms\n"
        "  tags: [slow]\n"
        "  person: {first_name: Ana, fields: {size: 6}}\n"
        "  world: {no_answer: captured, mocks: [{tool: find, result: fallback}]}\n"
        "  expect: [judge: Fine.]\n"
        "cases:\n"
        "  plain: {script: [Hi]}\n"
        "  own:\n"
        "    script: [Hi]\n"
        "    tags: [fast]\n"
        "    person: {fields: {age: 30}}\n"
        "    world: {mocks: [{tool: find, result: own}]}\n"
        "    expect: [judge: Better.]\n"
        "  nobody: {script: [Hi], person: visitor, channel: web}\n"
    ).cases

    assert read["plain"].expect == (Judged(text="Fine."),)
    assert (read["own"].channel, read["own"].tags, read["own"].expect) == (
        Channel.SMS,
        ("fast",),
        (Judged(text="Better."),),
    )
    assert read["own"].person == PersonStart(first_name="Ana", fields={"size": 6, "age": 30})
    assert [mock.result for mock in read["own"].world.mocks] == ["own", "fallback"]
    assert read["own"].world.no_answer == "captured"
    assert (read["nobody"].person, read["nobody"].channel) == ("visitor", Channel.WEB)


@pytest.mark.parametrize(
    "order",
    [
        ("head", "defaults", "cases"),
        ("defaults", "cases", "head"),
        ("head", "cases", "defaults"),
        ("cases", "head", "defaults"),
    ],
)
def test_the_order_of_a_suites_keys_makes_no_difference(order: tuple[str, ...]) -> None:
    parts = {
        "head": "suite: booking\nagents: desk\n",
        "defaults": "defaults: {channel: sms, expect: [judge: Fine.]}\n",
        "cases": "cases: {one: {script: [Hi]}, two: {script: [Hi], channel: web}}\n",
    }
    read = load_document("".join(parts[part] for part in order))

    assert isinstance(read, Suite)
    assert [(one.suite, one.id, one.channel) for one in read.cases.values()] == [
        ("booking", "one", Channel.SMS),
        ("booking", "two", Channel.WEB),
    ]
    assert read.agents == ("desk",)


def test_cases_may_share_what_an_anchor_names() -> None:
    read = suite(
        "cases:\n"
        "  one: &one {script: [Hi], expect: &fine [judge: Fine.]}\n"
        "  two: {<<: *one, script: [Hello]}\n"
        "  three: {script: [Hey], expect: *fine}\n"
    ).cases

    assert [one.script for one in read.values()] == [(Say(say=line),) for line in ("Hi", "Hello", "Hey")]
    assert {one.expect for one in read.values()} == {(Judged(text="Fine."),)}


def test_a_model_may_be_a_name() -> None:
    assert agent("model: anthropic:claude-sonnet-5").model == ModelChoice(name="anthropic:claude-sonnet-5")
    assert agent(
        "model: {name: 'openai:x@http://127.0.0.1:8000/v1', temperature: 0, max_tokens: 800}"
    ).model == ModelChoice(name="openai:x@http://127.0.0.1:8000/v1", temperature=0.0, max_tokens=800)


@pytest.mark.requirement("A4")
def test_rich_messages_have_one_syntax_in_templates_and_examples() -> None:
    read = agent(
        "model: script:a.yaml\n"
        "templates:\n"
        "  hello: Hello\n"
        "  marinas: [{text: Two.}, {card: {title: 7, chips: [yes]}}]\n"
        "playbooks:\n"
        "  booking:\n"
        "    examples:\n"
        "      - {person: Hi, reply: Hello}\n"
        "      - {person: [Hi, 5], reply: {text: Which?, chips: [North, South]}}\n"
    )
    first, second = read.playbooks["booking"].examples

    assert read.templates["hello"] == (Text(text="Hello"),)
    assert isinstance(card := read.templates["marinas"][1], Card)
    assert (card.title, card.chips[0].label) == ("7", "yes")
    assert (first.reply.text, first.reply.parts) == ("Hello", (Text(text="Hello"),))
    assert (second.person, second.reply.text) == (("Hi", "5"), "Which?")
    assert isinstance(second.reply.parts[1], Chips)


def test_a_tools_parameters_keep_the_names_they_are_written_with() -> None:
    read = agent(
        "model: script:a.yaml\n"
        "tools:\n"
        "  get_Order:\n"
        "    method: post\n"
        "    url: https://orders.example/{orderId}\n"
        "    parameters:\n"
        "      properties: {orderId: {type: [string, 'null']}, Sku: {enum: [007, a]}}\n"
        "      required: [orderId]\n"
    )
    tool = read.tools["get_Order"]

    assert (tool.method, tool.kind) == ("POST", "webhook")
    assert list(tool.parameters) == ["type", "properties", "required"]
    assert tool.parameters["properties"] == {"orderId": {"type": ["string", "null"]}, "Sku": {"enum": [7, "a"]}}


def test_a_customer_has_connectors_and_fixtures() -> None:
    read = load_document(
        "customer: gold-member\n"
        "shopify: {orders: [{id: 1, tags: 'a, b'}]}\n"
        "http:\n"
        "  points: {method: get, url_contains: /loyalty/points, body: {points: 1240}}\n"
        "  spend:\n"
        "    {method: POST, url_regex: /spend$, status: 201, mutations: [{target_ref: points, patch: {points: 0}}]}\n"
    )

    assert isinstance(read, Customer)
    assert read.shopify == {"orders": [{"id": 1, "tags": "a, b"}]}
    assert read.http == {
        "points": HttpFixture(method="GET", url_contains="/loyalty/points", body={"points": 1240}),
        "spend": HttpFixture(
            method="POST",
            url_regex="/spend$",
            status=201,
            mutations=(Mutation(target_ref="points", patch={"points": 0}),),
        ),
    }


def test_what_was_written_can_be_told_from_what_was_left_out() -> None:
    """An agent without playbooks offers what it configures, `people: {}` included."""
    assert "people" in agent("model: script:a.yaml\npeople: {auto_create: true}").model_fields_set
    assert "people" not in agent("model: script:a.yaml").model_fields_set
