"""`demo`: the whole path on a bundled example, from tables to scored and explained predictions."""

from __future__ import annotations

from time import perf_counter

from workbench.commands.command import command
from workbench.commands.console import print_line, print_table
from workbench.commands.working import shown_progress
from workbench.resources import shipped

__all__ = ["demo"]


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
        preview = workspace.preview(rules, learning=True, query="AdvisedBy")
        print_table(
            "2. Groundings by rule, counted before anything is grounded",
            ("rule", "ground rows", "unit groundings", "satisfied by evidence"),
            [
                (rule.rule, rule.ground_rows, rule.unit_groundings, rule.satisfied)
                for rule in preview.rules
            ],
        )
        result = workspace.crossval(rules, progress=progress, query="AdvisedBy")
        fold = result.folds[-1]
        print_table(
            f"3. Weights learned without {fold.plan.name}",
            ("weight", "rule"),
            [
                (row["weight"], row["text"])
                for row in sorted(fold.learning.rules(), key=lambda row: -abs(row["weight"]))
            ],
        )
        metrics = ("F1", "AUC-ROC", "AUC-PR", "CLL")
        summary = result.summary()
        rows = [[fold.plan.name, *(fold.scores[name] for name in metrics)] for fold in result.folds]
        rows += [[name, *(summary[name][metric] for metric in metrics)] for name in ("mean", "sd")]
        print_table(
            "4. Each world predicted by rules learned on the others", ("world", *metrics), rows
        )
        predictions = fold.inference.predictions()
        best = predictions.iloc[int(predictions["value"].to_numpy().argmax())]
        explanation = fold.inference.explain(str(best["atom"]))
        print_table(
            f"5. Why {best['atom']} has probability {best['value']:.3f}",
            ("contribution to the log-odds", "groundings", "rule"),
            [(total, count, rule) for rule, total, count in explanation.by_rule()],
        )
    print_line(f"Done in {perf_counter() - begun:.1f} s. Next:")
    print_line(
        f"  workbench ground {rules} --data {folder / 'dataset.toml'} --query AdvisedBy --preview "
        "--sql"
    )
    print_line(
        f"  workbench learn {rules} --data {folder / 'dataset.toml'} --query AdvisedBy --out "
        "learned.mln"
    )
    print_line("  workbench app                  # the same in the browser")
    print_line(
        "  workbench reproduce uw-cse     # a published experiment, where the real data are at hand"
    )
