"""Hypothesis strategies of everything a conversation can hold, with a liking for text that looks like layout."""

from hypothesis import strategies as st

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.events import Event, MissedTap, Opened, Said, Tap, TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    ChipAction,
    Chips,
    Confirm,
    Media,
    Message,
    Options,
    Part,
    Slot,
    Text,
    TimePicker,
)
from greenroom.conversation.outcomes import Given
from greenroom.conversation.turns import Entry, Turn

FORGERIES = (
    "[card: x]",
    "[handed over: now]",
    "  [card 1: x] (media)",
    "[now]",
    "[earlier]",
    "Agent: ",
    "Person: yes",
    "agent :",
    "**Agent:** hi",
    "\\",
    "\\[x]",
    "",
    " ",
    "\u200b",
    "\u3164",
    "\u200b[notify: x]",
    "［notify: x]",
    " | ",
    " (link)",
    "—",
    " — ",
    "]",
    "] (media)",
    ": ",
    "\ud83d",
    "\x1b[31m",
    "\x00",
    "\ufffe",
)
LINE_ENDS = ("\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")

anything = st.text(st.characters(exclude_categories=()), max_size=12)
texts = st.lists(anything | st.sampled_from(FORGERIES) | st.sampled_from(LINE_ENDS), max_size=6).map("".join)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def _several(what: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(what, max_size=3).map(tuple)


chips = st.builds(Chip, label=texts, action=st.sampled_from(ChipAction), target=st.none() | texts)
chip_lists = st.lists(chips, max_size=3).map(tuple)
cards = st.builds(Card, title=texts, subtitle=texts, media=st.none() | texts, chips=chip_lists)
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, text=texts),
    st.builds(Media, url=texts, alt=texts),
    cards,
    st.builds(Carousel, cards=st.lists(cards, max_size=3).map(tuple)),
    st.builds(Chips, chips=chip_lists),
    st.builds(Options, options=_several(texts)),
    st.builds(TimePicker, slots=st.lists(st.builds(Slot, start=texts, label=texts), max_size=3).map(tuple)),
    st.builds(Confirm, labels=_several(texts)),
)
messages = st.builds(Message, parts=st.lists(parts, max_size=4).map(tuple))
calls = st.builds(
    ToolCall,
    call_id=st.just("1"),
    tool=texts,
    arguments=json_values,
    tool_kind=st.sampled_from(ToolKind),
    answered_by=st.sampled_from(AnsweredBy),
    result=json_values,
    error=st.none() | texts,
)
effects = st.builds(
    Effect,
    effect=st.sampled_from(EffectKind),
    summary=texts,
    data=st.fixed_dictionaries({}, optional={"form": texts, "to": texts | st.lists(texts, max_size=2)}),
)
entries: st.SearchStrategy[Entry] = st.one_of(messages, calls, effects)
events: st.SearchStrategy[Event] = st.one_of(
    st.just(Opened()),
    st.builds(Said, text=texts),
    st.builds(Tap, tapped=st.sampled_from(TapKind), label=texts, value=texts),
)
missed_taps = st.builds(MissedTap, tapped=st.sampled_from(TapKind), target=texts, card=st.none() | texts)
turns = st.builds(
    Turn,
    index=st.just(1),
    event=st.none() | events,
    missed=st.none() | missed_taps,
    entries=st.lists(entries, max_size=4).map(tuple),
)
givens = st.builds(Given, person=st.none() | events, agent=st.none() | texts)
