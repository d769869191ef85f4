"""Predicates and types called like the workbench's own tables, columns and SQL words."""

from __future__ import annotations

from pathlib import Path

import duckdb

import workbench as wb
from workbench.database import Database, load_alchemy_text
from workbench.database.identifiers import quoted
from workbench.database.rows import filled
from workbench.language import parse_mln

SQL_WORDS = (
    "main temp memory system information_schema select table value constant position "
    "partition atom a0 p0 t g w"
)
GROUNDING_WORDS = (
    "geometry known_p listed_p facts_p domain_t named_t templates_0 incoming staged_lines nothing"
)


def own_names() -> list[str]:
    """The names of everything in an empty workspace, and of what a predicate P of type t adds."""
    with Database.open() as database:
        database.declare(parse_mln("P(t)"))
        query = (
            "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM "
            "duckdb_views() WHERE NOT internal"
        )
        names = [name for (name,) in database.connection.execute(query).fetchall()]
        names += [
            name
            for (name,) in database.connection.execute(
                "SELECT schema_name FROM duckdb_schemas()"
            ).fetchall()
        ]
    return sorted(
        {
            *names,
            *(name.capitalize() for name in names),
            *SQL_WORDS.split(),
            *GROUNDING_WORDS.split(),
        }
    )


def test_predicates_and_types_may_be_called_like_internal_tables(tmp_path: Path) -> None:
    names = own_names()
    assert {"world", "World", "run_prediction", "p_P"} <= set(names)
    rules = "\n".join(f"{name}({name}, t)" for name in names)
    rules += "\n" + "\n".join(f"0.5 {name}(x, y)" for name in names)
    with wb.open(tmp_path / "w.duckdb") as ws:
        ws.declare(rules)
        for world in ("one", "two"):
            load_alchemy_text(
                ws.database, "\n".join(f"{name}(A, B)" for name in names), world=world
            )
    with wb.open(tmp_path / "w.duckdb") as ws:
        for stored in ws.database.predicates().values():
            rows = ws.database.connection.execute(
                f'SELECT world FROM facts."{stored.view_name}" ORDER BY 1'
            ).fetchall()
            assert rows == [("one",), ("two",)], stored.name
        load_alchemy_text(ws.database, "World(C, D)", world="two")
        result = ws.infer(rules + "\n1 World(x, y) => world(z, y)\n", query=["world"])
        assert result.predictions()["atom"].tolist() == [
            "world(A, A)",
            "world(A, A)",
            "world(A, D)",
        ]


def test_a_workspace_whose_views_such_a_name_broke_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with wb.open(path) as ws:
        ws.declare("World(t)\nOther(t)\n")
        load_alchemy_text(ws.database, "World(A)\nOther(B)")
    with duckdb.connect(path) as connection:
        # As an earlier format wrote it.
        connection.execute("DROP VIEW facts.World; DROP VIEW facts.Other")
        for name in ("Other", "World"):
            connection.execute(
                f"CREATE VIEW facts.{name} AS SELECT w.name AS world, c.name AS t, f.value, "
                "f.partition "
                f"FROM p_{name} f JOIN world w ON w.id = f.world JOIN c_t c ON c.id = f.a0"
            )
        connection.execute(
            "ALTER TABLE predicate_argument DROP entity; DROP TABLE run_base; "
            "UPDATE workspace_format SET version = 3"
        )
        for column in ("written", "share", "support", "rate", "rate_of_others"):
            connection.execute(f"ALTER TABLE run_weight DROP {column}")
    with wb.open(path) as ws:
        for name in ("World", "Other"):
            assert len(ws.database.connection.execute(f"FROM facts.{name}").fetchall()) == 1


def test_empty_tables_are_told_apart_in_a_transaction() -> None:
    """Rows that a transaction has not yet kept count: empty tables are asked nothing more."""
    with wb.open() as ws:
        ws.declare("P(item)\nselect(item)\nQ(item)\n")
        cursor = ws.database.cursor()
        tables = [one.table_name for one in ws.database.predicates().values()]
        assert filled(cursor, tables) == filled(cursor, []) == set()
        table = ws.database.predicates()["select"].table_name
        cursor.execute("BEGIN")
        cursor.execute(f"INSERT INTO {quoted(table)} VALUES (0, 0, 1.0, 'truth')")
        assert filled(cursor, tables) == {table}
        cursor.execute("ROLLBACK")
        assert filled(cursor, tables) == set()
