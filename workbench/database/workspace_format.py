"""What makes a database a workspace: tables and format, checked and upgraded on opening."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.database.rows import first_value, handed_in
from workbench.database.schema import add_constants, create_view, declare_type
from workbench.database.stored import read_predicates
from workbench.errors import InputError, WorkbenchError
from workbench.language.ground_atoms import parse_atom
from workbench.resources import sql_text

FORMAT_VERSION = 7
LOST_TYPE = "recorded"
"""The type of a recorded constant whose predicate is no longer declared so."""


def upgrade(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Bring a workspace from a format to the present one by steps, inside the transaction."""
    for step in range(version, FORMAT_VERSION):
        connection.execute(sql_text(f"upgrade_from_{step}"))
        if step == 3:
            _remake_views(connection)
    if version < 3:
        # Predicates are read as this format has them.
        _translate_predictions(connection)


def _remake_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Views of formats before 4 named no schema, and some predicates' names broke them."""
    tables = dict(connection.execute("SELECT name, table_name FROM constant_type").fetchall())
    for predicate in read_predicates(connection).values():
        create_view(connection, predicate, tables)


def _translate_predictions(connection: duckdb.DuckDBPyConnection) -> None:
    """Atoms that were recorded as text become keys, in the order they were recorded.

    The world, which was not recorded, is the run's where it had one; else it is told by the worlds
    that have the atom's constants: there must be as many as the run has predictions of that text.
    It stays NULL where they differ.
    """
    import pyarrow

    texts = connection.execute(
        "SELECT DISTINCT predicate, atom FROM text_prediction ORDER BY ALL"
    ).fetchall()
    constants = [(parse_atom(atom) or (atom, ()))[1] for _, atom in texts]
    table = pyarrow.table(
        {
            "predicate": pyarrow.array([name for name, _ in texts], pyarrow.string()),
            "atom": pyarrow.array([atom for _, atom in texts], pyarrow.string()),
            "names": pyarrow.array(constants, pyarrow.list_(pyarrow.string())),
        }
    )
    with handed_in(connection, "incoming_texts", table):
        connection.execute("CREATE TEMP TABLE read_text AS FROM incoming_texts")
    connection.execute(
        "CREATE TEMP TABLE keyed (place BIGINT, run INTEGER, fold INTEGER, predicate VARCHAR, "
        "arguments INTEGER[])"
    )
    connection.execute("CREATE TEMP TABLE candidate (place BIGINT, world INTEGER)")
    connection.execute("CREATE TEMP TABLE allowed (run INTEGER, fold INTEGER, world INTEGER)")
    allowed = list(_worlds_of_runs(connection))
    if allowed:
        connection.executemany("INSERT INTO allowed VALUES (?, ?, ?)", allowed)
    for predicate, arity in sorted(
        {(name, len(names)) for (name, _), names in zip(texts, constants)}
    ):
        _translate(connection, predicate, arity)
    connection.execute(sql_text("pair_worlds"))
    for name in ("text_prediction", "read_text", "keyed", "candidate", "allowed"):
        connection.execute(f"DROP TABLE {name}")


def _translate(connection: duckdb.DuckDBPyConnection, predicate: str, arity: int) -> None:
    """Keys of one predicate's predictions, and the worlds that they may be of."""
    stored = read_predicates(connection).get(predicate)
    types = [type_name for _, type_name in stored.constant_columns] if stored is not None else []
    if len(types) != arity:
        types = [LOST_TYPE] * arity
    chosen = f"r.predicate = {text_literal(predicate)} AND len(r.names) = {arity}"
    joins, members = [], []
    for place, type_name in enumerate(types, 1):
        names = declare_type(connection, type_name)
        add_constants(
            connection,
            names,
            f"SELECT DISTINCT r.names[{place}] AS name FROM read_text r WHERE {chosen}",
        )
        joins.append(f"JOIN {quoted(names)} c{place} ON c{place}.name = r.names[{place}]")
        members.append(
            f"EXISTS (FROM domain d WHERE d.world = a.world AND d.type = {text_literal(type_name)} "
            f"AND d.constant = k.arguments[{place}])"
        )
    ids = ", ".join(f"c{place}.id" for place in range(1, arity + 1))
    connection.execute(
        f"INSERT INTO keyed SELECT t.rowid, t.run, t.fold, t.predicate, [{ids}]::INTEGER[] FROM "
        "text_prediction t JOIN read_text r ON r.predicate = t.predicate AND r.atom = t.atom "
        f"{' '.join(joins)} WHERE {chosen}"
    )
    connection.execute(
        "INSERT INTO candidate SELECT k.place, a.world FROM keyed k JOIN allowed a ON a.run = "
        "k.run AND a.fold IS NOT DISTINCT FROM k.fold WHERE "
        f"{' AND '.join(['k.predicate = $name', *members])}",
        {"name": predicate},
    )
    connection.execute(
        "INSERT INTO run_predicate SELECT DISTINCT run, predicate, $types::VARCHAR[] FROM keyed "
        "WHERE predicate = $name",
        {"name": predicate, "types": types},
    )


