"""Trust prediction on Epinions by structural balance (Bach et al. 2017, section 7.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from experiments.experiment import PROGRAMS, Experiment, Reproduction
from experiments.java_random import JavaRandom
from experiments.psl_worlds import LEARNERS, HingeWorld, best_marks, measure_splits
from workbench.arrays import Bool, Float, Int64
from workbench.database import Database, load_frame
from workbench.evaluation import auc_pr, auc_roc
from workbench.inference.elsewhere import cpu_seconds
from workbench.language import read_program

FOLDS = 8
SYSTEMS = tuple(
    f"{family} {learner}" for family in ("HL-MRF-Q", "HL-MRF-L", "MRF") for learner in LEARNERS
)
METRICS = ("AUC-ROC", "AUC-PR(+)", "AUC-PR(-)")


def published_folds(trusts: Int64) -> Int64:
    """The fold of each link, shape (n_links,): links in order of their users, each drawn by Java's
    Random(0).

    So do Bach et al.'s released programs (`splitGroundings`); folds have 1,004 to 1,149 links.
    """
    generator = JavaRandom(0)
    fold_of = np.zeros(len(trusts), np.int64)
    for link in np.lexsort((trusts[:, 1], trusts[:, 0])):
        fold_of[link] = generator.below(FOLDS)
    return fold_of


def measure(run: Reproduction) -> None:
    """Eight folds over links: fold k is predicted, fold k - 1 labels the training world."""
    trusts = np.loadtxt(run.directory / "hlmrf" / "epinions" / "trusts.txt", dtype=np.int64)
    fold_of = published_folds(trusts)

    def load(database: Database, number: int) -> None:
        in_training = fold_of != number
        _load(
            database, "train", trusts, in_training, in_training & (fold_of == (number - 1) % FOLDS)
        )
        _load(database, "test", trusts, np.ones(len(trusts), bool), fold_of == number)

    def score(_: int, test: HingeWorld, values: Float) -> dict[str, float]:
        truth = test.example.truth
        figures = (auc_roc(values, truth), auc_pr(values, truth), auc_pr(1.0 - values, 1.0 - truth))
        return dict(zip(METRICS, figures))

    program = read_program(PROGRAMS / "epinions.psl")
    spent = measure_splits(
        run, program, "Trusts", column="epinions", number=FOLDS, load=load, score=score, of="fold"
    )
    run.measured.notes.extend([f"{spent.note('fold')}.", *best_marks(run.measured.scores)])


def _load(database: Database, world: str, trusts: Int64, known: Bool, asked: Bool) -> None:
    """Links `known` to exist; their trust is observed, except for `asked`, which are targets."""
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
    load_frame(
        database, frame.loc[asked, ["a", "b"]], predicate="Trusts", world=world, partition="target"
    )
    load_frame(
        database, frame[asked], predicate="Trusts", value="value", world=world, partition="truth"
    )


EXPERIMENTS = (Experiment.described("psl-epinions", measure, SYSTEMS, clock=cpu_seconds),)
