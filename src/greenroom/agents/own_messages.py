"""What an agent's document has it say by itself, as the conversation service is handed it."""

from greenroom.conversation.own_messages import OwnMessage, OwnMessageKind
from greenroom.documents.agent import Agent
from greenroom.documents.outreach_rules import prepared_parts

__all__ = ["follow_up_message", "outreach_message"]


def outreach_message(agent: Agent, name: str) -> OwnMessage:
    """The opening of one of its outreaches; there is one of this name."""
    outreach = agent.outreach[name]
    parts = tuple(prepared_parts(agent, outreach.opening))
    return OwnMessage(kind=OwnMessageKind.OUTREACH, name=name, parts=parts, playbook=outreach.playbook)


def follow_up_message(agent: Agent, name: str) -> OwnMessage:
    """What one of its follow-ups says; there is one of this name."""
    parts = tuple(prepared_parts(agent, agent.follow_ups[name].message))
    return OwnMessage(kind=OwnMessageKind.FOLLOW_UP, name=name, parts=parts)
