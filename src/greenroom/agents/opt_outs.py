"""What answers somebody who takes back their consent to messages by SMS, or gives it again: one message, no model."""

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.documents.agent import Agent

__all__ = ["answer_to_opt_out"]

_NO_MORE = "You will get no more messages from us. Reply START to get them again."
_AGAIN = "You will get messages from us again. Reply STOP to get no more."


def answer_to_opt_out(agent: Agent, *, given: bool) -> str:
    """The agent's words for it, else ours under its name; may hold templates, and is empty when nothing is answered."""
    settings = agent.channels.get(ABILITIES[Channel.SMS].config)
    words = None if settings is None else settings.words
    said = None if words is None else words.started if given else words.stopped
    return said if said is not None else f"{agent.name or agent.id}: {_AGAIN if given else _NO_MORE}"
