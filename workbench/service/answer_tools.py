"""Tools on answers: inferred, explained, tried otherwise, updated, and the runs of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from workbench.errors import InputError, UsageError
from workbench.inference import is_sampled
from workbench.service.answers import answer, first, of
from workbench.service.arguments import (
    Facts,
    Files,
    Most,
    Part,
    Predicates,
    Rules,
    Run,
    Seconds,
    Text,
)
from workbench.service.tools import Tools, program_of, unconfirmed


class AnswerTools(Tools):
    """Predictions and runs."""

    def infer(
        self,
        rules: Rules | None = None,
        run: Run | None = None,
        query: Predicates = None,
        closed: Predicates = None,
        task: Literal["map", "marginal"] | None = None,
        engine: Text = "auto",
        labels: Literal["evidence", "withheld"] = "evidence",
        seconds: Seconds = 60,
        seed: int = 0,
        most: Most = 20,
    ) -> dict[str, Any]:
        """Predict with rules, or with the rules of a run (learned weights): probabilities,
        or the likeliest state.
        """
        if (rules is None) == (run is None):
            raise UsageError.of("E0861", "infer takes rules or a run", help="give one of the two")
        text = rules if rules is not None else self._with_weights(run or 0)
        how = self.how(query, closed, seconds, seed)
        result = self.workspace.infer(
            program_of(text), task=task, engine=engine, labels=labels, **how
        )
        frame = result.predictions().sort_values("value", ascending=False, kind="stable")
        summary = result.summary()
        wanted = (
            "status engine reason energy bound gap hard_violation atoms ground_rows run".split()
        )
        columns = [name for name in ("atom", "shown", "value", "world") if name in frame]
        scores = self._scores(result)
        return answer(
            {
                **{name: summary[name] for name in wanted},
                "predictions": {
                    "count": len(frame),
                    "items": frame[columns].head(most).to_dict("records"),
                },
                "scores": scores,
                "warnings": summary["warnings"],
            },
            next_step=f"explain with run={result.run_id} and an atom; what_if to change facts; "
            "query for more rows"
            + ("" if scores else "; crossval scores the rules on labels that are held out"),
        )

    def _with_weights(self, run: int) -> str:
        if self.workspace.runs.get(run).kind == "crossval":
            raise UsageError.of(
                "E0861",
                f"run {run} is a cross-validation, with other weights for each fold",
                help="learn the rules, and infer with that run",
            )
        return self.workspace.models.program(run)

    def _scores(self, result: Any) -> dict[str, Any] | None:
        """Scores against loaded labels; None where no prediction has one."""
        try:
            found = self.workspace.evaluate(result)
        except (InputError, UsageError):
            return None
        return {
            name: value for name, value in found.items() if isinstance(value, int | float | str)
        }

    def explain(self, run: Run, atom: Text, fold: int | None = None) -> dict[str, Any]:
        """Why a run gave an atom its value: a sentence, and the ground rules that pull most."""
        explanation = self.workspace.reopen(run, fold=fold, progress=self.progress()).explain(atom)
        reasons = [
            of(one, "rule", "contribution", "definitions", because="ground")
            | {"others": one.other_atoms()}
            for one in explanation.contributions
        ]
        told = {"atom": atom, "value": explanation.value, "sentence": explanation.sentence()}
        return answer(
            told | {"reasons": first(reasons, 12)},
            next_step="what_if shows what would change the answer",
        )

    def what_if(
        self,
        run: Run,
        changes: Annotated[dict[str, bool | None], Field(max_length=100)] | None = None,
        weights: Annotated[dict[str, float], Field(max_length=100)] | None = None,
        most: Most = 20,
    ) -> dict[str, Any]:
        """What a run would have predicted with some facts true, false or unknown (null), or rules
        of other weights.

        A rule is named as explain's `rule` says it. Nothing is kept.
        """
        if not changes and not weights:
            raise UsageError.of(
                "E0861", "there is nothing to change", help="give changes or weights"
            )
        frame = self.workspace.what_if(run, changes, weights=weights, progress=self.progress())
        moved = frame[frame["change"].abs() > 1e-9]
        return answer(
            {"changed": len(moved), "of": len(frame), "items": moved.head(most).to_dict("records")},
            next_step=f"{self._by_chance(run)}update keeps changed facts and brings the run up to "
            "date"
            if len(moved)
            else "the facts may be so already (query shows them), or no rule reads them",
        )

    def _by_chance(self, run: int) -> str:
        """What is to be said first of changes between sampled values."""
        recorded = self.workspace.runs.get(run)
        if not is_sampled(recorded.engine):
            return ""
        reason = str((recorded.parameters.get("figures") or {}).get("reason") or "")
        said = reason.rpartition("; ")[2]
        return f"values are sampled ({said}), and changes of a few times that may be chance; "

    def update(
        self,
        run: Run,
        add: Facts | None = None,
        remove: Facts | None = None,
        files: Files | None = None,
        remove_files: Files | None = None,
        world: Text | None = None,
        partition: Part = "evidence",
        correct: bool = False,
        confirm: bool = False,
    ) -> dict[str, Any]:
        """Add and remove facts for good and bring a run up to date;
        needs confirm where facts go or are replaced.
        """
        if (remove or remove_files or correct) and not confirm:
            raise unconfirmed("removing or replacing facts cannot be taken back")
        # What ends so is never taken for the name of a file.
        faulty = [
            text
            for text in (*(add or ()), *(remove or ()))
            if "(" not in text or not text.endswith(")")
        ]
        if faulty:
            raise UsageError.of(
                "E0817",
                f"{faulty[0][:200]} is no fact",
                help="write it as Predicate(Constant, ...); files takes the names of files",
            )
        added = [*(add or ()), *self.folders.files(files or ())]
        removed = [*(remove or ()), *self.folders.files(remove_files or ())]
        done = self.workspace.update(
            run,
            added,
            removed,
            correct=correct,
            world=world,
            partition=partition,
            progress=self.progress(),
        )
        now = done.result.run_id or run
        chance = self._by_chance(now) if done.moved["atom"] else ""
        return answer(done.summary(20), next_step=f"{chance}explain with run={now}")

    def compare(self, first_run: Run, second_run: Run, most: Most = 20) -> dict[str, Any]:
        """What differs between two runs: settings, metrics, weights, predictions, paired tests."""
        return answer(
            self.workspace.runs.compare(first_run, second_run, most=most),
            next_step="explain an atom that differs",
        )

    def runs(self, most: Most = 20) -> dict[str, Any]:
        """The recorded runs, newest first."""
        runs = self.workspace.runs.all()
        items = [
            of(run, "id", "parent", "kind", "seconds", "status", "engine") for run in runs[:most]
        ]
        return answer(
            {"count": len(runs), "items": items}, next_step="explain, compare or update one of them"
        )

    def delete_run(self, run: Run, confirm: bool = False) -> dict[str, Any]:
        """Delete a recorded run for good; needs confirm."""
        self.workspace.runs.get(run)
        if not confirm:
            raise unconfirmed("deleting a run cannot be taken back")
        self.workspace.runs.delete(run)
        return answer({"deleted": run}, next_step="runs lists what is left")
