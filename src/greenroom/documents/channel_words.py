"""Greenroom's own words on a channel: what people read there that is neither the agent's nor written by a model."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from greenroom.documents.parts import Doc, Templated
from greenroom.documents.sizes import MESSAGE_CHARS, NAME_CHARS
from greenroom.nearest import did_you_mean

__all__ = ["PAGE_WORDS", "ChannelWords", "language_fault", "reads_from_right", "unsaid", "words_faults"]

_Word = Annotated[str, Field(min_length=1, max_length=NAME_CHARS)]


class ChannelWords(Doc):
    """What Greenroom itself says on a channel; `sms` has `stopped` and `started`, `web` all others, for the widget."""

    stopped: Templated | None = Field(default=None, max_length=MESSAGE_CHARS)
    """The answer to STOP by SMS, the only one; may be a template. Empty where the provider answers it."""
    started: Templated | None = Field(default=None, max_length=MESSAGE_CHARS)
    """The answer to START after a STOP; may be a template. Empty where the provider answers it."""
    write: _Word = "Write a message"
    """In the field that a visitor writes in."""
    send: _Word = "Send"
    """On the button that sends it."""
    you: _Word = "You"
    """Who said it, as screen readers tell of what the visitor wrote."""
    agent: _Word = "Agent"
    """The same of the agent's messages."""
    conversation: _Word = "Conversation"
    """What screen readers call the conversation."""
    coming: _Word = "An answer is on its way"
    """What they tell while the agent is at work."""
    offline: _Word = "No connection; trying again…"
    """While the server can't be reached."""
    unsent: _Word = "That did not get through."
    """When it stays so, or serving it broke off."""
    again: _Word = "Try again"
    """On the button beside both."""
    refused: _Word = "That can't be sent."
    """Of what is never taken, such as a text that is too long."""
    renewed: _Word = "A new conversation"
    """Where one begins because the one before was too long ago."""
    team: _Word = "The team takes over from here. What you write is kept for them."
    """After a hand-over."""
    over: _Word = "This conversation is over."
    """After any other end."""
    begin: _Word = "Begin a new one"
    """On the button beside that."""
    suggestions: _Word = "Suggested replies"
    """What screen readers call chips."""
    choices: _Word = "Choices"
    """What they call options."""
    times: _Word = "Times"
    """What they call the times of a time picker."""
    yes_or_no: _Word = "Yes or no"
    """What they call a confirmation."""
    card: _Word = "Card"
    """What they call a card."""
    cards: _Word = "Cards"
    """What they call several cards."""
    script: _Word = "This conversation needs JavaScript."
    """To whoever has no JavaScript."""


_BY_SMS = ("stopped", "started")
PAGE_WORDS = tuple(name for name in ChannelWords.model_fields if name not in _BY_SMS)
"""Those of the widget's page."""
_OF: Mapping[str, tuple[str, ...]] = MappingProxyType({"sms": _BY_SMS, "web": PAGE_WORDS})
"""By the key of a channel."""


def words_faults(channel: str, words: ChannelWords) -> Iterator[tuple[str, str]]:
    """Words that nobody reads on this channel, each with its key."""
    known = _OF.get(channel, ())
    for key in words.model_fields_set:
        if key not in known:
            there = did_you_mean(key, known) or (f"; there are {', '.join(known)}" if known else "; it has none")
            yield key, f"nothing is called {key!r} among the words of `{channel}`{there}"


def language_fault(channel: str, language: str) -> str | None:
    """Why a channel can't have this language; None when it can, or has none."""
    if not language:
        return None
    if channel != "web":
        return "only the page of the web widget has a language; elsewhere people read the agent's own words"
    if _LANGUAGE.fullmatch(language) is None:
        return f"a language is written as a tag such as de, pt-BR or zh-Hant, not {language!r}"
    return None


def unsaid(language: str, words: ChannelWords) -> tuple[str, ...]:
    """The words of the page that would be English in a page of another language."""
    english = not language or language.casefold().split("-")[0] == "en"
    return () if english else tuple(name for name in PAGE_WORDS if name not in words.model_fields_set)


def reads_from_right(language: str) -> bool:
    """Whether a language is read from right to left, by its script where the tag names one."""
    root, *others = language.casefold().split("-")
    script = next((part for part in others if len(part) == _SCRIPT_LETTERS), None)
    return root in _FROM_RIGHT if script is None else script in _SCRIPTS_FROM_RIGHT


_LANGUAGE = re.compile(
    r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?"
)
"""Language, script, region and variant, as browsers take them: they show no time at all in any other tag."""
_SCRIPT_LETTERS = 4
_FROM_RIGHT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"})
_SCRIPTS_FROM_RIGHT = frozenset({"adlm", "arab", "aran", "hebr", "nkoo", "rohg", "syrc", "thaa"})
