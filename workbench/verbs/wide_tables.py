"""Loading wide tables: which sources are such, what they mean, their facts; all or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from workbench.database import DEFAULT_WORLD, DESCRIPTION, Database, display_name, read_dataset
from workbench.errors import InputError, Span
from workbench.language.formulas import formula_atoms
from workbench.language.program import FormulaRule, Program
from workbench.progress import SILENT, Progress
from workbench.tables import (
    TablesMapping,
    TableSource,
    TablesReport,
    Target,
    ask_where_absent,
    files_of_tables,
    find_sources,
    form_of,
    load_tables_as_mapped,
    mapped_predicates,
    parts_of,
    read_mapping,
    stage,
    target_of,
    typed_among,
    with_more_files,
)
from workbench.verbs.common import plainly
from workbench.verbs.tables_beside import (
    about_replaced,
    as_typed,
    drop_replaced,
    names_brought,
    proposed_beside,
    tables_beside,
    what_is_new,
)
from workbench.verbs.tables_look import (
    Labels,
    mapping_of_more_rows,
    others_at_hand,
    recounted,
    remember_tables,
    tables_at_hand,
)


def made_by_tables(database: Database) -> tuple[str, ...]:
    """The predicates that columns of the tables at hand made."""
    at_hand = tables_at_hand(database)
    return () if at_hand is None else tuple(one.name for one in mapped_predicates(at_hand))


def are_wide_tables(database: Database, source: str | os.PathLike[str], but: Iterable[str]) -> bool:
    """Whether a source is read as wide tables when nothing more is said of it.

    It is where it holds tables and no predicate, `but` for some, is declared by their names:
    `orders.customer` makes one that is called as `customer.csv` is. A `dataset.toml` is where it
    maps some.
    """
    path = Path(source)
    if form_of(source) is None and not path.is_dir() and path.name != DESCRIPTION:
        return False
    description = path / DESCRIPTION if path.is_dir() else path
    if description.name == DESCRIPTION and description.is_file():
        return read_dataset(description).has_tables
    declared = {plainly(name) for name in database.predicates()} - {plainly(name) for name in but}
    if path.is_dir():
        files = files_of_tables(path)
        inside = [file for folder in path.iterdir() if folder.is_dir() for file in folder.iterdir()]
        return bool(files) and not any(
            plainly(_stem(file)) in declared for file in (*files, *inside)
        )
    return (
        form_of(source) in ("postgres", "excel", "json", "sqlite", "duckdb")
        or plainly(_stem(path)) not in declared
    )


def _stem(path: Path) -> str:
    return path.name.split(".", 1)[0]


def load_wide_tables(
    database: Database,
    sources: Sequence[str | os.PathLike[str]] = (),
    *,
    mapping: TablesMapping | str | os.PathLike[str] | None = None,
    predict: str | None = None,
    world: str | None = None,
    labels: Labels = "withheld",
    progress: Progress = SILENT,
) -> TablesReport:
    """Load wide tables as a mapping says, or as a look at them proposes; more rows of tables that
    the workspace was filled from, as these were. Cancelling `progress` stops their being read.

    Raises InputError with every fault of the tables, at file, row and column; nothing is loaded;
    E0235, E0237 for a column that cannot be predicted.

    Parameters
    ----------
    sources : sequence of paths or URLs
        Files, directories, databases; empty for those that the mapping names.
    mapping : TablesMapping or path, optional
        Tables of the same names; None proposes one.
    predict : str, optional
        `TABLE.COLUMN` or `TABLE.COLUMN=VALUE`, in place of the mapping's own.
    """
    from workbench.grounding.interruption import statements_heeding

    if mapping is None and (description := _only_description(sources)) is not None:
        mapping, sources = description, ()
    given = read_mapping(mapping) if isinstance(mapping, str | os.PathLike) else mapping
    at_hand = others_at_hand(database) if world is None else None
    if given is not None:
        brought = matched_sources(given, sources, at_hand)
        earlier = tuple(one for one in tables_beside(at_hand, brought) if one.name in given.by_name)
    else:
        brought = parts_of(find_sources(sources), tables_at_hand(database))
        earlier = tables_beside(at_hand, brought)
    watched = partial(statements_heeding, progress)
    found, as_mapped = (*earlier, *brought), given or tables_at_hand(database)
    with stage(
        found, lists_apart=True, as_mapped=as_mapped, parts_together=given is None, watched=watched
    ) as staging:
        names = names_brought(staging, at_hand, brought)
        known = None
        if given is None and predict in (None, _predicted(database)):
            known = mapping_of_more_rows(database, staging)
        if given is not None:
            chosen = replace(given, predict=predict or given.predict)
        else:
            chosen = known or proposed_beside(database, staging, at_hand, names, predict)
        target = target_of(chosen)
        if target is not None and labels == "evidence" and known is None:
            ask_where_absent(staging, target)
        if given is not None:
            chosen = recounted(staging, chosen)
        fresh = chosen if known is not None else what_is_new(chosen, at_hand, names)
        of, among = world or DEFAULT_WORLD, None if known is None else database
        with database.transaction():
            report = load_tables_as_mapped(
                database, staging, fresh,
                typed=typed_among(staging, as_typed(fresh, chosen), among, of),
                world=of, labels=labels, more_rows=known is not None, last=True,
            )  # fmt: skip
            if known is None:
                gone = drop_replaced(database, at_hand, chosen)
                said = about_replaced(gone, names & at_hand.by_name.keys()) if at_hand else []
                if given is None:
                    report = replace(report, warnings=(*report.warnings, *said))
            _remember(database, brought, chosen, labels, more_rows=known is not None)
            _remember_target(database, target)
        loaded = tuple(table for table in chosen.tables if table.name in names)
    return replace(report, mapping=replace(chosen, tables=loaded))


def _only_description(sources: Sequence[str | os.PathLike[str]]) -> Path | None:
    """The description of tables that is all that is named; None where there is more, or none."""
    if len(sources) != 1:
        return None
    (source,) = sources
    named = Path(source).name == DESCRIPTION or _described(source)
    return _description(source) if named else None


def _remember(
    database: Database,
    brought: Sequence[TableSource],
    chosen: TablesMapping,
    labels: Labels,
    *,
    more_rows: bool,
) -> None:
    """Keep the tables that were loaded as those at hand, or beside those that had rows before."""
    if not more_rows:
        remember_tables(database, chosen, labels)
    elif (at_hand := tables_at_hand(database)) is not None:
        remember_tables(database, with_more_files(at_hand, brought))


def _predicted(database: Database) -> str | None:
    at_hand = tables_at_hand(database)
    return None if at_hand is None else at_hand.predict


def predicted_predicate(mapping: str | os.PathLike[str], program: Program) -> str | None:
    """The predicate that a mapping's `predict` asks for; None where it asks for nothing."""
    target = target_of(read_mapping(mapping))
    return None if target is None else predicted_of(target, program)


