"""The part of a workspace that asks people about its predictions, and learns again from what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.progress import SILENT, Progress
from workbench.verbs.training import Training

if TYPE_CHECKING:
    from workbench.database import Answer
    from workbench.verbs.infer import InferenceResult
    from workbench.verbs.review import Order, Question, ReviewQueue

__all__ = ["Reviewing"]


class Reviewing(Training):
    """Predictions put to people, and labels from their answers."""

    def review(self, run: int | None = None, *, order: Order = "change", most: int = 200) -> ReviewQueue:
        """What to ask people about an inference run, the newest by default; see `workbench.verbs.review`."""
        from workbench.verbs.review import review_queue

        return review_queue(self.database, run, order=order, most=most)

    def answer(self, question: Question, says: bool | None, *, reviewer: str = "") -> Answer:
        """Keep what somebody says of an atom (None: skipped); what most say becomes its label at once."""
        from workbench.verbs.review import answer

        return answer(self.database, question, says, reviewer)

    def undo_answer(self, *, reviewer: str = "") -> Answer | None:
        """Take a reviewer's last answer back; None where there is none."""
        from workbench.verbs.review import undo

        return undo(self.database, reviewer)

    def answers(self) -> tuple[Answer, ...]:
        """All answers, the oldest first."""
        from workbench.database import read_answers

        return read_answers(self.database)

    def learn_again(self, run: int, *, progress: Progress = SILENT) -> InferenceResult:
        """Learn an inference run's rules from the labels there are now, and infer as it did; two runs.

        Raises
        ------
        UsageError
            E0815 where the run is no inference.
        """
        from workbench.verbs.reopening import recorded_run

        recorded = recorded_run(self.database, run)
        settings = recorded.run.parameters
        request = {
            name: settings[name]
            for name in ("query", "closed", "hidden", "worlds", "tie", "allow_future")
            if settings.get(name)
        }
        learned = self.learn(recorded.program, seed=recorded.run.seed or 0, progress=progress, **request)
        return self.infer(
            learned,
            task=recorded.task,
            engine=recorded.engine,
            options=dict(recorded.options),
            seed=recorded.run.seed or 0,
            progress=progress,
            **request,
        )
