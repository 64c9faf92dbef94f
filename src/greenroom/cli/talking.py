"""What `greenroom chat` does once its options are read: a line in, a turn out."""

import sys
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

from greenroom.cli.keyboard import Keyboard
from greenroom.cli.opening import open_project
from greenroom.cli.screen import errors, output, print_lines, say
from greenroom.cli.setting import Setting
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.turns import Turn
from greenroom.errors import CaseFault, NothingToTap
from greenroom.operations.chat import Chat, ChatRequest, open_chat
from greenroom.reports.inspection import record_lines
from greenroom.reports.lines import Tone, line, span
from greenroom.reports.live import errand_lines

__all__ = ["talk"]


async def talk(setting: Setting, request: ChatRequest, *, turns: bool, project: Path | None) -> int:
    """Talk until the agent ends it, the person writes an empty line, or input ends; the exit code."""
    keyboard = Keyboard()
    async with open_project(setting, project) as context:
        if request.live:
            _warn_live()
        async with open_chat(context, request) as chat:
            for warning in chat.warnings:
                say(f"warning: {warning}")
            code = await _talked(chat, keyboard, live=request.live, turns=turns, zone=context.zone)
            if request.live:
                await _tell_what_waits(chat)
            return code


async def _talked(chat: Chat, keyboard: Keyboard, *, live: bool, turns: bool, zone: tzinfo) -> int:
    _show(chat.opening)
    while text := await _asked(keyboard, live=live):
        try:
            turn = await chat.say(text)
        except NothingToTap as nothing:
            say(str(nothing))
            continue
        except CaseFault as fault:
            if chat.broken_turn is not None:
                _show(_unless_typed(chat.broken_turn, keyboard))
            say(f"The conversation broke off ({fault.cause}): {fault.message}")
            return fault.exit_code
        _show(_unless_typed(turn, keyboard))
        if live:
            print_lines(errand_lines(await chat.errands(), zone), errors())
        if turns and chat.records:
            print_lines(record_lines(chat.records[-1]), output())
        if turn.ended is not None:
            say(f"The agent ended the conversation: {turn.ended}.")
            return 0
    return 0


async def _tell_what_waits(chat: Chat) -> None:
    """What has not left yet is no lost cause, but nobody tries it any more once the chat is over."""
    waiting = await chat.errands_waiting()
    if waiting:
        what = "1 errand waits" if waiting == 1 else f"{waiting} errands wait"
        say(f"{what} to be done; `greenroom serve` and `greenroom tick` try again once {chat.agent} is published.")


def _warn_live() -> None:
    said = line(
        span("LIVE", Tone.BAD),
        ": this is no sandbox. What the agent does really happens: tools are called, people are written to.",
    )
    print_lines([said], errors())


async def _asked(keyboard: Keyboard, *, live: bool) -> str | None:
    """The next line; on a terminal behind a prompt."""
    if keyboard.typed:
        sys.stdout.flush()
        print("LIVE> " if live else "> ", end="", file=sys.stderr, flush=True)  # noqa: T201 — a prompt, with no line end
    return await keyboard.line()


def _unless_typed(turn: Turn, keyboard: Keyboard) -> Turn:
    """The turn without the person's words where the terminal shows them already."""
    return replace(turn, event=None) if keyboard.typed and sys.stdout.isatty() else turn


def _show(turn: Turn) -> None:
    text = render_transcript([turn], calls=CallsShown.ALL, escaped=False)
    if text:
        print_lines(map(line, [*text.split("\n"), ""]), output())
