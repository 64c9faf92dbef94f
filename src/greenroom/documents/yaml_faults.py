"""Bytes that are not text, and text that is not YAML, in words of ours: line, column, what to write instead."""

import yaml
from yaml.error import MarkedYAMLError
from yaml.reader import ReaderError

__all__ = ["checked_utf8", "fault_of"]

_BOMS = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)

_SAID = (
    ("mapping values are not allowed", "a `:` can't stand here; quote the text that has it, or check the indentation"),
    ("block sequence entries are not allowed", "a list begins on its own line; `- ` can't stand here"),
    ("did not find expected key", "this doesn't go on as the mapping around it; check the indentation and the quotes"),
    ("did not find expected '-' indicator", "this doesn't go on as the list around it; check the indentation"),
    ("did not find expected ',' or ']'", "a `,` or the `]` of this list is missing"),
    ("did not find expected ',' or '}'", "a `,` or the `}` of this mapping is missing"),
    ("did not find expected node content", "a value is missing here"),
    ("did not find expected <document start>", "this stands after the end of the document"),
    ("could not find expected ':'", "the `:` after this key is missing"),
    ("found unexpected end of stream", "the quote that begins here is never closed"),
    ("found unexpected document indicator", "a line `---` or `...` stands inside a quoted text"),
    (
        "found unknown escape character",
        "unknown escape in double quotes; write `\\\\` for a backslash, or use single quotes",
    ),
    ("found invalid Unicode character escape", "half of a surrogate pair is no character; write the character itself"),
    ("did not find expected hexdecimal number", "an escape such as `\\u00e9` wants hexadecimal digits"),
    ("found a tab character", "a tab can't indent; use spaces"),
    ("found undefined tag handle", "tags are not used here; quote text that begins with `!`"),
    ("found incompatible YAML document", "only YAML 1.1 and 1.2 are read"),
    ("did not find expected alphabetic", "a name is missing after `&` or `*`; quote text that begins with them"),
    ("found duplicate %", "a directive is written twice"),
    ("found unknown directive", "unknown directive; quote text that begins with `%`"),
    ("exceeded maximum", "this is nested too deeply"),
)
"""What libyaml says, and what we say."""

_POINTS_AT_CONTEXT = ("did not find expected ',' or", "found unexpected end of stream")
"""Faults that show at the end of the file, but belong to where the list or the text begins."""


def checked_utf8(data: bytes | str) -> tuple[bytes, tuple[int, int, str] | None]:
    """A file's UTF-8 without its byte-order mark, or the line, column and message of what is wrong."""
    if isinstance(data, str):
        data = data.encode(errors="surrogatepass")
    for mark, name in _BOMS:
        if data.startswith(mark):
            return b"", (1, 1, f"this file is {name}; save it as UTF-8")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", errors="replace")) + 1
        return b"", (line, column, f"this is not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8")

    return data, None


def fault_of(error: yaml.YAMLError, utf8: bytes) -> tuple[int, int, str]:
    """Line, column and message of a fault of syntax in this text."""
    if isinstance(error, ReaderError):
        before, after = utf8[: error.position].decode(errors="ignore"), utf8[error.position :].decode(errors="ignore")
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        sign = ord(after[0]) if after else 0
        return (
            line + 1,
            column + 1,
            f"the character U+{sign:04X} can't stand in YAML; write it as \\u{sign:04x} in double quotes",
        )
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return 1, 1, "this is not YAML"
    problem = str(error.problem)
    mark = error.problem_mark
    if problem.startswith(_POINTS_AT_CONTEXT) and error.context_mark is not None:
        mark = error.context_mark
    line, column = mark.line, mark.column
    lines = utf8.splitlines()
    there = lines[line].decode(errors="ignore") if line < len(lines) else ""
    return line + 1, column + 1, _message(problem, there, column)


def _message(problem: str, line: str, column: int) -> str:
    if problem.startswith("found character that cannot start any token"):
        sign = line[column] if column < len(line) else ""
        if sign == "\t" or line[:column].endswith("\t"):
            return "a tab can't indent; use spaces"
        return f"a text can't begin with {sign!r}; put it in quotes"
    said = next((ours for theirs, ours in _SAID if problem.startswith(theirs)), "this is not YAML; check the quotes")
    if "{{" in line:
        said += " (a value that begins with `{{` must be in quotes)"
    return said
