"""What can be learned and solved with, and recorded runs' models: programs, rules, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench import database as data
from workbench.errors import UsageError, WorkbenchError
from workbench.progress import SILENT, Progress
from workbench.verbs.common import recorded_program
from workbench.verbs.of_database import OfDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from workbench.database import Database, Run
    from workbench.language.program import Rule
    from workbench.verbs.methods import Method
    from workbench.verbs.written_rules import WrittenRule


@dataclass(frozen=True)
class Models:
    """Engines, learners, and the learned models of a workspace (`ws.models`)."""

    database: Database

    keep_intervals = OfDatabase(data.record_intervals)

    def engines(
        self, language: Literal["mln", "psl"], task: Literal["map", "marginal"]
    ) -> tuple[Method, ...]:
        """The engines for a language and task, with their parameters explained."""
        from workbench.verbs.methods import engines

        return engines(language, task)

    def learners(self, language: Literal["mln", "psl"]) -> tuple[Method, ...]:
        """The learners for a language, with their parameters explained."""
        from workbench.verbs.methods import learners

        return learners(language)

    def program(self, run: int) -> str:
        """The program of a run, with the weights it learned where it learned any."""
        return data.read_run(self.database, run).program_text

    def weights(self, number: int) -> pd.DataFrame:
        """A run's weights."""
        return data.run_table(self.database, number, "weight")

    def rules(self, number: int, *, fold: int | None = None) -> pd.DataFrame:
        """A run's rules as their author wrote them, each with its one weight in the author's sense.

        Columns: rule, formula, description (in its author's words, where there are any), each
        (whether the weight is one of each unit of a number), weight, initial, low, high, fixed,
        open, satisfied, violated, support (labelled atoms of which the body was true), rate (true
        ones of them), rate_of_others, clauses (what the rule became, one a line). A formula whose
        clauses weigh differently has a row a clause; runs that learned
        nothing have no rates, and those of a study are the rules that it found.
        """
        import pandas as pd

        from workbench.verbs.written_rules import recorded_templates, written_rules

        run = data.read_run(self.database, number)
        stated = _stated_rules(run)
        if run.kind == "study":
            return _studied_rules(stated)
        table = self.weights(number)
        table = table[table["fold"].isna() if fold is None else table["fold"] == fold].reset_index(
            drop=True
        )
        written = written_rules(recorded_templates(table), table["weight"].to_numpy(np.float64))
        rows = []
        for one, own_rule in zip(written, _rules_behind(written, stated), strict=True):
            own = table.loc[list(one.templates)]
            first = own.iloc[0]
            share = float(first["share"]) if one.whole else 1.0
            ends = sorted(float(first[name]) / share for name in ("low", "high"))
            rows.append(
                {
                    "rule": one.rule,
                    "formula": one.text,
                    "description": own_rule.description if own_rule else "",
                    "each": own_rule is not None and _is_of_each_unit(own_rule),
                    "weight": one.weight,
                    "initial": float(first["initial"]) / share,
                    "low": ends[0],
                    "high": ends[1],
                    "fixed": bool(first["fixed"]),
                    **own[["open", "satisfied", "violated"]].sum().to_dict(),
                    **pd.to_numeric(first[["support", "rate", "rate_of_others"]]).to_dict(),
                    "clauses": "\n".join(own["formula"]),
                }
            )
        return pd.DataFrame(rows)

    def intervals(
        self,
        number: int,
        *,
        method: Literal["laplace", "bootstrap"] = "laplace",
        resamples: int = 200,
        time_limit: float | None = None,
        progress: Progress = SILENT,
    ) -> pd.DataFrame:
        """Put intervals beside the weights of a recorded learning run, and give its weights back.

        Raises
        ------
        UsageError
            E0815 when it is no learning run, E0816 when the facts have changed since.
        """
        from workbench.verbs.intervals import intervals_of_run

        run = data.read_run(self.database, number)
        if run.kind != "learn":
            raise UsageError.of(
                "E0815", f"run {number} is a {run.kind} run; intervals are for learned weights"
            )
        if run.data_hash != data.data_hash(self.database):
            raise UsageError.of(
                "E0816",
                f"the facts have changed since run {number}",
                help="learn the weights again",
            )
        low, high = intervals_of_run(
            self.database,
            run,
            method=method,
            resamples=resamples,
            time_limit=time_limit,
            progress=progress,
        )
        data.record_intervals(self.database, number, low, high)
        return self.weights(number)


def _stated_rules(run: Run) -> tuple[Rule, ...]:
    """The rules of a run by their place; none where they cannot be read here."""
    try:
        return recorded_program(run).rules
    except WorkbenchError:
        return ()


def _rules_behind(written: Sequence[WrittenRule], stated: Sequence[Rule]) -> Iterator[Rule | None]:
    """The rules of a run's program that weights are of: by their text, for a learned program has
    one for each clause that weighs differently; by their place where every rule has one weight.
    """
    from workbench.language.rewriting import rule_text

    by_text: dict[str, list[Rule]] = {}
    for rule in reversed(stated):
        by_text.setdefault(" ".join(rule_text(rule).split()), []).append(rule)
    by_place = len({one.rule for one in written}) == len(written)
    for one in written:
        same = by_text.get(one.text)
        if same:
            yield same.pop()
        else:
            yield stated[one.rule] if by_place and 0 <= one.rule < len(stated) else None


def _is_of_each_unit(rule: Rule) -> bool:
    return rule.weight.factor is not None or rule.weight.kind == "variable"


_NOT_OF_STUDIES = (
    *("initial", "low", "high", "open", "satisfied", "violated"),
    *("support", "rate", "rate_of_others"),
)


def _studied_rules(rules: tuple[Rule, ...]) -> pd.DataFrame:
    """What a study's program has, as the rules of other runs; what it does not tell is left out."""
    import pandas as pd

    from workbench.language.rewriting import rule_text

    return pd.DataFrame(
        [
            {
                "rule": place,
                "formula": rule_text(rule),
                "description": rule.description,
                "each": _is_of_each_unit(rule),
                "weight": rule.weight.value,
                **dict.fromkeys(_NOT_OF_STUDIES, np.nan),
                "fixed": False,
                "clauses": "",
            }
            for place, rule in enumerate(rules)
            if rule.weight.value is not None
        ]
    )
