"""What a flow asks, and which answers fit (features.md A3)."""

import pytest
from tests.agents.flows import CANCELLING, EXAMPLE, agent_with, on_stage, shown, tapped

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said, Tap, TapKind
from greenroom.conversation.turns import StopReason

pytestmark = pytest.mark.requirement("A3", "A8")


@pytest.mark.parametrize("written", ["Powerboat", "  POWERBOAT ", "powerboat.", "(powerboat)!"])
async def test_what_is_written_counts_as_the_choice_it_names_whatever_its_case_and_spaces(written: str) -> None:
    session = await on_stage(EXAMPLE).opened()
    await session.send(Said(text="Cancel, please"))

    assert shown(await session.send(Said(text=written))) == ["Cancel it?", "confirm Yes | No"]


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("9:00", "Sat 6 June, 09:00"),
        ("june, 9:00", "Sat 6 June, 09:00"),
        ("Sunday", "Sunday, all day"),
        ("ALL DAY!", "Sunday, all day"),
        ("6 June", None),
        ("day all", None),
        ("Sun", None),
        ("Sunday, please", None),
        ("…", None),
    ],
)
async def test_a_part_of_one_label_alone_counts_as_its_choice(written: str, answer: str | None) -> None:
    times = ["Sat 6 June, 09:00", "Sat 6 June, 19:00", "Sunday, all day"]
    flow = [{"ask": {"text": "When?", "options": times, "as": "time"}}, {"say": "At {{time}}."}]
    session = await on_stage(agent_with(flow)).opened()
    await session.send(Said(text="Hi"))

    turn = await session.send(Said(text=written))

    asked_again = ["When?", f"options {' | '.join(times)}"]
    assert shown(turn) == (asked_again if answer is None else [f"At {answer}."])


@pytest.mark.parametrize(
    ("done", "answer"),
    [
        (tapped("kayak", TapKind.OPTION), "kayak"),
        (tapped("Yes!", TapKind.OPTION), "Yes!"),
        (Said(text="kayak"), "kayak"),
        (Said(text="KAYAK"), "Kayak"),
        # As macOS writes file names: the accent is a sign of its own.
        (Said(text="cafe\u0301"), "Café"),
        (Said(text="the cafe\u0301"), None),
    ],
)
async def test_of_choices_that_are_nearly_alike_the_one_counts_that_is_written_so(
    done: Said | Tap, answer: str | None
) -> None:
    """Lint refuses them where they are written; what is found in an answer is as it is."""
    options = ["Kayak", "kayak", "Yes", "Yes!", "Café"]
    tools = {"find": {"url": "https://a.example", "mocks": [{"result": options}]}}
    ask = {"text": "Which?", "options": {"from": "found"}, "as": "it"}
    flow = [{"http": {"tool": "find", "as": "found"}}, {"ask": ask}, {"say": "It: {{it}}"}]
    session = await on_stage(agent_with(flow, tools=tools)).opened()
    await session.send(Said(text="Hi"))

    assert shown(await session.send(done))[-1] == (
        f"options {' | '.join(options)}" if answer is None else f"It: {answer}"
    )


async def test_a_question_may_be_asked_in_other_words_as_often_as_it_says_and_go_on_otherwise() -> None:
    flow = [
        {
            "ask": {"text": "How many?", "type": "integer", "as": "count", "again": "A number, please.", "tries": 3},
            "otherwise": [{"set": {"count": 1}}],
        },
        {"say": "So {{count}}."},
    ]
    agent = agent_with(flow)
    session = await on_stage(agent).opened()

    said = [shown(await session.send(Said(text=text))) for text in ("A boat", "some", "a few", "2 or 3")]

    assert said == [["How many?"], ["A number, please."], ["A number, please."], ["So 1."]]


