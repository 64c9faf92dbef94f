"""YAML with the scalars of YAML 1.2, as plain values that remember where they stand.

Duplicate keys are refused; anchors, aliases and `<<` are allowed within a bound. Reads libyaml's events, never a tree
of nodes: 10 MB take 3 s. Knows nothing of documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from greenroom.documents.yaml_faults import checked_utf8, fault_of
from greenroom.documents.yaml_scalars import resolved
from greenroom.documents.yaml_values import COLUMN_BITS, Written, Yaml, YamlList, YamlMap

__all__ = [
    "ALIAS_BOUND",
    "DEPTH_BOUND",
    "Problem",
    "Taker",
    "Written",
    "Yaml",
    "YamlDocument",
    "YamlList",
    "YamlMap",
    "read_yaml",
    "resolved",
]

ALIAS_BOUND = 1_000_000
"""Values that the aliases of one file may stand for, all together; a nested bomb passes it within ten lines."""
DEPTH_BOUND = 100
"""Levels of nesting. The readers behind recurse."""


class Problem(NamedTuple):
    """Something that is not YAML, or YAML that we refuse."""

    at: int
    message: str

    @property
    def line(self) -> int:
        """From 1."""
        return (self.at >> COLUMN_BITS) + 1

    @property
    def column(self) -> int:
        """From 1."""
        return (self.at & ((1 << COLUMN_BITS) - 1)) + 1


def _problem_at(line: int, column: int, message: str) -> Problem:
    return Problem((line - 1 << COLUMN_BITS) + column - 1, message)


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What a file holds. With problems of its syntax there is no root."""

    root: Written | None
    problems: tuple[Problem, ...]


class Taker(Protocol):
    """Takes the entries of one large mapping as they are read, so that their values need not stay in memory."""

    @property
    def mapping(self) -> str:
        """The key of the mapping, at the top of the document."""
        ...

    def take(self, root: YamlMap, key: str, key_at: int, written: "Written") -> bool:
        """Whether this entry is taken; its value is null in the document then. `root` is what was read before."""
        ...


def read_yaml(data: bytes | str, taker: Taker | None = None) -> YamlDocument:
    """The one document of a file; never raises for what is in it. A file without content has a null root."""
    utf8, problem = checked_utf8(data)
    if problem is not None:
        return YamlDocument(None, (_problem_at(*problem),))
    swapped, signs = _swapped(utf8)
    builder = _Builder(signs, taker)
    try:
        builder.run(swapped)
    except yaml.YAMLError as error:
        builder.problems.append(_problem_at(*fault_of(error, utf8)))
        return YamlDocument(None, tuple(builder.problems))
    except _Refused as refused:
        builder.problems.append(refused.problem)
        return YamlDocument(None, tuple(builder.problems))
    return YamlDocument(builder.root, tuple(builder.problems))


_BREAKS_OF_1_1 = ("\x85", "\u2028", "\u2029")


def _swapped(utf8: bytes) -> tuple[bytes, dict[int, str]]:
    """The text with stand-ins for what YAML 1.1 takes for line breaks, and the way back.

    libyaml is of YAML 1.1, to which these three are line breaks; in 1.2 they are characters like any other.
    """
    found = [sign for sign in _BREAKS_OF_1_1 if sign.encode() in utf8]
    if not found:
        return utf8, {}
    text = utf8.decode()
    free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    swaps = dict(zip(found, free, strict=False))
    there = {ord(sign): stand_in for sign, stand_in in swaps.items()}
    return text.translate(there).encode(), {ord(stand_in): sign for sign, stand_in in swaps.items()}


class _Refused(Exception):
    """Reading can't go on."""

    def __init__(self, at: int, message: str) -> None:
        self.problem = Problem(at, message)
        super().__init__(message)


def _at(event: yaml.Event) -> int:
    mark = event.start_mark
    return (mark.line << COLUMN_BITS) + mark.column


class _Anchored(NamedTuple):
    written: Written
    size: int
    """Values in it, aliases counted with all that they stand for."""


class _Open:
    """A mapping or list that is being read."""

    __slots__ = ("anchor", "at", "key", "key_at", "merges", "merging", "size", "target")

    def __init__(self, target: YamlMap | YamlList, at: int, anchor: str | None) -> None:
        self.target = target
        self.at = at
        self.anchor = anchor
        self.size = 1
        self.key: str | None = None
        """The key whose value comes next."""
        self.key_at = 0
        self.merging = False
        """What comes next is to be merged in."""
        self.merges: list[YamlMap] | None = None

    @property
    def wants_key(self) -> bool:
        """Whether a key comes next."""
        return self.key is None and type(self.target) is YamlMap


