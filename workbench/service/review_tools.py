"""Tools on review: predictions that people are asked about, and what they say of them."""

from __future__ import annotations

from typing import Any, Literal

from workbench.errors import UsageError
from workbench.language.ground_atoms import atom_text, parse_atom
from workbench.service import answers
from workbench.service.answers import of
from workbench.service.arguments import Most, Run, Text
from workbench.service.tools import Tools
from workbench.verbs.linking.answering import PairQuestion
from workbench.verbs.linking.linkage import Linkage
from workbench.verbs.review import Question


def _side_by_side(linkage: Linkage, pair: PairQuestion) -> dict[str, list[str]]:
    """By column what two records say."""
    rows = linkage.side_by_side(pair.left, pair.right).fillna("").to_numpy().tolist()
    return {column: cells for column, *cells in rows}


class ReviewTools(Tools):
    """Questions for people, and labels from their answers."""

    def review(
        self,
        run: Run | None = None,
        reviewer: Text = "",
        order: Literal["change", "doubt"] = "change",
        second: bool = False,
        most: Most = 10,
    ) -> dict[str, Any]:
        """What to ask people about a run's predictions, or the newest's, the most telling first,
        with what is known of each thing.

        second: also what other reviewers have answered.
        """
        queue = self.workspace.review(run, order=order)
        waiting = queue.waiting(self.workspace.answers(), reviewer, second=second)
        questions = [
            of(one, "atom", "world", "shown", "value", "change") | {"known": self._known(one)}
            for one in waiting[:most]
        ]
        return answers.answer(
            {
                "run": queue.run,
                "without_label": queue.total,
                "waiting": len(waiting),
                "questions": questions,
            },
            next_step=f"answer with run={queue.run} keeps what a person says of one"
            if waiting
            else "nothing is left to ask; learn again from the labels",
        )

    def answer(
        self,
        run: Run,
        atom: Text,
        says: bool | None,
        world: Text | None = None,
        reviewer: Text = "",
    ) -> dict[str, Any]:
        """Keep what a person says of a prediction (null: skipped); what most reviewers say is its
        label at once.
        """
        made = self.workspace.answer(self._question(run, atom, world), says, reviewer=reviewer)
        return answers.answer(
            of(made, "atom", "world", "says", "reviewer"),
            next_step="review asks the next; undo_answer takes it back; learn, then infer, again "
            "uses the labels",
        )

    def undo_answer(self, reviewer: Text = "") -> dict[str, Any]:
        """Take a reviewer's last answer back, and the label that came of it."""
        taken = self.workspace.undo_answer(reviewer=reviewer)
        if taken is None:
            raise UsageError.of("E0861", "there is no answer to take back")
        return answers.answer(of(taken, "atom", "world", "says"), next_step="review asks again")

    def review_pairs(self, run: Run | None = None, most: Most = 10) -> dict[str, Any]:
        """Which pairs of a linkage's records, or the newest's, to ask people about, in
        turn the least sure and one of another likelihood, side by side.
        """
        linkage = self.workspace.linkage(run)
        questions = [
            of(one, "left", "right", "probability", "together")
            | {"columns": _side_by_side(linkage, one)}
            for one in linkage.questions(most)
        ]
        return answers.answer(
            {"run": linkage.run_id, "answered": len(linkage.answers()), "questions": questions},
            next_step=f"answer_pair with run={linkage.run_id} keeps what a person says of one"
            if questions
            else "no doubtful pair is left to ask about",
        )

    def answer_pair(self, run: Run, left: Text, right: Text, same: bool | None) -> dict[str, Any]:
        """Say that two records of a linkage are the same, or not (null takes an answer back); their
        clusters are made anew at once.
        """
        done = self.workspace.linkage(run).answer(left, right, same)
        return answers.answer(
            {"moved": done.moved, **dict(done.figures)},
            next_step=f"review_pairs with run={run} asks the next",
        )

    def _known(self, question: Question) -> list[str]:
        things = self.workspace.data.known_things(question.atom, question.world)
        return [line for thing in things for line in thing.lines()]

    def _question(self, run: int, atom: str, world: str | None) -> Question:
        """The prediction that an atom's text names."""
        recorded, parsed = self.workspace.runs.get(run), parse_atom(atom)
        written = atom if parsed is None else atom_text(*parsed)
        found, _ = self.workspace.runs.find_predictions(run, search=written)
        of_it = found[found["atom"] == written]
        if world is not None:
            of_it = of_it[of_it["world"] == world]
        if recorded.kind != "infer" or of_it.empty:
            raise UsageError.of(
                "E0305", f"run {run} does not predict {atom}", help="review lists what to ask"
            )
        if len(of_it) > 1:
            worlds = ", ".join(of_it["world"][:10])
            raise UsageError.of(
                "E0247", f"{atom} is an atom of {len(of_it)} worlds", help=f"name one: {worlds}"
            )
        (row,) = of_it.to_dict("records")
        soft = recorded.language == "psl"
        return Question(written, row["world"], written, row["value"], 0.0, 0.0, soft=soft)
