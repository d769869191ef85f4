"""What inference found, as data: functions over it (explanations, distances) stand above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Bool, Float
from workbench.errors import Diagnostic
from workbench.grounding import Grounding
from workbench.inference import Solution
from workbench.inference.accepts import Task
from workbench.inference.linear_gaussian import LinearGaussian
from workbench.language.program import Program
from workbench.network import Domain, GroundNetwork
from workbench.network.energy import RowSums
from workbench.verbs.common import as_json
from workbench.verbs.explaining.display import shown_atoms
from workbench.verbs.queries import Query

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Inferred:
    """What inference found, and what it was found from: data alone.

    Attributes
    ----------
    weights : float64 array, shape (n_templates,)
    task : {'map', 'marginal'}
    seconds : float
        Grounding and solving, wall time.
    run_id : int or None
        Under which the workspace recorded it.
    fold : int or None
        Of a recorded cross-validation.
    evidence_energy : float
        What evidence alone decides, in neither the solution's energy nor its bound.
    ground_seconds : float
        The part of `seconds` that grounding took.
    learned_in_sample : bool
        Whether the weights were learned from labels of these atoms.
    asked : Query or None
        The atoms asked about, where not all of their predicate's.
    names : mapping of type to mapping of constant to name
        What people call things, where tables say it.
    sums : RowSums or None
        What the network's rows come to at the answer, where they have been summed.
    """

    solution: Solution
    grounding: Grounding
    program: Program
    weights: Float
    task: Task
    seconds: float
    run_id: int | None = None
    fold: int | None = None
    evidence_energy: float = 0.0
    ground_seconds: float = 0.0
    warnings: tuple[Diagnostic, ...] = ()
    learned_in_sample: bool = False
    asked: Query | None = None
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sums: RowSums | None = None

    def __repr__(self) -> str:
        solution = self.solution
        run = "" if self.run_id is None else f", run {self.run_id}"
        atoms = f"{self.grounding.atoms.n_atoms:,} atoms"
        return (
            f"{type(self).__name__}({self.task} by {solution.engine}, {solution.status}, "
            f"{atoms}{run})"
        )

    @property
    def query(self) -> tuple[str, ...]:
        """The predicates whose atoms are predictions; other open atoms are hidden."""
        return query_predicates(self.grounding)

    @property
    def is_query(self) -> Bool:
        """Whether each open atom was asked about, shape (n_atoms,)."""
        return (
            is_query(self.grounding)
            if self.asked is None
            else self.asked.chosen(self.grounding.atoms)
        )

    @property
    def are_numbers(self) -> bool:
        """Whether the open atoms are numbers, and no truths."""
        return self.solution.engine == LinearGaussian.name

    @property
    def are_states(self) -> bool:
        """Whether each value is 0 or 1."""
        return (
            self.task == "map"
            and self.grounding.network.domain is Domain.BOOLEAN
            and not self.are_numbers
        )

    @property
    def values(self) -> Float:
        """Each open atom's value, 0 or 1 in the most probable state of Markov logic."""
        values = self.solution.values
        return np.rint(values) if self.are_states else values

    def predictions(self, *, include_hidden: bool = False) -> pd.DataFrame:
        """`prediction_columns` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.prediction_columns(include_hidden=include_hidden))

    def prediction_columns(self, *, include_hidden: bool = False) -> dict[str, Sequence[object]]:
        """The predictions as columns `atom`, `predicate`, `value`, in the order of atom ids.

        With several worlds a column `world` tells atoms of one name apart; where tables say what
        people call things, a column `shown` says so: `IsFraud(Café Müller (C0708))`.
        """
        atoms = self.grounding.atoms
        ids = np.arange(atoms.n_atoms) if include_hidden else np.flatnonzero(self.is_query)
        values = self.values[ids]
        if self.are_states:
            values = values.astype(np.int64)
        predicates = np.array(atoms.predicates, dtype=object)[atoms.predicate[ids]]
        columns: dict[str, Any] = {
            "atom": atoms.names(ids),
            "predicate": predicates,
            "value": values,
        }
        if len(atoms.worlds) > 1:
            columns["world"] = atoms.world_names(ids)
        if self.names:
            columns["shown"] = shown_atoms(atoms, self.names, ids)
        return columns

    def value(self, atom: str, *, world: str | None = None) -> float:
        """The value of an open atom by its text, and its world where several have it."""
        return float(self.solution.values[self.grounding.atoms.find(atom, world=world)])

    def summary(self) -> dict[str, Any]:
        """The answer's figures as a JSON-ready mapping;
        arrays of a figure per atom, and networks, stay in `solution.diagnostics`.
        """
        solution = self.solution
        network = self.grounding.network
        return {
            "status": str(solution.status),
            "task": self.task,
            "engine": solution.engine,
            "reason": solution.reason,
            "energy": as_json(solution.energy),
            "evidence_energy": as_json(self.evidence_energy),
            "bound": as_json(solution.bound),
            "gap": as_json(solution.gap),
            "hard_violation": as_json(solution.hard_violation),
            "atoms": network.n_atoms,
            "query_atoms": int(self.is_query.sum()),
            "ground_rows": network.n_rows,
            "unit_entries": int(network.unit.nnz),
            "seconds": round(self.seconds, 6),
            "ground_seconds": round(self.ground_seconds, 6),
            "run": self.run_id,
            "diagnostics": as_json(
                {
                    name: figure
                    for name, figure in solution.diagnostics.items()
                    if not isinstance(figure, np.ndarray | GroundNetwork)
                }
            ),
            "warnings": [warning.as_record() for warning in self.warnings],
        }


def query_predicates(grounding: Grounding) -> tuple[str, ...]:
    """The open predicates that were asked about."""
    atoms = grounding.atoms
    return tuple(name for name, hidden in zip(atoms.predicates, atoms.hidden) if not hidden)


def is_query(grounding: Grounding) -> Bool:
    """Whether each open atom belongs to a query predicate, shape (n_atoms,)."""
    return ~grounding.atoms.is_hidden
