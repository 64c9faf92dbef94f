r"""JavaScript regular expressions with a time bound; refusals say what to write instead (features.md C12).

A pattern is JavaScript's without Unicode mode and means what a JavaScript engine makes of it: UTF-16 units, so that
`^.$` does not match an emoji, and lone surrogates reach it as they are. `check_pattern` is asked when a pattern is
saved, `search` when it is used. Knows nothing of matchers or documents.

`search` blocks its thread for as long as the match takes, half a second at most. Code on an event loop awaits
`search_off_loop`, or hands a whole decision with many patterns in it to `off_loop`.
"""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial
from hashlib import sha256
from importlib import import_module
from types import MappingProxyType
from typing import ParamSpec, Protocol, TypeVar, cast

from greenroom.clock import cpu_of_this_thread
from greenroom.errors import PatternRefused, PatternTimeout

__all__ = [
    "MATCH_SECONDS",
    "PATTERN_CHARS",
    "check_pattern",
    "off_loop",
    "search",
    "search_off_loop",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")

MATCH_SECONDS = 0.5
"""The hard bound of one match."""

PATTERN_CHARS = 10_000
"""The longest pattern: compiling can't be stopped, and takes as long as the square of it."""

_QUICK_SECONDS = 0.05
"""What the others wait for a match at most; a hundred times what one takes."""

_OTHERS_SHARE = 1.1
"""How much longer the engine may run before it looks at the clock of its thread, for it counts what all threads used.

Without it, next to a thread that does nearly nothing, a match would be stopped just before its bound and begun anew.
"""

_REMEMBERED = 256
"""Slow patterns, and texts of each, that are remembered before the engine forgets them and finds out again."""

_THREADS = 32
"""For decisions off the event loop. More than the default executor's, which a few that wait their turn would fill."""

_COMPILED_KEPT = 512
"""Compiled patterns that the engine remembers before it starts anew: far more than a project has."""

_MEMORY = 256 * 1024 * 1024
"""Bytes that one context may use: what a match keeps of the ways it may still try is a small part of it."""

_PROGRAM = """
const compiled = new Map();
function search(source, text) {
  try {
    let pattern = compiled.get(source);
    if (pattern === undefined) {
      pattern = new RegExp(source);
      if (compiled.size >= %d) compiled.clear();
      compiled.set(source, pattern);
    }
    return pattern.test(text);
  } catch (error) {
    return error.message;
  }
}
"""


def check_pattern(source: str, *, parameters: bool = False) -> None:
    r"""Refuse a pattern that JavaScript would read otherwise than its writer, or not at all (features.md C12).

    Args:
        source: The pattern as written, without slashes and flags.
        parameters: Whether it stands in a required call's parameters, where back-references, characters outside the
            Basic Multilingual Plane, non-ASCII under `(?i:…)`, `\S` in a class without `\s` and `\c` are refused too.

    Raises:
        PatternRefused: With every reason and what to write instead, or with what is wrong with its syntax.
    """
    if not source:
        raise PatternRefused(source, "an empty pattern fits every text; leave it out or write `{any: true}`")
    reasons = list(dict.fromkeys(_Reader(parameters=parameters).reasons(source)))
    if reasons:
        raise PatternRefused(source, "; ".join(reasons))
    search(source, "")


def search(source: str, text: str) -> bool:
    """Whether the pattern is found anywhere in the text.

    Safe from any thread; matches take turns, and the bound counts from the moment a match begins.

    Raises:
        PatternTimeout: The match ran over `MATCH_SECONDS`, now or earlier in this process; it was stopped and the
            next one runs as usual.
        PatternRefused: It is longer than `PATTERN_CHARS`, or the engine can't compile it.
    """
    if len(source) > PATTERN_CHARS:
        raise PatternRefused(source, f"it has {len(source):,} characters; {PATTERN_CHARS:,} are the most")
    found = _engine().search(source, text)
    if isinstance(found, str):
        raise PatternRefused(source, _IN_OUR_WORDS.get(found, found))
    return found


async def search_off_loop(source: str, text: str) -> bool:
    """`search` in a thread, so that the event loop goes on meanwhile."""
    return await off_loop(search, source, text)


async def off_loop(decide: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """A decision with patterns in it, made in one of the threads that are kept for such."""
    return await asyncio.get_running_loop().run_in_executor(_threads(), partial(decide, *args, **kwargs))


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="patterns")


class _QuickJS(Protocol):
    """What is used of the module, which has no types of its own."""

    JSException: type[Exception]

    def Context(self) -> "_Context": ...


class _Context(Protocol):
    def eval(self, code: str) -> object: ...
    def set_time_limit(self, seconds: float) -> None: ...
    def set_memory_limit(self, size: int) -> None: ...


class _Lane:
    """One JavaScript context. It runs one match at a time and stops one that runs over the lane's bound."""

    def __init__(self, seconds: float) -> None:
        # Imported here: most commands meet no pattern.
        quickjs = cast("_QuickJS", import_module("quickjs"))
        self.turn = threading.Lock()
        """To be held for a match."""
        self._seconds = seconds
        self._fault = quickjs.JSException
        self._javascript = quickjs.Context()
        self._javascript.set_memory_limit(_MEMORY)
        self._javascript.eval(_PROGRAM % _COMPILED_KEPT)

    def run(self, source: str, text: str) -> bool | str | None:
        """Whether it was found, or the engine's reason why it can't be looked for; None when it ran over the bound."""
        # As ASCII JSON, which is JavaScript too: lone surrogates would not survive as UTF-8.
        code = f"search({json.dumps(source)},{json.dumps(text)})"
        limit = self._seconds * _OTHERS_SHARE
        while True:
            began = cpu_of_this_thread()
            self._javascript.set_time_limit(limit)
            try:
                answer = self._javascript.eval(code)
            except self._fault as fault:
                if "interrupted" not in str(fault):
                    return str(fault).partition("\n")[0]
                # The engine counts what all threads of the process used, and the bound is for this match alone.
                if cpu_of_this_thread() - began >= self._seconds:
                    return None
                limit *= 2
            else:
                return answer if isinstance(answer, bool) else str(answer)


class _Engine:
    """Two lanes, so that a runaway pattern is not waited for by the others.

    The quick lane stops a match early, and the patient lane then runs it to the real bound, as it does with every
    later match of that pattern. What ran over the real bound is remembered and costs its time once.
    """

    def __init__(self) -> None:
        self._quick = _Lane(_QUICK_SECONDS)
        self._slow: dict[str, set[bytes]] = {}
        """Patterns that were too slow for the quick lane, with the texts on which they ran over the real bound."""

    @cached_property
    def _patient(self) -> _Lane:
        # Two threads may each make one; that is a little memory and no harm.
        return _Lane(MATCH_SECONDS)

    def search(self, source: str, text: str) -> bool | str:
        """Whether it was found, or the engine's reason why it can't be looked for."""
        if source not in self._slow:
            with self._quick.turn:
                # Whoever waited for its turn may find that the match before it was one of the same pattern.
                answer = None if source in self._slow else self._quick.run(source, text)
                if answer is not None:
                    return answer
                if len(self._slow) >= _REMEMBERED:
                    self._slow.clear()
                self._slow.setdefault(source, set())
        return self._patiently(source, text)

    def _patiently(self, source: str, text: str) -> bool | str:
        known = sha256(text.encode("utf-8", "surrogatepass")).digest()
        ran_over = self._slow.setdefault(source, set())
        if known not in ran_over:
            with self._patient.turn:
                answer = None if known in ran_over else self._patient.run(source, text)
                if answer is not None:
                    return answer
                if len(ran_over) >= _REMEMBERED:
                    ran_over.clear()
                ran_over.add(known)
        raise PatternTimeout(source, MATCH_SECONDS)


_IN_OUR_WORDS: Mapping[str, str] = MappingProxyType({
    "expecting ')'": r"a group is not closed; write `)` where it ends, or `\(` for the character",
    "extraneous characters at the end": r"a `)` closes no group; write `\)` for the character",
    "unexpected end": r"it ends too early: a class `[…]` is not closed, or a single backslash stands at the end",
    "nothing to repeat": r"`*`, `+`, `?` or `{…}` has nothing to repeat; for the character write a backslash before it",
    "invalid repetition count": "a repetition goes backwards, as `{2,1}` does; write the smaller number first",
    "invalid class range": "a range in a class goes backwards, as `[b-a]` does; write the smaller character first",
    "invalid group": r"`(?` begins no group that JavaScript has; write `(?:…)`, or `\(\?` for the characters",
    "invalid group name": "a group's name is no name or not finished; write `(?<name>…)`",
    "duplicate group name": "two groups have the same name",
    "group name not defined": r"`\k<…>` refers to a group that isn't there",
    "too many captures": "it has more than 254 groups; write `(?:…)` for those that nothing refers to",
})
"""What the engine says of a pattern that it can't take, for people; all else is told as the engine says it."""


@cache
def _engine() -> _Engine:
    """The process's engine, made at the first pattern. It holds no state that a caller can see.

    Two threads that come first at once may each make one; the one that isn't kept serves its caller only.
    """
    return _Engine()


_ESCAPE = r"\\(?:[uNpPx]\{[^}\]]*\}|U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)"
_IN_CLASS = re.compile(rf"{_ESCAPE}|.", re.DOTALL)
_OUTSIDE = re.compile(
    rf"""
    \\k<[^>]*> | \\[1-9][0-9]* | {_ESCAPE}
    | \(\?P[<=>][^>)]*[>)]?               # Python's named groups and references
    | \(\?<(?![=!])                       # named groups
    | \(\?[#>(]                           # comments, atomic groups, conditions
    | (?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})\+ # possessive quantifiers
    | \(\?[a-zA-Z]+(?:-[a-zA-Z]*)?\)      # flags for the rest of the pattern
    | \(\?[a-zA-Z]*(?:-[a-zA-Z]*)?:       # a group, with flags or without
    | .
    """,
    re.DOTALL | re.VERBOSE,
)

_ANYWHERE: Mapping[str, str] = MappingProxyType({
    r"\A": r"`\A` is Python's for the beginning; write `^`",
    r"\z": r"`\z` is Python's for the end; write `$`",
    r"\Z": r"`\Z` is Python's for the end; write `$`",
    r"\a": r"`\a` is Python's for the bell; write `\x07`",
    "(?#": "`(?#…)` is Python's for a comment; leave it out",
    "(?>": "`(?>…)` is Python's for a group without a way back; write `(?:…)`",
    "(?(": "`(?(…)…)` is Python's for a condition; write both ways out as `(?:…|…)`",
})


class _Reader:
    """Reads a pattern once, token by token, and says what is to be refused in it."""

    def __init__(self, *, parameters: bool) -> None:
        self._parameters = parameters
        self._in_class = False
        self._class_escapes: set[str] = set()
        self._folding = [False]
        """Whether case is ignored, a level for each open group."""
        self._after_high_surrogate = False
        self._has_names = self._refers_in_class = False

    def reasons(self, source: str) -> Iterator[str]:
        """Each reason to refuse the pattern, in the order of the text."""
        at = 0
        while found := (_IN_CLASS if self._in_class else _OUTSIDE).match(source, at):
            at, token = found.end(), found.group()
            yield from self._everywhere(token)
            if self._parameters:
                yield from self._in_parameters(token)
            self._follow(token)
        if self._has_names and self._refers_in_class:
            yield r"`\k` in a class refers to nothing; write `k`"

    def _everywhere(self, token: str) -> Iterator[str]:
        if token in _ANYWHERE:
            yield _ANYWHERE[token]
        elif token.startswith((r"\p{", r"\P{")):
            yield f"`{token}` needs Unicode mode; list the characters in a class, for example `[A-Za-zÀ-ÿ]`"
        elif token.startswith(r"\u{"):
            yield f"`{token}` needs Unicode mode; {self._instead_of(_code_point(token))}"
        elif token.startswith((r"\N{", r"\U")) and len(token) > 2:
            yield f"`{token}` is Python's; write the character itself or `\\uXXXX` with four hex digits"
        elif token.startswith(r"\x{"):
            yield f"`{token}` is no JavaScript; write `\\xHH` with two hex digits or `\\uXXXX` with four"
        elif not self._in_class and len(token) > 1 and token.endswith("+") and token[0] in "*+?{":
            yield f"`{token}` is Python's for taking all and giving nothing back; write `{token[:-1]}`"
        elif not self._in_class and token.startswith("(?"):
            yield from _foreign_group(token)

    def _instead_of(self, code: int | None) -> str:
        """What to write for a character by its code; beyond four hex digits parameters take none (features.md C12)."""
        if code is not None and code > 0xFFFF:
            return _NO_ASTRAL if self._parameters else "write the character itself"
        return "write the character itself or `\\uXXXX` with four hex digits"

    def _in_parameters(self, token: str) -> Iterator[str]:
        where = "in a call's parameters"
        if token == "]" and self._in_class and r"\S" in self._class_escapes and r"\s" not in self._class_escapes:
            yield rf"`\S` in a class without `\s` is refused {where}; list what is meant, or write `[\s\S]` for any"
        if token == r"\c":
            yield rf"`\c` is refused {where}; write the control character as `\xHH`"
        if not self._in_class and (token.startswith(r"\k<") or re.fullmatch(r"\\[1-9][0-9]*", token)):
            yield f"the back-reference `{token}` is refused {where}; write out what it repeats"
        code = _code_of(token)
        if code > 0xFFFF or (self._after_high_surrogate and 0xDC00 <= code <= 0xDFFF):
            yield (f"a character outside the Basic Multilingual Plane ({token!r}) is refused {where}; {_NO_ASTRAL}")
        elif code > 0x7F and self._folding[-1]:
            yield f"{token!r} under `(?i:…)` is refused {where}; list both cases in a class outside of it"

    def _follow(self, token: str) -> None:
        self._after_high_surrogate = 0xD800 <= _code_of(token) <= 0xDBFF
        if self._in_class:
            self._refers_in_class |= token == r"\k"
            self._class_escapes.add(token)
            self._in_class = token != "]"
        elif token == "[":
            self._in_class = True
            self._class_escapes = set()
        elif token == ")" and len(self._folding) > 1:
            self._folding.pop()
        elif token.startswith("("):
            self._has_names |= token == "(?<"
            self._folding.append(_folds(token, self._folding[-1]))


def _foreign_group(token: str) -> Iterator[str]:
    if token.startswith("(?P<"):
        yield f"`{token}` is Python's; write a named group as `(?<name>…)`"
    elif token.startswith("(?P="):
        yield rf"`{token}` is Python's; write a reference to a named group as `\k<name>`"
    elif token.startswith("(?P>"):
        yield f"`{token}` is no JavaScript; write the group out again"
    elif token.endswith(")"):
        flags = token[2:-1]
        if set(flags) <= set("ims-"):
            yield f"`{token}` is Python's; write `(?{flags}:…)` around the part it applies to"
        else:
            yield f"`{token}` is Python's; JavaScript has the flags i, m and s, written `(?i:…)` around a part"


def _folds(token: str, outside: bool) -> bool:
    """Whether case is ignored inside a group that opens with this token."""
    if not token.endswith(":"):
        return outside
    on, _, off = token[2:-1].partition("-")
    return "i" in on or (outside and "i" not in off)


_NO_ASTRAL = "leave the character out, or match what stands around it"


def _code_point(token: str) -> int | None:
    r"""The number in `\u{…}`; None when it is none."""
    digits = token[3:].rstrip("}")
    return int(digits, 16) if re.fullmatch("[0-9A-Fa-f]{1,8}", digits) else None


def _code_of(token: str) -> int:
    """The character that a token stands for, as a number; 0 for what stands for none in particular."""
    if len(token) == 1:
        return ord(token)
    if token.startswith((r"\u", r"\x")) and len(token) > 2 and token[2] != "{":
        return int(token[2:], 16)
    return ord(token[1]) if token.startswith("\\") and len(token) == 2 else 0