async def test_a_field_takes_only_what_it_can_hold_and_keeps_it_as_its_type() -> None:
    fields = {"party_size": {"type": "number"}, "lunch": {"type": "boolean"}, "marina": {"options": ["north", "south"]}}
    flow = [
        {"ask": {"text": "How many?", "field": "party_size"}},
        {"ask": {"text": "Lunch?", "field": "lunch"}},
        {"ask": {"text": "Where?", "field": "marina"}},
        {"ask": {"text": "Your address?", "field": "email", "as": "mail"}},
        {"ask": {"text": "Your number?", "field": "phone"}},
        {"say": "{{person.party_size}} at {{person.marina}}, lunch {{lunch}}, {{mail}}, {{phone}}"},
    ]
    session = await on_stage(agent_with(flow, people={"fields": fields})).opened()

    lines = ("Hi", "many", "We are 6", "yes", "North", "ann@a.example.", "call me", "It's +1 (555) 010-0123, after 5.")
    said = [await session.send(Said(text=text)) for text in lines]

    assert [shown(turn) for turn in said] == [
        ["How many?"],
        ["How many?"],
        ["Lunch?", "confirm Yes | No"],
        ["Where?", "options north | south"],
        ["Your address?"],
        ["Your number?"],
        ["Your number?"],
        ["6 at north, lunch true, ann@a.example, +1 (555) 010-0123"],
    ]
    kept = [effect.data for turn in said for effect in turn.effects]
    assert [(each["field"], each["value"]) for each in kept] == [
        ("party_size", 6),
        ("lunch", True),
        ("marina", "north"),
        ("email", "ann@a.example"),
        ("phone", "+1 (555) 010-0123"),
    ]


async def test_choices_may_be_found_in_an_earlier_answer_and_none_has_its_own_branch() -> None:
    orders = [{"id": "A", "title": "Kayak"}, {"id": "B", "title": "Canoe"}, {"id": "C", "title": "Canoe"}]
    tools = {"find": {"url": "https://a.example", "mocks": [{"result": {"orders": orders, "old": []}}]}}
    ask = {"text": "Which?", "options": {"from": "found.orders", "label": "{{item.title}}, yours"}, "as": "order"}
    flow = [
        {"http": {"tool": "find", "as": "found"}},
        {"ask": ask},
        {"ask": {"text": "Which old one?", "options": {"from": "found.old"}}, "if_none": [{"say": "No old ones."}]},
        {"say": "{{order.id}}"},
    ]
    session = await on_stage(agent_with(flow, tools=tools)).opened()

    first = await session.send(Said(text="Hi"))
    second = await session.send(Said(text="canoe, yours (2)"))

    assert shown(first) == ["Which?", "options Kayak, yours | Canoe, yours | Canoe, yours (2)"]
    assert shown(second) == ["No old ones.", "C"]


async def test_a_template_may_ask_and_its_chips_that_reply_are_the_answers() -> None:
    cards = [
        {"title": "North", "chips": ["Book at North", {"label": "Map", "map": "North"}]},
        {"title": "South", "chips": ["Book at South"]},
    ]
    flow = [{"ask": {"template": "marinas", "as": "where"}}, {"say": "{{where}}"}]
    templates = {"marinas": [{"text": "Where to, {{person.first_name}}?"}, {"carousel": cards}]}
    session = await on_stage(agent_with(flow, templates=templates)).opened()

    first = await session.send(Said(text="Hi"))
    second = await session.send(Said(text="Map"))
    third = await session.send(tapped("Book at South", TapKind.CHIP))

    assert shown(first) == shown(second) == ["Where to, ?", "carousel"]
    assert shown(third) == ["Book at South"]


async def test_on_a_channel_without_buttons_choices_are_words_and_a_call_is_transferred() -> None:
    flow = [*CANCELLING[:1], {"hand_over": {"reason": "wants {{booking}}", "to": "Dana"}}]
    agent = agent_with(flow)
    written, spoken = await on_stage(agent).opened(Channel.SMS), await on_stage(agent).opened(Channel.PHONE_INBOUND)

    by_sms, by_phone = await written.send(Said(text="Hi")), await spoken.send(Said(text="Hi"))
    handed, transferred = await written.send(Said(text="KAYAK")), await spoken.send(Said(text="Kayak."))

    assert shown(by_sms) == ["Which booking?\n- Powerboat\n- Kayak"]
    assert shown(by_phone) == ["Which booking?\nYou can say Powerboat or Kayak."]
    assert (handed.ended, transferred.ended) == (StopReason.HANDED_OVER, StopReason.TRANSFERRED)
    assert [call.tool for call in (*handed.calls, *transferred.calls)] == ["hand_over", "transfer"]
    assert [effect.summary for effect in transferred.effects] == ["Dana: wants Kayak"]
