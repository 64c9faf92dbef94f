"""What every command refuses before it does anything, and what every listing refuses before it lists nothing."""

import asyncio
import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import typer
from tests.cli.command_line import AT, CommandLine, as_process
from typer.core import TyperGroup, TyperOption

from greenroom.cli.app import app
from greenroom.cli.combinations import COMBINATIONS
from greenroom.clock import FrozenClock
from greenroom.conversation.appointments import Appointment
from greenroom.conversation.people import Person
from greenroom.store.opening import open_store
from greenroom.store.partition import Partition, Sandbox

AGENT = """
agent: desk
model: script:models/desk.yaml
representatives: {dana: {name: Dana Cole}}
"""
OLD = AGENT.replace("desk\n", "old-desk\n", 1).replace("dana", "elena")
BY_NAME = [
    ("conversations", "--agent"),
    ("conversations", "--sandbox", "--agent"),
    ("appointments", "--agent"),
    ("stats", "--agent"),
    ("outreach",),
    ("revisions",),
    ("publish",),
    ("publish", "--revision", "1"),
    ("chat",),
    ("run", "--agent"),
]


def commands() -> dict[str, list[TyperOption]]:
    """Every command, with those of its options that take a value."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return {
        name: [one for one in command.params if isinstance(one, TyperOption) and not one.is_flag]
        for name, command in group.commands.items()
    }


def valued_options() -> Iterator[tuple[str, str]]:
    for name, options in commands().items():
        for option in options:
            yield name, option.opts[0]


def appointment(*, representative: str = "", person: str = "person-1", title: str = "Powerboat") -> Appointment:
    start = datetime(2026, 12, 5, 14, tzinfo=UTC)
    return Appointment(
        appointment_id="",
        title=title,
        start=start,
        end=start.replace(hour=15),
        person_id=person,
        representative=representative,
    )


@pytest.fixture
def desk(command: CommandLine) -> CommandLine:
    """A desk with people and appointments, also of an agent and a representative that are in no file any more."""
    for folder in ("agents", "models"):
        (command.folder / folder).mkdir()
    (command.folder / "models" / "desk.yaml").write_text("rules: [{reply: Hello.}]", encoding="utf-8")
    (command.folder / "greenroom.yaml").write_text("{}\n", encoding="utf-8")
    (command.folder / "agents" / "desk.yaml").write_text(AGENT, encoding="utf-8")
    old = command.folder / "agents" / "old-desk.yaml"
    old.write_text(OLD, encoding="utf-8")
    assert command("publish", "old-desk").code == 0
    old.unlink()

    async def seed() -> None:
        store = await open_store("sqlite:///.greenroom/greenroom.db", command.folder, clock=FrozenClock(AT))
        people = store.people(Partition.LIVE)
        await people.add(Person(person_id="", first_name="Ana", last_name="Ruiz"), "sms:+15550100")
        await people.add(Person(person_id="", first_name="花子", company="東京 🚤"), "web:hanako")
        booked = store.appointments(Partition.LIVE, agent="desk")
        await booked.book(appointment(representative="dana"))
        await booked.book(appointment(representative="frida", person="person-of-old", title="ボート 🚤"))
        await store.appointments(Partition.LIVE, agent="older-desk").book(appointment(title="Long ago"))
        await store.people(Sandbox("chat-1")).add(Person(person_id="", first_name="Fay"), "chat:fay")
        await store.close()

    asyncio.run(seed())
    return command


@pytest.mark.parametrize("asked", BY_NAME, ids=" ".join)
def test_an_agent_that_nobody_ever_wrote_is_refused_with_the_nearest(asked: tuple[str, ...], desk: CommandLine) -> None:
    """X10: an empty list would say that it has nothing."""
    if asked[0] == "run":
        (desk.folder / "suites").mkdir()
        suite = "suite: s\nagents: [desk]\ncases: {c: {script: [Hi], expect: [{reply: Hello}]}}\n"
        (desk.folder / "suites" / "s.yaml").write_text(suite, encoding="utf-8")
    screen = desk(*asked, "desc")
    assert (screen.code, screen.out) == (2, "")
    assert "'desc'" in screen.err
    assert "did you mean 'desk'?" in screen.err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["appointments", "--representative", "dan"], "there is no representative 'dan'; did you mean 'dana'?"),
        (["appointments", "--representative", "fridda"], "there is no representative 'fridda'; did you mean 'frida'?"),
        (["people", "sms:+15550101"], "there is no person 'sms:+15550101'; did you mean 'sms:+15550100'?"),
        (["appointments", "--person", "+15550100"], "there is no person '+15550100'; did you mean 'sms:+15550100'?"),
        (["appointments", "--person", "ana ruiz"], "there is no person 'ana ruiz'; did you mean 'person-1'?"),
        (["appointments", "--person", "zoe"], "there is no person 'zoe'"),
        (["appointments", "--person", "web:hanako", "--sandbox"], "there is no person 'web:hanako'"),
        (["people", "web:hanaka"], "there is no person 'web:hanaka'; did you mean 'web:hanako'?"),
        (["people", "chat:fay"], "there is no person 'chat:fay'"),
    ],
)  # fmt: skip
def test_a_person_or_representative_that_is_nobody_is_refused(asked: list[str], said: str, desk: CommandLine) -> None:
    screen = desk(*asked)
    assert (screen.code, screen.out, screen.err) == (2, "", f"{said}\n")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["appointments", "--agent", "older-desk"], 1),
        (["appointments", "--agent", "old-desk"], 0),
        (["appointments", "--representative", "frida"], 1),
        (["appointments", "--representative", "elena"], 0),
        (["appointments", "--person", "person-of-old"], 1),
        (["appointments", "--agent", "desk", "--since", "2027-01-01"], 0),
        (["appointments", "--person", "chat:fay", "--sandbox"], 0),
        (["conversations", "--agent", "old-desk"], 0),
        (["stats", "--agent", "old-desk"], None),
        (["outreach", "old-desk"], None),
        (["revisions", "old-desk"], None),
    ],
)
def test_what_is_history_can_still_be_named(asked: list[str], found: int | None, desk: CommandLine) -> None:
    as_json = () if asked[0] == "revisions" else ("--format", "json")
    screen = desk(*asked, *as_json)
    assert (screen.code, screen.err) == (0, "")
    if found is not None:
        assert len(json.loads(screen.out)[asked[0]]) == found


def test_names_are_known_while_a_document_is_broken(desk: CommandLine) -> None:
    (desk.folder / "agents" / "new.yaml").write_text("agent: [", encoding="utf-8")
    assert desk("appointments", "--agent", "older-desk").code == 0
    assert desk("appointments", "--agent", "oldest-desk").code == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["appointments", "--since", "2027-02-01", "--until", "2027-01-31"], "2027-02-01 lies after 2027-01-31"),
        (["appointments", "--since", "2027-02-01T15:00", "--until", "2027-02-01T14:00"], "lies after 2027-02-01T14:00"),
        (["appointments", "--until", "2026-11-29"], "today lies after 2026-11-29; name an earlier day as `since`"),
        (["stats", "--since", "2026-06-07", "--until", "2026-06-06"], "2026-06-07 lies after 2026-06-06"),
    ],
)
def test_days_that_end_before_they_begin_are_refused(asked: list[str], said: str, desk: CommandLine) -> None:
    screen = desk(*asked)
    assert (screen.code, screen.out) == (2, "")
    assert said in screen.err


@pytest.mark.parametrize(
    "days", [("2026-12-05", "2026-12-05"), ("2026-12-05T10:00", "2026-12-05"), ("today", "today")], ids=str
)
def test_days_in_their_order_are_not(days: tuple[str, str], desk: CommandLine) -> None:
    assert desk("appointments", "--since", days[0], "--until", days[1]).code == 0


@pytest.mark.parametrize(("name", "option"), list(valued_options()))
@pytest.mark.parametrize("nothing", ["", " \t"], ids=["empty", "blank"])
def test_an_option_without_anything_in_it_is_refused_by_every_command(
    name: str, option: str, nothing: str, command: CommandLine
) -> None:
    """X10: `--agent "$AGENT"` with an unset variable must not mean all agents."""
    screen = command(name, option, nothing)
    assert (screen.code, screen.out) == (2, "")
    assert screen.err.splitlines()[-1].startswith(f"Error: Invalid value for '{option}'")
    assert screen.err.endswith(": it is empty; leave it out, or write what is meant\n")


@pytest.mark.parametrize("name", list(commands()))
def test_an_argument_without_anything_in_it_is_no_project_and_no_folder(name: str, command: CommandLine) -> None:
    assert command(name, "").code == 2
    assert list(command.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["", *commands()])
def test_an_argument_that_is_no_text_is_refused_by_every_command(name: str, command: CommandLine) -> None:
    for arguments in (["lake\udcff"], ["--agent", "lake\udcff"], ["--agent=lake\udcff", "--help"]):
        screen = command(*filter(None, (name, *arguments)))
        assert (screen.code, screen.out) == (2, "")
        assert screen.err.endswith("lake\\xff' is no text: it isn't UTF-8; write it anew\n")
        assert screen.err.count("\n") == 1


def test_half_a_sign_is_no_text_either(command: CommandLine) -> None:
    screen = command("people", "--search", "\ud83d")
    assert (screen.code, screen.err) == (
        2,
        "the argument '\\xed\\xa0\\xbd' is no text: it isn't UTF-8; write it anew\n",
    )


def test_a_locale_that_can_not_read_an_argument_is_named(desk: CommandLine) -> None:
    settings = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    told = as_process("people", "--search", "Fähre", folder=desk.folder, environment=settings)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == (
        "the argument 'Fähre' can't be read: the locale says ascii; set PYTHONUTF8=1 and it is read as UTF-8\n"
    )


@pytest.mark.parametrize(
    "asked",
    [
        ["people"],
        ["people", "web:hanako"],
        ["people", "--export", "-"],
        ["people", "--format", "json"],
        ["people", "--search", "東京"],
        ["people", "--segment", "東京"],
        ["appointments"],
        ["appointments", "appointment-2"],
        ["appointments", "--person", "東京"],
        ["conversations"],
        ["stats"],
        ["outreach", "東京"],
        ["show", "東京"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_no_screen_breaks_at_what_its_terminal_can_not_show(
    asked: list[str], encoding: str, desk: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W01: what is written is UTF-8, whatever PYTHONIOENCODING and the locale say."""
    plain = desk(*asked)
    screens = [io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2)]
    for name, screen in zip(("stdout", "stderr"), screens, strict=True):
        monkeypatch.setattr(sys, name, screen)
    code = desk(*asked).code
    assert (code, *map(_written, screens)) == (plain.code, plain.out, plain.err)