class _Builder:
    """Builds values from events, with a stack of its own."""

    def __init__(self, signs: dict[int, str], taker: Taker | None) -> None:
        self.root: Written | None = None
        self.problems: list[Problem] = []
        self._signs = signs
        self._taker = taker
        self._keys: dict[str, str] = {}
        """Each key once: a large document says `expect` ten thousand times."""
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchored] = {}
        self._documents = 0
        self._aliased = 0

    def run(self, text: bytes) -> None:
        """Read all events."""
        # PyYAML's stub leaves the stream of events untyped.
        events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]
        for event in events:
            if isinstance(event, ScalarEvent):
                self._scalar(event)
            elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
                self._open(event)
            elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
                self._close()
            elif isinstance(event, AliasEvent):
                self._alias(event)
            elif isinstance(event, DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise _Refused(_at(event), "a second document begins here; write one document a file")
        if self.root is None:
            self.root = Written(None, 0)

    def _scalar(self, event: ScalarEvent) -> None:
        text = event.value.translate(self._signs) if self._signs else event.value
        at = _at(event)
        plain = event.implicit[0] and event.tag is None
        stack = self._stack
        if stack and stack[-1].wants_key:
            written = Written(text, at)
            self._key(stack[-1], written, merges=plain and text == "<<")
        elif event.tag is not None:
            written = _tagged(event.tag, text, at)
            self._put(written, 1)
        elif plain:
            value = resolved(text)
            written = Written(value, at, None if type(value) is str else text)
            self._put(written, 1)
        else:
            written = Written(text, at)
            self._put(written, 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(written, 1)

    def _open(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        at = _at(event)
        mapping = type(event) is MappingStartEvent
        if self._stack and self._stack[-1].wants_key:
            raise _Refused(at, _key_refusal(mapping and bool(event.flow_style)))
        if event.tag not in {None, "!", _TAG + ("map" if mapping else "seq")}:
            raise _Refused(at, f"tags such as {event.tag} are not used here; write the value without it")
        if len(self._stack) >= DEPTH_BOUND:
            raise _Refused(at, f"this is nested deeper than {DEPTH_BOUND} levels")
        self._stack.append(_Open(YamlMap() if mapping else YamlList(), at, event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        if done.merges is not None and isinstance(done.target, YamlMap):
            for merged in done.merges:
                for key, key_at, value in merged.entries():
                    if key not in done.target:
                        done.target.add(key, key_at, value)
        written = Written(done.target, done.at)
        if done.anchor is not None:
            self._anchors[done.anchor] = _Anchored(written, done.size)
        self._put(written, done.size)

    def _alias(self, event: AliasEvent) -> None:
        at, name = _at(event), event.anchor
        anchored = self._anchors.get(name)
        if anchored is None:
            if any(name == around.anchor for around in self._stack):
                raise _Refused(at, f"*{name} stands inside &{name} itself")
            raise _Refused(at, f"*{name} stands for nothing; the anchor &{name} must come before it")
        self._aliased += anchored.size
        if self._aliased > ALIAS_BOUND:
            raise _Refused(at, f"the aliases of this file stand for more than {ALIAS_BOUND:,} values")
        value, _, source = anchored.written
        if self._stack and self._stack[-1].wants_key:
            if anchored.written.text is None:
                raise _Refused(at, _key_refusal(False))
            self._key(self._stack[-1], Written(anchored.written.text, at), merges=False)
        else:
            self._put(Written(value, at, source), anchored.size)

    def _key(self, top: _Open, written: Written, *, merges: bool) -> None:
        key = self._keys.setdefault(str(written.value), str(written.value))
        if key in top.target or (merges and top.merges is not None):
            first = top.target.key_at(key) if isinstance(top.target, YamlMap) and key in top.target else top.at
            where = Written(None, first).line
            self.problems.append(Problem(written.at, f"the key {key!r} stands here twice (first in line {where})"))
        top.key, top.key_at, top.merging = key, written.at, merges

    def _put(self, written: Written, size: int) -> None:
        if not self._stack:
            self.root = written
            return
        top = self._stack[-1]
        top.size += size
        target, key = top.target, top.key
        if type(target) is YamlList:
            target.add(written)
        elif type(target) is YamlMap and key is not None:
            top.key = None
            if top.merging:
                top.merges = [*(top.merges or ()), *_to_merge(written)]
            elif key not in target:
                taken = self._taker is not None and len(self._stack) == 2 and self._is_taken(key, top.key_at, written)
                target.add(key, top.key_at, Written(None, written.at) if taken else written)

    def _is_taken(self, key: str, key_at: int, written: Written) -> bool:
        outer, taker = self._stack[0], self._taker
        root = outer.target
        if taker is None or outer.key != taker.mapping or not isinstance(root, YamlMap):
            return False
        return taker.take(root, key, key_at, written)


def _to_merge(written: Written) -> list[YamlMap]:
    """What `<<` merges in; of several mappings the first that has a key gives it."""
    value = written.value
    if isinstance(value, YamlMap):
        return [value]
    if isinstance(value, YamlList):
        mappings = [item for item in value if isinstance(item, YamlMap)]
        if len(mappings) == len(value):
            return mappings
    raise _Refused(written.at, "`<<` merges a mapping or a list of mappings; quote it to have a key of that name")


def _key_refusal(flow_mapping: bool) -> str:
    if flow_mapping:
        return "{{ … }} without quotes is a mapping in YAML; write it in quotes: '{{ … }}'"
    return "a key is text, not a list or a mapping"


_TAG = "tag:yaml.org,2002:"


def _tagged(tag: str, text: str, at: int) -> Written:
    """A scalar whose kind is written: `!!str 5`, `! 5`."""
    if tag in {"!", _TAG + "str"}:
        return Written(text, at)
    value = resolved(text)
    fits = {"int": type(value) is int, "float": type(value) in {int, float}, "bool": type(value) is bool}
    fits["null"] = value is None
    if not fits.get(tag.removeprefix(_TAG), False):
        shown = "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag
        raise _Refused(at, f"the tag {shown} does not fit {text!r}; write the value without it")
    return Written(float(value) if tag == _TAG + "float" and isinstance(value, int) else value, at, text)
