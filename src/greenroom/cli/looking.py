"""What `greenroom conversations` and `greenroom stats` do once their options are read."""

from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines
from greenroom.cli.setting import Setting
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.operations.statistics import StatisticsRequest, daily_statistics
from greenroom.reports.daily import daily_json, daily_lines
from greenroom.reports.live import conversation_lines, page_lines
from greenroom.reports.live_json import conversation_json, page_json

__all__ = ["print_conversation", "print_page", "print_statistics"]


async def print_page(setting: Setting, request: ConversationsRequest, *, project: Path | None, as_json: bool) -> None:
    """Some conversations. Raises `UsageError` for a mark that is none."""
    async with open_project(setting, project) as context:
        page = await list_conversations(context, request)
    if as_json:
        print_json(page_json(page))
    else:
        print_lines(page_lines(page, context.zone), output())


async def print_conversation(
    setting: Setting, conversation: str, *, sandbox: bool, turns: bool, project: Path | None, as_json: bool
) -> None:
    """One conversation. Raises `NotFound`."""
    async with open_project(setting, project) as context:
        shown = await show_conversation(context, conversation, sandbox=sandbox, records=turns)
    if as_json:
        print_json(conversation_json(shown))
    else:
        print_lines(conversation_lines(shown, context.zone), output())


async def print_statistics(
    setting: Setting, request: StatisticsRequest, *, project: Path | None, as_json: bool
) -> None:
    """What went on by day. Raises `NotFound`, `UsageError`."""
    async with open_project(setting, project) as context:
        statistics = await daily_statistics(context, request)
    if as_json:
        print_json(daily_json(statistics))
    else:
        print_lines(daily_lines(statistics), output())
