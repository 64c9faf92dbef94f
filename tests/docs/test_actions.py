"""docs/reference/actions.md has every built-in action, with the answers that it really gives."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.docs.action_answers import EXAMPLES, answer_of, arguments_table, played, shown

from greenroom.conversation.actions import Action
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.documents.loading import DocumentKind, load_document

FILE = Path(__file__).parents[2] / "docs" / "reference" / "actions.md"
PAGE = FILE.read_text(encoding="utf-8")
BLOCKS = re.compile(r"<!-- answers: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
(AGENT,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)

pytestmark = pytest.mark.requirement("A5", "A8")


def _agent() -> Agent:
    document = load_document(AGENT, kind=DocumentKind.AGENT)
    assert isinstance(document, Agent)
    return document


DESK = _agent()


async def block(action: Action) -> str:
    """The arguments of an action, and its examples as they are answered now."""
    examples = [shown(action, each, await played(action, each, DESK)) for each in EXAMPLES[action]]
    return "\n\n".join(["\n".join(arguments_table(action, DESK)), *examples])


@pytest.fixture
async def blocks() -> Mapping[str, str]:
    return {str(action): await block(action) for action in Action}


def test_the_answers_of_the_page_are_those_that_are_given(blocks: Mapping[str, str]) -> None:
    """`WRITE_GOLDEN=1 make docs` writes them anew."""
    page = BLOCKS.sub(lambda found: f"<!-- answers: {found[1]} -->\n\n{blocks[found[1]]}\n\n<!-- end -->", PAGE)
    if os.environ.get("WRITE_GOLDEN"):
        FILE.write_text(page, encoding="utf-8")
    assert page == FILE.read_text(encoding="utf-8")


def test_every_action_has_its_section() -> None:
    assert sorted(re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)) == sorted(Action)
    assert sorted(name for name, _ in BLOCKS.findall(PAGE)) == sorted(Action)


@pytest.mark.parametrize("action", list(Action))
async def test_all_that_an_answer_holds_is_explained(action: Action) -> None:
    section = PAGE.split(f"### `{action}`\n", 1)[1].split("<!-- answers", 1)[0]
    for each in EXAMPLES[action]:
        call = answer_of(await played(action, each, DESK))
        assert call.tool == action
        missing = [key for key in dict.fromkeys(keys(call.result)) if f"`{key}`" not in section]
        assert missing == []


def keys(answer: Json) -> Iterator[str]:
    if isinstance(answer, Mapping):
        for key, value in answer.items():
            yield key
            yield from keys(value)
    elif isinstance(answer, list | tuple):
        for value in answer:
            yield from keys(value)
