"""`infer`: predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from workbench.commands.command import OUTPUT, SOLVING, command, option
from workbench.commands.console import (
    check_predictions_output,
    end_as,
    is_directory,
    number,
    print_json,
    print_line,
    print_table,
    print_warnings,
    replacing,
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
from workbench.commands.unused import tell_unused
from workbench.commands.working import shown_progress
from workbench.errors import InputError, UsageError, nearest

if TYPE_CHECKING:
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.psl_documents.course import DocumentRun

__all__ = ["infer", "write_frame"]


FORMS = (".csv", ".parquet", ".result", "")
"""Endings of files of predictions; a file without one, such as /dev/stdout, is CSV."""


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
    labels: Labels = "evidence",
    query_file: QueryFile = None,
    only: OnlyWorlds = None,
    task: TaskName = None,
    engine: EngineName = "auto",
    seed: Seed = 0,
    time_limit: TimeLimit = None,
    samples: Annotated[
        int | None, option("--samples", "Samples of a sampling engine.", SOLVING, min=1)
    ] = None,
    settings: Annotated[
        list[str] | None, option("--set", "A parameter of the engine, name=value.", SOLVING)
    ] = None,
    limit: Limit = 50_000_000,
    memory: Memory = None,
    on: Annotated[
        str | None,
        option("--on", "spark or spark=MASTER: join and solve there (--task map).", SOLVING),
    ] = None,
    ignore_evidence_violations: Annotated[
        bool,
        option(
            "--ignore-evidence-violations",
            "Hard rules that evidence alone violates only warn.",
            SOLVING,
        ),
    ] = False,
    no_learn: Annotated[
        bool,
        option("--no-learn", "Keep the weights of a PSL document that has a learn split.", SOLVING),
    ] = False,
    out: Annotated[
        str | None,
        option(
            "--out -o",
            "Write .csv, .parquet, Alchemy's .result, or DIRECTORY/ (a tab-separated file a "
            "predicate, as PSL).",
            OUTPUT,
        ),
    ] = None,
    all_atoms: Annotated[bool, option("--all", "List hidden atoms as well.", OUTPUT)] = False,
    rows: Annotated[int, option("--rows", "Predictions to print.", OUTPUT, min=0)] = 20,
    json: Json = False,
) -> None:
    """Predict: the most probable state (map), or each atom's probability (marginal)."""
    from workbench.inference import has_parameter
    from workbench.language import is_document
    from workbench.verbs.common import as_program
    from workbench.verbs.wide_tables import predicted_predicate

    check_predictions_output(out, [rules, *question.files])
    options = parameters(settings)
    if samples is not None and has_parameter(engine, "samples"):
        options["samples"] = samples
    else:
        tell_unused({"--samples": samples}, f"{engine} takes no samples")
    if not is_document(rules):
        tell_unused({"--no-learn": no_learn}, "it is for a PSL document with a learn split")
    program = read_rules(rules)
    asked_by_tables = None
    if question.mapping is not None:
        program = as_program(program)
        asked_by_tables = predicted_predicate(question.mapping, program)
    with (
        opened(question, program, labels=chosen_labels(labels), memory=memory) as open_workspace,
        shown_progress(quiet=json) as progress,
    ):
        _check_form(out, several_worlds=len(only or open_workspace.data.worlds()) > 1)
        how: dict[str, Any] = {
            "task": chosen_task(task),
            "engine": engine,
            "options": options,
            "seed": seed,
            "time_limit": time_limit,
            "progress": progress,
            **question.predicates,
            "query": _query(question.query, query_file) or asked_by_tables,
            "worlds": only,
            "limit": limit,
            "memory": memory,
            # Labels of mapped tables are withheld where they are loaded.
            "labels": "evidence" if question.mapping is not None else chosen_labels(labels),
            "ignore_evidence_violations": ignore_evidence_violations,
            "on": on,
        }
        document = (
            open_workspace.run_document(rules, learn=not no_learn, **how)
            if is_document(rules)
            else None
        )
        result = open_workspace.infer(program, **how) if document is None else document.inference
        predicted = result.prediction_columns(include_hidden=all_atoms)
    print_warnings((*(document.warnings if document else ()), *result.warnings))
    if out is not None:
        write_predictions(result, out, include_hidden=all_atoms)
    summary = result.summary() if document is None else document.summary()
    if json:
        print_json(summary)
    else:
        _print_answer(result, summary, predicted, rows)
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
    print_table("Rules", columns, rows)


def _in_a_line(summary: Mapping[str, Any], seconds: float) -> str:
    line = f"{summary['status']} by {summary['engine']} in {seconds:.2f} s: "
    line += f"{summary['atoms']:,} atoms, {summary['ground_rows']:,} ground rows"
    if summary["energy"] is None:
        return line
    line += f", energy {number(summary['energy'])}, bound {number(summary['bound']) or 'none'}"
    line += f", gap {number(summary['gap'], 6) or 'unknown'}"
    return f"{line}; evidence energy {number(summary['evidence_energy'])}"


def write_predictions(result: InferenceResult, out: str, *, include_hidden: bool) -> None:
    """Write predictions to a file by its ending, or to a directory: a file a predicate."""
    from workbench.verbs.tab_separated import predicate_files

    if not is_directory(out):
        write_frame(result.predictions(include_hidden=include_hidden), Path(out))
        return
    for name, lines in predicate_files(result, include_hidden=include_hidden):
        with replacing(Path(out) / name) as part:
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(lines, encoding="utf-8")


def _query(query: str | None, file: Path | None) -> str | None:
    """What is asked, on the command line and in a file: a line or more with commas or without."""
    if file is None:
        return query
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            (error.strerror or str(error)).lower()
            if isinstance(error, OSError)
            else "it is no UTF-8 text"
        )
        raise InputError.of("E0136", f"the query file {file} cannot be read: {reason}") from None
    told = [line.split("//")[0].strip().rstrip(",") for line in lines]
    return ",".join(part for part in (query, *told) if part)


def _check_form(path: str | Path | None, *, several_worlds: bool) -> None:
    if path is None or is_directory(str(path)):
        return
    ending = Path(str(path).removesuffix(".gz") if str(path).endswith(".csv.gz") else path).suffix
    if ending not in FORMS:
        close = nearest(ending, FORMS)
        raise UsageError.of(
            "E0248",
            f"{path}: predictions are not written as {ending}",
            help=(f"did you mean {close}? " if close else "")
            + "the endings are .csv, .parquet and .result",
        )
    if ending == ".result" and several_worlds:
        raise UsageError.of(
            "E0135",
            f"{path} would have atoms of several worlds, and Alchemy's form has no place for the "
            "world",
            help="write a .csv file, or predict one world at a time with --only",
        )


def write_frame(frame: object, path: Path) -> None:
    """Write a data frame by the ending of `path`.

    Raises E0248 for another ending than .csv, .parquet and .result, E0135 for predictions of
    several worlds in Alchemy's form, which knows one.
    """
    import pandas as pd

    from workbench.database import write_table

    assert isinstance(frame, pd.DataFrame)
    _check_form(path, several_worlds="world" in frame)
    with replacing(path) as part:
        if path.suffix == ".result":
            lines = [f"{atom} {value:.10g}\n" for atom, value in zip(frame["atom"], frame["value"])]
            part.write_text("".join(lines), encoding="utf-8")
            return
        write_table(frame, part)
