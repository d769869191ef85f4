"""Facts in PSL's form: tab-separated files with an optional truth value, and the files that list them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.identifiers import quoted, text_literal
from workbench.database.ingest import SHOWN, LoadReport, Partition, Source, Staged, ingest
from workbench.database.schema import StoredPredicate
from workbench.database.text_files import chunks_of_lines, display_name, line_reader
from workbench.errors import Diagnostic, InputError, Span, nearest
from workbench.language.program import Predicate
from workbench.resources import sql_text

__all__ = ["PSL_TYPE", "PslData", "PslFacts", "load_psl_data", "load_psl_table", "read_psl_data"]

PSL_TYPE = "UniqueStringID"
_SECTIONS: Mapping[str, Partition] = {"observations": "evidence", "targets": "target", "truth": "truth"}
Split = OneOf["infer", "learn"]


@dataclass(frozen=True)
class PslFacts:
    """One file, or the rows written in place, of one predicate and partition."""

    predicate: str
    partition: Partition
    path: Path | None = None
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class PslData:
    """What a PSL data file declares and lists."""

    predicates: tuple[Predicate, ...]
    facts: tuple[PslFacts, ...]


def load_psl_data(
    database: Database,
    source: str | os.PathLike[str],
    *,
    split: Split = "infer",
    world: str = DEFAULT_WORLD,
    base: str | os.PathLike[str] | None = None,
) -> LoadReport:
    """Load all that a PSL `.data` (YAML) or `.json` file lists, in one transaction.

    Observations go to the partition `evidence`, targets to `target`, truth to `truth`. Predicates that are not there
    yet are declared as the file says; names are matched whatever their case, as PSL does.

    Parameters
    ----------
    database : Database
    source : path
    split : {'infer', 'learn'}
        Which of the two lists of files a `.json` file may hold.
    world : str
    base : path or None
        The directory that relative paths start from; None for that of `source`.

    Raises
    ------
    InputError
        E0214 for a file of another shape; E0203, E0204, E0206, E0207, E0209, E0210, E0211 for its facts.
    """
    path = Path(source)
    data = read_psl_data(path, split=split, base=base)
    report = LoadReport({}, ())
    with database.transaction():
        _declare(database, data.predicates)
        for facts in data.facts:
            predicate = _stored(database, facts.predicate, display_name(path))
            if facts.path is not None:
                report += load_psl_table(
                    database, facts.path, predicate=predicate.name, world=world, partition=facts.partition
                )
            else:
                text = "\n".join("\t".join(row) for row in facts.rows)
                report += _load(
                    database, predicate, iter([(1, text)]), Source(display_name(path)), world, facts.partition
                )
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
            wanted.append(replace(predicate, name=stored.name, argument_types=stored.argument_types))
        else:
            raise InputError.of(
                "E0202", f"{predicate.name} takes {predicate.arity} arguments here, but {stored.arity} in the rules"
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
    return _load(database, stored, chunks_of_lines(path), Source(name, line_reader(path)), world, partition)


def _load(
    database: Database,
    predicate: StoredPredicate,
    chunks: Iterator[tuple[int, str]],
    source: Source,
    world: str,
    partition: Partition,
) -> LoadReport:
    arity = predicate.arity
    with database.transaction() as connection:
        world_id = database.world_id(world)
        connection.execute("CREATE OR REPLACE TEMP TABLE staged_lines (line BIGINT, cells VARCHAR[])")
        for first_line, text in chunks:
            connection.execute(sql_text("stage_psl"), {"text": text, "offset": first_line - 1})
        faults = [
            source.diagnostic(
                "E0204",
                f"{predicate.name} takes {arity} arguments and perhaps a truth value, but this line has {count} cells",
                line,
                help="separate the cells by single tabs",
            )
            for line, count in connection.execute(
                "SELECT line, len(cells) FROM staged_lines WHERE len(cells) NOT IN ($arity, $arity + 1) "
                f"ORDER BY line LIMIT {SHOWN}",
                {"arity": arity},
            ).fetchall()
        ]
        faults += [
            source.diagnostic("E0210", f"{cell!r} is no truth value", line, needle=cell)
            for line, cell in connection.execute(
                "SELECT line, cells[$arity + 1] FROM staged_lines WHERE len(cells) = $arity + 1 "
                f"AND try_cast(cells[$arity + 1] AS DOUBLE) IS NULL ORDER BY line LIMIT {SHOWN}",
                {"arity": arity},
            ).fetchall()
        ]
        faults += [
            source.diagnostic("E0212", "an argument is empty here", line)
            for (line,) in connection.execute(
                f"SELECT line FROM staged_lines WHERE list_contains(cells[:{arity}], '') ORDER BY line LIMIT {SHOWN}"
            ).fetchall()
        ]
        if faults:
            raise InputError(tuple(faults))
        table = quoted(f"staged_{predicate.table_name}")
        columns = "".join(f"cells[{place + 1}] AS {column}, " for place, column in enumerate(predicate.columns))
        unsaid = "NULL" if partition == "target" else "1"
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT line, {columns}"
            f"coalesce(cells[{arity + 1}]::DOUBLE, {unsaid}) AS value, "
            f"{text_literal(partition)} AS partition, {world_id}::INTEGER AS world FROM staged_lines"
        )
        counts, warnings = ingest(connection, [Staged(predicate, table)], database.type_tables(), source)
        connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP TABLE staged_lines")
        database.refresh_domains([world_id])
    return LoadReport(counts, (world,), warnings)


def read_psl_data(
    source: str | os.PathLike[str], *, split: Split = "infer", base: str | os.PathLike[str] | None = None
) -> PslData:
    """The declarations and files that a PSL `.data` or `.json` file lists, without loading them.

    Raises
    ------
    InputError
        E0214 when the file is no YAML or JSON of that shape.
    """
    path = Path(source)
    directory = path.parent if base is None else Path(base)
    text = "\n".join(piece for _, piece in chunks_of_lines(path))
    content = _parsed(path, text)
    sections = content.get("predicates")
    if not isinstance(sections, Mapping):
        raise _fault(path, "the file has no section `predicates`")
    predicates, facts = [], []
    for signature, description in sections.items():
        predicate = _declared(path, str(signature), description)
        predicates.append(predicate)
        if path.suffix == ".json" and isinstance(description, Mapping):
            for section, partition in _SECTIONS.items():
                facts += _listed(path, directory, predicate.name, partition, description.get(section), split)
    if path.suffix != ".json":
        for section, partition in _SECTIONS.items():
            entries = content.get(section) or {}
            if not isinstance(entries, Mapping):
                raise _fault(path, f"the section `{section}` does not list files by predicate")
            for name, entry in entries.items():
                facts += _listed(path, directory, str(name), partition, entry, split)
    return PslData(tuple(predicates), tuple(facts))


def _parsed(path: Path, text: str) -> Mapping[str, Any]:
    name = display_name(path)
    try:
        if path.suffix == ".json":
            # PSL's documents are JSON with whole-line comments; blanking them keeps the line numbers.
            content = json.loads(re.sub(r"(?m)^[ \t]*(?:#|//).*$", "", text))
        else:
            import yaml

            content = yaml.safe_load(text)
    except json.JSONDecodeError as error:
        span = Span(name, error.lineno, error.colno, error.lineno, error.colno + 1)
        raise InputError.of("E0214", f"this is no JSON: {error.msg.lower()}", span=span) from None
    except Exception as error:
        mark = getattr(error, "problem_mark", None)
        if mark is None:
            raise
        span = Span(name, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
        raise InputError.of("E0214", f"this is no YAML: {getattr(error, 'problem', '')}", span=span) from None
    if not isinstance(content, Mapping):
        raise _fault(path, "the file is empty or no list of sections")
    return content


def _fault(path: Path, message: str) -> InputError:
    return InputError((Diagnostic("E0214", message, Span(display_name(path), 1, 1, 1, 1)),))


def _declared(path: Path, signature: str, description: object) -> Predicate:
    name, _, digits = signature.partition("/")
    words: list[object] = list(description) if isinstance(description, list) else [description]
    options = {key: value for word in words if isinstance(word, Mapping) for key, value in word.items()}
    types = options.get("types")
    if not digits.isdigit() and not types:
        raise _fault(path, f"`{signature}` does not say how many arguments it takes; write {name}/2")
    arity = int(digits) if digits.isdigit() else len(types or ())
    if types and len(types) != arity:
        raise _fault(path, f"`{signature}` lists {len(types)} types")
    closed = True if "closed" in words else False if "open" in words else None
    if closed is None and isinstance(description, Mapping):
        closed = not description.get("targets")
    return Predicate(name, tuple(types or (PSL_TYPE,) * arity), closed=closed)


def _listed(
    path: Path, directory: Path, predicate: str, partition: Partition, entry: object, split: Split
) -> list[PslFacts]:
    """The files or rows of one entry: a path, a list of paths, a list of rows, or those by split."""
    if isinstance(entry, Mapping):
        entry = entry.get(split) or (entry.get("all") if "all" in entry else None)
    if entry is None:
        return []
    items: Sequence[object] = entry if isinstance(entry, list) else [entry]
    files = [PslFacts(predicate, partition, directory / item) for item in items if isinstance(item, str)]
    rows = tuple(tuple(str(cell) for cell in item) for item in items if isinstance(item, list))
    if len(files) + len(rows) != len(items):
        raise _fault(path, f"{predicate} lists something that is neither a file nor a row")
    return files + ([PslFacts(predicate, partition, rows=rows)] if rows else [])


def _stored(database: Database, name: str, file: str) -> StoredPredicate:
    """The stored predicate of that name; one that differs in case alone will do."""
    stored = database.predicates()
    if name in stored:
        return stored[name]
    folded = [other for other in stored.values() if other.name.casefold() == name.casefold()]
    if len(folded) == 1:
        return folded[0]
    close = nearest(name, stored)
    raise InputError.of(
        "E0203",
        f"no predicate is called {name}",
        span=Span(file, 1, 1, 1, 1),
        help=f"did you mean {close}?" if close else "declare it in the section `predicates`",
    )
