"""Loading ILP problems: background facts as evidence, examples as truth, folds as the files give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.folds import clear_folds
from workbench.database.identifiers import quoted
from workbench.database.ilp_clauses import derive_facts
from workbench.database.ingest import LoadReport
from workbench.database.tables import load_frame
from workbench.language.ilp import IlpProblem
from workbench.language.program import Predicate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load_ilp"]


def load_ilp(database: Database, problem: IlpProblem, *, world: str = DEFAULT_WORLD) -> LoadReport:
    """Load a problem into one world, in one transaction.

    Facts of the predicates that the modes mention become evidence; positives become true and negatives false atoms of
    the target, as truth, so that no target atom is evidence. Background clauses with bodies are evaluated first
    (`derive_facts`). Folds go to the table `folds` with the role `test`, numbered as in the file.

    Parameters
    ----------
    database : Database
    problem : IlpProblem
        From `workbench.language.ilp_reader`.

    Returns
    -------
    LoadReport
        Facts loaded by predicate.

    Raises
    ------
    InputError
        `E0220` for background clauses that are no Datalog; what `load_frame` raises.
    """
    import pandas as pd

    problem = derive_facts(problem)
    types = problem.argument_types()
    report = LoadReport({}, (world,))
    with database.transaction() as connection:
        database.declare_predicates([Predicate(name, given) for name, given in types.items()])
        for name, rows in problem.relations().items():
            if rows:
                report += load_frame(database, _frame(rows), predicate=name, world=world)
        examples = [*problem.positives, *problem.negatives]
        labels = [1.0] * len(problem.positives) + [0.0] * len(problem.negatives)
        frame = _frame(examples).assign(value=labels)
        report += load_frame(database, frame, predicate=problem.target, value="value", world=world, partition="truth")
        if problem.folds:
            clear_folds(database)
            folds = pd.DataFrame(
                {
                    "fold": [problem.folds[row, label > 0] for row, label in zip(examples, labels)],
                    **{f"a{place}": column for place, column in enumerate(zip(*examples))},
                }
            )
            tables = database.type_tables()
            connection.register("incoming_folds", folds)
            joins = " ".join(
                f"JOIN {quoted(tables[name])} c{place} ON c{place}.name = f.a{place}"
                for place, name in enumerate(types[problem.target])
            )
            ids = ", ".join(f"c{place}.id" for place in range(len(types[problem.target])))
            connection.execute(
                f"INSERT INTO folds SELECT f.fold, $world, $predicate, [{ids}], 'test' FROM incoming_folds f {joins}",
                {"world": database.world_id(world), "predicate": problem.target},
            )
            connection.unregister("incoming_folds")
    return report


def _frame(rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=[f"c{place}" for place in range(len(rows[0]))])
