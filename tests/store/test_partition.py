"""A query that doesn't say which partition can't be written: the tables are out of reach (features.md A7)."""

import ast
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from sqlalchemy import Integer, LargeBinary, Table, insert, select
from sqlalchemy.exc import IntegrityError
from tests.stores import SQLITE, opened

import greenroom.store
from greenroom.store.opening import Store
from greenroom.store.partition import Partition, Partitioned, Sandbox, share_of
from greenroom.store.tables import metadata, partitioned_tables

FOLDER = Path(greenroom.store.__file__).parent
MODULES = sorted(path for path in FOLDER.glob("*.py") if path.name != "__init__.py")

pytestmark = pytest.mark.requirement("A7")


def of_partitions() -> set[str]:
    return {name for name, table in metadata.tables.items() if "partition" in table.c}


def things() -> Iterator[tuple[str, object]]:
    """Everything that a module of the store has a name for."""
    for found in pkgutil.iter_modules(greenroom.store.__path__):
        if found.name != "migrations":
            for name, thing in vars(import_module(f"greenroom.store.{found.name}")).items():
                yield f"{found.name}.{name}", thing


def test_no_module_has_a_name_for_a_table_with_partitions() -> None:
    assert of_partitions() >= {"people", "identities", "conversations"}
    assert [name for name, thing in things() if isinstance(thing, Table) and thing.name in of_partitions()] == []


def test_every_table_with_partitions_is_closed_and_can_be_emptied() -> None:
    assert {thing.name for _, thing in things() if isinstance(thing, Partitioned)} == of_partitions()
    assert {table.name for table in partitioned_tables} == of_partitions()


GOES_ROUND = {
    *(
        "text",
        "table",
        "column",
        "literal_column",
        "TextClause",
        "exec_driver_sql",
        "Table",
        "reflect",
        "autoload_with",
    ),
    *("tables", "froms", "selectable", "Share", "__table", "_Rows__table", "_Partitioned__table"),
}
"""SQL as text, a table by its name, a look behind the doors of `partition`, a share that says what it likes."""
MAY = {
    "partition": {"Share", "__table", "Table"},
    "tables": {"Table"},
    # The names of the tables, of which it looks for strangers; and the table of the version.
    "schema": {"tables", "Table"},
    # How a transaction begins.
    "database": {"exec_driver_sql"},
    # A position in the plan, for results.
    "saving": {"literal_column"},
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_nobody_goes_round(path: Path) -> None:
    assert GOES_ROUND & set(_names(ast.parse(path.read_text()))) == MAY.get(path.stem, set())


def _names(tree: ast.Module) -> Iterator[str]:
    """What is imported from SQLAlchemy, called, and reached into."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy"):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Call):
            yield ast.unparse(node.func).split(".")[-1]
        elif isinstance(node, ast.Attribute):
            yield node.attr


@pytest.mark.parametrize("table", partitioned_tables, ids=lambda table: table.name)
def test_a_query_of_any_column_is_a_query_of_one_share(table: Partitioned) -> None:
    share = share_of("north", Partition.SANDBOX)
    for column in table.of(share).c:
        asked = str(select(column).compile(compile_kwargs={"literal_binds": True}))
        assert f"{table.name}.workspace = 'north' AND {table.name}.partition = 'sandbox'" in asked
        assert asked.count(f"FROM {table.name}") == 1


@pytest.mark.parametrize("table", partitioned_tables, ids=lambda table: table.name)
def test_what_is_changed_or_removed_is_of_one_share(table: Partitioned) -> None:
    rows = table.of(share_of("north", Sandbox("chat-1")))
    for statement in (rows.update({"partition": "live", "sandbox": ""}, workspace="south"), rows.delete()):
        asked = str(statement.compile(compile_kwargs={"literal_binds": True}))
        mine = f"{table.name}.workspace = 'north' AND {table.name}.partition = 'sandbox' AND {table.name}.sandbox = "
        assert mine + "'chat-1'" in asked
        assert "SET partition" not in asked


async def test_a_row_of_the_sandbox_that_belongs_to_no_sandbox_is_refused(store: Store) -> None:
    """It could never be cleaned up; and a live row in a sandbox would be removed with it."""
    for table in partitioned_tables:
        rows = table.of(share_of("default", Partition.SANDBOX))
        filler = {
            column.name: b"" if isinstance(column.type, LargeBinary) else 1 if isinstance(column.type, Integer) else "x"
            for column in metadata.tables[table.name].c
        }
        with pytest.raises(IntegrityError, match=f"ck_{table.name}_sandbox"), store.database.writer.begin() as made:
            made.execute(rows.insert(filler))
        live = {**filler, "partition": "live", "sandbox": "chat-1"}
        with pytest.raises(IntegrityError, match=f"ck_{table.name}_sandbox"), store.database.writer.begin() as made:
            made.execute(insert(metadata.tables[table.name]).values(live))


async def test_an_inserted_row_is_its_share_s_whatever_it_says(tmp_path: Path) -> None:
    async with opened(SQLITE, tmp_path) as store:
        said = {"person_id": "p", "status": "", "searched": "", "body": '{"person_id":"p"}', "partition": "live"}
        times = {"created_at": "a", "updated_at": "b"}
        rows = partitioned_tables[-1].of(share_of("default", Sandbox("chat-1")))
        with store.database.writer.begin() as made:
            made.execute(rows.insert({**said, **times}))
            assert [one.sandbox for one in made.execute(select(rows.source))] == ["chat-1"]