def predicted_of(target: Target, program: Program) -> str:
    """The predicate that a program predicts of a target.

    A program whose rules do not speak of that predicate, and that says by scopes what is open, asks
    for the latter.
    """
    speaks = any(
        isinstance(rule, FormulaRule) and _speaks_of(rule, target.predicate)
        for rule in program.rules
    )
    scoped = list(dict.fromkeys(scope.head.predicate for scope in program.scopes))
    return scoped[0] if len(scoped) == 1 and not speaks else target.predicate


def _speaks_of(rule: FormulaRule, predicate: str) -> bool:
    return any(atom.predicate == predicate for atom in formula_atoms(rule.formula))


def _remember_target(database: Database, target: Target | None) -> None:
    if target is not None:
        database.remember("query", target.predicate)


def _described(source: str | os.PathLike[str]) -> bool:
    return (Path(source) / DESCRIPTION).is_file()


def _description(source: str | os.PathLike[str]) -> Path:
    return Path(source) / DESCRIPTION if Path(source).is_dir() else Path(source)


def matched_sources(
    mapping: TablesMapping,
    sources: Sequence[str | os.PathLike[str]],
    at_hand: TablesMapping | None = None,
) -> tuple[TableSource, ...]:
    """The source of each table of a mapping: its own, or of the files given the one of that name;
    lists come with theirs.

    Raises E0234 for a file that the mapping says nothing of, and for a table that no file is given
    for and that is not at hand.
    """
    if not sources:
        return tuple(table.source for table in mapping.tables)
    given = {source.name: source for source in parts_of(find_sources(sources), mapping)}
    there = set(at_hand.by_name) if at_hand is not None else set()
    tables = [
        table
        for table in mapping.tables
        if not table.source.is_list and (table.name in given or table.name not in there)
    ]
    without = [table.name for table in tables if table.name not in given]
    for name, source in given.items():
        if name not in mapping.by_name:
            renamed = f"; {without[0]} has no file: if it is this one, call it so" * bool(without)
            raise InputError.of(
                "E0234",
                f"the mapping says nothing of the table {name}",
                span=Span(source.shown, 1, 1, 1, 1),
                help=f"its tables are {', '.join(mapping.by_name)}{renamed}",
            )
    if without:
        named = ", ".join(display_name(source) for source in sources)
        raise InputError.of(
            "E0234",
            f"the mapping has a table {without[0]}, and none of the files given holds it ({named})",
            help="give its file too, or take the table out of the mapping",
        )
    return tuple(
        replace(
            given[table.name],
            separator=table.source.separator,
            encoding=table.source.encoding,
            header=table.source.header,
        )
        for table in tables
    )
