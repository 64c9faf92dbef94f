"""What the agent reads, whole."""

from datetime import datetime
from pathlib import Path

import pytest
from tests.agents.stage import NOON, desk
from tests.golden import assert_golden

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.clock import FrozenClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.people import Person
from greenroom.documents.agent import Agent
from greenroom.documents.rich import parts_from
from greenroom.documents.template_values import template_values

GOLDEN = Path(__file__).parent / "golden"
ANA = Person(
    person_id="p-1",
    first_name="Ana",
    last_name="Lopez",
    status="lead",
    fields={"party_size": 6},
    consent={"messages": True},
    notes="pays late",
    tags=("vip",),
)


def prompt_of(agent: Agent, playbook: str | None, channel: Channel, person: Person | None, now: datetime) -> str:
    hosted = HostedAgent(agent)
    local = hosted.local_time(now)
    return hosted.layout(playbook, channel).prompt(person, local, template_values(agent, channel, person, local))


def lakeside() -> Agent:
    return desk(
        prompt="You speak for Lakeside by {{system.channel}}. The person is {{person.first_name}}.",
        rules=["Never promise a refund amount.", "Call {{person.first_name}} by name once."],
        knowledge={
            "cancellation": {"title": "Cancelling", "text": "Free until a day before. Codes look like {{CODE}}."},
            "pets": {"text": "Dogs are welcome."},
        },
        things={"powerboat-19": {"name": "19-ft powerboat", "details": {"seats": 8, "hour": "$120"}}},
        representatives={"dana": {"name": "Dana", "email": "dana@lakeside.example"}},
        people={"fields": {"party_size": {"type": "integer"}, "boat": {"type": "string"}}},
        templates={
            "marinas": parts_from([
                {"text": "We rent from two marinas."},
                {"carousel": [{"title": "North", "chips": ["Book at North"]}, {"title": "South"}]},
            ])
        },
        playbooks={
            "booking": {
                "name": "Booking",
                "when": "The person wants a boat.",
                "prompt": "Ask {{person.first_name}} for marina and day.\n",
                "uses": ["people"],
                "examples": [
                    {
                        "person": ["I want a boat", "on Saturday"],
                        "reply": {
                            "text": "Which marina?",
                            "parts": parts_from(["Which marina?", {"chips": ["North", "South"]}]),
                        },
                    }
                ],
            },
            "refunds": {"when": "The person wants money back.", "uses": ["hand_over", "knowledge"]},
        },
    )


@pytest.mark.requirement("A2", "A5", "D2")
@pytest.mark.parametrize(
    ("name", "playbook", "channel", "person"),
    [
        ("prompt_web_booking", "booking", Channel.WEB, ANA),
        ("prompt_phone_refunds", "refunds", Channel.PHONE_INBOUND, ANA),
        ("prompt_sms_no_playbook", None, Channel.SMS, None),
    ],
)
def test_the_prompt_of_a_turn(name: str, playbook: str | None, channel: Channel, person: Person | None) -> None:
    """P12, P16: only what the author wrote as instructions is a template; knowledge keeps its braces."""
    prompt = prompt_of(lakeside(), playbook, channel, person, NOON)
    assert_golden(prompt, GOLDEN / f"{name}.txt")


def test_an_agent_of_nothing_but_a_name_has_a_prompt_too() -> None:
    prompt = prompt_of(desk(), None, Channel.WEB, None, NOON)
    assert prompt.startswith("You speak for Lakeside.\n")


@pytest.mark.requirement("D2")
def test_the_numbers_of_a_call_are_empty_and_the_channel_is_its_key() -> None:
    agent = desk(prompt="<{{system.channel}}|{{system.caller_number}}|{{system.dialed_number}}|{{system.now}}>")
    prompt = prompt_of(agent, None, Channel.PHONE_OUTBOUND, None, NOON)
    assert prompt.startswith("<phone_outbound|||2026-06-06T12:00+00:00>")


@pytest.mark.parametrize(
    ("time_zone", "now", "spelled"),
    [
        ("UTC", "2026-02-28T23:59:00-05:00", "Saturday 2026-02-28T23:59-05:00"),
        ("America/Denver", "2026-02-28T23:59:00-05:00", "Saturday 2026-02-28T21:59-07:00"),
        ("UTC", "2026-06-06T12:00:00+00:00", "Saturday 2026-06-06T12:00+00:00"),
    ],
)
def test_the_agent_reads_the_time_of_its_own_place(time_zone: str, now: str, spelled: str) -> None:
    """T30: without a time zone of its own, the offset that the case wrote stands, and tomorrow is 1 March."""
    clock = FrozenClock(datetime.fromisoformat(now))
    prompt = prompt_of(desk(time_zone=time_zone), None, Channel.WEB, None, clock.now())
    assert prompt.endswith(f"# Now\n{spelled}")


def test_much_knowledge_is_listed_where_it_can_be_searched_and_written_out_where_it_can_not() -> None:
    book = {"when": "always", "uses": ["knowledge"]}
    much = {"long": {"title": "A long story", "text": "word " * 5000}}
    searchable = desk(knowledge=much, playbooks={"one": book})
    unsearchable = desk(knowledge=much, playbooks={"one": {**book, "uses": []}})
    assert "- A long story" in prompt_of(searchable, "one", Channel.WEB, None, NOON)
    assert "word word" not in prompt_of(searchable, "one", Channel.WEB, None, NOON)
    assert "word word" in prompt_of(unsearchable, "one", Channel.WEB, None, NOON)


def test_a_persons_braces_are_not_filled() -> None:
    agent = desk(prompt="For {{person.first_name}}.")
    person = Person(person_id="p-1", first_name="{{system.now}}")
    assert "For {{system.now}}." in prompt_of(agent, None, Channel.WEB, person, NOON)
