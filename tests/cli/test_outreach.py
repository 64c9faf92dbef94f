"""`greenroom outreach` as a person meets it: who would get it, and what became of it."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.cli.command_line import AT, CommandLine, Screen
from tests.golden import assert_golden

from greenroom.clock import FrozenClock
from greenroom.conversation.people import Person
from greenroom.store.opening import open_store
from greenroom.store.partition import Partition, Sandbox

SCREENS = Path(__file__).parent / "screens"
AGENT = """
agent: desk
model: script:models/desk.yaml
channels: {sms: {secret: "${SMS_SECRET}", outbound: "http://127.0.0.1:9/nobody"}, web: {secret: "${SMS_SECRET}"}}
outreach:
  season-opening: {to: {status: lead, consent.messages: true}, opening: "Hello {{person.first_name}}!"}
  autumn: {to: {consent.messages: true}, opening: Hello again., from: 2027-09-01}
"""
PEOPLE: tuple[tuple[str, str, dict[str, bool]], ...] = (
    ("sms:ana", "Ana", {"messages": True}),
    ("sms:ben", "Ben", {"messages": False}),
    ("sms:cleo", "Cleo", {}),
    ("web:dan", "Dan", {"messages": True}),
    ("sms:eve", "Eve", {"messages": True}),
)


def shows(name: str, screen: Screen) -> None:
    assert_golden(str(screen), SCREENS / f"{name}.txt")


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """Five leads on record, of whom two may be written to, and one in a sandbox."""
    for folder in ("agents", "models"):
        (command.folder / folder).mkdir()
    (command.folder / "models" / "desk.yaml").write_text("rules: [{reply: Hello.}]", encoding="utf-8")
    (command.folder / "greenroom.yaml").write_text("limits: {own_messages: 1}\n", encoding="utf-8")
    (command.folder / "agents" / "desk.yaml").write_text(AGENT, encoding="utf-8")
    command.environment["SMS_SECRET"] = "s3cret"

    async def seed() -> None:
        store = await open_store("sqlite:///.greenroom/greenroom.db", command.folder, clock=FrozenClock(AT))
        for identity, name, consent in PEOPLE:
            person = Person(person_id="", first_name=name, status="lead", consent=consent)
            await store.people(Partition.LIVE).add(person, identity)
        fay = Person(person_id="", first_name="Fay", status="lead", consent={"messages": True})
        await store.people(Sandbox("chat-1")).add(fay, "sms:fay")
        await store.close()

    asyncio.run(seed())
    return command


@pytest.mark.requirement("A7")
def test_who_would_get_it_is_told_with_the_reason_of_who_would_not(desk: CommandLine) -> None:
    shows("outreach-none", desk("outreach", "desk"))
    shows("outreach-draft", desk("outreach", "desk", "season-opening", "--dry-run"))
    assert desk("publish", "desk").code == 0
    assert desk("tick").code == 0
    shows("outreach-dry-run", desk("outreach", "desk", "--dry-run", "--limit", "3"))
    told = json.loads(desk("outreach", "desk", "season-opening", "--dry-run", "--format", "json").out)["outreach"][0]
    assert (told["would_get_it"], sum(told["would_not"].values()), told["obstacle"]) == (1, 4, None)
    assert {each["name"]: each["channel"] for each in told["people"]}["Eve"] == "sms"


def test_what_became_of_it_is_told_by_person(desk: CommandLine) -> None:
    desk("publish", "desk")
    desk("tick")
    desk("tick")
    shows("outreach", desk("outreach", "desk"))
    shows("outreach-page", desk("outreach", "desk", "season-opening", "--limit", "1"))
    told = json.loads(desk("outreach", "desk", "--format", "json").out)
    assert told["counts"] == {"season-opening": {"done": 2}}
    assert told["undelivered"] == {"season-opening": {"waiting": 2}}
    assert {(each["status"], each["delivery"]) for each in told["outreach"]} == {("done", "waiting")}
    assert [each["person_name"] for each in told["outreach"]] == ["Eve", "Ana"]


def test_times_are_by_the_clock_of_the_project(desk: CommandLine) -> None:
    """On every screen, of the live side and of runs; JSON is in UTC."""
    (desk.folder / "greenroom.yaml").write_text("time_zone: Europe/Berlin\n", encoding="utf-8")
    assert desk("publish", "desk").code == 0
    desk("tick")
    conversation = json.loads(desk("conversations", "--format", "json").out)["conversations"][0]
    assert conversation["started_at"].startswith("2026-11-30T09:00")
    people, person = desk("people"), desk("people", "sms:ana")
    screens = [desk("outreach", "desk"), desk("conversations"), desk("conversations", conversation["conversation"])]
    (desk.folder / "suites").mkdir()
    suite = "suite: s\nagents: [desk]\ncases: {hi: {script: [Hi], expect: [reply: Hello.]}}\n"
    (desk.folder / "suites" / "s.yaml").write_text(suite, encoding="utf-8")
    ran, shown, listed = desk("run"), desk("show", "last"), desk("runs")
    for screen in (people, person, desk("revisions", "desk"), *screens, ran, shown, listed):
        assert "2026-11-30 10:00 +01:00" in screen.out, screen
        assert "UTC" not in screen.out, screen
    told = json.loads(desk("outreach", "desk", "--format", "json").out)["outreach"][0]
    assert told["finished_at"] == "2026-11-30T09:00:00.000+00:00"


def test_an_agent_without_outreach_is_told_so(desk: CommandLine) -> None:
    written = AGENT.split("outreach:", maxsplit=1)[0].replace("desk\n", "shop\n", 1)
    (desk.folder / "agents" / "shop.yaml").write_text(written, encoding="utf-8")
    assert desk("outreach", "shop").out == desk("outreach", "shop", "--dry-run").out == "The agent has no `outreach`.\n"


def test_what_is_not_there_is_refused_with_what_is_near(desk: CommandLine) -> None:
    shows("outreach-unknown-agent", desk("outreach", "desc"))
    shows("outreach-unknown", desk("outreach", "desk", "season-openings"))
    shows("outreach-unknown-draft", desk("outreach", "desk", "spring", "--dry-run"))
    shows("outreach-mark", desk("outreach", "desk", "--after", "yesterday"))
