"""What people wrote is kept in every state the store has seen, by the hash of its content."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests import builders
from tests.stores import NOON, Statements, opened

from greenroom.conversation.messages import Card, Chip, Text
from greenroom.documents.agent import Agent, ModelChoice, Playbook, Tool
from greenroom.documents.suite import Case, Say, Suite
from greenroom.errors import NotFound
from greenroom.store.definitions import DefinitionKind
from greenroom.store.encoding import content_hash
from greenroom.store.opening import Store


def desk(prompt: str = "Rent out boats.") -> Agent:
    return Agent(
        agent="desk",
        model=ModelChoice(name="script:agent.yaml"),
        prompt=prompt,
        playbooks={"booking": Playbook(when="Somebody wants a boat", uses=("list_boats",))},
        tools={"list_boats": Tool(url="https://lakeside.example/boats", headers={"X-Key": "1"})},
        templates={"boats": (Text(text="Ours:"), Card(title="Pontoon", chips=(Chip(label="Call us"),)))},
    )


def booking(*cases: str, line: str = "A boat, please") -> Suite:
    written = {case: Case(id=case, suite="booking", script=(Say(say=line),)) for case in cases}
    return Suite(suite="booking", agents=("desk",), cases=written)


@pytest.mark.requirement("F11")
async def test_contents_are_found_by_their_hash(store: Store) -> None:
    synced = await store.definitions.sync(agents=[desk()], suites=[booking("saturday", "sunday")])

    assert await store.definitions.agent(synced.agents["desk"].hash) == desk()
    assert await store.definitions.case(synced.cases["booking", "sunday"]) == booking("sunday").cases["sunday"]
    assert await store.definitions.suite(synced.suites["booking"].hash) == booking("saturday", "sunday")


async def test_what_has_changed_becomes_a_revision_and_what_has_not_stays(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        before = await store.definitions.sync(agents=[desk()], suites=[booking("saturday")])
    later = NOON + timedelta(hours=1)
    async with opened(database_url, tmp_path, at=later) as store:
        after = await store.definitions.sync(agents=[desk("Rent out kayaks.")], suites=[booking("saturday")])
        numbered = [revision.number for revision in await store.definitions.revisions(DefinitionKind.AGENT, "desk")]
        again = await store.definitions.sync(agents=[desk()], suites=[booking("saturday")])

    assert (before.agents["desk"].number, after.agents["desk"].number) == (1, 2)
    assert before.agents["desk"].seen_at == "2026-11-30T12:00:00.000+00:00"
    assert after.agents["desk"].seen_at == "2026-11-30T13:00:00.000+00:00"
    assert after.cases == before.cases
    assert numbered == [2, 1]
    # What was written back is the revision it was, first seen when it was.
    assert again.agents["desk"] == before.agents["desk"]


async def test_a_definition_whose_file_is_gone_is_archived_and_its_history_stays(store: Store) -> None:
    before = await store.definitions.sync(agents=[desk()], suites=[booking("saturday", "sunday")])

    await store.definitions.sync(agents=[desk()], suites=[booking("saturday")])

    assert await _names(store) == ["booking/saturday"]
    archived = await store.definitions.known(DefinitionKind.CASE, archived=True)
    assert [(case.name, case.archived_at) for case in archived] == [
        ("booking/saturday", None),
        ("booking/sunday", "2026-11-30T12:00:00.000+00:00"),
    ]
    assert (await store.definitions.case(before.cases["booking", "sunday"])).id == "sunday"

    await store.definitions.sync(agents=[desk()], suites=[booking("saturday", "sunday")])
    assert await _names(store) == ["booking/saturday", "booking/sunday"]


async def test_a_sync_of_a_part_archives_nothing(store: Store) -> None:
    await store.definitions.sync(agents=[desk()], suites=[booking("saturday")])

    await store.definitions.sync(agents=[desk()], suites=[], whole=False)

    assert await _names(store) == ["booking/saturday"]


async def test_a_sync_that_changes_nothing_writes_nothing(store: Store) -> None:
    cases = [f"case-{number}" for number in range(1000)]
    first = await store.definitions.sync(agents=[desk()], suites=[booking(*cases)])
    written = Statements(store.database.writer)

    assert await store.definitions.sync(agents=[desk()], suites=[booking(*cases)]) == first
    assert written.asked == []


async def test_ids_that_differ_only_in_case_are_two(store: Store) -> None:
    synced = await store.definitions.sync(agents=[], suites=[booking("saturday", "Saturday")])

    assert (await store.definitions.case(synced.cases["booking", "Saturday"])).id == "Saturday"
    assert await _names(store) == ["booking/Saturday", "booking/saturday"]


async def test_workspaces_on_one_database_leave_each_other_alone(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path, workspace="north") as north:
        await north.definitions.sync(agents=[desk()], suites=[booking("saturday")])
    async with opened(database_url, tmp_path, workspace="south") as south:
        synced = await south.definitions.sync(agents=[desk("Rent out kayaks.")], suites=[])
    async with opened(database_url, tmp_path, workspace="north") as north:
        assert await _names(north) == ["booking/saturday"]

    assert synced.agents["desk"].number == 1


async def test_odd_signs_in_documents_are_kept(store: Store) -> None:
    line = "nul \0, esc \x1b, שלום, 🛶, line\u2028break"
    synced = await store.definitions.sync(agents=[], suites=[booking("a", line=line)])

    assert (await store.definitions.case(synced.cases["booking", "a"])).script == (Say(say=line),)


async def test_an_unknown_hash_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="there is no case revision 'nothing'"):
        await store.definitions.case("nothing")


def test_the_order_that_the_agent_reads_belongs_to_the_content() -> None:
    tools = {"a": Tool(description="1"), "b": Tool(description="2")}
    turned = dict(reversed(tools.items()))

    assert content_hash(desk().model_copy(update={"tools": tools})) != content_hash(
        desk().model_copy(update={"tools": turned})
    )
    assert content_hash(desk()) != content_hash(desk("Rent out kayaks."))


async def _names(store: Store) -> Sequence[str]:
    return sorted(known.name for known in await store.definitions.known(DefinitionKind.CASE))


def test_a_key_written_at_its_default_is_no_other_content() -> None:
    """So a Greenroom that knows more keys edits nobody's document."""
    assert content_hash(builders.agent(close_after="24h")) == content_hash(builders.agent())
