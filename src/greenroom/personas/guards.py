"""The simulated person at fault, by signs that need no understanding (features.md H4; S06, S10, S11, S15).

Each guard looks at one answer and what went before, and says in a clause what is wrong with it. What a guard can't be
sure of it lets pass: a false alarm costs a sample, and the judge grades the agent alone either way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from greenroom.conversation.messages import Confirm, Message
from greenroom.conversation.turns import PersonEnd
from greenroom.documents.facts import Facts, contradiction
from greenroom.documents.simulation import Brief, Detail
from greenroom.personas.simulator_prompt import Answer

__all__ = ["Exchange", "Guarded", "fault_in"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


_DENIALS = frozenset(_words("not no wrong isn't isn’t wasn't wasn’t incorrect never"))
_ASSENT = frozenset(
    _words(
        "yes yeah yep yup ok okay sure please right correct exactly that's that’s that is it's it’s it all good great "
        "fine perfect thanks thank you looks sounds confirmed confirm i"
    )
)
_PLAIN = _ASSENT | frozenset(_words("no nope not nothing none else that'll be go ahead do"))
"""Yes, no and the like, which people say any number of times."""
_NICETIES = frozenset(
    _words(
        "thank thanks you so very much a lot bye goodbye great perfect wonderful have nice good lovely day evening "
        "weekend one too welcome cheers appreciate it again take care see and the your help for all ok okay to same "
        "well i really soon awesome fantastic excellent best of luck"
    )
)
_NICETY_HEADS = frozenset(_words("thank thanks bye goodbye cheers welcome appreciate care nice good lovely great"))

_OVERLAP_WORDS: Final = 16
"""So many words of a brief in a row are a quotation; people put what they want in words of their own."""
_ECHO_WORDS: Final = 6
_PLEASANTRIES: Final = 3
_REPEATS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Something the simulated person said, and what the agent answered."""

    said: str
    heard: str
    scripted: bool = False


@dataclass(slots=True, kw_only=True)
class Guarded:
    """What the guards know of a conversation so far. Kept by the simulated person."""

    brief: Brief
    facts: Facts
    agent_names: frozenset[str] = frozenset()
    """What the agent may be called, in lower case, besides the words for any agent."""
    line_chars: int = 1000
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    agent_said: list[str] = field(default_factory=list[str])
    """Everything the agent has said, what was given as history included."""
    person_spoke: bool = False
    """The person has said something, in the history or the script as well."""
    last: tuple[Message, ...] = ()
    """The agent's newest messages."""

    @property
    def heard_last(self) -> str:
        """The agent's newest words."""
        return self.agent_said[-1] if self.agent_said else ""


_Guard = Callable[[Answer, Guarded], str | None]


def fault_in(answer: Answer, guarded: Guarded) -> str | None:
    """What is wrong with an answer, as a clause about "it"; None when nothing is."""
    return next((fault for guard in _GUARDS if (fault := guard(answer, guarded)) is not None), None)


# The patterns here take time in proportion to the text: whatever a model writes, nobody waits for it.
_LABEL = re.compile(
    r"(?:^|(?<=[.!?] ))(?:[^\S\n]|[*_])*+(?:the )?(?P<who>[^\n:.!?]{1,40}?)(?:[^\S\n]|[*_])*+:",
    re.IGNORECASE | re.MULTILINE,
)
_AGENT_WORDS = frozenset({"agent", "assistant", "bot", "chatbot", "ai", "representative", "support", "advisor"})
_ADDRESSED = frozenset({"support", "representative", "advisor"})
"""Whom a person may well call by that at the beginning of a line: `Support: is it open?`"""
_PERSON_WORDS = frozenset({"person", "user", "customer", "caller"})
_AGENTS_PHRASES = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)\b|(?:anything|something) else i can (?:help|assist|do for)\b|"
    r"(?:can|may) i (?:help|assist) you\b|thank you for (?:contacting|calling)\b|as an ai\b|i(?:'|’)m an ai\b|"
    r"i am an ai\b|i(?:'|’)d be happy to (?:help|assist) you\b|"
    r"(?:comment|en quoi) puis-je (?:vous|t['’])\W?aider\b|"
    r"w(?:ie|omit) kann ich (?:ihnen|dir|euch)\b[^.!?\n]{0,20}\bhelfen\b|"
    r"(?:en qué|cómo) (?:puedo|le puedo|te puedo) ayudar|(?:come|in cosa) posso aiutar|(?:como|em que) posso ajudar|"
    r"(?:hoe|waarmee) kan ik (?:u|je|jou)\b[^.!?\n]{0,20}\bhelpen\b)",
    re.IGNORECASE,
)


