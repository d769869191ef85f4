"""`demo`: the whole path on a bundled example, from tables to scored and explained predictions."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from workbench.commands.command import command
from workbench.commands.console import print_line, print_table
from workbench.commands.working import shown_progress
from workbench.resources import shipped

if TYPE_CHECKING:
    from workbench.grounding.preview_result import Preview
    from workbench.verbs.crossval import CrossValidation
    from workbench.verbs.infer import InferenceResult


@command("Start", "demo")
def demo() -> None:
    """Load a bundled university world, count groundings, learn weights, predict, score, explain:
    under a minute.
    """
    from workbench.workspace import open_workspace

    begun = perf_counter()
    folder = shipped("data", "university")
    rules = folder / "advisors.mln"
    with open_workspace() as workspace, shown_progress() as progress:
        report = workspace.load(folder / "dataset.toml", rules=rules)
        print_table("1. Tables loaded", ("predicate", "facts"), sorted(report.facts.items()))
        _print_counts(workspace.preview(rules, learning=True, query="AdvisedBy"))
        result = workspace.crossval(rules, progress=progress, query="AdvisedBy")
        _print_folds(result)
        _print_best(result.folds[-1].inference)
    print_line(f"Done in {perf_counter() - begun:.1f} s. Next:")
    facts = f"{rules} --data {folder / 'dataset.toml'} --query AdvisedBy"
    print_line(f"  workbench ground {facts} --preview --sql")
    print_line(f"  workbench learn {facts} --out learned.mln")
    print_line("  workbench app                  # the same in the browser")
    print_line(
        "  workbench reproduce uw-cse     # a published experiment, where the real data are at hand"
    )


def _print_counts(preview: Preview) -> None:
    print_table(
        "2. Groundings by rule, counted before anything is grounded",
        ("rule", "ground rows", "unit groundings", "satisfied by evidence"),
        [
            (rule.rule, rule.ground_rows, rule.unit_groundings, rule.satisfied)
            for rule in preview.rules
        ],
    )


def _print_folds(result: CrossValidation) -> None:
    """The weights of the last fold, and the scores of all."""
    last = result.folds[-1]
    rules = sorted(last.learning.rules(), key=lambda row: -abs(row["weight"]))
    print_table(
        f"3. Weights learned without {last.plan.name}",
        ("weight", "rule"),
        [(row["weight"], row["text"]) for row in rules],
    )
    metrics, summary = ("F1", "AUC-ROC", "AUC-PR", "CLL"), result.summary()
    rows = [[fold.plan.name, *(fold.scores[name] for name in metrics)] for fold in result.folds]
    rows += [[name, *(summary[name][metric] for metric in metrics)] for name in ("mean", "sd")]
    print_table("4. Each world predicted by rules learned on the others", ("world", *metrics), rows)


def _print_best(inference: InferenceResult) -> None:
    """Why the likeliest prediction is one."""
    predictions = inference.predictions()
    best = predictions.iloc[int(predictions["value"].to_numpy().argmax())]
    explanation = inference.explain(str(best["atom"]))
    print_table(
        f"5. Why {best['atom']} has probability {best['value']:.3f}",
        ("contribution to the log-odds", "groundings", "rule"),
        [(total, count, rule) for rule, total, count in explanation.by_rule()],
    )
