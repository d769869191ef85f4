"""The part of a workspace that asks people about predictions, and learns from what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.database import read_answers
from workbench.progress import SILENT, Progress
from workbench.verbs.of_database import OfDatabase
from workbench.verbs.training import Training

if TYPE_CHECKING:
    from workbench.database import ReviewAnswer
    from workbench.verbs.explaining.reopening import Recorded
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.learning_result import LearningResult
    from workbench.verbs.modelling import RulesLike
    from workbench.verbs.review import Order, Question, ReviewQueue


class Reviewing(Training):
    """Predictions put to people, and labels from their answers."""

    answers = OfDatabase(read_answers)

    def review(
        self, run: int | None = None, *, order: Order = "change", most: int = 200
    ) -> ReviewQueue:
        """What to ask people about an inference run, or the newest; see `verbs.review`."""
        from workbench.verbs.review import review_queue

        return review_queue(self.database, run, order=order, most=most)

    def answer(self, question: Question, says: bool | None, *, reviewer: str = "") -> ReviewAnswer:
        """Keep what somebody says of an atom (None: skipped); the majority is its label."""
        from workbench.verbs.answers import answer

        return answer(self.database, question, says, reviewer)

    def undo_answer(self, *, reviewer: str = "") -> ReviewAnswer | None:
        """Take a reviewer's last answer back; None where there is none."""
        from workbench.verbs.answers import undo

        return undo(self.database, reviewer)

    def infer_again(
        self,
        run: int,
        rules: RulesLike | LearningResult | None = None,
        *,
        progress: Progress = SILENT,
    ) -> InferenceResult:
        """Infer as a recorded run did, over the facts as they are now, by its rules or by others; a
        new run.

        Raises
        ------
        UsageError
            E0815 where the run is no inference.
        """
        from workbench.verbs.explaining.reopening import recorded_run

        recorded = recorded_run(self.database, run)
        return self.infer(
            recorded.program if rules is None else rules,
            task=recorded.task,
            engine=recorded.engine,
            options=dict(recorded.options),
            seed=recorded.run.seed or 0,
            labels=recorded.run.parameters.get("labels", "evidence"),
            progress=progress,
            **_request(recorded),
        )

    def learn_again(self, run: int, *, progress: Progress = SILENT) -> InferenceResult:
        """Learn an inference run's rules from the labels there are now, and infer as it did; two
        runs.

        Raises
        ------
        UsageError
            E0815 where the run is no inference.
        """
        from workbench.verbs.explaining.reopening import recorded_run

        recorded = recorded_run(self.database, run)
        learned = self.learn(
            recorded.program, seed=recorded.run.seed or 0, progress=progress, **_request(recorded)
        )
        return self.infer_again(run, learned, progress=progress)


def _request(recorded: Recorded) -> dict[str, Any]:
    """What a run was asked to ground."""
    named = ("query", "closed", "hidden", "worlds", "tie", "allow_future")
    return {
        name: recorded.run.parameters[name] for name in named if recorded.run.parameters.get(name)
    }
