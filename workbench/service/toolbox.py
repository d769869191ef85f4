"""What an assistant can do with a workspace: plain functions of plain values, each with a short answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.progress import Progress
from workbench.service.answers import answer, call_tool, first, of
from workbench.service.folders import Folders

if TYPE_CHECKING:
    from workbench.language.program import Program
    from workbench.workspace import Workspace

__all__ = ["TOOLS", "Toolbox", "perform", "receive"]

Rules = Annotated[str, Field(description="Rules as text (Markov logic or PSL).", max_length=200_000)]
Files = Annotated[list[str], Field(description="File names in the allowed folders.", min_length=1, max_length=50)]
Predicates = Annotated[list[str] | None, Field(description="Predicate names.", max_length=200)]
Seconds = Annotated[float, Field(description="Seconds for the solver or learner.", gt=0, le=300)]
Run = Annotated[int, Field(description="A run's id.", ge=1, le=2**31 - 1)]
Most = Annotated[int, Field(description="Rows in the answer.", ge=1, le=200)]
Text = Annotated[str, Field(max_length=20_000)]
Facts = Annotated[
    list[str], Field(description="Facts such as 'Friends(Anna, Bob)' or '!Smokes(Eve)'.", max_length=1000)
]


@dataclass(frozen=True)
class Toolbox:
    """The tools over one workspace.

    Attributes
    ----------
    workspace : Workspace
    folders : Folders
        Whose files may be loaded.
    progress : callable
        The progress that a call reports to, and by which it is cancelled.
    """

    workspace: Workspace
    folders: Folders
    progress: Callable[[], Progress] = Progress
    lock: RLock = field(default_factory=RLock)

    def profile(self, files: Files) -> dict[str, Any]:
        """Look at wide tables without loading them: columns, what each seems to be, and why; first rows."""
        look = self.workspace.data.look_at_tables([str(path) for path in self.folders.files(files)])
        tables = [
            {
                "table": table.name,
                "columns": [of(one, "kind", "predicate", column="name", why="reason") for one in table.columns],
                "first_rows": [list(row) for row in look.rows.get(table.name, ())[:3]],
            }
            for table in look.mapping.tables
        ]
        notes = [note.as_record() for note in look.notes]
        return answer(
            {"tables": tables, "notes": notes},
            next_step="load these files, with predict='table.column' to ask for that column's blanks; or study",
        )

    def load(
        self,
        files: Files,
        rules: Rules | None = None,
        predict: Text | None = None,
        labels: Literal["evidence", "withheld"] = "withheld",
        world: Text | None = None,
    ) -> dict[str, Any]:
        """Load files. Tables that no predicate of `rules` is called like are wide: each column becomes a predicate.

        predict: TABLE.COLUMN or TABLE.COLUMN=VALUE, whose known cells become labels and whose blanks are asked for.
        """
        paths = self.folders.files(files)
        if rules is not None:
            self.workspace.declare(_program(rules))
        wide = False if rules is not None and predict is None else None
        report = self.workspace.load([*paths], world=world, predict=predict, labels=labels, wide=wide)
        return answer(
            {
                "facts": dict(report.facts),
                "new_facts": report.n_facts,
                "worlds": report.worlds,
                "asked_for": self.workspace.recall("query"),
                "warnings": [one.as_record() for one in report.warnings],
            },
            next_step="schema shows the predicates; propose_rules, or write rules and check them",
        )

    def schema(self) -> dict[str, Any]:
        """Predicates with argument types and counts of facts, and the files that may be loaded."""
        predicates = [
            {
                "predicate": f"{one.predicate.name}({', '.join(one.predicate.argument_types)})",
                "facts": {
                    part: sum(count.facts for count in one.counts if count.partition == part)
                    for part in sorted({str(count.partition) for count in one.counts})
                },
            }
            for one in self.workspace.data.catalog()
        ]
        return answer(
            {
                "predicates": predicates,
                "worlds": list(self.workspace.data.worlds())[:50],
                "asked_for": self.workspace.recall("query"),
                "files": self.folders.listing(50),
            },
            next_step="propose_rules for a predicate with labels, or write rules and check them"
            if predicates
            else "profile or load some of the files",
        )

    def propose_rules(self, predicates: Predicates = None, most: Most = 20, seconds: Seconds = 60) -> dict[str, Any]:
        """Search for rules with these predicates as heads; each with support, precision and weight, ready to paste."""
        if not any(one.facts for one in self.workspace.data.catalog()):
            raise UsageError.of("E0861", "there are no facts to search for rules in", help="load some files first")
        result = self.workspace.structure(
            targets=predicates, time_limit=seconds, progress=self.progress(), candidates=most
        )
        return answer(
            {**result.summary(), "candidates": first(result.candidate_table(), most), "program": result.text},
            next_step="take the program (or lines of it), then learn its weights, or crossval it",
        )

    def check(self, rules: Rules) -> dict[str, Any]:
        """Everything that is wrong or doubtful in rules, with code, line and column; nothing is run."""
        from workbench.language import language_of

        _refuse_includes(rules)
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
            next_step="preview counts what the rules ground to; then infer, or learn where labels are loaded",
        )

    def preview(self, rules: Rules, query: Predicates = None, closed: Predicates = None) -> dict[str, Any]:
        """Count each rule's groundings over the data without making them, with sample ground clauses."""
        found = self.workspace.preview(
            _program(rules), query=query, closed=closed, samples=2, seconds=30.0, progress=self.progress()
        )
        rows = [of(one, "rule", "ground_rows", "open", "satisfied", "violated", "samples") for one in found.rules]
        return answer(
            {"rules": rows, **of(found, "atoms", "ground_rows")}, next_step="infer, or learn where labels are loaded"
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
        how = self._how(query, closed, seconds, seed)
        result = self.workspace.learn(_program(rules), learner=learner, **how)
        summary = result.summary()
        kept = {name: summary[name] for name in ("status", "learner", "run", "atoms", "ground_rows", "seconds")}
        return answer(
            {**kept, "rules": first(summary["rules"], 50), "warnings": summary["warnings"], "program": result.text()},
            next_step=f"infer with run={result.run_id}, or crossval to see how good the rules are",
        )

    def crossval(
        self,
        rules: Rules,
        query: Predicates = None,
        closed: Predicates = None,
        folds: Annotated[int, Field(ge=2, le=20)] = 5,
        learner: Text = "auto",
        seconds: Seconds = 60,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Score rules on data they were not learned from: worlds dealt into folds, or labelled atoms in one world."""
        dealt: Any = folds
        how = self._how(query, closed, seconds, seed)
        if len(self.workspace.data.worlds()) < 2:
            if not how["query"]:
                raise UsageError.of("E0861", "cross-validation in one world needs a query", help="name the predicate")
            self.workspace.data.make_folds("random", predicate=how["query"][0], count=folds, seed=seed)
            dealt = "kept"
        result = self.workspace.crossval(_program(rules), folds=dealt, learner=learner, **how)
        return answer(result.summary(), next_step="compare two such runs, or learn and infer with the better rules")

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
        """Predict with rules, or with the rules of a run (learned weights): probabilities, or the likeliest state."""
        if (rules is None) == (run is None):
            raise UsageError.of("E0861", "infer takes rules or a run", help="give one of the two")
        text = rules if rules is not None else self.workspace.models.program(run or 0)
        how = self._how(query, closed, seconds, seed)
        result = self.workspace.infer(_program(text), task=task, engine=engine, labels=labels, **how)
        frame = result.predictions().sort_values("value", ascending=False, kind="stable")
        summary = result.summary()
        wanted = "status engine reason energy bound gap hard_violation atoms ground_rows run".split()
        columns = [name for name in ("atom", "shown", "value", "world") if name in frame]
        scores = self._scores(result)
        return answer(
            {
                **{name: summary[name] for name in wanted},
                "predictions": {"count": len(frame), "items": frame[columns].head(most).to_dict("records")},
                "scores": scores,
                "warnings": summary["warnings"],
            },
            next_step=f"explain with run={result.run_id} and an atom; what_if to change facts; query for more rows"
            + ("" if scores else "; crossval scores the rules on labels that are held out"),
        )

    def _how(self, query: Predicates, closed: Predicates, seconds: float, seed: int) -> dict[str, Any]:
        """What is asked, of what loading tables left where nothing is named, and how to go about it."""
        asked, progress = query or _asked(self.workspace), self.progress()
        return {"query": asked, "closed": closed, "time_limit": seconds, "seed": seed, "progress": progress}

    def _scores(self, result: Any) -> dict[str, Any] | None:
        """Scores against loaded labels; None where no prediction has one."""
        try:
            found = self.workspace.evaluate(result)
        except (InputError, UsageError):
            return None
        return {name: value for name, value in found.items() if isinstance(value, int | float | str)}

    def explain(self, run: Run, atom: Text, fold: int | None = None) -> dict[str, Any]:
        """Why a run gave an atom its value: a sentence, and the ground rules that pull most."""
        explanation = self.workspace.reopen(run, fold=fold, progress=self.progress()).explain(atom)
        reasons = [
            of(one, "rule", "contribution", "definitions", because="ground") | {"others": one.other_atoms()}
            for one in explanation.contributions
        ]
        told = {"atom": atom, "value": explanation.value, "sentence": explanation.sentence()}
        return answer(told | {"reasons": first(reasons, 12)}, next_step="what_if shows what would change the answer")

    def what_if(
        self,
        run: Run,
        changes: Annotated[dict[str, bool | None], Field(min_length=1, max_length=100)],
        most: Most = 20,
    ) -> dict[str, Any]:
        """What a run would have predicted with some facts true, false or unknown (null); nothing is kept."""
        frame = self.workspace.what_if(self.workspace.reopen(run), changes, progress=self.progress())
        moved = frame[frame["change"].abs() > 1e-9]
        return answer(
            {"changed": len(moved), "of": len(frame), "items": moved.head(most).to_dict("records")},
            next_step="update keeps changed facts and brings the run up to date",
        )

    def update(
        self,
        run: Run,
        add: Facts | None = None,
        remove: Facts | None = None,
        files: Files | None = None,
        remove_files: Files | None = None,
        world: Text | None = None,
        correct: bool = False,
        confirm: bool = False,
    ) -> dict[str, Any]:
        """Add and remove facts for good and bring a run up to date; needs confirm where facts go or are replaced."""
        if (remove or remove_files or correct) and not confirm:
            raise _unconfirmed("removing or replacing facts cannot be taken back")
        # What ends so is never taken for the name of a file.
        faulty = [text for text in (*(add or ()), *(remove or ())) if "(" not in text or not text.endswith(")")]
        if faulty:
            raise UsageError.of("E0817", f"{faulty[0][:200]} is no fact", help="write it as Predicate(Constant, ...)")
        added = [*(add or ()), *self.folders.files(files or ())]
        removed = [*(remove or ()), *self.folders.files(remove_files or ())]
        done = self.workspace.update(run, added, removed, correct=correct, world=world, progress=self.progress())
        return answer(done.summary(20), next_step=f"explain with run={done.result.run_id}")

    def compare(self, first_run: Run, second_run: Run, most: Most = 20) -> dict[str, Any]:
        """What differs between two runs: settings, metrics, weights, predictions, paired tests."""
        return answer(
            self.workspace.runs.compare(first_run, second_run, most=most), next_step="explain an atom that differs"
        )

    def query(self, sql: Text, most: Most = 50) -> dict[str, Any]:
        """One read-only SQL statement over the workspace; readable facts are views in the schema `facts`."""
        found = self.workspace.data.query(sql, max_rows=most, seconds=10.0)
        return answer(
            {"columns": found.columns, "rows": [list(row) for row in found.rows], "more": found.truncated},
            next_step="narrow the statement where rows are cut" if found.truncated else "schema names all predicates",
        )

    def runs(self, most: Most = 20) -> dict[str, Any]:
        """The recorded runs, newest first."""
        runs = self.workspace.runs.all()
        items = [of(run, "id", "parent", "kind", "seconds", "status", "engine") for run in runs[:most]]
        return answer({"count": len(runs), "items": items}, next_step="explain, compare or update one of them")

    def study(
        self,
        files: Files,
        predict: Text,
        time: Text | None = None,
        folds: Annotated[int, Field(ge=2, le=20)] = 5,
        seconds: Seconds = 120,
    ) -> dict[str, Any]:
        """Learn, score and explain a model of one column of tables as they are, in one call; nothing is loaded."""
        paths = [str(path) for path in self.folders.files(files)]
        result = self.workspace.study(
            paths, predict, time=time, folds=folds, time_limit=seconds, progress=self.progress()
        )
        record = result.as_record()
        wanted = ("status", "sentence", "kind", "metrics", "baselines", "seconds", "warnings")
        return answer(
            {
                **{name: record[name] for name in wanted if name in record},
                "rules": first(record["rules"], 15),
                "explanations": first(record["explanations"], 8),
            },
            next_step="load the files with the same predict to explain single answers with rules of your own",
        )

    def delete_run(self, run: Run, confirm: bool = False) -> dict[str, Any]:
        """Delete a recorded run for good; needs confirm."""
        self.workspace.runs.get(run)
        if not confirm:
            raise _unconfirmed("deleting a run cannot be taken back")
        self.workspace.runs.delete(run)
        return answer({"deleted": run}, next_step="runs lists what is left")


TOOLS = (
    *("profile", "load", "schema", "propose_rules", "check", "preview", "learn", "crossval", "infer", "explain"),
    *("what_if", "update", "compare", "query", "runs", "study", "delete_run"),
)
"""The names of the tools."""


def perform(workspace: Workspace, request: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """One tool's answer, in a worker's process."""
    toolbox = Toolbox(workspace, request["folders"], lambda: progress)
    return call_tool(getattr(toolbox, request["tool"]), request["arguments"])


def receive(workspace: Workspace, path: Path, progress: Progress) -> dict[str, Any]:
    """Take the runs of a workspace file that a caller sent, in a worker's process: the numbers there and here."""
    from workbench.workspace import open_workspace

    def taken() -> dict[str, Any]:
        with open_workspace(path) as sent:
            made = [run.id for run in reversed(sent.runs.all())]
            return {"ok": True, "runs": {number: workspace.runs.take(sent.database, number) for number in made}}

    return call_tool(taken, {})


def _program(rules: str) -> Program:
    """Rules as text: never the name of a file, and without files that they include."""
    from workbench.language import check, parse_program

    _refuse_includes(rules)
    program = parse_program(rules)
    errors = [one for one in check(program) if one.severity == "error"]
    if errors:
        raise InputError(tuple(errors))
    return program


def _refuse_includes(rules: str) -> None:
    if re.search(r"^\s*#\s*include", rules, re.MULTILINE):
        raise UsageError.of("E0862", "rules given as text include no files", help="write all rules into the text")


def _asked(workspace: Workspace) -> list[str] | None:
    """What loading tables left to be asked."""
    kept = workspace.recall("query")
    return [name for name in kept.split(",") if name] if kept else None


def _unconfirmed(what: str) -> WorkbenchError:
    return UsageError.of("E0863", what, help="call again with confirm=true if that is wanted")
