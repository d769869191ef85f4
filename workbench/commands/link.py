"""`link`: which records are of the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.commands.command import DATA, OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    check_output,
    check_table,
    end_as,
    print_json,
    print_line,
    print_table,
    print_warnings,
    replacing,
    written,
)
from workbench.commands.options import Json, RunsFile, Seed, WholeTimeLimit
from workbench.commands.served import address_of, at_hand, connected
from workbench.commands.working import shown_progress
from workbench.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from workbench.verbs.linking.result import LinkResult


@dataclass(frozen=True)
class FittingOptions:
    """How a linkage is fitted."""

    labels: Annotated[
        Path | None, option("--labels", "Pairs that are known: left,right,match.", DATA)
    ] = None
    settings: Annotated[
        Path | None,
        option("--settings", "A model that Splink trained.", DATA, metavar="MODEL.json"),
    ] = None
    one_to_one: Annotated[
        bool, option("--one-to-one", "Each record is in one pair at most.", SOLVING)
    ] = False
    threshold: Annotated[
        float | None,
        option(
            "--threshold",
            "Pairs of this probability and more belong together; .5, or by labels the best.",
            SOLVING,
        ),
    ] = None
    seed: Seed = 0


@dataclass(frozen=True)
class KeptOptions:
    """Which linkage records come to, and as what."""

    kept: Annotated[
        Path | None,
        option(
            "--with",
            "New records, against a linkage that --workspace kept.",
            DATA,
            metavar="W.duckdb|URL",
        ),
    ] = None
    correct: Annotated[
        bool,
        option("--correct", "With --with: records take the place of kept ones of their id.", DATA),
    ] = False
    remove: Annotated[
        bool, option("--remove", "With --with: the records of these ids go.", DATA)
    ] = False


@dataclass(frozen=True)
class LinkOutput:
    """What is written beside the clusters, and where it is kept."""

    pairs: Annotated[
        Path | None, option("--pairs", "Compared pairs with their probabilities.", OUTPUT)
    ] = None
    program: Annotated[
        Path | None,
        option("--program", "The model as rules, .mln; its facts go beside it, .db.", OUTPUT),
    ] = None
    workspace: RunsFile = None


@command(
    "Start",
    "link people.csv --out clusters.csv",
    "link people.csv --settings model.json --out clusters.csv --pairs pairs.csv",
    "link new.csv --with work.duckdb --out clusters.csv --json",
    "link mended.csv --with work.duckdb --correct --out clusters.csv",
    "link shop.csv register.csv --id number --one-to-one --out clusters.csv --pairs pairs.csv",
    served=True,
)
def link(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE [FILE]", help="One table of records, or two.")
    ],
    out: Annotated[
        Path, option("--out -o", "Clusters: source, id, cluster; .csv or .parquet.", OUTPUT)
    ],
    fitting: FittingOptions,
    kept: KeptOptions,
    output: LinkOutput,
    id_column: Annotated[
        str | None, option("--id", "The column with the records' names.", DATA, metavar="COLUMN")
    ] = None,
    time_limit: WholeTimeLimit = None,
    json: Json = False,
) -> None:
    """Find records of the same thing, in one file or across two, without labels or with some."""
    read = [*files, fitting.labels, fitting.settings, kept.kept, output.workspace]
    check_output(out, read)
    check_output(output.pairs, [*read, out])
    check_table(out)
    check_table(output.pairs)
    shared: dict[str, Any] = {"id_column": id_column, "time_limit": time_limit}
    if kept.kept is not None:
        place = _place_of_kept(kept.kept, fitting, output)
        how = shared | {"correct": kept.correct, "remove": kept.remove}
        _link_more(files, place, out, output.pairs, json=json, **how)
        return
    _check_fitted(kept, output.program)
    with at_hand(output.workspace) as opened, shown_progress(quiet=json) as progress:
        recorded = output.workspace is not None
        result = opened.link(*files, record=recorded, progress=progress, **vars(fitting), **shared)
    print_warnings(result.warnings)
    written(out, result.write_clusters)
    written(output.pairs, result.write_pairs)
    if output.program is not None:
        _write_program(result, output.program)
    if json:
        print_json(result.as_record())
    else:
        _print(result, out)
    end_as(result.status)


def _write_program(result: LinkResult, path: Path) -> None:
    """Write rules and their facts, each in the place of what was there when both are whole."""
    with (
        replacing(path.with_suffix(".db")) as facts,
        replacing(path) as rules,
        TemporaryDirectory() as folder,
    ):
        made = Path(folder, path.name)
        result.write_program(made)
        copyfile(made.with_suffix(".db"), facts)
        copyfile(made, rules)


def _check_fitted(kept: KeptOptions, program: Path | None) -> None:
    """Refuse what is for kept records alone, and a program in another language."""
    if kept.correct or kept.remove:
        raise UsageError.of(
            "E0686",
            f"{'--correct' if kept.correct else '--remove'} is for records that are kept",
            help="name them by --with",
        )
    if program is not None and program.suffix != ".mln":
        raise UsageError.of(
            "E0680",
            f"{program}: a model is written as rules of Markov logic",
            help="name a .mln file",
        )
    check_output(program)


def _place_of_kept(kept: Path, fitting: FittingOptions, output: LinkOutput) -> Path:
    """Where the linkage is kept; options that say how one is fitted are refused."""
    place, workspace = kept, output.workspace
    # A server that holds the workspace stands for it: what --with says otherwise needs no change.
    if workspace is not None and address_of(workspace) is not None:
        place, workspace = workspace, None
    given = {
        "--labels": fitting.labels, "--settings": fitting.settings,
        "--one-to-one": fitting.one_to_one, "--program": output.program,
        "--workspace": workspace, "--seed": fitting.seed,
        "--threshold": fitting.threshold is not None,
    }  # fmt: skip
    named = [name for name, value in given.items() if value]
    if named:
        raise UsageError.of(
            "E0686",
            f"--with takes a linkage as it was fitted, and {named[0]} says how to fit one",
            help=f"leave {named[0]} out, or leave --with out and link all files anew",
        )
    return place


def _link_more(
    files: list[str], kept: Path, out: Path, pairs: Path | None, *, json: bool, **options: Any
) -> None:
    """Link or change records of a kept linkage, and write the clusters that changed."""
    from workbench.verbs.linking.result import write_linked

    address = address_of(kept)
    said, clusters, compared = (
        _at_the_server(address, files, **options)
        if address
        else _in_the_file(kept, files, quiet=json, **options)
    )
    written(out, partial(write_linked, clusters))
    written(pairs, partial(write_linked, compared))
    if json:
        print_json(said)
    else:
        changed = ", ".join(f"{len(found):,} {name}" for name, found in said["changed"].items())
        print_line(
            f"{said['new']:,} new records among {said['records']:,}, {said['candidates']:,} pairs "
            "compared"
        )
        print_line(f"{said['clusters']:,} clusters: {changed}")
        print_line(f"{said['status']} in {said['seconds']:.1f} s: {out}")
    end_as(said["status"])


def _in_the_file(
    kept: Path, files: list[str], *, quiet: bool, **options: Any
) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """Figures, clusters and pairs of records linked in a workspace file."""
    from workbench.workspace import open_workspace

    if not kept.exists():
        raise UsageError.of(
            "E0682", f"there is no workspace at {kept}", help="link with --workspace makes one"
        )
    with open_workspace(kept) as opened, shown_progress(quiet=quiet) as progress:
        result = opened.link_more(*files, progress=progress, **options)
    print_warnings(result.warnings)
    return result.as_record(), result.clusters, result.pairs


def _at_the_server(
    address: str, files: list[str], *, time_limit: float | None, **options: Any
) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """Figures, clusters and pairs of records that a server links; the files are sent to it."""
    import pandas as pd

    with connected(address) as remote:
        seconds = {} if time_limit is None else {"seconds": time_limit}
        names = [remote.upload(one) for one in files]
        answer: dict[str, Any] = remote.link_more(
            files=names, whole=True, confirm=True, **options, **seconds
        )
    clusters, compared = (
        pd.DataFrame(answer.pop(name)) for name in ("clusters_table", "pairs_table")
    )
    print_warnings(tuple(Diagnostic(**told) for told in map(_told, answer["diagnostics"])))
    return (
        {name: value for name, value in answer.items() if name not in ("ok", "next")},
        clusters,
        compared,
    )


def _told(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record.get(name) for name in ("code", "message", "help", "severity")}


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
    if result.threshold != 0.5:
        print_line(f"pairs of probability {result.threshold:g} and more are joined")
    print_line(result.estimates.words())
    proof = f"energy {record['energy']:.1f}, bound {record['bound']:.1f}, gap {record['gap']:.3f}"
    print_line(f"{proof}; {result.status} in {result.seconds:.1f} s: {out}")
