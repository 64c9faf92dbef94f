"""Conversations as JSON, for the command line and the API alike."""

from dataclasses import asdict
from typing import Any

from greenroom.conversation.summaries import ConversationPage, ConversationSummary, ShownConversation
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.reports.outreach import timer_json
from greenroom.reports.reviews import review_json

__all__ = ["conversation_json", "page_json", "summary_json"]


def summary_json(conversation: ConversationSummary) -> dict[str, Any]:
    """One conversation without its turns."""
    return {**asdict(conversation), "closed_by": conversation.closed_by}


def page_json(page: ConversationPage) -> dict[str, Any]:
    """A page, and the mark of the next."""
    return {"conversations": [summary_json(each) for each in page.conversations], "next": page.next}


def conversation_json(shown: ShownConversation) -> dict[str, Any]:
    """One conversation whole; turn records only where they were asked for."""
    return {
        "conversation": summary_json(shown.conversation),
        "transcript": render_transcript([kept.turn for kept in shown.turns], calls=CallsShown.ALL),
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
            for kept in shown.turns
        ],
        "unserved": [asdict(event) for event in shown.unserved],
        "sent": [asdict(message) for message in shown.sent],
        "errands": [asdict(errand) for errand in shown.errands],
        "follow_ups": [timer_json(timer) for timer in shown.follow_ups],
        "reviews": [review_json(review) for review in shown.reviews],
    }