_FENCE = re.compile(r"<<<[0-9a-f]{16}\b|\b[0-9a-f]{16}>>>")


def _speakers(answer: Answer, guarded: Guarded) -> str | None:
    """A speaker's name in front of words, as in a script of both sides."""
    names = [found["who"].strip().casefold() for found in _LABEL.finditer(answer.say)]
    of_agent = [name in _AGENT_WORDS or name in guarded.agent_names for name in names]
    if not any(of_agent) or (len(names) == 1 and names[0] in _ADDRESSED and _begins_with(names[0], answer)):
        return "it puts a name in front of its words" if names[:1] and names[0] in _PERSON_WORDS else None
    alone = all(of_agent) and _begins_with(names[0], answer)
    return "it speaks as the agent" if alone else "it answers for both sides"


def _begins_with(name: str, answer: Answer) -> bool:
    return answer.say.casefold().lstrip("*_ ").startswith(name)


def _as_agent(answer: Answer, guarded: Guarded) -> str | None:
    said = _words(answer.say)
    if _FENCE.search(answer.say):
        return "it copies what stands around the agent's words"
    if _AGENTS_PHRASES.search(_without_quotes(answer.say)):
        return "it speaks as the agent"
    if len(said) >= _ECHO_WORDS and any(said == _words(heard) for heard in guarded.agent_said):
        return "it says word for word what the agent said"
    return None


def _repeats(answer: Answer, guarded: Guarded) -> str | None:
    """The same line a third time although the agent's replies differed; if they didn't, the run is graded."""
    line = _words(answer.words)
    if not line or _is_plain(line):
        return None
    replies = [_words(each.heard) for each in guarded.exchanges if not each.scripted and _words(each.said) == line]
    if len(replies) >= _REPEATS - 1 and any(reply != replies[0] for reply in replies):
        return "it says the same line a third time although the agent answered differently"
    return None


def _leaks(answer: Answer, guarded: Guarded) -> str | None:
    spoken_of = _OUT_OF_PART.search(answer.say)
    if spoken_of and spoken_of[0].casefold() not in guarded.facts.words.casefold():
        return "it speaks of its part instead of playing it"
    said = " ".join(_words(answer.say))
    for text in _secret(guarded.brief):
        words = _words(_without_quotes(text))
        for start in range(len(words) - _OVERLAP_WORDS + 1):
            if " ".join(words[start : start + _OVERLAP_WORDS]) in said:
                return "it quotes its brief word for word"
    return _tells_all(answer, guarded)


_OUT_OF_PART = re.compile(
    r"\bsimulated (?:person|user|customer|caller)\b|\bmy (?:brief|persona)\b says|"
    r"\b(?:according to|as per) my (?:brief|persona)\b|\b(?:playing|play) the (?:role|part) of\b|"
    r"\b(?:reveals_when_asked|does_not_know|ends_when|opens_with|goal_met|gave_up|nothing_more)\b",
    re.IGNORECASE,
)


def _secret(brief: Brief) -> Iterator[str]:
    return (told.text for told in brief.texts() if told.section != "opens_with")


def _tells_all(answer: Answer, guarded: Guarded) -> str | None:
    """Everything that is to be told only when asked, at once, and at least two things of it unasked.

    Where it is one thing, only in the person's first words, and if nothing else in its brief tells it to say so.
    """
    details = guarded.brief.reveals_when_asked
    if not details or (len(details) == 1 and not _first_and_secret(details[0], guarded)):
        return None
    if not all(_tells(detail, answer.say) for detail in details):
        return None
    earlier = " ".join(each.said for each in guarded.exchanges)
    if any(_tells(detail, earlier) for detail in details):
        return None
    asked = set(_words(" ".join(guarded.agent_said)))
    unasked = [detail for detail in details if not asked & _asking_words(detail)]
    return (
        "it tells at once, unasked, what it should tell only when asked"
        if len(unasked) >= min(2, len(details))
        else None
    )


