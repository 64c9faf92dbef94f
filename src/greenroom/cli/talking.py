"""What `greenroom chat` does once its options are read: a line in, a turn out."""

import asyncio
import sys
from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.screen import errors, output
from greenroom.cli.setting import Setting
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.turns import Turn
from greenroom.errors import CaseFault
from greenroom.operations.chat import Chat, ChatRequest, open_chat
from greenroom.reports.inspection import record_lines

__all__ = ["talk"]


async def talk(setting: Setting, request: ChatRequest, *, turns: bool, project: Path | None) -> None:
    """Talk until the agent ends it, the person writes an empty line, or input ends."""
    async with open_project(setting, project) as context, open_chat(context, request) as chat:
        _show(chat.opening)
        while (line := await asyncio.to_thread(_line)) is not None:
            turn = await _said(chat, line)
            if turn is None:
                return
            _show(turn)
            if turns and chat.records:
                for each in record_lines(chat.records[-1]):
                    output().print(each.text)
            if turn.ended is not None:
                errors().print(f"The agent ended the conversation: {turn.ended}.")
                return


async def _said(chat: Chat, line: str) -> Turn | None:
    try:
        return await chat.say(line)
    except CaseFault as fault:
        errors().print(f"The conversation broke off ({fault.cause}): {fault.message}")
        return None


def _line() -> str | None:
    """The next line; None when there is no more."""
    if sys.stdin.isatty():
        print("> ", end="", file=sys.stderr, flush=True)  # noqa: T201 — a prompt, with no line end
    line = sys.stdin.readline()
    return line.rstrip("\r\n") or None


def _show(turn: Turn) -> None:
    """What the agent did; the person knows what they said."""
    text = render_transcript([turn], calls=CallsShown.ALL)
    if text:
        output().print(text, end="\n\n")
