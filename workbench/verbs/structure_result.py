"""What structure learning gives back: rules, the candidates beside them, the program text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.structure.mining import MinedRule
from workbench.structure.rules import LearnedRule
from workbench.verbs.common import as_json

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StructureResult:
    """Learned rules.

    Attributes
    ----------
    rules : tuple of LearnedRule
        The learned theory, best first.
    text : str
        The rules as a program in Alchemy's syntax, with declarations.
    method, status : str
        `status` is 'complete' or 'converged', or says what stopped the search; the rules are the
        best until then.
    figures : mapping of str to number
        Clauses evaluated and collected, and what else the method counts.
    candidates : tuple of LearnedRule
        Clauses that the search scored and left out, by descending gain, up to the number asked for.
    warnings : tuple of str
        What of the input had no effect.
    run_id : int or None
        Of the recorded run.
    """

    rules: tuple[LearnedRule, ...]
    text: str
    method: str
    status: str
    seconds: float
    figures: Mapping[str, float]
    candidates: tuple[LearnedRule, ...] = ()
    warnings: tuple[str, ...] = ()
    run_id: int | None = None

    def __repr__(self) -> str:
        run = "" if self.run_id is None else f", run {self.run_id}"
        return f"StructureResult({len(self.rules)} rules by {self.method}, {self.status}{run})"

    def save(self, path: str | Path) -> None:
        """Write the rules."""
        Path(path).write_text(self.text, encoding="utf-8")

    def table(self) -> list[dict[str, Any]]:
        """The learned rules, one JSON-ready record a rule."""
        return [_record(rule, chosen=True) for rule in self.rules]

    def candidate_table(self) -> list[dict[str, Any]]:
        """Learned rules and candidates by descending gain, one JSON-ready record a rule.

        Returns
        -------
        list of dict
            `rule` (text without weight), `support` (true atoms covered), `negatives` (false atoms
            covered), `precision`, `gain` (what the method maximises: information gain, gain in
            weighted pseudo-log-likelihood, or PCA confidence beyond chance), `weight` (None where
            none was learned), `chosen`, and `line`: the rule as a line for a program, with its
            weight, or the log odds of its precision. Mined rules have `head_coverage` and
            `pca_confidence` besides.
        """
        records = [*self.table(), *(_record(rule, chosen=False) for rule in self.candidates)]
        return sorted(records, key=lambda record: -(record["gain"] or 0.0))

    def frame(self) -> pd.DataFrame:
        """`candidate_table` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.candidate_table())

    def summary(self) -> dict[str, Any]:
        """The result as JSON-ready fields."""
        return {
            "method": self.method,
            "status": self.status,
            "seconds": self.seconds,
            "rules": self.table(),
            "candidates": [_record(rule, chosen=False) for rule in self.candidates],
            "warnings": list(self.warnings),
            "run": self.run_id,
            **{name: as_json(value) for name, value in self.figures.items()},
        }


def _record(rule: LearnedRule, *, chosen: bool) -> dict[str, Any]:
    weight = rule.log_odds if rule.weight is None else rule.weight
    record = {
        "rule": rule.text,
        "weight": as_json(rule.weight),
        "support": rule.positives,
        "positives": rule.positives,
        "negatives": rule.negatives,
        "precision": as_json(rule.precision),
        "gain": as_json(rule.gain),
        "chosen": chosen,
        "line": f"{weight:.4g} {rule.text}",
    }
    if isinstance(rule, MinedRule):
        record |= {
            "head_coverage": as_json(rule.head_coverage),
            "pca_confidence": as_json(rule.pca_confidence),
        }
    return record
