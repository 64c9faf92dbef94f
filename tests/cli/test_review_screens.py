"""Whole screens of reviews and statistics."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine, Screen
from tests.golden import assert_golden
from tests.journeys.live_desk import LiveDesk, live_desk
from tests.journeys.reviewed_desk import CRITERIA, DOWN, FAILS, PASSES
from tests.stores import NOON

from greenroom.conversation.channels import Channel
from greenroom.conversation.summaries import Ticked
from greenroom.reports.lines import plain
from greenroom.reports.live import tick_lines

SCREENS = Path(__file__).parent / "screens"


@pytest.fixture
def desk(tmp_path: Path) -> LiveDesk:
    return asyncio.run(live_desk(tmp_path, review=CRITERIA))


@pytest.fixture
def command(desk: LiveDesk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(folder=tmp_path, capsys=capsys, environment=desk.maker.environment)


def shows(name: str, *screens: Screen) -> None:
    assert_golden("\n\n".join(map(str, screens)), SCREENS / f"{name}.txt")


async def judged(desk: LiveDesk, conversation: str, judge: object, *, at_once: bool = True) -> None:
    desk.judged_by(judge)
    await desk.said("Hi 🛶", "bye", conversation=conversation)
    if at_once:
        await desk.tick()
    desk.later(minutes=1)


@pytest.mark.requirement("E5")
def test_reviews_are_listed_and_shown(desk: LiveDesk, command: CommandLine) -> None:
    async def some() -> None:
        await judged(desk, "good", PASSES)
        await judged(desk, "bad", FAILS)
        await judged(desk, "broken", DOWN)
        await judged(desk, "new", PASSES, at_once=False)
        await desk.said("Hi", conversation="open")

    asyncio.run(some())
    shows("reviews-list", command("conversations", at=desk.now), command("conversations", "--review", "needs-review"))
    names = ("good", "bad", "broken", "new")
    shows("reviews-shown", *(command("conversations", f"desk:web:{name}", at=desk.now) for name in names))
    whole = json.loads(command("conversations", "desk:web:bad", "--format", "json").out)
    assert whole["conversation"]["review"] == {"status": "done", "verdict": "failed", "needs_review": True}
    (review,) = whole["reviews"]
    assert [one["verdict"] for one in review["verdicts"]] == ["fail", "unknown"]
    assert "The criteria:" in review["judge"]["question"]
    assert (review["verdict"], review["units"], review["usage"]["calls"]) == ("failed", 1, 1)


def test_a_review_by_hand_is_shown_and_its_exit_code_says_what_came_of_it(desk: LiveDesk, command: CommandLine) -> None:
    asyncio.run(judged(desk, "c", FAILS, at_once=False))
    screens = [command("review", at=desk.now)]
    desk.judged_by({"verdicts": "pass"})
    screens.append(command("review", "desk:web:c", "--criterion", "The agent is brief.", at=desk.now))
    desk.judged_by(FAILS)
    screens.append(command("review", "desk:web:c", at=desk.now))
    desk.judged_by(DOWN)
    screens += [command("review", "desk:web:c", at=desk.now), command("review", at=desk.now)]
    shows("review", *screens)
    assert [screen.code for screen in screens] == [0, 0, 1, 3, 0]
    desk.judged_by(PASSES)
    told = command("review", "desk:web:c", "--format", "json", at=desk.now)
    assert (told.code, json.loads(told.out)["verdict"]) == (0, "passed")
    assert json.loads(command("review", "--format", "json", at=desk.now).out) == {
        "reviewed": 0,
        "waiting": 0,
        "obstacle": "",
    }


def test_what_can_t_be_reviewed_is_told(desk: LiveDesk, command: CommandLine) -> None:
    async def some() -> None:
        desk.judged_by()
        await desk.closed("c")
        await desk.said("Hi", conversation="open")

    asyncio.run(some())
    screens = [command("review", at=NOON), command("tick", at=NOON)]
    desk.judged_by(PASSES)
    screens += [
        command("review", "desk:web:open", at=NOON),
        command("review", "desk:web:nobody", at=NOON),
        command("review", "--criterion", "Polite.", at=NOON),
        command("conversations", "--review", "fail", at=NOON),
        command("conversations", "--review", "failed", "--sandbox", at=NOON),
    ]
    shows("review-refused", *screens)


def test_a_tick_says_how_many_it_reviewed() -> None:
    ticked = Ticked(
        served=0, said=0, delivered=0, errands=0, closed=0, records_dropped=0, reviewed=7, obstacle="it is dark"
    )
    assert list(plain(tick_lines(ticked))) == ["7 conversations reviewed", "It is dark"]


def test_statistics_are_a_table_of_the_days_on_which_something_went_on(desk: LiveDesk, command: CommandLine) -> None:
    async def three_days() -> None:
        await judged(desk, "a", PASSES)
        await judged(desk, "b", FAILS)
        await judged(desk, "c", {"verdicts": "unknown"})
        await desk.said("human", conversation="d", channel=Channel.SMS)
        desk.later(days=3)
        await desk.said("Hi", conversation="e")
        await desk.said("Hi", conversation="f")
        desk.later(hours=25)
        await desk.tick()
        await judged(desk, "g", DOWN)
        await desk.said("Hi", conversation="h")

    asyncio.run(three_days())
    asked = [("--agent", "desk"), ("--days", "2"), ("--since", "2026-01-01", "--until", "2026-01-02"), ("--sandbox",)]
    shows("stats", *(command("stats", *more, at=desk.now) for more in asked))
    assert json.loads(command("stats", "--format", "json", at=desk.now).out)["total"]["begun"] == 8


def test_days_that_are_none_are_refused(command: CommandLine) -> None:
    asked = [
        ("--since", "yesterday"),
        ("--days", "0"),
        ("--since", "2026-12-24"),
        ("--agent", "dask"),
        ("--since", "2026-01-01", "--until", "2026-01-02", "--days", "2"),
    ]
    shows("stats-refused", *(command("stats", *more) for more in asked))
