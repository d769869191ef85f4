"""Tools on review: predictions that people are asked about, and what they say of them."""

from __future__ import annotations

from typing import Any, Literal

from workbench.errors import UsageError
from workbench.language.ground_atoms import atom_text, parse_atom
from workbench.service import answers
from workbench.service.answers import of
from workbench.service.arguments import Most, Run, Text
from workbench.service.tools import Tools
from workbench.verbs.review import Question


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
