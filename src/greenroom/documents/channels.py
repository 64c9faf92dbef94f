"""Which channel `channel: auto` stands for (features.md D2).

A case is settled for its agent before it is linted or run; afterwards nobody meets `auto`.
"""

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case

__all__ = ["on_channel", "settled_channel"]


def settled_channel(written: Channel, agent: Agent) -> Channel:
    """`auto` is an inbound phone call when the agent has a number, else web voice; any other channel is itself."""
    if written is not Channel.AUTO:
        return written
    phone = agent.channels.get(ABILITIES[Channel.PHONE_INBOUND].config)
    return Channel.PHONE_INBOUND if phone is not None and phone.number.strip() else Channel.WEB_VOICE


def on_channel(case: Case, agent: Agent) -> Case:
    """The case on the channel that it has with this agent."""
    settled = settled_channel(case.channel, agent)
    return case if settled is case.channel else case.model_copy(update={"channel": settled})
