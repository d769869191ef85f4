"""`check`, `fmt`, `ground` and `explain`: what the rules say before solving, and why after."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.commands.command import command, option
from workbench.commands.console import (
    print_json,
    print_line,
    print_table,
    print_warnings,
    replacing,
)
from workbench.commands.given import (
    STANDARD_INPUT,
    chosen_task,
    given_rules,
    opened,
    read_rules,
    text_of_standard_input,
)
from workbench.commands.options import (
    EngineName,
    Json,
    Limit,
    Memory,
    OnlyWorlds,
    QuestionOptions,
    RulesFile,
    Seed,
    TaskName,
)
from workbench.commands.unused import tell_unused
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.grounding.preview_result import Preview
    from workbench.verbs.explaining.explanation import Explanation


@command("Rules", "check rules.mln", "check model.psl other.psl --json", "check - < rules.mln")
def check(
    files: Annotated[list[Path], typer.Argument(metavar="RULES...")], json: Json = False
) -> None:
    """Parse and check rules files; print every diagnostic, and exit 1 when one is an error."""
    from workbench.errors import Diagnostic, WorkbenchError
    from workbench.language import check as check_program
    from workbench.language import clause_problems, read_program
    from workbench.language.program import Program

    found: list[Diagnostic] = []
    counts = []
    for path in files:
        try:
            given = given_rules(path)
            program = given if isinstance(given, Program) else read_program(given)
        except WorkbenchError as error:
            found += error.diagnostics
            continue
        found += check_program(program)
        found += clause_problems(program)
        counts.append((str(path), len(program.predicates), len(program.rules)))
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    if json:
        print_json(
            {"errors": errors, "diagnostics": [diagnostic.as_record() for diagnostic in found]}
        )
    else:
        print_warnings(found)
        for name, predicates, rules in counts:
            print_line(f"{name}: {counted(predicates, 'predicate')}, {counted(rules, 'rule')}")
    raise typer.Exit(1 if errors else 0)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@command("Rules", "fmt rules.mln", "fmt model.psl --write")
def fmt(
    file: RulesFile,
    write: Annotated[bool, option("--write", "Rewrite the file in place.")] = False,
    json: Json = False,
) -> None:
    """Print a rules file in canonical form; comments and blank lines stay."""
    from workbench.language import format_source, format_text, language_of

    if file == STANDARD_INPUT:
        given = text_of_standard_input()
        text = format_text(given, language_of(given), "<stdin>")
    else:
        text = format_source(file)
    if write and file == STANDARD_INPUT:
        raise UsageError.of(
            "E0829", "standard input cannot be rewritten in place", help="leave --write out"
        )
    if write:
        data = text.encode()
        with replacing(file) as part:
            part.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)
    if json:
        print_json({"text": text, "written": write})
    elif not write:
        print_line(text.rstrip("\n"))


@command(
    "Rules",
    "ground rules.mln --data facts.db --query Smokes --preview",
    "ground rules.mln -d facts.db -q Smokes --preview --sql --plan",
    served=True,
)
def ground(
    rules: RulesFile,
    question: QuestionOptions,
    preview: Annotated[
        bool, option("--preview", "Count only; show SQL, plan and samples.")
    ] = False,
    learning: Annotated[
        bool, option("--learning", "Read facts of query predicates as labels.")
    ] = False,
    sql: Annotated[bool, option("--sql", "Show each rule's SQL.")] = False,
    plan: Annotated[bool, option("--plan", "Show DuckDB's plan of each rule.")] = False,
    samples: Annotated[
        int | None,
        option("--samples", "Sample ground clauses a rule; 3 by default.", min=0, max=10_000),
    ] = None,
    limit: Limit = 50_000_000,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Ground the rules over the data; with --preview,
    count each rule's groundings first and materialise nothing.
    """
    request: dict[str, Any] = {**question.predicates, "limit": limit, "memory": memory}
    program = read_rules(rules)
    if not preview:
        shown_only = {"--sql": sql, "--plan": plan, "--samples": samples is not None}
        tell_unused(shown_only, "it is for --preview")
    with opened(question, program, memory=memory) as open_workspace:
        if preview:
            examples = 3 if samples is None else samples
            shown = open_workspace.preview(program, learning=learning, samples=examples, **request)
            print_warnings(shown.warnings)
            if json:
                print_json(shown.as_record())
                return
            _print_preview(shown, sql=sql, plan=plan)
            return
        grounding = open_workspace.ground(program, learning=learning, **request)
        print_warnings(grounding.warnings)
        network = grounding.network
        record = {
            "atoms": network.n_atoms,
            "ground_rows": network.n_rows,
            "unit_entries": int(network.unit.nnz),
            "templates": network.n_templates,
        }
        if json:
            print_json(record)
        else:
            print_table("Ground network", tuple(record), [tuple(record.values())])


