"""`structure`: rules from data, with modes as ILP systems state them or without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.command import command, option
from workbench.commands.console import (
    check_output,
    end_as,
    print_json,
    print_line,
    print_table,
    print_warnings,
    written,
)
from workbench.commands.given import opened, parameters
from workbench.commands.options import FactOptions, Json, Seed, WholeTimeLimit
from workbench.commands.unused import changed, refuse_unused
from workbench.commands.working import shown_progress
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.language.ilp.problem import IlpProblem
    from workbench.verbs.structure_result import StructureResult

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILES...]",
        help="An ILP problem (Aleph's or Popper's files, or their directory), or one .mln file; "
        "without any, all predicates of the workspace or the data.",
    ),
]


@dataclass(frozen=True)
class RuleSearchOptions:
    """What rules over a program's predicates are searched for, and how."""

    target: Annotated[
        list[str] | None, option("--target", "Predicates to learn rules for, P,Q (.mln).")
    ] = None
    method: Annotated[str, option("--method", "beam, paths or mine (.mln).")] = "beam"


@dataclass(frozen=True)
class ClauseSearchOptions:
    """How clauses of an ILP problem are searched and weighted."""

    loop: Annotated[str, option("--loop", "induce, induce_cover or induce_max (ILP).")] = "induce"
    collect: Annotated[
        float | None, option("--collect", "Keep every clause that scores more on the way (ILP).")
    ] = None
    weights: Annotated[
        str, option("--weights", "none, l1, l2, elastic or group: exact likelihood (ILP).")
    ] = "none"
    features: Annotated[
        str,
        option("--features", "auto, count, exists or log: what a weighted body speaks by (ILP)."),
    ] = "auto"
    flatten: Annotated[
        bool, option("--flatten", "Compound terms also as facts of their functors.")
    ] = False


@dataclass(frozen=True)
class SearchOptions:
    """How either search goes about it."""

    settings: Annotated[
        list[str] | None,
        option("--set", "A parameter of the search, name=value; once per parameter."),
    ] = None
    seed: Seed = 0
    time_limit: WholeTimeLimit = None


@command(
    "Predicting and learning",
    "structure declarations.mln --data facts.db --target Smokes",
    "structure -w work.duckdb --target IsFraud --method mine",
    "structure trains.b --set noise=5",
    served=True,
)
def structure(
    facts: FactOptions,
    of_rules: RuleSearchOptions,
    of_clauses: ClauseSearchOptions,
    search: SearchOptions,
    files: Files = None,
    out: Annotated[Path | None, option("--out -o", "Write the learned rules.")] = None,
    json: Json = False,
) -> None:
    """Learn rules: clause search from examples, or rules over the predicates of a program."""
    from workbench.language import language_of_file

    named = files or []
    if not named and not facts.files:
        raise UsageError.of(
            "E0814",
            "no file is named",
            help="name an ILP problem's files, a .mln file, --workspace FILE or --data FILE",
        )
    check_output(out, [*named, *facts.files])
    rules = named[0] if len(named) == 1 and language_of_file(named[0]) == "mln" else None
    by_modes = bool(named) and rules is None
    if by_modes:
        how = "its files hold facts, examples and modes; --set, --loop and --weights say how"
        given = changed(of_rules) | changed(replace(facts, workspace=None))
        refuse_unused(given, "an ILP problem", how)
    else:
        how = "--target, --method and --set say how; its rules always have weights"
        refuse_unused(changed(of_clauses), "a .mln file" if rules else "a workspace", how)
    shared = {**vars(search), "settings": parameters(search.settings)}
    with opened(facts, rules, learning=True) as space, shown_progress(quiet=json) as progress:
        if by_modes:
            options = {**vars(of_clauses)}
            problem = _problem(named, flatten=options.pop("flatten"))
            result = space.structure(problem, progress=progress, **options, **shared)
        else:
            targets = [name for named in of_rules.target or () for name in named.split(",")] or None
            result = space.structure(
                rules, targets=targets, method=of_rules.method, progress=progress, **shared
            )
    written(out, result.save)
    if json:
        print_json(result.summary())
    else:
        _print_found(result)
    end_as(result.status)


def _problem(files: list[Path], *, flatten: bool) -> IlpProblem:
    """An ILP problem, with warnings of what it says."""
    from workbench.language.ilp.reader import read_ilp

    problem = read_ilp(*files, flatten=flatten)
    print_warnings(problem.warnings)
    return problem


def _print_found(result: StructureResult) -> None:
    """The rules, what they leave open, and how they were found."""
    columns = ("weight", "rule", "true", "false", "precision", "gain")
    fields = ("weight", "rule", "positives", "negatives", "precision", "gain")
    rows = [tuple(record[field] for field in fields) for record in result.table()]
    if rows:
        print_table("Rules", columns, rows, rest="--out FILE writes them all")
    elif result.status in ("limit", "cancelled"):
        ended = "time limit" if result.status == "limit" else "search was cancelled"
        print_line(f"No rule was found before the {ended}: give the search more seconds.")
    else:
        print_line("No rule was found that tells more than chance.")
    for warning in result.warnings:
        print_line(warning)
    figures = result.figures
    if figures.get("uncovered_positives"):
        print_line(
            f"{figures['uncovered_positives']:,.0f} positives are covered by no acceptable rule"
        )
    if "gap" in figures:
        print_line(
            f"weights: penalty {figures['penalty']:g} by cross-validation; objective "
            f"{figures['objective']:.6g}, proven within {figures['gap']:.1e} of the least"
        )
    beside = f"; {len(result.candidates):,} candidates" if result.candidates else ""
    print_line(f"{result.status} by {result.method} in {result.seconds:.2f} s{beside}")
