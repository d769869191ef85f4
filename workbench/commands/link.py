"""`link`: which records are of the same thing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.console import (
    check_output,
    print_json,
    print_line,
    print_table,
    print_warnings,
    replacing,
    shown_progress,
)
from workbench.commands.options import DATA, OUTPUT, SOLVING, Json, RunsFile, Seed, TimeLimit, add_command, option
from workbench.commands.served import at_hand
from workbench.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from workbench.verbs.link_result import LinkResult

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    add_command(
        app,
        link,
        "Start",
        "link people.csv --out clusters.csv",
        "link people.csv --settings model.json --out clusters.csv --pairs pairs.csv",
        "link shop.csv register.csv --id number --one-to-one --out clusters.csv --pairs pairs.csv",
    )


def link(
    files: Annotated[list[str], typer.Argument(metavar="FILE [FILE]", help="One table of records, or two.")],
    out: Annotated[Path, option("--out -o", "Clusters: source, id, cluster; .csv or .parquet.", OUTPUT)],
    id_column: Annotated[
        str | None, option("--id", "The column with the records' names.", DATA, metavar="COLUMN")
    ] = None,
    labels: Annotated[Path | None, option("--labels", "Pairs that are known: left,right,match.", DATA)] = None,
    settings: Annotated[
        Path | None, option("--settings", "A model that Splink trained.", DATA, metavar="MODEL.json")
    ] = None,
    one_to_one: Annotated[bool, option("--one-to-one", "Each record is in one pair at most.", SOLVING)] = False,
    pairs: Annotated[Path | None, option("--pairs", "Compared pairs with their probabilities.", OUTPUT)] = None,
    program: Annotated[
        Path | None, option("--program", "The model as rules, .mln; its facts go beside it, .db.", OUTPUT)
    ] = None,
    seed: Seed = 0,
    time_limit: TimeLimit = None,
    workspace: RunsFile = None,
    json: Json = False,
) -> None:
    """Find the records that are of the same thing, in one file or across two, without labels or with some."""

    check_output(out)
    check_output(pairs)
    if program is not None and program.suffix != ".mln":
        raise UsageError.of("E0680", f"{program}: a model is written as rules of Markov logic", help="name a .mln file")
    check_output(program)
    with at_hand(workspace) as opened, shown_progress(quiet=json) as progress:
        result = opened.link(
            *files, record=workspace is not None,
            id_column=id_column, labels=labels, settings=settings, one_to_one=one_to_one, time_limit=time_limit,
            seed=seed, progress=progress,
        )  # fmt: skip
    print_warnings(result.warnings)
    with replacing(out) as part:
        result.write_clusters(part)
    if pairs is not None:
        with replacing(pairs) as part:
            result.write_pairs(part)
    if program is not None:
        with replacing(program) as part:
            result.write_program(part)
    if json:
        print_json(result.as_record())
    else:
        _print(result, out)
    if result.status == "limit":
        raise typer.Exit(int(ExitCode.LIMIT))


def _print(result: LinkResult, out: Path) -> None:
    record = result.as_record()
    print_table(
        "Candidates",
        ("statement", "pairs", "new"),
        [(one["statement"], one["pairs"], one["gain"]) for one in record["statements"]],
    )
    print_table(
        "What agreement says",
        ("field", "level", "m", "u", "weight"),
        [
            (field["field"], level["level"], level["m"], level["u"], level["weight"])
            for field in record["fields"]
            for level in field["levels"]
        ],
    )
    for name, why in record["left_out"].items():
        print_line(f"{name} is not compared: {why}")
    print_line(
        f"{record['records']:,} records, {record['candidates']:,} pairs compared "
        f"({record['share_of_pairs']:.3%} of all), {record['clusters']:,} clusters"
    )
    estimated = [
        "unknown" if record[f"estimated_{name}"] is None else f"{record[f'estimated_{name}']:.3f}"
        for name in ("precision", "recall")
    ]
    print_line(
        f"estimated precision {estimated[0]}, recall {estimated[1]}; "
        f"energy {record['energy']:.1f}, bound {record['bound']:.1f}, gap {record['gap']:.3f}"
    )
    print_line(f"{result.status} in {result.seconds:.1f} s: {out}")