def _worlds_of_runs(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, int | None, int]]:
    """(run, fold, world): the worlds that each recorded run, or fold of one, predicted in."""
    by_name = dict(connection.execute("SELECT name, id FROM world").fetchall())
    for run, kind, text in connection.execute(
        "SELECT id, kind, parameters FROM run ORDER BY id"
    ).fetchall():
        settings = json.loads(text or "{}")
        if kind == "crossval":
            folds: list[int | None] = list(range(len(settings.get("folds") or ())))
            asked = [plan.get("worlds") for plan in settings.get("folds") or ()]
        else:
            folds, asked = [None], [settings.get("worlds")]
        for fold, names in zip(folds, asked):
            yield from ((run, fold, by_name[name]) for name in names or by_name if name in by_name)


DISPLAY_NAMES = (
    "CREATE TABLE IF NOT EXISTS display_name (type VARCHAR, constant INTEGER, name VARCHAR)"
)
"""What people call things: made when the first name is kept."""
WORKSPACE_TABLES = tuple(re.findall(r"^CREATE TABLE (\w+)", sql_text("schema"), re.MULTILINE))

Transaction = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


def make_ready(
    connection: duckdb.DuckDBPyConnection,
    transaction: Transaction,
    path: Path | None,
    *,
    read_only: bool,
) -> None:
    """Make the tables of a new workspace; bring an older one up to date, and refuse what is none or
    is damaged.

    Raises E0201 for another format or another kind of database, E0222 where tables are missing.
    """
    tables = {
        name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    }
    if "workspace_format" in tables:
        version = first_value(connection.execute("SELECT max(version) FROM workspace_format"))
        is_older = version is not None and 1 <= version < FORMAT_VERSION
        if version is not None and is_older and not read_only:
            _upgrade(transaction, path, version)
        elif version != FORMAT_VERSION:
            raise InputError.of(
                "E0201",
                f"{path} was written by another version of the workbench (format {version}, "
                f"this one reads {FORMAT_VERSION})",
                help="an older one is brought up to date when it is opened for writing"
                if is_older
                else None,
            )
        _check_tables(connection, path)
    elif tables or read_only:
        raise InputError.of(
            "E0201",
            f"{path} is a DuckDB database but no workspace",
            help="choose another file for the workspace, and load the tables of this one as "
            "attached tables",
        )
    else:
        with transaction():
            connection.execute(sql_text("schema"))


def _upgrade(transaction: Transaction, path: Path | None, version: int) -> None:
    try:
        with transaction() as connection:
            upgrade(connection, version)
    except duckdb.CatalogException as error:
        raise _damaged(path, str(error).splitlines()[0]) from None


def _check_tables(connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    """Refuse a workspace in which a table is missing: another program has been at it."""
    held = set(
        connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() "
            "UNION ALL SELECT schema_name, view_name FROM duckdb_views()"
        ).fetchall()
    )
    missing = [name for name in WORKSPACE_TABLES if ("main", name) not in held]
    if not missing:
        needed = [
            ("main", table)
            for (table,) in connection.execute("SELECT table_name FROM constant_type").fetchall()
        ]
        for predicate in read_predicates(connection).values():
            needed += [("main", predicate.table_name), ("facts", predicate.view_name)]
        missing = [name for schema, name in needed if (schema, name) not in held]
    if missing:
        raise _damaged(path, f"it has no table {', '.join(missing[:5])}")


def _damaged(path: Path | None, what: str) -> WorkbenchError:
    return InputError.of(
        "E0222",
        f"{path} is damaged: {what}",
        help="`workbench repair OLD NEW` copies the tables that can still be read into a new "
        "workspace",
    )


_SCHEMA_OF_FACTS = "facts"


def refuse_name(path: Path) -> None:
    """Refuse a file that DuckDB would name as the schema in which predicates stand as views.

    Raises E0201.
    """
    if path.name.split(".")[0].casefold() == _SCHEMA_OF_FACTS:
        raise InputError.of(
            "E0201",
            f"no workspace can be called {path.name}: `facts` is what queries call its facts by",
            help="choose another name for the file",
        )


@contextmanager
def left_as_found(path: Path | None, read_only: bool) -> Iterator[None]:
    """An empty file is a new workspace; one that could not be made whole is not left behind."""
    if path is None or read_only:
        yield
        return
    new = not path.exists()
    if is_empty(path):
        path.unlink()  # DuckDB refuses a file without its header, and makes one that is missing
        new = True
    try:
        yield
    except BaseException:
        if new:
            for made in (path, _log_of(path)):
                made.unlink(missing_ok=True)
        raise


def is_empty(path: Path) -> bool:
    """Whether nothing has been written yet, into its log neither."""
    return path.is_file() and path.stat().st_size == 0 and not _log_of(path).exists()


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + ".wal")
