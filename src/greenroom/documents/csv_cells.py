"""How a cell of a CSV file is written so that a spreadsheet leaves it alone and it reads back as what it was.

Export and import both ask here, so that what one writes the other takes for the same.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from greenroom.conversation.json_values import Json

__all__ = ["answers_only", "as_consents", "as_items", "as_text", "consents_cell", "items_cell", "text_cell"]

_FORMULA: Final = re.compile(r"'* *[=+\-@\t\r\n＝＋－＠]")
"""What a spreadsheet takes for the beginning of a formula, behind any number of our own apostrophes."""
_BETWEEN: Final = "; "
_REFUSED: Final = "not "
_ANSWERS: Final = frozenset({"yes", "no", "true", "false", "y", "n", "1", "0", "x"})
"""What people write in a column of consent that says given or refused, and names no kind of it."""


def text_cell(text: str) -> str:
    """The text, behind an apostrophe where a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_text(cell: str) -> str:
    """What `text_cell` was given; any other cell is the text that it shows."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def items_cell(items: Sequence[str]) -> str:
    """`vip; north`, or JSON where that would read back as something else."""
    written = text_cell(_BETWEEN.join(items))
    return written if as_items(written) == tuple(items) else json.dumps(list(items), ensure_ascii=False)


def as_items(cell: str) -> tuple[str, ...]:
    """What `items_cell` was given; what nobody wrote so is parted at each semicolon."""
    text = as_text(cell).strip()
    found = _json(text) if text.startswith("[") else None
    if isinstance(found, list) and all(isinstance(item, str) for item in found):
        return tuple(cast("list[str]", found))
    return tuple(dict.fromkeys(item for part in text.split(";") if (item := part.strip())))


def consents_cell(consent: Mapping[str, bool]) -> str:
    """`messages; not calls`: what was given and what was refused; JSON where that would read back otherwise."""
    written = items_cell([kind if given else f"{_REFUSED}{kind}" for kind, given in consent.items()])
    plain = as_consents(written) == consent and not answers_only(written)
    return written if plain else json.dumps(dict(consent), ensure_ascii=False)


def answers_only(cell: str) -> bool:
    """Whether the cell says yes or no where kinds of consent are named."""
    return as_text(cell).strip().casefold() in _ANSWERS


def as_consents(cell: str) -> Mapping[str, bool]:
    """What `consents_cell` was given."""
    text = as_text(cell).strip()
    found = _json(text) if text.startswith("{") else None
    if isinstance(found, dict) and all(isinstance(given, bool) for given in found.values()):
        return cast("dict[str, bool]", found)
    return {item.removeprefix(_REFUSED).strip(): not item.startswith(_REFUSED) for item in as_items(cell)}


def _json(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return None
