"""`load`, `runs`, `compare`, `export`, `repair`: what a workspace file holds."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from workbench.commands.command import command, option
from workbench.commands.console import (
    as_records,
    check_output,
    print_json,
    print_line,
    print_table,
    print_warnings,
    replacing,
)
from workbench.commands.options import Json
from workbench.commands.prediction_files import write_frame
from workbench.commands.served import address_of, at_hand, connected, files_of
from workbench.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.tables import TablesReport
    from workbench.workspace import Workspace as Opened

Part = Literal["evidence", "truth", "target"]
Workspace = Annotated[
    Path,
    typer.Argument(
        metavar="WORKSPACE", help="A workspace file (DuckDB), or --server URL in its place."
    ),
]


@command("Workspaces", "load work.duckdb facts.db --rules rules.mln", served=True)
def load(
    workspace: Workspace,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="Facts or tables: files, directories, databases, postgresql://...",
        ),
    ] = None,
    rules: Annotated[Path | None, option("--rules", "Declares the predicates.")] = None,
    world: Annotated[str | None, option("--world", "The database the facts belong to.")] = None,
    partition: Annotated[Part, option("--partition", "What the facts are for.")] = "evidence",
    mapping: Annotated[
        Path | None, option("--mapping", "What the columns of wide tables mean, as load prints it.")
    ] = None,
    predict: Annotated[
        str | None, option("--predict", "TABLE.COLUMN[=VALUE] of wide tables, to be predicted.")
    ] = None,
    json: Json = False,
) -> None:
    """Load facts into a workspace file; all of them or none.

    Tables that no declared predicate is called like are wide: each column becomes a predicate. What
    each is taken for is printed as TOML, with the reason, also where the cells do not fit it; edit
    it and load again with --mapping.
    """
    from workbench.database import memory_of_a_load
    from workbench.tables import TablesReport, format_mapping
    from workbench.workspace import open_workspace

    if not sources and mapping is None:
        raise UsageError.of(
            "E0814", "no file is named", help="name files or directories, or --mapping FILE"
        )
    named: dict[str, Any] = {"world": world, "predict": predict}
    if (address := address_of(workspace)) is not None:
        _load_at_the_server(
            address, sources or [], rules, mapping, json=json, partition=partition, **named
        )
        return
    with (
        _whole_or_gone(workspace),
        open_workspace(workspace, memory_limit=memory_of_a_load()) as opened,
    ):
        try:
            report = opened.load(
                sources or (), rules=rules, partition=partition, mapping=mapping, **named
            )
        except InputError as error:
            if mapping is None and not json:
                _print_proposal(opened, sources or [], error)
            raise
        told = _in_a_sentence(opened, report) if isinstance(report, TablesReport) else ""
    print_warnings(report.warnings)
    if isinstance(report, TablesReport):
        if json:
            print_json(report.as_record())
        else:
            print_line(format_mapping(report.mapping).rstrip("\n"))
            print_line(f"\n# {told}")
        return
    _print_loaded({"facts": report.facts, "worlds": report.worlds}, json=json)


def _in_a_sentence(opened: Opened, report: TablesReport) -> str:
    """What is loaded, and what of it is known of what is to be predicted."""
    from workbench.tables import target_of

    tables = report.mapping.tables
    rows, plural = sum(table.rows for table in tables), "" if len(tables) == 1 else "s"
    loaded = f"{len(tables)} table{plural} loaded, {rows:,} rows."
    target = target_of(report.mapping)
    counts = {
        one.predicate.name: Counter({count.partition: count.facts for count in one.counts})
        for one in opened.data.catalog()
    }
    if target is None or target.predicate not in counts:
        return loaded
    known = counts[target.predicate]["truth"] + counts[target.predicate]["evidence"]
    asked = counts[target.predicate]["target"] or max(target.table.rows - known, 0)
    return f"{loaded} {target.name} is to be predicted: {known:,} labels, {asked:,} blank."


@contextmanager
def _whole_or_gone(workspace: Path) -> Iterator[None]:
    """A workspace that is made by a load which fails is not left behind."""
    made = not workspace.exists()
    try:
        yield
    except BaseException:
        if made:
            workspace.unlink(missing_ok=True)
        raise


def _load_at_the_server(
    address: str,
    sources: list[str],
    rules: Path | None,
    mapping: Path | None,
    *,
    json: bool,
    **named: Any,
) -> None:
    from workbench.language.source import read_text

    with connected(address) as remote:
        text = None if rules is None else read_text(rules)
        names = [remote.upload(source) for source in files_of(sources)]
        meaning = {} if mapping is None else {"mapping": read_text(mapping)}
        answer = remote.load(files=names, rules=text, **meaning, **named)
    _print_loaded({name: answer[name] for name in ("facts", "worlds")}, json=json)


def _print_proposal(opened: Opened, sources: list[str], error: InputError) -> None:
    """What columns were taken for, where the cells do not fit it."""
    from workbench.tables import format_mapping

    if any("in the mapping" in (one.help or "") for one in error.diagnostics):
        with suppress(InputError):
            look = opened.data.look_at_tables(sources)
            print_line(format_mapping(look.mapping).rstrip("\n"))


def _print_loaded(record: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json(record)
    else:
        print_table("Loaded", ("predicate", "facts"), record["facts"].items())


@command("Workspaces", "runs work.duckdb", served=True)
def runs(workspace: Workspace, json: Json = False) -> None:
    """List a workspace's runs, newest first."""
    with at_hand(workspace, read_only=True) as opened:
        frame = opened.runs()
    if json:
        print_json(as_records(frame))
    else:
        print_table("Runs", list(frame.columns), frame.itertuples(index=False), digits=3)


