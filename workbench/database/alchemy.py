"""Facts in Alchemy's `.db` form, read in bulk: lines are taken apart by DuckDB, not one by one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.fact_texts import FactTexts
from workbench.database.identifiers import quoted
from workbench.database.ingest import LoadReport, Partition, ingest, texts_of_staged
from workbench.database.staged_facts import SHOWN, Staged
from workbench.database.stored import StoredPredicate
from workbench.database.text_files import FactSource, chunks_of_lines, display_name, line_reader
from workbench.errors import Diagnostic, InputError, Span, did_you_mean
from workbench.language.declarations import Function, Predicate
from workbench.resources import sql_text

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_ARGUMENT = r'(?:"(?:[^"\\]|\\.)*"|[^\s,()"=]+)'
FACT = (
    rf"\s*(?:([!?])|({_NUMBER})\s)?\s*([^\s(),\"=!?/]+)\s*"
    rf"(?:\(\s*((?:{_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)?)\s*\))?\s*(?:=\s*({_ARGUMENT})\s*|\s({_NUMBER})\s*)?(?://.*)?"
)
VALUE_FIRST = rf"^\s*({_ARGUMENT})\s*=\s*([^\s(),\"=!?/]+\(\s*(?:{_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)?\s*\))\s*((?://.*)?)$"
PLAIN_FACT = r"[!?]?[^\s(),\"=!?/]+\([^\s,()\"=]+(?:, ?[^\s,()\"=]+)*\)"


def load_alchemy(
    database: Database,
    source: str | os.PathLike[str],
    *,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
    declare: bool = False,
) -> LoadReport:
    """Load one `.db` file (or `.db.gz`) into a world.

    One fact a line: `P(A, B)` true, `!P(A, B)` false, `?P(A, B)` unknown, `0.7 P(A, B)` or `P(A, B)
    0.7` a degree of truth or probability, `Mother(A) = B` or `B = Mother(A)` a function's value;
    constants bare or double-quoted with backslash escapes; `//` starts a comment. Identical lines
    count once. An empty file is legal. With `declare`, predicates and functions that are not there
    yet are declared as the file has them.

    Cost: linear in the file; about 2 CPU-seconds for a million facts of two arguments.

    Raises E0203 undeclared predicate, E0204 wrong arity, E0205 a line that is no fact, E0206 value
    outside [0, 1], E0207 contradicting facts, E0209 bytes that are no text; all faults of the file
    at once, and nothing is loaded.
    """
    path = Path(source)
    source_of_lines = FactSource(display_name(path), line_reader(path))
    return _load(
        database, chunks_of_lines(path), source_of_lines, world, partition, declare=declare
    )


def load_alchemy_text(
    database: Database,
    text: str,
    *,
    name: str | None = None,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load facts from a string in the form of `load_alchemy`."""
    return _load(database, iter([(1, text)]), _lines_of(text, name), world, partition)


def texts_of_alchemy(
    database: Database, text: str, *, world: str = DEFAULT_WORLD, partition: Partition = "evidence"
) -> list[FactTexts]:
    """The facts of a string in the form of `load_alchemy`, checked as there and not loaded."""
    source, connection = _lines_of(text, None), database.cursor()
    staged = _staged(database, connection, iter([(1, text)]), source, 0, partition)
    return texts_of_staged(connection, staged, source, world)


def _lines_of(text: str, name: str | None) -> FactSource:
    lines = text.split("\n")
    return FactSource(name, lambda line: lines[line - 1] if line <= len(lines) else None)


def _load(
    database: Database,
    chunks: Iterator[tuple[int, str]],
    source: FactSource,
    world: str,
    partition: Partition,
    *,
    declare: bool = False,
) -> LoadReport:
    with database.transaction() as connection:
        world_id = database.world_id(world)
        staged = _staged(database, connection, chunks, source, world_id, partition, declare=declare)
        return ingest(database, staged, source, (world,))


