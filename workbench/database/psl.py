"""Facts in PSL's form: tab-separated files, perhaps with truth values, and what lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal as OneOf

import duckdb

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.ingest import LoadReport, Partition, ingest
from workbench.database.row_mapping import find_predicate
from workbench.database.staged_facts import SHOWN, Staged
from workbench.database.stored import StoredPredicate
from workbench.database.text_files import FactSource, chunks_of_lines, display_name, line_reader
from workbench.errors import Diagnostic, InputError
from workbench.language.declarations import Predicate
from workbench.language.psl.document_reading import read_psl_document
from workbench.resources import sql_text

_PARTITIONS: Mapping[str, Partition] = {
    "observations": "evidence",
    "targets": "target",
    "truth": "truth",
}
Split = OneOf["infer", "learn", "validation"]


def load_psl_data(
    database: Database,
    source: str | os.PathLike[str],
    *,
    split: Split = "infer",
    world: str = DEFAULT_WORLD,
) -> LoadReport:
    """Load all that a PSL `.data` (YAML) or `.json` file lists, in one transaction.

    Observations go to the partition `evidence`, targets to `target`, truth to `truth`. Predicates
    that are not there yet are declared as the file says; names are matched whatever their case, as
    PSL does.

    `split`: which of the lists of files a `.json` file may hold.

    Raises E0130, E0131 for a file of another shape; E0203, E0204, E0206, E0207, E0209, E0210, E0211
    for its facts.
    """
    path = Path(source)
    directory = path.parent
    document = read_psl_document(path)
    report = LoadReport({}, ())
    with database.transaction():
        _declare(database, document.predicates)
        for facts in document.facts:
            if facts.split not in ("all", split):
                continue
            predicate = _stored(database, facts.predicate, display_name(path))
            partition = _PARTITIONS[facts.partition]
            if facts.path is not None:
                file = directory / facts.path
                report += load_psl_table(
                    database, file, predicate=predicate.name, world=world, partition=partition
                )
            else:
                text = "\n".join("\t".join(row) for row in facts.rows)
                source_of_rows = FactSource(display_name(path))
                try:
                    report += _load(
                        database, predicate, iter([(1, text)]), source_of_rows, world, partition
                    )
                except InputError as error:
                    raise InputError(
                        tuple(document.at_row(facts, problem) for problem in error.diagnostics)
                    ) from None
    return report


def _declare(database: Database, predicates: Sequence[Predicate]) -> None:
    """Declare what is new, and say of what is there (whatever its case) whether it is open."""
    present = {name.casefold(): stored for name, stored in database.predicates().items()}
    wanted = []
    for predicate in predicates:
        stored = present.get(predicate.name.casefold())
        if stored is None:
            wanted.append(predicate)
        elif stored.arity == predicate.arity:
            # Rules know no types: those they were given on the way are kept, but for numbers, dates
            # and texts.
            types = tuple(
                type_name if kind is not None else known
                for type_name, kind, known in zip(
                    predicate.argument_types, predicate.kinds, stored.argument_types
                )
            )
            wanted.append(
                replace(predicate, name=stored.name, argument_types=types, entities=stored.entities)
            )
        else:
            raise InputError.of(
                "E0202",
                f"{predicate.name} takes {predicate.arity} arguments here, but {stored.arity} in "
                "the rules",
            )
    database.declare_predicates(wanted)


def load_psl_table(
    database: Database,
    source: str | os.PathLike[str],
    *,
    predicate: str,
    world: str = DEFAULT_WORLD,
    partition: Partition = "evidence",
) -> LoadReport:
    """Load one tab-separated file without a header: the arguments, then perhaps a truth value.

    Without a value, a fact is true (1) and a target's value unknown (NULL).
    """
    path = Path(source)
    name = display_name(path)
    stored = _stored(database, predicate, name)
    return _load(
        database,
        stored,
        chunks_of_lines(path),
        FactSource(name, line_reader(path)),
        world,
        partition,
    )


def _load(
    database: Database,
    predicate: StoredPredicate,
    chunks: Iterator[tuple[int, str]],
    source: FactSource,
    world: str,
    partition: Partition,
) -> LoadReport:
    arity = predicate.arity
    with database.transaction() as connection:
        world_id = database.world_id(world)
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE staged_lines (line BIGINT, cells VARCHAR[])"
        )
        for first_line, text in chunks:
            connection.execute(sql_text("stage_psl"), {"text": text, "offset": first_line - 1})
        faults = _line_faults(connection, predicate, source)
        if faults:
            raise InputError(tuple(faults))
        table = quoted(f"staged_{predicate.table_name}")
        columns = "".join(
            f"cells[{place + 1}] AS {column}, " for place, column in enumerate(predicate.columns)
        )
        unsaid = "NULL" if partition == "target" else "1"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT line, {columns}"
            f"coalesce(cells[{arity + 1}]::DOUBLE, {unsaid}) AS value, "
            f"{text_literal(partition)} AS partition, {world_id}::INTEGER AS world FROM "
            "staged_lines"
        )
        connection.execute("DROP TABLE staged_lines")
        return ingest(database, [Staged(predicate, table)], source, (world,))


def _line_faults(
    connection: duckdb.DuckDBPyConnection, predicate: StoredPredicate, source: FactSource
) -> list[Diagnostic]:
    """Staged lines of too few or too many cells, without a truth value, or with an empty cell."""
    arity = predicate.arity
    faults = [
        source.diagnostic(
            "E0204",
            f"{predicate.name} takes {arity} arguments and perhaps a truth value, but this "
            f"line has {count} cells",
            line,
            help="separate the cells by single tabs",
        )
        for line, count in connection.execute(
            "SELECT line, len(cells) FROM staged_lines WHERE len(cells) NOT IN ($arity, $arity "
            f"+ 1) ORDER BY line LIMIT {SHOWN}",
            {"arity": arity},
        ).fetchall()
    ]
    faults += [
        source.diagnostic(
            "E0210", f"{cell!r} is no truth value of {predicate.name}", line, needle=cell
        )
        for line, cell in connection.execute(
            "SELECT line, cells[$arity + 1] FROM staged_lines WHERE len(cells) = $arity + 1 "
            f"AND try_cast(cells[$arity + 1] AS DOUBLE) IS NULL ORDER BY line LIMIT {SHOWN}",
            {"arity": arity},
        ).fetchall()
    ]
    faults += [
        source.diagnostic("E0212", "an argument is empty here", line)
        for (line,) in connection.execute(
            f"SELECT line FROM staged_lines WHERE list_contains(cells[:{arity}], '') ORDER BY "
            f"line LIMIT {SHOWN}"
        ).fetchall()
    ]
    return faults


def _stored(database: Database, name: str, file: str) -> StoredPredicate:
    """The stored predicate of that name; one that differs in case alone will do."""
    return find_predicate(
        database, name, file, ignored=" ", help="declare it in the section `predicates`"
    )
