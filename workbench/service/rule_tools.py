"""Tools on rules: proposed, checked, counted, their weights learned, and scored."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field

from workbench.errors import InputError, UsageError
from workbench.service.answers import answer, first, of
from workbench.service.arguments import Files, Most, Predicates, Rules, Seconds, Text
from workbench.service.tools import QUESTION, Tools, asked_for, program_of, refuse_includes


class RuleTools(Tools):
    """Rules, their weights, and studies that make both."""

    def propose_rules(
        self, predicates: Predicates = None, most: Most = 20, seconds: Seconds = 60
    ) -> dict[str, Any]:
        """Rules with support and weight, ready to paste: of a study's candidates, where load was
        told what to predict, else those found with these predicates as heads.

        predicates: without any, what load was told to predict, or all.
        """
        asked = self.workspace.recall(QUESTION)
        if asked is not None and set(predicates or ()) <= set(asked_for(self.workspace) or ()):
            with suppress(InputError):  # too few labels or conditions for a study
                return self._of_tables(**json.loads(asked), most=most, seconds=seconds)
        if not any(one.facts for one in self.workspace.data.catalog()):
            raise UsageError.of(
                "E0861", "there are no facts to search for rules in", help="load some files first"
            )
        result = self.workspace.structure(
            targets=predicates or asked_for(self.workspace),
            time_limit=seconds,
            progress=self.progress(),
            candidates=most,
        )
        return answer(
            {
                **result.summary(),
                "candidates": first(result.candidate_table(), most),
                "program": result.text,
            },
            next_step="take the program (or lines of it), then learn its weights, or crossval it",
        )

    def _of_tables(
        self, files: list[str], predict: str, most: int, seconds: float
    ) -> dict[str, Any]:
        """Rules about a column of the tables that were loaded."""
        from workbench.verbs.studying.proposals import proposed_rules

        paths = self.folders.files(files)
        found = proposed_rules(
            paths, predict, rules=most, time_limit=seconds, progress=self.progress()
        )
        rules = [of(one, "words", "support", "lift", rule="text") for one in found.rules]
        return answer(
            {
                "rules": rules[:most],
                "candidates": found.candidates,
                "program": found.program,
            },
            next_step="take the program (or lines of it): learn, infer, explain; as all labels "
            "chose its rules, crossval flatters it a little, and study does not",
        )

    def check(self, rules: Rules) -> dict[str, Any]:
        """Everything that is wrong or doubtful in rules, with code, line and column;
        nothing is run.
        """
        from workbench.language import language_of

        refuse_includes(rules)
        checked = self.workspace.rules.check(rules, language_of(rules))
        if checked.has_errors or checked.program is None:
            raise InputError(tuple(one for one in checked.diagnostics if one.severity == "error"))
        return answer(
            {
                "language": checked.program.language,
                "rules": len(checked.program.rules),
                "predicates": list(checked.program.predicates),
                "warnings": [one.as_record() for one in checked.diagnostics],
            },
            next_step="preview counts what the rules ground to; then infer, or learn where labels "
            "are loaded",
        )

    def preview(
        self, rules: Rules, query: Predicates = None, closed: Predicates = None
    ) -> dict[str, Any]:
        """Count each rule's groundings over the data without making them,
        with sample ground clauses.
        """
        found = self.workspace.preview(
            program_of(rules),
            query=query,
            closed=closed,
            samples=2,
            seconds=30.0,
            progress=self.progress(),
        )
        rows = [
            of(one, "rule", "ground_rows", "open", "satisfied", "violated", "samples")
            for one in found.rules
        ]
        return answer(
            {"rules": rows, **of(found, "atoms", "ground_rows")},
            next_step="infer, or learn where labels are loaded",
        )

    def learn(
        self,
        rules: Rules,
        query: Predicates = None,
        closed: Predicates = None,
        learner: Text = "auto",
        seconds: Seconds = 60,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Learn the rules' weights from the loaded labels; recorded as a run that infer takes."""
        how = self.how(query, closed, seconds, seed)
        result = self.workspace.learn(program_of(rules), learner=learner, **how)
        summary = result.summary()
        kept = {
            name: summary[name]
            for name in ("status", "learner", "run", "atoms", "ground_rows", "seconds")
        }
        return answer(
            {
                **kept,
                "rules": first(summary["rules"], 50),
                "warnings": summary["warnings"],
                "program": result.text(),
            },
            next_step=f"infer with run={result.run_id}, or crossval to see how good the rules are",
        )

    def crossval(
        self,
        rules: Rules,
        query: Predicates = None,
        closed: Predicates = None,
        folds: Annotated[int, Field(ge=2, le=20)] = 5,
        learner: Text = "auto",
        seconds: Seconds = 120,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Score rules on data they were not learned from: worlds dealt into folds,
        or labelled atoms in one world. The seconds are shared by the folds.
        """
        dealt: Any = folds
        how = self.how(query, closed, seconds / folds, seed)
        if len(self.workspace.data.worlds()) < 2:
            if not how["query"]:
                raise UsageError.of(
                    "E0861",
                    "cross-validation in one world needs a query",
                    help="name the predicate",
                )
            self.workspace.data.make_folds(
                "random", predicate=how["query"][0], count=folds, seed=seed
            )
            dealt = "kept"
        result = self.workspace.crossval(program_of(rules), folds=dealt, learner=learner, **how)
        return answer(
            result.summary(),
            next_step="compare two such runs, or learn and infer with the better rules",
        )

    def study(
        self,
        files: Files,
        predict: Text,
        time: Text | None = None,
        folds: Annotated[int, Field(ge=2, le=20)] = 5,
        seconds: Seconds = 120,
    ) -> dict[str, Any]:
        """Learn, score and explain a model of one column of tables as they are, in one call;
        nothing is loaded.
        """
        paths = [str(path) for path in self.folders.files(files)]
        result = self.workspace.study(
            paths, predict, time=time, folds=folds, time_limit=seconds, progress=self.progress()
        )
        record = result.as_record()
        wanted = ("status", "sentence", "kind", "metrics", "seconds", "warnings")
        return answer(
            {
                "run": result.run_id,
                **{name: record[name] for name in wanted if name in record},
                "baselines": {
                    name: {metric: found["mean"] for metric, found in scores.items()}
                    for name, scores in record["baselines"].items()
                },
                "rules": first(record["rules"], 15),
                "explanations": first(record["explanations"], 4),
            },
            next_step="load the files with the same predict to explain single answers with rules "
            "of your own",
        )
