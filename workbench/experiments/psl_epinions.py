"""Trust prediction on Epinions by structural balance (Bach et al. 2017, section 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from workbench.arrays import Bool, Int64
from workbench.database import Database, load_frame
from workbench.evaluation import auc_pr, auc_roc
from workbench.experiments.java_random import JavaRandom
from workbench.experiments.measurements import Measurements, known_systems
from workbench.experiments.psl_worlds import (
    LEARNERS,
    best_marks,
    ground_world,
    learn_and_predict,
)
from workbench.experiments.table import ReproductionTable
from workbench.language import parse_psl
from workbench.progress import SILENT, Progress

__all__ = ["PUBLISHED", "SYSTEMS", "program_text", "run"]

FOLDS = 8
SYSTEMS = tuple(f"{family} {learner}" for family in ("HL-MRF-Q", "HL-MRF-L", "MRF") for learner in LEARNERS)
METRICS = ("AUC-ROC", "AUC-PR(+)", "AUC-PR(-)")

PUBLISHED: dict[tuple[str, str, str], float | None] = {
    (system, "epinions", metric): value
    for system, figures in (
        ("HL-MRF-Q MLE", (0.822, 0.978, 0.452)),
        ("HL-MRF-Q MPLE", (0.832, 0.979, 0.482)),
        ("HL-MRF-Q LME", (0.814, 0.976, 0.462)),
        ("HL-MRF-L MLE", (0.765, 0.965, 0.357)),
        ("MRF MLE", (0.655, 0.942, 0.270)),
        ("MRF MPLE", (0.725, 0.963, 0.298)),
        ("MRF LME", (0.795, 0.973, 0.441)),
        ("EigenTrust", (None, None, 0.21)),
        ("TidalTrust", (None, None, 0.24)),
    )
    for metric, value in zip(METRICS, figures)
    if value is not None
}


def program_text() -> str:
    """Sixteen triad rules, two reciprocity rules, and a two-sided prior at the mean observed trust."""
    lines = []
    for first, second in product(("A, B", "B, A"), ("B, C", "C, B")):
        for one, other in product((True, False), repeat=2):
            body = [
                f"Knows({first})",
                f"Knows({second})",
                "Knows(A, C)",
                f"{'' if one else '!'}Trusts({first})",
                f"{'' if other else '!'}Trusts({second})",
                "A != B",
                "B != C",
                "A != C",
            ]
            head = "Trusts(A, C)" if one == other else "!Trusts(A, C)"
            lines.append(f"1.0: {' & '.join(body)} -> {head} ^2")
    lines += [
        "1.0: Knows(A, B) & Knows(B, A) & Trusts(A, B) & A != B -> Trusts(B, A) ^2",
        "1.0: Knows(A, B) & Knows(B, A) & !Trusts(A, B) & A != B -> !Trusts(B, A) ^2",
        "1.0: Knows(A, B) & Average('trust') -> Trusts(A, B) ^2",
        "1.0: Knows(A, B) & Trusts(A, B) -> Average('trust') ^2",
    ]
    return "\n".join(lines) + "\n"


def published_folds(trusts: Int64) -> Int64:
    """The fold of each link, shape (n_links,): links in order of their users, each drawn by Java's Random(0).

    So do Bach et al.'s released programs (`splitGroundings`); folds have 1,004 to 1,149 links.
    """
    generator = JavaRandom(0)
    fold_of = np.zeros(len(trusts), np.int64)
    for link in np.lexsort((trusts[:, 1], trusts[:, 0])):
        fold_of[link] = generator.below(FOLDS)
    return fold_of


def run(
    *,
    data_dir: Path,
    folds: int | None = None,
    progress: Progress = SILENT,
    systems: Sequence[str] | None = None,
    seed: int | None = None,
) -> ReproductionTable:
    """Eight folds over links: fold k is predicted, fold k - 1 labels the training world.

    Parameters
    ----------
    seed : int or None
        None takes the published folds; a number draws others, of equal size.
    """
    chosen = known_systems(systems, SYSTEMS)
    trusts = np.loadtxt(data_dir / "hlmrf" / "epinions" / "trusts.txt", dtype=np.int64)
    if seed is None:
        fold_of = published_folds(trusts)
    else:
        fold_of = np.random.default_rng(seed).permutation(np.arange(len(trusts)) % FOLDS)
    program = parse_psl(program_text())
    measured = Measurements(progress, process_time)
    inference: dict[str, list[float]] = {}
    with measured.until_cancelled():
        for number in range(folds or FOLDS):
            before = (number - 1) % FOLDS
            with Database.open() as database:
                database.declare(program)
                in_training = fold_of != number
                _load(database, "train", trusts, in_training, in_training & (fold_of == before))
                _load(database, "test", trusts, np.ones(len(trusts), bool), fold_of == number)
                train = ground_world(database, program, "train", query="Trusts")
                test = ground_world(database, program, "test", query="Trusts", templates=train.templates)
            for system in chosen:
                progress.step(system, number, folds or FOLDS, f"fold {number + 1}")
                with measured.timed(system):
                    values, spent = learn_and_predict(system, train, test)
                inference.setdefault(system, []).append(spent)
                truth = test.example.truth
                figures = (auc_roc(values, truth), auc_pr(values, truth), auc_pr(1.0 - values, 1.0 - truth))
                measured.add(system, "epinions", f"fold {number + 1}", dict(zip(METRICS, figures)))
    notes = [
        "The paper's own folds over the 8,675 links, drawn again as its authors' program draws them."
        if seed is None
        else f"Random folds over the 8,675 links, of seed {seed}.",
        "Published figures are recalled from the journal version; EigenTrust and TidalTrust as published, not run.",
        "AUC-PR is the Davis-Goadrich area with equal scores as one threshold; the published figures join the points "
        "of the curve by straight lines.",
        "Inference, CPU seconds a fold: "
        + ", ".join(f"{system} {np.mean(spent):.3f}" for system, spent in inference.items()),
        *best_marks(measured.scores),
    ]
    return measured.table("psl-epinions", "Bach et al. 2017, trust prediction on Epinions", PUBLISHED, notes)


def _load(database: Database, world: str, trusts: Int64, known: Bool, asked: Bool) -> None:
    """Links `known` to exist; their trust is observed, except for `asked`, which are targets with truth."""
    names = [f"u{user}" for user in range(int(trusts[:, :2].max()) + 1)]
    frame = pd.DataFrame(
        {
            "a": [names[user] for user in trusts[:, 0]],
            "b": [names[user] for user in trusts[:, 1]],
            "value": trusts[:, 2].astype(float),
        }
    )
    load_frame(database, frame.loc[known, ["a", "b"]], predicate="Knows", world=world)
    observed = known & ~asked
    mean = float(trusts[observed, 2].mean())
    average = pd.DataFrame({"a": ["trust"], "value": [mean]})
    load_frame(database, average, predicate="Average", value="value", world=world)
    load_frame(database, frame[observed], predicate="Trusts", value="value", world=world)
    load_frame(database, frame.loc[asked, ["a", "b"]], predicate="Trusts", world=world, partition="target")
    load_frame(database, frame[asked], predicate="Trusts", value="value", world=world, partition="truth")
