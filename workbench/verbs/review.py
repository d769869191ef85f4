"""Review: which prediction to ask people about next, and what they say as labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.arrays import Float, Int64
from workbench.database import (
    Answer,
    Database,
    FactTexts,
    Partition,
    add_facts,
    display_names,
    forget_answer,
    keep_answer,
    known_of,
    label_keys,
    read_answers,
    read_run,
    read_runs,
    remove_facts,
)
from workbench.errors import UsageError
from workbench.grounding import Grounding
from workbench.language.ground_atoms import parse_atom
from workbench.network import Domain, conditional_probability, expected_change
from workbench.verbs.display import shown_atoms
from workbench.verbs.reopening import recorded_run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Agreement", "Order", "Question", "ReviewQueue", "agreements", "answer", "disputed", "review_queue", "undo"]

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

    def waiting(self, answers: Iterable[Answer], reviewer: str, *, second: bool = False) -> tuple[Question, ...]:
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

    def frame(self) -> pd.DataFrame:
        """Columns atom, world, value, doubt, change."""
        import pandas as pd

        names = ("atom", "world", "value", "doubt", "change")
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.questions], columns=names)


@dataclass(frozen=True)
class Agreement:
    """How far two reviewers agree on what both answered: their share, and Cohen's kappa (NaN where it has none)."""

    one: str
    other: str
    both: int
    share: float
    kappa: float


def review_queue(
    database: Database, run: int | None = None, *, order: Order = "change", most: int = MOST
) -> ReviewQueue:
    """The predictions of an inference run that have no label, the most worth asking first.

    Parameters
    ----------
    run : int, optional
        The newest inference, where none is named.
    order : {'change', 'doubt'}
        By what an answer is expected to change, or by how even a prediction is.

    Raises
    ------
    UsageError
        E0877 where there is no inference run.

    Notes
    -----
    The run is ground again. In soft logic the change is that of the atom itself.
    """
    number = _newest(database) if run is None else run
    if read_run(database, number).kind != "infer":
        raise UsageError.of("E0877", f"run {number} is no inference, so it predicts nothing", help="infer first")
    recorded = recorded_run(database, number)
    grounding = recorded.ground(database)
    values = np.full(grounding.atoms.n_atoms, np.nan)
    at = recorded.located(grounding.atoms)
    values[at[at >= 0]] = recorded.values[at >= 0]
    asked = np.flatnonzero(np.isfinite(values) & ~grounding.atoms.is_hidden & ~_labelled(database, grounding))
    values = np.nan_to_num(values, nan=0.5)
    network, weights = grounding.network, grounding.templates.weight
    soft = recorded.program.language == "psl"
    belief = values if soft or recorded.task == "marginal" else conditional_probability(network, weights, values)
    doubt = 1 - np.abs(2 * belief[asked] - 1)
    first = np.argsort(-doubt, kind="stable")[:WEIGHED]
    asked_first, doubt_first = asked[first], doubt[first]
    change = doubt_first / 2 if soft else expected_change(network, weights, belief, asked_first)
    ranked = np.lexsort((-doubt_first, -change)) if order == "change" else np.arange(first.size)
    chosen = ranked[:most]
    questions = _questions(database, grounding, asked_first[chosen], values, doubt_first[chosen], change[chosen])
    return ReviewQueue(number, order, questions, int(asked.size))


def answer(database: Database, question: Question, says: bool | None, reviewer: str) -> Answer:
    """Keep what somebody says of an atom (None: skipped) and make the majority of answers its label, at once."""
    earlier = read_answers(database)
    same = [one for one in earlier if (one.world, one.atom) == (question.world, question.atom)]
    with database.transaction():
        known = {} if same else known_of(database, question.atom, question.world)
        made = Answer(
            number=1 + max((one.number for one in earlier), default=0),
            written=datetime.now(UTC).replace(microsecond=0).isoformat(),
            reviewer=reviewer,
            world=question.world,
            atom=question.atom,
            says=says,
            before=same[0].before if same else known.get("truth"),
            target=same[0].target if same else "target" in known and not question.soft,
        )
        keep_answer(database, made)
        _settle(database, [*same, made])
    return made


