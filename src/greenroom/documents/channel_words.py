"""Greenroom's own words on a channel: what people read there that is neither the agent's nor written by a model."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pydantic import Field

from greenroom.documents.parts import Doc, Templated
from greenroom.documents.sizes import MESSAGE_CHARS
from greenroom.nearest import did_you_mean

__all__ = ["ChannelWords", "words_faults"]


class ChannelWords(Doc):
    """What Greenroom itself says on a channel; each has its own. What is left out is said in English."""

    stopped: Templated | None = Field(default=None, max_length=MESSAGE_CHARS)
    """On `sms`, the answer to STOP: the only one. Empty where the provider answers it."""
    started: Templated | None = Field(default=None, max_length=MESSAGE_CHARS)
    """On `sms`, the answer to START after a STOP. Empty where the provider answers it."""


_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({"sms": ("stopped", "started")})
"""By the key of a channel."""


def words_faults(channel: str, words: ChannelWords) -> Iterator[tuple[str, str]]:
    """Words that nobody reads on this channel, each with its key."""
    known = _OF.get(channel, ())
    for key in words.model_fields_set:
        if key not in known:
            there = did_you_mean(key, known) or (f"; there are {', '.join(known)}" if known else "; it has none")
            yield key, f"nothing is called {key!r} among the words of `{channel}`{there}"