def _staged(
    database: Database,
    connection: duckdb.DuckDBPyConnection,
    chunks: Iterator[tuple[int, str]],
    source: FactSource,
    world_id: int,
    partition: Partition,
    *,
    declare: bool = False,
) -> list[Staged]:
    """The facts of lines as tables by predicate, of their own and not checked yet."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE staged_lines (line BIGINT, predicate VARCHAR, arguments "
        "VARCHAR[], value DOUBLE, result VARCHAR, fact BOOLEAN)"
    )
    for first_line, text in chunks:
        _stage(connection, text, first_line)
    if declare:
        _declare_new(database, connection)
    stored = database.predicates()
    kinds = _kinds(connection)
    faults = [] if all(kind.fact for kind in kinds) else _syntax_faults(connection, source)
    faults += _signature_faults(kinds, stored, source)
    if faults:
        raise InputError(tuple(faults))
    present = sorted({kind.predicate for kind in kinds})
    staged = [_split(connection, stored[name], world_id, partition) for name in present]
    connection.execute("DROP TABLE staged_lines")
    return staged


def _declare_new(database: Database, connection: duckdb.DuckDBPyConnection) -> None:
    """Declare what the staged lines name first so, each argument of a type of its own."""
    rows = connection.execute(
        "SELECT predicate, len(arguments), result IS NOT NULL FROM staged_lines WHERE fact "
        "GROUP BY ALL ORDER BY min(line)"
    ).fetchall()
    present = database.predicates()
    predicates: dict[str, Predicate] = {}
    functions: dict[str, Function] = {}
    for name, arity, has_result in rows:
        types = tuple(f"{name}_{place}" for place in range(arity + has_result))
        if name in present or name in predicates or name in functions:
            continue
        if has_result:
            functions[name] = Function(name, types[:-1], types[-1])
        else:
            predicates[name] = Predicate(name, types)
    database.declare_predicates(predicates.values(), functions=functions.values())


def _stage(connection: duckdb.DuckDBPyConnection, text: str, first_line: int) -> None:
    """Take the lines of a chunk apart into `staged_lines`: plain ones by brackets."""
    connection.execute(
        sql_text("stage_alchemy"),
        {
            "text": text,
            "offset": first_line - 1,
            "plain": PLAIN_FACT,
            "fact": f"^{FACT}$",
            "value_first": VALUE_FIRST,
            "argument": _ARGUMENT,
            "blank": r"\s*(?://.*)?",
        },
    )


class _Kind(NamedTuple):
    """Staged lines alike in all but their constants: the first, how many, and what they are."""

    line: int
    lines: int
    predicate: str
    given: int
    has_result: bool
    fact: bool


def _kinds(connection: duckdb.DuckDBPyConnection) -> list[_Kind]:
    rows = connection.execute(
        "SELECT min(line), count(*), predicate, len(arguments), result IS NOT NULL, fact FROM "
        "staged_lines GROUP BY ALL ORDER BY 1"
    )
    return [_Kind(*row) for row in rows.fetchall()]


def _syntax_faults(connection: duckdb.DuckDBPyConnection, source: FactSource) -> list[Diagnostic]:
    rows = connection.execute(
        f"SELECT line FROM staged_lines WHERE NOT fact ORDER BY line LIMIT {SHOWN}"
    ).fetchall()
    return [_syntax_fault(source, line) for (line,) in rows]


def _syntax_fault(source: FactSource, line: int) -> Diagnostic:
    """Say what is wrong with a line that is no fact, with the caret where reading stopped."""
    text = source.line_text(line) or ""
    message, column = "this line is no fact", 1
    help_text: str | None = "write Predicate(Constant, Constant), one fact a line"
    if text.count('"') % 2:
        message, column, help_text = (
            "a quoted constant is not closed on this line",
            text.rfind('"') + 1,
            None,
        )
    elif text.count("(") != text.count(")"):
        message, column = (
            "the brackets of this fact do not match",
            (text.find("(") + 1) or len(text),
        )
    elif text.rstrip().endswith("."):
        message, column, help_text = (
            "a fact takes no full stop",
            len(text.rstrip()),
            "leave the full stop out",
        )
    end = column + 1 if column > 1 else max(2, len(text) + 1)
    return Diagnostic("E0205", message, Span(source.name, line, column, line, end), help_text, text)


def _signature_faults(
    kinds: Iterable[_Kind], stored: Mapping[str, StoredPredicate], source: FactSource
) -> list[Diagnostic]:
    """Undeclared predicates and wrong numbers of arguments, a diagnostic for each kind."""
    found: dict[tuple[object, ...], Diagnostic] = {}
    for line, count, name, given, has_result, fact in kinds:
        if not fact:
            continue
        predicate = stored.get(name)
        fault = _signature_fault(name, predicate, given, has_result, stored)
        if fault is not None:
            code, message, needle, cure = fault
            more = f" ({count} such facts)" if count > 1 else ""
            key = (name,) if predicate is None else (name, given, has_result)
            told = source.diagnostic(code, message + more, line, needle=needle, help=cure)
            found.setdefault(key, told)
    return list(found.values())[:SHOWN]


def _signature_fault(
    name: str,
    predicate: StoredPredicate | None,
    given: int,
    has_result: bool,
    known: Iterable[str],
) -> tuple[str, str, str, str | None] | None:
    """What is wrong with so many arguments, and perhaps a value, after a name: code, message, where
    the caret stands, and the cure; None where nothing is.
    """
    if predicate is None:
        cure = did_you_mean(name, known, "declare it in the rules")
        return "E0203", f"no predicate is called {name}", name, cure
    is_function = predicate.kind == "function"
    wanted = predicate.arity - is_function
    if given != wanted:
        return "E0204", f"{name} takes {_arguments(wanted)}, not {given}", name, None
    if is_function and not has_result:
        said = f"{name} is a function, and this line gives it no value"
        return "E0205", said, name, f"write {name}(...) = Value"
    if has_result and not is_function:
        return "E0205", f"{name} is a predicate, and takes no value after '='", "=", None
    return None


def _arguments(number: int) -> str:
    return {0: "no argument", 1: "one argument"}.get(number, f"{number} arguments")


def _split(
    connection: duckdb.DuckDBPyConnection,
    predicate: StoredPredicate,
    world_id: int,
    partition: Partition,
) -> Staged:
    """The staged lines of one predicate as a table of its own."""
    table = quoted(f"staged_{predicate.table_name}")
    cells = [f"arguments[{position + 1}]" for position in range(predicate.arity)]
    if predicate.kind == "function":
        cells[-1] = "result"
    columns = "".join(f"{cell} AS {column}, " for cell, column in zip(cells, predicate.columns))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT line, {columns}value, '{partition}' AS "
        f"partition, {world_id}::INTEGER AS world FROM staged_lines WHERE predicate = $name",
        {"name": predicate.name},
    )
    return Staged(predicate, table)