def undo(database: Database, reviewer: str) -> Answer | None:
    """Take a reviewer's last answer back, and the label that came of it; None where there is none."""
    answers = read_answers(database)
    mine = [one for one in answers if one.reviewer == reviewer]
    if not mine:
        return None
    last = mine[-1]
    with database.transaction():
        forget_answer(database, last)
        same = [one for one in answers if (one.world, one.atom) == (last.world, last.atom)]
        _settle(database, same, without=last)
    return last


def agreements(answers: Iterable[Answer]) -> tuple[Agreement, ...]:
    """How far each two reviewers agree, by what each said last."""
    said: dict[str, dict[tuple[str, str], bool]] = {}
    for one in answers:
        if one.says is not None:
            said.setdefault(one.reviewer, {})[one.world, one.atom] = one.says
    found = []
    for first, second in combinations(sorted(said), 2):
        both = said[first].keys() & said[second].keys()
        if both:
            pairs = np.array([(said[first][key], said[second][key]) for key in both], np.float64)
            share, (yes, also) = float((pairs[:, 0] == pairs[:, 1]).mean()), pairs.mean(0)
            chance = yes * also + (1 - yes) * (1 - also)
            kappa = float((share - chance) / (1 - chance)) if chance < 1 else float("nan")
            found.append(Agreement(first, second, len(both), share, kappa))
    return tuple(found)


def disputed(answers: Iterable[Answer]) -> tuple[tuple[str, str], ...]:
    """World and atom of what as many affirm as deny; it has no label from reviewers."""
    by_atom: dict[tuple[str, str], list[Answer]] = {}
    for one in answers:
        if one.says is None:
            continue
        by_atom.setdefault((one.world, one.atom), []).append(one)
    return tuple(key for key, given in by_atom.items() if _majority(given) is None)


def _majority(answers: Iterable[Answer]) -> bool | None:
    last: Mapping[str, bool] = {one.reviewer: one.says for one in answers if one.says is not None}
    counts = Counter(last.values())
    return None if counts[True] == counts[False] else counts[True] > counts[False]


def _settle(database: Database, answers: list[Answer], *, without: Answer | None = None) -> None:
    """Give an atom the label that most of its reviewers say; the one it had before where none do.

    A target that has a label from them is asked for no more: the label is known to what is inferred next.
    """
    about = answers[0]
    said = _majority(one for one in answers if one is not without)
    label = about.before if said is None else float(said)
    now = known_of(database, about.atom, about.world)
    if label is not None:
        add_facts(database, _fact(about, label), correct=True)
    elif now.get("truth") is not None:
        remove_facts(database, _fact(about, now["truth"]))
    if about.target and said is None and "target" not in now:
        add_facts(database, _fact(about, None, "target"))
    elif said is not None and about.target and "target" in now:
        remove_facts(database, _fact(about, now["target"], "target"))


def _fact(about: Answer, value: float | None, partition: Partition = "truth") -> FactTexts:
    import pyarrow

    name, arguments = parse_atom(about.atom) or (about.atom, ())
    cells: dict[str, list[Any]] = {"world": [about.world]}
    cells |= {f"a{place}": [argument] for place, argument in enumerate(arguments)}
    said = pyarrow.array([value], pyarrow.float64())
    return FactTexts(name, pyarrow.table({**cells, "value": said, "partition": [partition]}))


def _newest(database: Database) -> int:
    number = next(
        (one.id for one in read_runs(database) if one.kind == "infer" and "ended" not in one.parameters), None
    )
    if number is None:
        raise UsageError.of("E0877", "there is no prediction to review yet", help="infer first")
    return number


def _labelled(database: Database, grounding: Grounding) -> np.ndarray:
    """Which atoms have a label of their own, shape (n_atoms,)."""
    found = np.zeros(grounding.atoms.n_atoms, np.bool_)
    for name in grounding.atoms.predicates:
        world, constants, value = label_keys(database, name, tuple(grounding.atoms.worlds))
        at = grounding.atoms.locate(name, world[np.isfinite(value)], constants[np.isfinite(value)])
        found[at[at >= 0]] = True
    return found


def _questions(
    database: Database, grounding: Grounding, atoms: Int64, values: Float, doubt: Float, change: Float
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
