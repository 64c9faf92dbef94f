"""Conversations as JSON, for the command line and the API alike."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from greenroom.conversation.summaries import (
    ConversationPage,
    ConversationSummary,
    ErrandSummary,
    KeptTurn,
    SentMessage,
    UnservedEvent,
)
from greenroom.conversation.transcript import CallsShown, render_transcript

__all__ = ["conversation_json", "page_json", "summary_json"]


def summary_json(conversation: ConversationSummary) -> dict[str, Any]:
    """One conversation without its turns."""
    return {**asdict(conversation), "closed_by": conversation.closed_by}


def page_json(page: ConversationPage) -> dict[str, Any]:
    """A page, and the mark of the next."""
    return {"conversations": [summary_json(each) for each in page.conversations], "next": page.next}


def conversation_json(
    conversation: ConversationSummary,
    turns: Sequence[KeptTurn],
    unserved: Sequence[UnservedEvent],
    sent: Sequence[SentMessage],
    errands: Sequence[ErrandSummary],
) -> dict[str, Any]:
    """One conversation whole; turn records only where they were asked for."""
    return {
        "conversation": summary_json(conversation),
        "transcript": render_transcript([kept.turn for kept in turns], calls=CallsShown.ALL),
        "turns": [
            {
                "number": kept.number,
                "at": kept.at,
                "revision": kept.revision,
                "event": kept.turn.event,
                "entries": kept.turn.entries,
                "playbook": kept.turn.playbook,
                "ended": kept.turn.ended,
                "unfinished": kept.turn.unfinished,
                "duration_s": kept.turn.duration_s,
                **({"record": kept.record} if kept.record is not None else {}),
            }
            for kept in turns
        ],
        "unserved": [asdict(event) for event in unserved],
        "sent": [asdict(message) for message in sent],
        "errands": [asdict(errand) for errand in errands],
    }
