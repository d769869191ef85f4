"""Between factors, weighted clauses and integer programs; the latter as files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Float, Int64
from workbench.interchange.factors import FactorGroup, FactorModel
from workbench.interchange.ground import atoms_of_states
from workbench.interchange.wcnf import WeightedClauses


@dataclass(frozen=True)
class ClauseProgram:
    """Minimise `cost @ x` over 0/1 columns subject to `A x >= lower`.

    Attributes
    ----------
    cost : float64 array, shape (n_columns,)
        The model's variables first, then one column a soft clause: 1 where it is violated.
    A : csr_array, float64, shape (n_clauses, n_columns)
    lower : float64 array, shape (n_clauses,)
    """

    cost: Float
    A: csr_array
    lower: Float


def as_clauses(model: FactorModel) -> tuple[WeightedClauses, float]:
    """Clauses whose violated weight is a constant minus `log p`, and the summed constants.

    One clause for each entry below its table's largest (below 1 in a table of zeros), hard where
    the entry is 0. A variable of two states is one Boolean variable, of more one a state with hard
    clauses that exactly one holds.
    """
    first = atoms_of_states(model.states)
    constant = 0.0
    clauses: list[tuple[float, list[int]]] = []
    for group in model.groups:
        logs = group.logs.reshape(group.scopes.shape[0], -1)
        largest = logs.max(axis=1)
        largest[np.isneginf(largest)] = 0.0
        constant += float(largest.sum())
        for factor, entry in zip(
            *(found.tolist() for found in np.nonzero(logs < largest[:, None])), strict=True
        ):
            states = np.unravel_index(entry, group.logs.shape[1:])
            held = [
                _literal(int(v), int(s), model.states, first)
                for v, s in zip(group.scopes[factor], states)
            ]
            clauses.append(
                (float(largest[factor] - logs[factor, entry]), [-one for one in held if one])
            )
    for variable in np.flatnonzero(model.states > 2).tolist():
        members = [
            _literal(variable, state, model.states, first)
            for state in range(model.states[variable])
        ]
        clauses.append((np.inf, members))
        clauses += [(np.inf, [-one, -other]) for one, other in combinations(members, 2)]
    length = [len(clause) for _, clause in clauses]
    literals = np.array([literal for _, clause in clauses for literal in clause], np.int64)
    start = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
    return WeightedClauses(
        int(first[-1]), literals, start, np.array([cost for cost, _ in clauses])
    ), constant


def as_factors(clauses: WeightedClauses) -> FactorModel:
    """A factor a clause: `exp(-weight)` where violated, else 1. Tautologies and weight 0 go."""
    groups: dict[int, tuple[list[Int64], list[Float]]] = {}
    for at, weight in enumerate(clauses.weight.tolist()):
        literals = np.unique(clauses.literals[clauses.start[at] : clauses.start[at + 1]])
        if weight == 0 or np.unique(np.abs(literals)).size < literals.size:
            continue
        table = np.zeros([2] * literals.size)
        table[tuple((literals < 0).astype(int))] = -weight
        scopes, tables = groups.setdefault(literals.size, ([], []))
        scopes.append(np.abs(literals) - 1)
        tables.append(table)
    made = [
        FactorGroup(np.array(scopes, np.int64).reshape(len(scopes), size), np.array(tables))
        for size, (scopes, tables) in groups.items()
    ]
    return FactorModel(np.full(clauses.n_variables, 2), tuple(made))


def as_integer_program(clauses: WeightedClauses) -> ClauseProgram:
    """A column a variable and soft clause; a row a clause: true literals, or its own column."""
    soft = np.flatnonzero(np.isfinite(clauses.weight))
    n = clauses.n_variables
    rows = np.concatenate([clauses.of_clause, soft])
    columns = np.concatenate([np.abs(clauses.literals) - 1, n + np.arange(soft.size)])
    data = np.concatenate([np.sign(clauses.literals), np.ones(soft.size)]).astype(np.float64)
    A = csr_array((data, (rows, columns)), shape=(clauses.weight.size, n + soft.size))
    negated = np.bincount(clauses.of_clause[clauses.literals < 0], minlength=clauses.weight.size)
    return ClauseProgram(
        np.concatenate([np.zeros(n), clauses.weight[soft]]), A, (1 - negated).astype(np.float64)
    )


def _literal(variable: int, state: int, states: Int64, first: Int64) -> int:
    """The literal that holds where the variable is in that state; 0 for a variable of one state."""
    if states[variable] == 1:
        return 0
    atom = int(first[variable]) + 1
    return (atom if state else -atom) if states[variable] == 2 else atom + state


def write_integer_program(program: ClauseProgram, path: Path) -> None:
    """Write a program over 0/1 columns in the form of the path's ending, .lp or .mps.

    Raises OSError where the file cannot be written.
    """
    import highspy

    path.touch()
    n_rows, n_columns = program.A.shape
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(
        n_columns,
        n_rows,
        program.A.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        program.cost,
        np.zeros(n_columns),
        np.ones(n_columns),
        program.lower,
        np.full(n_rows, highspy.kHighsInf),
        program.A.indptr.astype(np.int32),
        program.A.indices.astype(np.int32),
        program.A.data,
        np.ones(n_columns, np.int32),
    )
    if solver.writeModel(str(path)) == highspy.HighsStatus.kError:
        raise OSError(f"{path} was not written")
