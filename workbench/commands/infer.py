"""`infer`: predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from workbench.commands.command import OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    check_predictions_output,
    end_as,
    number,
    print_json,
    print_line,
    print_table,
    print_warnings,
)
from workbench.commands.given import chosen_labels, chosen_task, opened, parameters, read_rules
from workbench.commands.options import (
    AtomQuestionOptions,
    EngineName,
    Json,
    Labels,
    Limit,
    Memory,
    OnlyWorlds,
    QueryFile,
    RulesFile,
    Seed,
    TaskName,
    TimeLimit,
)
from workbench.commands.prediction_files import check_form, write_predictions
from workbench.commands.unused import tell_unused
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.psl_documents.course import DocumentRun


@dataclass(frozen=True)
class SolvingOptions:
    """How `infer` goes about it."""

    task: TaskName = None
    engine: EngineName = "auto"
    seed: Seed = 0
    time_limit: TimeLimit = None
    samples: Annotated[
        int | None, option("--samples", "Samples of a sampling engine.", SOLVING, min=1)
    ] = None
    settings: Annotated[
        list[str] | None, option("--set", "A parameter of the engine, name=value.", SOLVING)
    ] = None
    limit: Limit = 50_000_000
    memory: Memory = None
    on: Annotated[
        str | None,
        option("--on", "spark or spark=MASTER: join and solve there (--task map).", SOLVING),
    ] = None
    ignore_evidence_violations: Annotated[
        bool,
        option(
            "--ignore-evidence-violations",
            "Hard rules that evidence alone violates only warn.",
            SOLVING,
        ),
    ] = False
    no_learn: Annotated[
        bool,
        option("--no-learn", "Keep the weights of a PSL document that has a learn split.", SOLVING),
    ] = False

    def of_verb(self) -> dict[str, Any]:
        """The same by the names that a workspace's verb gives them."""
        from workbench.inference import has_parameter

        options = parameters(self.settings)
        if self.samples is not None and has_parameter(self.engine, "samples"):
            options["samples"] = self.samples
        else:
            tell_unused({"--samples": self.samples}, f"{self.engine} takes no samples")
        same = "engine seed time_limit limit memory on ignore_evidence_violations".split()
        return {name: getattr(self, name) for name in same} | {
            "task": chosen_task(self.task),
            "options": options,
        }


@dataclass(frozen=True)
class PredictionOutput:
    """Where predictions go, and which."""

    out: Annotated[
        str | None,
        option(
            "--out -o",
            "Write .csv, .parquet, Alchemy's .result, or DIRECTORY/ (a tab-separated file a "
            "predicate, as PSL).",
            OUTPUT,
        ),
    ] = None
    all_atoms: Annotated[bool, option("--all", "List hidden atoms as well.", OUTPUT)] = False
    rows: Annotated[int, option("--rows", "Predictions to print.", OUTPUT, min=0)] = 20
    json: Json = False


@command(
    "Predicting and learning",
    "infer rules.mln --data facts.db --query Smokes --out predictions.csv",
    "infer rules.mln -d facts.db -q Smokes --task map --engine ilp",
    "infer model.psl --data model.data",
    served=True,
)
def infer(
    rules: RulesFile,
    question: AtomQuestionOptions,
    solving: SolvingOptions,
    output: PredictionOutput,
    labels: Labels = "evidence",
    query_file: QueryFile = None,
    only: OnlyWorlds = None,
) -> None:
    """Predict: the most probable state (map), or each atom's probability (marginal)."""
    from workbench.language import is_document
    from workbench.verbs.common import as_program
    from workbench.verbs.wide_tables import predicted_predicate

    check_predictions_output(output.out, [rules, *question.files])
    how = solving.of_verb() | question.predicates
    if not is_document(rules):
        unread = {"--no-learn": solving.no_learn}
        tell_unused(unread, "it is for a PSL document with a learn split")
    program, known = read_rules(rules), chosen_labels(labels)
    query = _query(question.predicates["query"], query_file)
    if question.mapping is not None:
        program = as_program(program)
        query = query or predicted_predicate(question.mapping, program)
    how |= {"labels": known, "query": query, "worlds": only}
    with (
        opened(question, program, labels=known, memory=solving.memory) as workspace,
        shown_progress(quiet=output.json) as progress,
    ):
        check_form(output.out, several_worlds=len(only or workspace.data.worlds()) > 1)
        document = None
        if is_document(rules):
            document = workspace.run_document(
                rules, learn=not solving.no_learn, progress=progress, **how
            )
            result = document.inference
        else:
            result = workspace.infer(program, progress=progress, **how)
        predicted = result.prediction_columns(include_hidden=output.all_atoms)
    _tell(result, document, predicted, output)