def _print_preview(shown: Preview, *, sql: bool, plan: bool) -> None:
    from workbench.grounding.memory import size_in_words

    columns = {
        "rule": "rule",
        "clauses": "clauses",
        "ground rows": "ground_rows",
        "unit groundings": "unit_groundings",
        "by evidence: satisfied": "satisfied",
        "violated": "violated",
    }
    rows = [[getattr(rule, name) for name in columns.values()] for rule in shown.rules]
    print_table("Groundings by rule", tuple(columns), rows, rest="--json lists them all")
    for rule in shown.rules:
        if rule.samples:
            print_line(f"{rule.rule}, for example")
        for line in dict.fromkeys(rule.samples):
            print_line(f"    {line}")
        if sql:
            print_line(f"-- {rule.rule}\n{rule.sql}")
        if plan:
            print_line(rule.plan)
    found = f"{shown.atoms:,} open atoms, {shown.ground_rows:,} ground rows"
    print_line(f"total: {found}, about {size_in_words(shown.bytes)}")


@command(
    "Rules",
    "explain E0310",
    "explain rules.mln 'Smokes(Anna)' --data facts.db --query Smokes",
    served=True,
)
def explain(
    target: Annotated[
        str, typer.Argument(metavar="CODE|RULES", help="A diagnostic's code, or a rules file.")
    ],
    question: QuestionOptions,
    atom: Annotated[
        str | None, typer.Argument(help="The atom to explain, such as 'Smokes(Anna)'.")
    ] = None,
    only: OnlyWorlds = None,
    engine: EngineName = "auto",
    task: TaskName = None,
    averaged: Annotated[
        int, option("--averaged", "Average over so many sampled states.", min=0)
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Explain a diagnostic's code fully, or why an atom has the value that inference gives it."""
    if re.fullmatch(r"[EW]\d{4}", target):
        from workbench.resources import error_page

        page = error_page(target)
        if json:
            print_json({"code": target, "page": page})
        else:
            print_line(page)
        return
    if atom is None:
        raise UsageError.of(
            "E0809",
            "explain takes a code, or a rules file and an atom",
            help="workbench explain RULES 'P(A)' --data F",
        )
    rules = given_rules(Path(target))
    how: dict[str, Any] = {"task": chosen_task(task), "engine": engine, "worlds": only}
    with opened(question, rules) as workspace:
        result = workspace.infer(rules, seed=seed, record=False, **how, **question.predicates)
        explanation = result.explain(atom, samples=averaged, seed=seed)
    if json:
        print_json(explanation)
    else:
        _print_explanation(explanation)


def _print_explanation(explanation: Explanation) -> None:
    print_line(explanation.sentence())
    columns = ("contribution", "weight", "distance", "ground rule", "other atoms", "rule")
    rows = [
        (
            item.contribution,
            "hard" if item.template < 0 else item.written_weight,
            item.written_distance,
            item.written,
            item.other_atoms(),
            item.rule,
        )
        for item in explanation.contributions
    ]
    print_table("Contributions", columns, rows)
    for line in explanation.definitions():
        print_line(line)
