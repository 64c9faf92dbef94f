"""The rules of CONTRIBUTING.md that no tool holds. Allow-lists only shrink."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import cast

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "greenroom"
MODULES = sorted(SOURCE.rglob("*.py"))
PYTHON_FILES = sorted([*MODULES, *(ROOT / "tests").rglob("*.py")])

LONGEST_FILE = 420
LONGER_FILES: frozenset[str] = frozenset()
"""Files that may be longer, until somebody finds the missing idea. Nothing is added here."""

COLLECTORS = frozenset({"Reading"})
"""Of `documents`: what fills while a file is read, and is no value. Nothing is added here."""

NOT_FOR_HELP = (
    "sqlalchemy",
    "alembic",
    "aiohttp",
    "pydantic",
    "pydantic_ai",
    "yaml",
    "orjson",
    "quickjs",
    "asyncio",
)
"""What `greenroom --help` loads nothing of: the database, the models, and all else that is slow to load."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def python(code: str) -> str:
    """What a fresh interpreter prints for this code; fails with what it complains of."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_file_is_too_long() -> None:
    longer = {
        name_of(path) for path in PYTHON_FILES if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    }
    assert longer == LONGER_FILES


def public_names(tree: ast.Module) -> Iterator[str]:
    """Functions, classes and constants that a module defines for others."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            names = []
        yield from (name for name in names if not name.startswith("_"))


def declared_names(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return None


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_says_what_it_is_for_and_what_of_it_is_public(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree), "the module has no docstring"
    public = sorted(set(public_names(tree)))
    declared = declared_names(tree)
    assert not public or declared is not None, "the module has public names and no __all__"
    assert sorted(set(public) - set(declared or ())) == [], "public names that are not in __all__"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if path.parent.name in {"conversation", "documents"}], ids=name_of
)
def test_values_are_frozen(path: Path) -> None:
    """Rule 6: in `conversation` and `documents` every public dataclass is frozen."""
    loose = [
        node.name
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in COLLECTORS
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    ]
    assert loose == []


def test_written_documents_are_frozen_too() -> None:
    found = python(
        "import importlib, pkgutil, pydantic, greenroom.documents as package\n"
        "for module in pkgutil.iter_modules(package.__path__):\n"
        "    loaded = importlib.import_module(f'greenroom.documents.{module.name}')\n"
        "    for name, value in vars(loaded).items():\n"
        "        if isinstance(value, type) and issubclass(value, pydantic.BaseModel):\n"
        "            if value is not pydantic.BaseModel and not value.model_config.get('frozen'):\n"
        "                print(module.name, name)\n"
    )
    assert found == ""


def layers() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = cast("list[dict[str, list[str]]]", settings["tool"]["importlinter"]["contracts"])
    return [name.strip() for row in contracts[0]["layers"] for name in row.split("|")]


def test_a_layer_is_optional_only_until_it_is_there() -> None:
    there = {path.name.removesuffix(".py") for path in SOURCE.iterdir()}
    assert [name for name in layers() if name.startswith("(") and name.strip("()") in there] == []


def imported_by(path: Path, names: frozenset[str]) -> Iterator[str]:
    """Modules of ours that must be loaded before this one can be: what it imports at its top."""
    for node in tree_of(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module in names:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & names
            yield from inner or {node.module}


def test_each_module_can_be_imported_first() -> None:
    """No circle of imports, so it does not matter who begins; and each of them loads."""
    names = frozenset(map(module_of, MODULES))
    graph = {module_of(path): set(imported_by(path, names)) for path in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(f"these modules import each other: {' → '.join(circle.args[1])}")
    last_first = sorted(names - {"greenroom.__main__"}, reverse=True)
    assert python(f"import importlib\nfor name in {last_first!r}: importlib.import_module(name)") == ""


def test_only_the_world_knows_whether_it_is_a_test() -> None:
    """One conversation, two worlds: nothing else asks which of them it is in."""
    words = {"testing", "is_test", "in_test", "is_testing", "sandboxed", "is_sandbox", "dry_run"}
    asked = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Name) and node.id in words) or (isinstance(node, ast.Attribute) and node.attr in words)
    ]
    assert asked == []


def test_what_sends_is_loaded_by_nobody_who_sends_nothing() -> None:
    """Apprise alone takes as long to load as a small run."""
    found = python(
        "import sys\n"
        "import greenroom.operations.chat, greenroom.operations.gateway, greenroom.operations.runs\n"
        "import greenroom.operations.documents, greenroom.operations.publishing\n"
        "print(*({'aiosmtplib', 'apprise', 'caldav'} & set(sys.modules)))\n"
    )
    assert found.split() == []


def test_help_loads_neither_database_nor_models() -> None:
    found = python(
        "import sys\n"
        "from greenroom.cli.app import main\n"
        "sys.argv = ['greenroom', '--help']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        "roots = {name.split('.')[0] for name in sys.modules}\n"
        f"print('loaded:', *sorted(roots & set({NOT_FOR_HELP!r})))\n"
    )
    assert found.splitlines()[-1].strip() == "loaded:"
