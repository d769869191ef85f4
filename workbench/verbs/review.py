"""Review: which prediction to ask people about next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import (
    Database,
    ReviewAnswer,
    display_names,
    label_keys,
    read_run,
    read_runs,
)
from workbench.errors import UsageError
from workbench.grounding import Grounding
from workbench.network import Domain, conditional_probability, expected_change
from workbench.verbs.explaining.display import shown_atoms
from workbench.verbs.explaining.reopening import recorded_run

Order = Literal["change", "doubt"]
MOST = 200
WEIGHED = 2000
"""Of the most doubtful atoms so many are weighed by what an answer would change."""


@dataclass(frozen=True)
class Question:
    """One atom to be asked about.

    Attributes
    ----------
    shown : str
        The atom with what people call its things.
    value : float
        As it is predicted.
    doubt : float
        0 where the prediction is sure, 1 where it is even.
    change : float
        By how much all predictions together are expected to move when it is answered.
    soft : bool
        Whether it is of soft logic, where a target stays one when it has a label.
    """

    atom: str
    world: str
    shown: str
    value: float
    doubt: float
    change: float
    soft: bool = False


@dataclass(frozen=True)
class ReviewQueue:
    """What to ask about a run's predictions, in order.

    Attributes
    ----------
    order : {'change', 'doubt'}
    total : int
        Predictions without a label, asked about or not.
    """

    run: int
    order: Order
    questions: tuple[Question, ...]
    total: int

    def waiting(
        self, answers: Iterable[ReviewAnswer], reviewer: str, *, second: bool = False
    ) -> tuple[Question, ...]:
        """What one reviewer has still to be asked.

        Parameters
        ----------
        second : bool
            Also what others have answered, so that it is known how far reviewers agree.
        """
        done = {
            (one.world, one.atom)
            for one in answers
            if one.reviewer == reviewer or (one.says is not None and not second)
        }
        return tuple(one for one in self.questions if (one.world, one.atom) not in done)


def review_queue(
    database: Database, run: int | None = None, *, order: Order = "change", most: int = MOST
) -> ReviewQueue:
    """The predictions of an inference run that have no label, the most worth asking first.

    Raises E0877 where there is no inference run.

    Parameters
    ----------
    run : int, optional
        The newest inference, where none is named.
    order : {'change', 'doubt'}
        By what an answer is expected to change, or by how even a prediction is.

    Notes
    -----
    The run is ground again. In soft logic the change is that of the atom itself.
    """
    number = _newest(database) if run is None else run
    if read_run(database, number).kind != "infer":
        raise UsageError.of(
            "E0877", f"run {number} is no inference, so it predicts nothing", help="infer first"
        )
    recorded = recorded_run(database, number)
    withheld = recorded.run.parameters.get("labels") == "withheld"
    grounding = recorded.ground(database)
    values = np.full(grounding.atoms.n_atoms, np.nan)
    at = recorded.located(grounding.atoms)
    values[at[at >= 0]] = recorded.values[at >= 0]
    asked = np.flatnonzero(
        np.isfinite(values) & ~grounding.atoms.is_hidden & ~_labelled(database, grounding, withheld)
    )
    values = np.nan_to_num(values, nan=0.5)
    network, weights = grounding.network, grounding.templates.weight
    soft = recorded.program.language == "psl"
    belief = (
        values
        if soft or recorded.task == "marginal"
        else conditional_probability(network, weights, values)
    )
    doubt = 1 - np.abs(2 * belief[asked] - 1)
    first = np.argsort(-doubt, kind="stable")[:WEIGHED]
    asked_first, doubt_first = asked[first], doubt[first]
    change = doubt_first / 2 if soft else expected_change(network, weights, belief, asked_first)
    ranked = np.lexsort((-doubt_first, -change)) if order == "change" else np.arange(first.size)
    chosen = ranked[:most]
    questions = _questions(
        database, grounding, asked_first[chosen], values, doubt_first[chosen], change[chosen]
    )
    return ReviewQueue(number, order, questions, int(asked.size))


def _newest(database: Database) -> int:
    number = next(
        (
            one.id
            for one in read_runs(database)
            if one.kind == "infer" and "ended" not in one.parameters
        ),
        None,
    )
    if number is None:
        raise UsageError.of("E0877", "there is no prediction to review yet", help="infer first")
    return number


def _labelled(database: Database, grounding: Grounding, withheld: bool) -> np.ndarray:
    """Which atoms have a label of their own, shape (n_atoms,)."""
    found = np.zeros(grounding.atoms.n_atoms, np.bool_)
    for name in grounding.atoms.predicates:
        world, constants, value = label_keys(
            database, name, tuple(grounding.atoms.worlds), withheld=withheld
        )
        at = grounding.atoms.locate(name, world[np.isfinite(value)], constants[np.isfinite(value)])
        found[at[at >= 0]] = True
    return found


def _questions(
    database: Database,
    grounding: Grounding,
    atoms: Int64,
    values: Float,
    doubt: Float,
    change: Float,
) -> tuple[Question, ...]:
    table = grounding.atoms
    shown = shown_atoms(table, display_names(database), atoms)
    columns = (
        table.names(atoms),
        table.world_names(atoms),
        shown,
        values[atoms].tolist(),
        doubt.tolist(),
        change.tolist(),
        [grounding.network.domain is Domain.UNIT] * atoms.size,
    )
    return tuple(Question(*row) for row in zip(*columns))