def _first_and_secret(detail: Detail, guarded: Guarded) -> bool:
    others = (told.text for told in guarded.brief.texts() if told.section != "reveals_when_asked")
    return not guarded.person_spoke and not any(_tells(detail, text) for text in others)


def _tells(detail: Detail, text: str) -> bool:
    said = _words(text)
    told = _words(detail.text)
    if detail.name or len(told) <= 3:
        return bool(told) and f" {' '.join(told)} " in f" {' '.join(said)} "
    telling = [word for word in told if any(char.isdigit() for char in word)] or [w for w in told if len(w) > 3]
    there = set(said)
    return bool(telling) and sum(word in there for word in telling) * 4 >= len(telling) * 3


def _asking_words(detail: Detail) -> set[str]:
    text = detail.name or detail.text
    return {word for word in _words(text) if len(word) > 2 and word not in _LITTLE and not word.isdigit()}


_LITTLE = frozenset({"the", "and", "your", "you", "for", "with", "that", "was", "are", "has", "have", "its", "this"})


def _ends_early(answer: Answer, guarded: Guarded) -> str | None:
    if answer.end is None:
        return None
    if not guarded.person_spoke and (not answer.words or answer.end is not PersonEnd.NOTHING_MORE):
        return "it ends before it has asked for what it wants and heard an answer"
    waiting = answer.end is not PersonEnd.GAVE_UP and not answer.words
    if waiting and (_confirms(guarded.last) or _asks_to_confirm(guarded.heard_last)):
        return "it ends while the agent waits for it to confirm"
    return None


_ASKS_TO_CONFIRM = re.compile(
    r"\b(?:confirm|(?:shall|should) i\b|is (?:that|this|it) (?:correct|right|ok|okay)\b|"
    r"(?:do|would) you (?:want|like) me to\b)",
    re.IGNORECASE,
)


def _asks_to_confirm(heard: str) -> bool:
    """Whether the last sentence is a question for a yes."""
    words = heard.rstrip()
    if not words.endswith("?"):
        return False
    return _ASKS_TO_CONFIRM.search(re.split(r"[.!?\n]", words[:-1])[-1]) is not None


def _confirms(messages: Sequence[Message]) -> bool:
    return any(isinstance(part, Confirm) for message in messages for part in message.parts)


def _contradicts(answer: Answer, guarded: Guarded) -> str | None:
    """Its own facts given with another value, or a plain yes to wrong ones (S10, S15)."""
    said = contradiction(answer.say, guarded.facts)
    denied = set(_words(answer.say)) & _DENIALS
    if said is not None and not denied:
        return f"it contradicts its facts: {said}"
    heard = guarded.heard_last
    read_back = contradiction(heard, guarded.facts, read_back=True) if "?" in heard else None
    words = _words(answer.words)
    if read_back is not None and words and set(words) <= _ASSENT and not denied:
        return f"it says yes to what is wrong: {read_back}"
    return None


def _thanks_for_ever(answer: Answer, guarded: Guarded) -> str | None:
    if answer.end is not None or not _is_pleasantry(answer.words):
        return None
    before = guarded.exchanges[-(_PLEASANTRIES - 1) :]
    if len(before) == _PLEASANTRIES - 1 and all(_is_pleasantry(each.said) for each in before):
        return "it goes on with pleasantries and does not end"
    return None


def _too_long(answer: Answer, guarded: Guarded) -> str | None:
    length = len(answer.say)
    if length <= guarded.line_chars:
        return None
    return f"it says {length} characters in one message, and a line has at most {guarded.line_chars} (`line_chars`)"


_GUARDS: Final[tuple[_Guard, ...]] = (
    _too_long,
    _speakers,
    _as_agent,
    _leaks,
    _contradicts,
    _ends_early,
    _repeats,
    _thanks_for_ever,
)


def _is_plain(words: Sequence[str]) -> bool:
    return set(words) <= _PLAIN


def _is_pleasantry(text: str) -> bool:
    words = set(_words(text))
    return bool(words) and words <= _NICETIES and bool(words & _NICETY_HEADS)


_QUOTED = re.compile(r"[\"“«][^\"”»]*+(?P<closed>[\"”»])?")


def _without_quotes(text: str) -> str:
    """What stands in quotation marks is somebody's line, and may be said as it is written."""
    return _QUOTED.sub(lambda quoted: " … " if quoted["closed"] else quoted[0], text)