def _written(screen: io.TextIOWrapper) -> str:
    screen.flush()
    assert isinstance(screen.buffer, io.BytesIO)
    return screen.buffer.getvalue().decode()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("appointments a-1 --agent desk", "--agent means nothing beside ID, which goes with --sandbox or --format"),
        ("appointments a-1 --cancel --after x", "--after means nothing beside --cancel"),
        ("conversations --turns", "--turns goes with ID; write that too, or leave --turns out"),
        ("conversations c-1 --limit 20", "--limit means nothing beside ID"),
        ("outreach desk --dry-run --after x", "--after means nothing beside --dry-run"),
        ("review c-1 --most 1000", "--most means nothing beside CONVERSATION"),
        ("people --count --import x.csv", "--import and --count are two things to do; ask for one at a time"),
    ],
)
def test_an_option_that_would_mean_nothing_is_refused_also_at_its_default(
    command: CommandLine, asked: str, said: str
) -> None:
    screen = command(*asked.split(), at=None)
    assert (screen.code, screen.out) == (2, "")
    assert said in screen.err
    assert screen.err.count("\n") == 1


def test_every_option_of_a_command_that_does_several_things_counts_for_one_of_them() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, doings in COMBINATIONS.items():
        there = {one.name for one in group.commands[name].params} - {"help"}
        assert frozenset[str]().union(*(doing.goes_by for doing in doings)) - {""} == there, name
