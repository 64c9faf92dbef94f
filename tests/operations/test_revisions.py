"""A run plays the draft, the live revision, or any that is kept (features.md F1; semantics: revisions)."""

from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project

from greenroom.conversation.messages import text_message
from greenroom.errors import DocumentsInvalid, NotFound, UsageError
from greenroom.operations.publishing import PublishRequest, publish
from greenroom.operations.runs import RunRequest
from greenroom.store.definitions import DefinitionKind

CASES = {"greets": {"script": ["Hi"], "expect": [{"no_tool_called": True}]}}


@pytest.fixture
async def desk(tmp_path: Path) -> ProjectMaker:
    """Revision 1 is live, revision 2 was played once, and the draft is another one."""
    maker = greeting(tmp_path, "First.")
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
    await greeting(tmp_path, "Second.").run()
    return greeting(tmp_path, "Third.")


def greeting(root: Path, words: str, **agent: object) -> ProjectMaker:
    return written_project(root, rules=[{"reply": "Yes?"}], cases=CASES, agent={"greeting": words, **agent})


@pytest.mark.requirement("F1")
@pytest.mark.parametrize(("asked", "greeted"), [("draft", "Third."), ("live", "First."), (1, "First."), (2, "Second.")])
async def test_a_run_plays_the_revision_that_is_asked_for(desk: ProjectMaker, asked: object, greeted: str) -> None:
    outcome = await desk.run(RunRequest(revision=asked))  # pyright: ignore[reportArgumentType]  # one of the right ones
    assert outcome.run.revision == str(asked)
    assert outcome.only.turns[0].messages == (text_message(greeted),)
    async with desk.open() as context:
        kept = await context.store.definitions.agent(outcome.run.under_test.behavior_hash)
    assert kept.greeting == greeted


async def test_playing_a_revision_leaves_the_draft_what_the_files_say(desk: ProjectMaker) -> None:
    await desk.run(RunRequest(revision="live"))
    async with desk.open() as context:
        published = await publish(context, PublishRequest(agent="desk"))
    assert published.number == 3


async def test_cases_are_held_against_the_revision_that_is_played(tmp_path: Path) -> None:
    maker = greeting(tmp_path, "First.", playbooks={"rent": {"when": "The person wants a boat."}})
    async with maker.open() as context:
        await publish(context, PublishRequest(agent="desk"))
    maker = greeting(tmp_path, "Second.")
    maker.write(
        "suites/booking.yaml",
        {"suite": "booking", "agents": ["desk"], "cases": {"greets": {**CASES["greets"], "playbook": "rent"}}},
    )
    assert (await maker.run(RunRequest(revision="live"))).only.turns
    with pytest.raises(DocumentsInvalid, match="rent"):
        await maker.run()


async def test_a_revision_that_is_not_there_is_told(tmp_path: Path) -> None:
    maker = greeting(tmp_path, "First.")
    with pytest.raises(UsageError, match=r"'desk' has no live revision; `greenroom publish desk` makes its draft live"):
        await maker.run(RunRequest(revision="live"))
    with pytest.raises(NotFound, match=r"there is no revision of agent 'desk' with the number '7'"):
        await maker.run(RunRequest(revision=7))


async def test_what_can_not_be_read_now_is_not_taken_for_gone(tmp_path: Path) -> None:
    maker = greeting(tmp_path, "First.")
    maker.write("agents/night.yaml", {"agent": "night", "model": "script:models/agent.yaml"})
    await maker.run()
    maker.write("agents/night.yaml", {"agent": "night", "modl": "script:models/agent.yaml"})
    await maker.run(RunRequest(selectors=("booking",)))
    async with maker.open() as context:
        names = [each.name for each in await context.store.definitions.known(DefinitionKind.AGENT)]
    assert names == ["desk", "night"]
