"""Weighted clauses as MaxSAT evaluations exchange them: WCNF files, of before 2022 and since."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int64
from workbench.errors import InputError, WorkbenchError
from workbench.interchange.factors import MOST_STATES


@dataclass(frozen=True)
class WeightedClauses:
    """Clauses over Boolean variables.

    Attributes
    ----------
    literals : int64 array, shape (n_literals,)
        `v + 1` for variable v, `-(v + 1)` for its negation, clause after clause.
    start : int64 array, shape (n_clauses + 1,)
        Where each clause's literals begin.
    weight : float64 array, shape (n_clauses,)
        What it costs to violate a clause; infinite for a hard one.
    """

    n_variables: int
    literals: Int64
    start: Int64
    weight: Float

    def cost(self, chosen: Int64) -> float:
        """The weight of the clauses that a state violates, shape (n_variables,) of 0 and 1."""
        true = (chosen[np.abs(self.literals) - 1] == 1) == (self.literals > 0)
        satisfied = np.bincount(self.of_clause[true], minlength=self.weight.size) > 0
        return float(self.weight[~satisfied].sum())

    @property
    def of_clause(self) -> Int64:
        """The clause of each literal, shape (n_literals,)."""
        return np.repeat(np.arange(self.weight.size), np.diff(self.start))


def parse_wcnf(text: str, name: str = "the file") -> WeightedClauses:
    """The clauses of a file.

    Since 2022 lines are `h 1 -2 0` (hard) and `5 1 2 0`; before, `p wcnf VARIABLES CLAUSES TOP`
    stands first, and weights from TOP on are hard. A file of comments alone has no clause, and
    every state costs nothing.

    Raises E0712 with the line and what is wrong there.
    """
    top: float = np.inf
    declared, listed, header = 0, None, 1
    literals: list[int] = []
    start = [0]
    weight: list[float] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("c"):
            continue
        if words[0] == "p":
            if weight or listed is not None:
                raise _wrong(name, number, "the header stands once, before all clauses")
            declared, listed, top = _header(words, name, number)
            header = number
            continue
        cost, clause = _clause(words, name, number)
        beyond = max(map(abs, clause), default=0)
        if declared and beyond > declared:
            raise _wrong(name, number, f"variable {beyond} is used, and {declared} are declared")
        literals += clause
        start.append(len(literals))
        weight.append(np.inf if cost >= top else cost)
    if not text.strip():
        raise _wrong(name, 1, "there is nothing in it")
    used = max((abs(literal) for literal in literals), default=0)
    if listed is not None and listed != len(weight):
        raise _wrong(name, header, f"{listed} clauses are declared, and {len(weight)} follow")
    if max(declared, used) > MOST_STATES:
        raise _wrong(name, 1, f"variables are numbered beyond {MOST_STATES:,}")
    weights = np.array(weight, np.float64)
    soft = weights[np.isfinite(weights) & (weights > 0)]
    if soft.size and soft.min() < soft.sum() * np.finfo(np.float64).eps:
        apart = f"{soft.min():g} is lost in a sum of {soft.sum():g}"
        raise _wrong(name, 1, f"weights are too far apart: {apart}")
    return WeightedClauses(
        max(declared, used), np.array(literals, np.int64), np.array(start), weights
    )


def _clause(words: list[str], name: str, number: int) -> tuple[float, list[int]]:
    """The weight of a line's clause, infinite where it is hard, and its literals."""
    try:
        cost = np.inf if words[0] == "h" else _exactly(words[0])
        clause = [int(word) for word in words[1:]]
        if any("_" in word for word in words):
            raise ValueError("Python reads 1_0 as 10")
    except ValueError:
        raise _wrong(name, number, "a clause is a weight or h, then whole numbers") from None
    if not clause or clause[-1] != 0 or 0 in clause[:-1]:
        raise _wrong(name, number, "a clause ends with its only 0")
    if not 0 <= cost < np.inf and words[0] != "h":
        raise _wrong(name, number, "a weight is 0 or more, and finite")
    return cost, clause[:-1]


def _exactly(word: str) -> float:
    """A weight; whole ones as they are, for two beyond 2^53 may differ by 1."""
    return int(word) if word.isdecimal() else float(word)


def format_wcnf(clauses: WeightedClauses, comment: str = "") -> str:
    """The text in the form since 2022; others than whole weights as they are."""
    lines = [f"c {line}" for line in comment.splitlines()]
    for at, weight in enumerate(clauses.weight.tolist()):
        body = clauses.literals[clauses.start[at] : clauses.start[at + 1]].tolist()
        lines.append(
            " ".join(["h" if weight == np.inf else f"{weight:.17g}", *map(str, body), "0"])
        )
    return "\n".join(lines) + "\n"


def _header(words: list[str], name: str, number: int) -> tuple[int, int, float]:
    """Variables, clauses, and the weight from which clauses are hard."""
    if (
        len(words) not in (4, 5)
        or words[1] not in ("wcnf", "cnf")
        or not all(word.isdigit() for word in words[2:])
    ):
        raise _wrong(name, number, "the header is `p wcnf VARIABLES CLAUSES TOP`")
    if words[1] == "cnf":
        raise _wrong(
            name,
            number,
            "a cnf file has no weights; write `p wcnf` and a weight before each clause",
        )
    return int(words[2]), int(words[3]), int(words[4]) if len(words) == 5 else np.inf


def _wrong(name: str, line: int, why: str) -> WorkbenchError:
    return InputError.of(
        "E0712",
        f"{name} is not weighted clauses: {why} (line {line})",
        help="`workbench explain E0712` shows the form",
    )
