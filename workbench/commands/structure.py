"""`structure`: rules from data, with modes as ILP systems state them or without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from workbench.commands.options import FactOptions, Json, Seed, TimeLimit
from workbench.commands.unused import refuse_unused
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.verbs.structure_result import StructureResult

__all__ = ["structure"]

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help="An ILP problem (Aleph's or Popper's files, or their directory), or one .mln file.",
    ),
]


@command(
    "Predicting and learning",
    "structure declarations.mln --data facts.db --target Smokes",
    "structure trains.b --set noise=5",
    served=True,
)
def structure(
    files: Files,
    facts: FactOptions,
    target: Annotated[
        str | None, option("--target", "Predicates to learn rules for, P,Q (.mln).")
    ] = None,
    method: Annotated[str, option("--method", "beam, paths or mine (.mln).")] = "beam",
    loop: Annotated[str, option("--loop", "induce, induce_cover or induce_max (ILP).")] = "induce",
    collect: Annotated[
        float | None, option("--collect", "Keep every clause that scores more on the way (ILP).")
    ] = None,
    weights: Annotated[
        str, option("--weights", "none, l1, l2, elastic or group: exact likelihood (ILP).")
    ] = "none",
    features: Annotated[
        str,
        option("--features", "auto, count, exists or log: what a weighted body speaks by (ILP)."),
    ] = "auto",
    flatten: Annotated[
        bool, option("--flatten", "Compound terms also as facts of their functors.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        option("--set", "A parameter of the search, name=value; once per parameter."),
    ] = None,
    seed: Seed = 0,
    time_limit: TimeLimit = None,
    out: Annotated[Path | None, option("--out -o", "Write the learned rules.")] = None,
    json: Json = False,
) -> None:
    """Learn rules: clause search from examples, or rules over the predicates of a program."""
    check_output(out, [*files, *facts.files])
    from workbench.language import language_of_file
    from workbench.language.ilp.reader import read_ilp

    rules = files[0] if len(files) == 1 and language_of_file(files[0]) == "mln" else None
    if rules is None:
        given: dict[str, object] = {
            "--target": target, "--method": method != "beam",
            "--data": facts.data, "--mapping": facts.mapping, "--world": facts.world,
        }  # fmt: skip
        how = "its files hold facts, examples and modes; --set, --loop and --weights say how"
        refuse_unused(given, "an ILP problem", how)
    else:
        given = {
            "--loop": loop != "induce", "--collect": collect is not None,
            "--weights": weights != "none", "--features": features != "auto",
            "--flatten": flatten,
        }  # fmt: skip
        how = "--target, --method and --set say how; its rules always have weights"
        refuse_unused(given, "a .mln file", how)
    with opened(facts, rules, learning=True) as space, shown_progress(quiet=json) as progress:
        shared: dict[str, Any] = {
            "settings": parameters(settings), "seed": seed, "time_limit": time_limit,
            "progress": progress,
        }  # fmt: skip
        if rules is None:
            problem = read_ilp(*files, flatten=flatten)
            print_warnings(problem.warnings)
            result = space.structure(
                problem, loop=loop, weights=weights, features=features, collect=collect, **shared
            )  # fmt: skip
        else:
            targets = target.split(",") if target else None
            result = space.structure(rules, targets=targets, method=method, **shared)
    written(out, result.save)
    if json:
        print_json(result.summary())
    else:
        _print_found(result)
    end_as(result.status)


def _print_found(result: StructureResult) -> None:
    """The rules, what they leave open, and how they were found."""
    columns = ("weight", "rule", "true", "false", "precision")
    rows = [
        (r["weight"], r["rule"], r["positives"], r["negatives"], r["precision"])
        for r in result.table()
    ]
    print_table("Rules", columns, rows[:60])
    if len(rows) > 60:
        print_line(f"... {len(rows) - 60:,} more; --out FILE writes them all")
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
