"""What `greenroom conversations` does once its options are read."""

from pathlib import Path

import orjson
import typer

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_lines
from greenroom.cli.setting import Setting
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.reports.live import conversation_lines, page_lines
from greenroom.reports.live_json import conversation_json, page_json

__all__ = ["print_conversation", "print_page"]


async def print_page(setting: Setting, request: ConversationsRequest, *, project: Path | None, as_json: bool) -> None:
    """Some conversations. Raises `UsageError` for a mark that is none."""
    async with open_project(setting, project) as context:
        page = await list_conversations(context, request)
    if as_json:
        typer.echo(orjson.dumps(page_json(page), option=orjson.OPT_INDENT_2).decode())
    else:
        print_lines(page_lines(page), output())


async def print_conversation(
    setting: Setting, conversation: str, *, sandbox: bool, turns: bool, project: Path | None, as_json: bool
) -> None:
    """One conversation. Raises `NotFound`."""
    async with open_project(setting, project) as context:
        shown = await show_conversation(context, conversation, sandbox=sandbox, records=turns)
    whole = (shown.conversation, shown.turns, shown.unserved, shown.sent, shown.errands)
    if as_json:
        typer.echo(orjson.dumps(conversation_json(*whole), option=orjson.OPT_INDENT_2).decode())
    else:
        print_lines(conversation_lines(*whole), output())
