"""One wish: rules learned, scored on parts held out, and applied; as one piece of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import UsageError
from workbench.progress import Progress

if TYPE_CHECKING:
    from workbench.verbs.crossval import CrossValidation
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.learning_result import LearningResult

Folds = Literal["worlds", "kept"]


@dataclass(frozen=True)
class TrainedAndScored:
    """Rules learned, scored and applied.

    Attributes
    ----------
    learned : LearningResult
        From all labels.
    scored : CrossValidation
        On parts held out.
    predicted : InferenceResult
        By the learned rules: what has no label; all of it where everything has.
    """

    learned: LearningResult
    scored: CrossValidation
    predicted: InferenceResult

    def summary(self) -> dict[str, Any]:
        """What the three found, by name."""
        return {
            "learn": self.learned.summary(),
            "crossval": self.scored.summary(),
            "infer": self.predicted.summary(),
        }


def train_and_score(
    learn: Callable[..., LearningResult],
    crossval: Callable[..., CrossValidation],
    infer: Callable[..., InferenceResult],
    forget: Callable[[int], None],
    *,
    query: Sequence[str],
    folds: Folds,
    progress: Progress,
) -> TrainedAndScored:
    """Cross-validate, learn from all labels, and predict by what was learned; each a run.

    Where every atom is known, all are predicted as if none were.

    Raises E0836 where nothing is asked for.
    """
    if not query:
        raise UsageError.of(
            "E0836", "nothing is asked for, so nothing can be trained", help="choose a predicate"
        )
    steps = ("scoring on held-out parts", "learning from all labels", "predicting")
    parts = [_part(progress, number, name) for number, name in enumerate(steps)]
    scored = crossval(query=query, folds=folds, progress=parts[0])
    learned = learn(query=query, progress=parts[1])
    predicted = infer(learned, query=query, progress=parts[2])
    if not len(predicted.solution.values):
        if predicted.run_id is not None:
            forget(predicted.run_id)
        predicted = infer(learned, query=query, labels="withheld", progress=parts[2])
    return TrainedAndScored(learned, scored, predicted)


def _part(progress: Progress, number: int, name: str) -> Progress:
    """The progress of one of three steps, as a third of the whole."""

    def report(stage: str, done: float, total: float | None, message: str) -> None:
        share = min(1.0, done / total) if total else 0.0
        progress.report(
            name, round(100 * (number + share) / 3), 100.0, f"{stage} {message}".strip()
        )

    return Progress(report, progress.cancel_event, progress.observe)
