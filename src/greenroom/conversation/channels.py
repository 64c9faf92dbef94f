"""Each channel and what it can do (features.md D2, C8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

__all__ = ["ABILITIES", "Abilities", "Channel"]


class Channel(StrEnum):
    """Where a conversation takes place; the value is the key people write and `{{system.channel}}`."""

    WEB = "web"
    SMS = "sms"
    RICH = "rich"
    WEB_VOICE = "web_voice"
    PHONE_INBOUND = "phone_inbound"
    PHONE_OUTBOUND = "phone_outbound"
    AUTO = "auto"
    """Not settled yet: it depends on the agent (`documents.channels`), and no conversation runs on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What follows from the channel."""

    name: str
    """What people call it."""
    spoken: bool = False
    """The agent speaks: no rich elements, numbers in small groups."""
    rich: bool = False
    """Cards, carousels, chips and pickers can be shown and tapped."""
    client_tools: bool = True
    """There is a client that can run client tools."""
    transfers: bool = False
    """A call can be transferred."""
    config: str
    """The key under the agent's `channels` that serves it."""


ABILITIES: Mapping[Channel, Abilities] = MappingProxyType({
    Channel.WEB: Abilities(name="web chat", rich=True, config="web"),
    Channel.SMS: Abilities(name="SMS", config="sms"),
    Channel.RICH: Abilities(name="rich messaging", rich=True, config="rich"),
    Channel.WEB_VOICE: Abilities(name="web voice", spoken=True, config="web_voice"),
    Channel.PHONE_INBOUND: Abilities(
        name="an inbound phone call", spoken=True, client_tools=False, transfers=True, config="phone"
    ),
    Channel.PHONE_OUTBOUND: Abilities(
        name="an outbound phone call", spoken=True, client_tools=False, transfers=True, config="phone"
    ),
})
"""Every channel that a conversation can run on."""
