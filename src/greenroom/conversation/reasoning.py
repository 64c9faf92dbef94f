"""A model's reasoning, taken out of what it says before anybody else hears it (S17)."""

import re

__all__ = ["without_reasoning"]

_REASONING = re.compile(r"<(think|thinking|reasoning)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_REASONING_END = re.compile(r"\A.*</(?:think|thinking|reasoning)\s*>", re.IGNORECASE | re.DOTALL)


def without_reasoning(text: str) -> str:
    """The words that are meant for the person, without reasoning blocks and without blank space around them.

    A block that was never closed goes on to the end; a closing mark without an opening one (some servers put the
    opening mark into the prompt) takes everything before it.
    """
    if "<" in text:
        text = _REASONING_END.sub("", _REASONING.sub("", text))
    return text.strip()
