"""The table of rules names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| ([A-Z]\d+) \| (.+?) \| `(.+?)::(.+?)` \|$",
    (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_line_of_the_table_is_a_rule_with_its_test() -> None:
    page = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
    assert len(ROWS) == sum(line.startswith("|") for line in page.splitlines()) - 2


def test_every_test_that_is_named_exists() -> None:
    assert [f"{path}::{name}" for _, _, path, name in ROWS if name not in names_in(path)] == []


def test_rules_are_sorted_by_row_and_told_once() -> None:
    rows = [(row[0], int(row[1:])) for row, *_ in ROWS]
    assert rows == sorted(rows)
    rules = [(row, rule) for row, rule, *_ in ROWS]
    assert len(set(rules)) == len(rules)