@command("Workspaces", "compare work.duckdb 1 2", served=True)
def compare(
    workspace: Workspace,
    first: Annotated[int, typer.Argument(help="A run's id.")],
    second: Annotated[int, typer.Argument(help="Another run's id.")],
    json: Json = False,
) -> None:
    """What differs between two runs: parameters, metrics, weights and predictions."""
    with at_hand(workspace, read_only=True) as opened:
        difference = opened.runs.compare(first, second)
    if json:
        print_json(difference)
        return
    for part, rows in difference.items():
        if rows:
            print_table(part, list(rows[0]), [tuple(row.values()) for row in rows])


@command(
    "Workspaces",
    "export work.duckdb 2 --out predictions.parquet",
    "export work.duckdb 1 --out learned.mln",
    served=True,
)
def export(
    workspace: Workspace,
    run: Annotated[int, typer.Argument(help="A run's id.")],
    out: Annotated[
        Path,
        option(
            "--out -o", ".csv, .parquet or .result for predictions, .mln or .psl for the program."
        ),
    ],
    json: Json = False,
) -> None:
    """Write a run's predictions, or its program."""
    check_output(out)
    from workbench.language import language_of_file

    with at_hand(workspace, read_only=True) as opened:
        if language_of_file(out) is not None:
            with replacing(out) as part:
                part.write_text(opened.models.program(run), encoding="utf-8")
        else:
            write_frame(opened.runs.predictions(run), out)
    if json:
        print_json({"written": str(out)})
    else:
        print_line(str(out))


@command("Workspaces", "repair damaged.duckdb saved.duckdb")
def repair(
    workspace: Workspace,
    destination: Annotated[Path, typer.Argument(metavar="NEW", help="The workspace to make.")],
    json: Json = False,
) -> None:
    """Copy what can still be read of a damaged workspace into a new one;
    the damaged file is left as it is.
    """
    from workbench.workspace import salvage

    found = salvage(workspace, destination)
    if json:
        print_json({"saved": dict(found.saved), "lost": dict(found.lost)})
        return
    print_table("Saved", ("table", "rows"), found.saved)
    if found.lost:
        print_table("Lost", ("table", "why"), found.lost)
    else:
        print_line("Every table could be read.")
