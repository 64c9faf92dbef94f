"""Numbers and money in running text, by value (documents.md: mentions).

`1,624.00` is 1624 and `$44.08` is 44.08 dollars; `10` is not in `#W100`, nor in `10:30`, `2026-10-05` or `1.10.2`.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Amount", "amounts_in", "one_amount"]

_CURRENCIES = "$€£¥₹₩₽₺₴₫₪₱₦฿"
_NUMBER = (
    r"\d{1,3}(?:\.\d{3})+,\d{1,2}"  # 1.624,00
    r"|\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?:\.\d+)?"  # 1,624.00 and 1'624.00
    r"|\d+,\d{2}"  # 44,08
    r"|\d+(?:\.\d+)?"
    r"|\.\d+"
)
_NOT_AFTER = r"(?<![\w.])(?<!\d[,'’])"
_NOT_BEFORE = r"(?![\w])(?![.,'’:]\d)"
_AMOUNT = re.compile(
    # What holds digits but is no number is taken first, whole, so that no part of it is taken for one.
    r"\d{4}-\d{1,2}-\d{1,2}\S*"
    r"|\d{1,2}(?::\d{2})+"
    r"|\d{1,4}(?:[/.]\d{1,4}){2,}"
    r"|(?P<amount>(?P<sign>(?<![\w)\]])[-−–])?"
    rf"(?:(?P<before>[{_CURRENCIES}])[ \u00a0]?(?P<inner>[-−])?)?"
    rf"{_NOT_AFTER}(?P<number>{_NUMBER}){_NOT_BEFORE}"
    rf"(?:[ \u00a0]?(?P<after>[{_CURRENCIES}%]))?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number with the sign that stands at it."""

    value: Decimal
    unit: str = ""
    """A currency sign or `%`; empty when there is none."""

    def is_said_by(self, other: "Amount") -> bool:
        """Whether `other` says this: equal by value, and no other unit where both have one."""
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)


def amounts_in(text: str) -> tuple[Amount, ...]:
    """Every number on word borders, in order."""
    return tuple(_amount(found) for found in _AMOUNT.finditer(text) if found["amount"] is not None)


def one_amount(text: str) -> Amount | None:
    """The number that a text is, and nothing else; None for any other text."""
    found = _AMOUNT.fullmatch(text.strip())
    return None if found is None or found["amount"] is None else _amount(found)


def _amount(found: re.Match[str]) -> Amount:
    value = Decimal(_plain(found["number"]))
    negative = found["sign"] is not None or found["inner"] is not None
    return Amount(value=-value if negative else value, unit=found["before"] or found["after"] or "")


def _plain(number: str) -> str:
    """As `Decimal` reads it: the last point or a comma before two digits is decimal, all else groups."""
    if re.fullmatch(r"[\d.]*\d,\d{1,2}", number):
        return number.replace(".", "").replace(",", ".")
    return re.sub(r"[,'’\u00a0\u202f]", "", number)
