"""ILP problems: background facts as evidence, examples as truth, folds as the files give them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.folds import clear_folds
from workbench.database.identifiers import quoted
from workbench.database.ilp_definitions import GIVEN
from workbench.database.ingest import LoadReport, Partition
from workbench.database.rows import handed_in
from workbench.database.tables import load_frame
from workbench.errors import Diagnostic
from workbench.language.declarations import Predicate
from workbench.language.ilp.problem import IlpProblem
from workbench.language.ilp.reader import read_facts
from workbench.language.ilp.terms import term_text

if TYPE_CHECKING:
    import pandas as pd


def load_ilp(database: Database, problem: IlpProblem) -> LoadReport:
    """Load a problem into the one world, in one transaction.

    Facts of the predicates that the modes mention become evidence; positives become true and
    negatives false atoms of the target, as truth, so that no target atom is evidence. Folds go to
    the table `folds` with the role `test`, numbered as in the file. Clauses with bodies are left
    out: `grounding.ilp_background` makes facts of them.

    Raises what `load_frame` does.
    """
    import pandas as pd

    types = problem.argument_types()
    report = LoadReport({}, (DEFAULT_WORLD,))
    with database.transaction() as connection:
        database.declare_predicates([Predicate(name, given) for name, given in types.items()])
        for name, rows in problem.relations().items():
            if rows:
                report += load_frame(database, _frame(rows), predicate=name)
        examples = [*problem.positives, *problem.negatives]
        labels = [1.0] * len(problem.positives) + [0.0] * len(problem.negatives)
        frame = _frame(examples).assign(value=labels)
        report += load_frame(
            database, frame, predicate=problem.target, value="value", partition="truth"
        )
        if problem.folds:
            clear_folds(database)
            places = zip(*(row for row, _ in problem.folds))
            folds = pd.DataFrame(
                {
                    "fold": list(problem.folds.values()),
                    **{f"a{place}": column for place, column in enumerate(places)},
                }
            )
            tables = database.type_tables()
            joins = " ".join(
                f"JOIN {quoted(tables[name])} c{place} ON c{place}.name = f.a{place}"
                for place, name in enumerate(types[problem.target])
            )
            ids = ", ".join(f"c{place}.id" for place in range(len(types[problem.target])))
            dealt = (
                f"SELECT f.fold, $world, $predicate, [{ids}], 'test' FROM incoming_folds f {joins}"
            )
            with handed_in(connection, "incoming_folds", folds):
                connection.execute(
                    f"INSERT INTO folds {dealt}",
                    {"world": database.world_id(), "predicate": problem.target},
                )
    return report


def load_ilp_facts(
    database: Database,
    path: str | os.PathLike[str],
    *,
    world: str,
    partition: Partition,
) -> LoadReport:
    """Load what a file in Prolog's syntax says of the predicates that a program has declared.

    Facts go to the partition, examples are truth. Facts of a predicate that the program defines
    beside its given facts (`even := even_given ...`) become those; of others that it does not know,
    the warning has the names.

    Raises E0140 to E0143 for text that cannot be read; what `load_frame` raises.
    """
    stored = database.predicates()
    report, unknown = LoadReport({}, (world,)), set[str]()
    with database.transaction():
        for name, rows, label in _relations(path):
            names = (f"{name}{GIVEN}", name) if label is None else (name,)
            arity = len(rows[0])
            fitting = (known for known in names if known in stored and stored[known].arity == arity)
            target = next(fitting, None)
            if target is None or not arity:
                unknown.add(f"{name}/{arity}")
            elif label is None:
                report += load_frame(
                    database, _frame(rows), predicate=target, world=world, partition=partition
                )
            else:
                frame = _frame(rows).assign(value=label)
                report += load_frame(
                    database, frame, predicate=target, value="value", world=world, partition="truth"
                )
    left_out = sorted(unknown - {"pos/1", "neg/1"})
    if not left_out:
        return report
    shown = ", ".join(left_out[:10]) + (", ..." if len(left_out) > 10 else "")
    message = (
        f"{Path(path).name} has facts of predicates that are not declared, and they are "
        f"left out: {shown}"
    )
    return report + LoadReport({}, (), (Diagnostic.warning("E0144", message),))


def _relations(
    path: str | os.PathLike[str],
) -> Iterator[tuple[str, Sequence[tuple[str, ...]], float | None]]:
    """The rows of each predicate of some arity, and of examples their label."""
    facts, examples = read_facts(path)
    for (name, _), rows in facts.items():
        yield name, rows, None
    for label, terms in examples.items():
        found: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for term in terms:
            row = tuple(map(term_text, term.arguments))
            found.setdefault((term.functor, len(row)), []).append(row)
        for (name, _), labelled in found.items():
            yield name, labelled, float(label)


def _frame(rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=[f"c{place}" for place in range(len(rows[0]))])