def _tell(
    result: InferenceResult,
    document: DocumentRun | None,
    predicted: Mapping[str, Sequence[Any]],
    output: PredictionOutput,
) -> None:
    """Write and print an answer, and end as it did."""
    print_warnings((*(document.warnings if document else ()), *result.warnings))
    if output.out is not None:
        write_predictions(result, output.out, include_hidden=output.all_atoms)
    summary = (document or result).summary()
    if output.json:
        print_json(summary)
    else:
        _print_answer(result, summary, predicted, output.rows)
        if document is not None:
            _print_document(document)
    end_as(summary["status"])


def _print_answer(
    result: InferenceResult,
    summary: Mapping[str, Any],
    predicted: Mapping[str, Sequence[Any]],
    rows: int,
) -> None:
    if rows:
        _print_predictions(predicted, rows)
        if result.task == "map":
            _print_rules(result)
    print_line(_in_a_line(summary, result.seconds))
    if summary["reason"]:
        print_line(str(summary["reason"]))


def _print_document(document: DocumentRun) -> None:
    """What was done of a PSL document, and what its evaluations say."""
    print_line(document.done)
    of = [
        *((one, "") for one in document.evaluations),
        *((one, ", of the validation split") for one in document.validation),
    ]
    for one, where in of:
        title = f"{one.evaluator} of {one.predicate}{where}"
        print_table(title, ("metric", "value"), list(one.figures.items()))


def _print_predictions(predicted: Mapping[str, Sequence[Any]], rows: int) -> None:
    found = len(predicted["atom"])
    more = f" (first {rows} of {found:,}; --out FILE for all)" if found > rows else ""
    columns = [name for name in ("world", "atom", "value") if name in predicted]
    shown = zip(*(predicted[name][:rows] for name in columns))
    print_table(f"Predictions{more}", columns, shown)


def _print_rules(result: InferenceResult) -> None:
    columns = ("rule", "weight", "groundings", "distance", "mean")
    rows = [[getattr(rule, name) for name in columns] for rule in result.rules()]
    print_table("Rules", columns, rows, rest="--json lists them all")


def _in_a_line(summary: Mapping[str, Any], seconds: float) -> str:
    line = f"{summary['status']} by {summary['engine']} in {seconds:.2f} s: "
    line += f"{summary['atoms']:,} atoms, {summary['ground_rows']:,} ground rows"
    if summary["energy"] is None:
        return line
    line += f", energy {number(summary['energy'])}, bound {number(summary['bound']) or 'none'}"
    line += f", gap {number(summary['gap'], 6) or 'unknown'}"
    return f"{line}; evidence energy {number(summary['evidence_energy'])}"


def _query(query: str | None, file: Path | None) -> str | None:
    """What is asked, on the command line and in a file: a line or more with commas or without."""
    from workbench.language.source import read_text

    if file is None:
        return query
    lines = read_text(file, "E0136").splitlines()
    told = [line.split("//")[0].strip().rstrip(",") for line in lines]
    return ",".join(part for part in (query, *told) if part)
