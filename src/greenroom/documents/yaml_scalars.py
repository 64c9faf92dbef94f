"""Plain scalars by the core schema of YAML 1.2: `no` and `12:30` are text, `0o17` is 15, `1e3` is a number."""

import re

__all__ = ["resolved"]

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INT64 = range(-(2**63), 2**64)


def resolved(text: str) -> str | int | float | bool | None:
    """A plain scalar by YAML 1.2's core schema. An integer beyond 64 bits is a float, as our JSON reader has it."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INT.fullmatch(text):
        whole = int(text) if len(text) < 32 else None
        return whole if whole is not None and whole in _INT64 else float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.lower().replace(".", ""))
    return text
