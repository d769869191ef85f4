"""`review`: people asked about predictions in the terminal, and labels from their answers."""

from __future__ import annotations

import getpass
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.commands.command import command, option
from workbench.commands.console import print_json, print_line, print_table
from workbench.commands.options import Json
from workbench.commands.review_pairs import review_pairs
from workbench.commands.runs import Workspace
from workbench.commands.served import address_of, connected
from workbench.commands.working import shown_progress
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.database import ReviewAnswer
    from workbench.service.client import RemoteWorkspace
    from workbench.verbs.review import Order, Question, ReviewQueue
    from workbench.workspace import Workspace as Opened

SAYS = {"y": True, "n": False, "s": None}
KEYS = "y yes, n no, s skip, u undo, l learn again, q quit"


@command(
    "Workspaces",
    "review work.duckdb --reviewer Ada",
    "review work.duckdb --order doubt --most 20 --json",
    served=True,
)
def review(
    workspace: Workspace,
    run: Annotated[
        int, option("--run", "The prediction or linkage to review; by default the newest.", min=0)
    ] = 0,
    reviewer: Annotated[str, option("--reviewer", "Who answers; your user name by default.")] = "",
    order: Annotated[
        Literal["change", "doubt"],
        option("--order", "First what an answer would change most, or doubts."),
    ] = "change",
    second: Annotated[bool, option("--second", "Ask also what others have answered.")] = False,
    most: Annotated[int, option("--most", "Questions at most.", min=1)] = 200,
    json: Json = False,
) -> None:
    """Answer yes or no to predictions, the most telling first; what most reviewers say becomes a
    label at once.

    A letter a line: y yes, n no, s skip, u undo, l learn again and go on with what is doubtful
    then, q quit.
    """
    from workbench.verbs.answers import agreements

    name = reviewer or getpass.getuser()
    with ExitStack() as stack:
        opened, remote = _reached(workspace, stack)
        linked = _linkage(opened, run)
        if linked is not None:
            review_pairs(opened, remote, linked, most=most, json=json)
            return
        first = opened.review(run or None, order=order, most=most)
        if json:
            waiting = first.waiting(opened.answers(), name, second=second)
            print_json(
                {
                    "run": first.run,
                    "total": first.total,
                    "questions": [asdict(one) for one in waiting],
                }
            )
            return
        queue: ReviewQueue | None = first
        kept = _Answers(opened, remote, first.run, name)
        while queue is not None:
            queue = _asked(kept, queue, order=order, second=second, most=most)
        answers = opened.answers()
        mine = [one for one in answers if one.reviewer == name]
        skipped = sum(one.says is None for one in mine)
        print_line(f"{name}: {len(mine) - skipped} answered, {skipped} skipped")
        found = agreements(answers)
        if found:
            rows = [(one.one, one.other, one.both, one.share, one.kappa) for one in found]
            print_table(
                "Agreement", ("reviewer", "reviewer", "both answered", "agree", "kappa"), rows
            )


def _linkage(opened: Opened, run: int) -> int | None:
    """The run that is reviewed where it is a linkage: the one asked for, else the newest of either
    kind.
    """
    kinds = {one.id: one.kind for one in opened.runs.all() if one.kind in ("infer", "link")}
    number = run or max(kinds, default=0)
    return number if kinds.get(number) == "link" else None


def _reached(workspace: Path, stack: ExitStack) -> tuple[Opened, RemoteWorkspace | None]:
    """The workspace, and the server where it is a copy of one's."""
    from workbench.workspace import open_workspace

    address = address_of(workspace)
    if address is not None:
        remote = stack.enter_context(connected(address))
        return stack.enter_context(remote.workspace()), remote
    if not Path(workspace).exists():
        raise UsageError.of(
            "E0201",
            f"there is no workspace at {workspace}",
            help="infer with --workspace makes one",
        )
    return stack.enter_context(open_workspace(workspace)), None


@dataclass(frozen=True)
class _Answers:
    """Where a reviewer's answers are kept: in the workspace and, where it is a copy, at the server
    first, about the run that was there.
    """

    opened: Opened
    remote: RemoteWorkspace | None
    run: int
    name: str

    def keep(self, question: Question, says: bool | None) -> None:
        if self.remote is not None:
            self.remote.answer(
                run=self.run,
                atom=question.atom,
                world=question.world,
                says=says,
                reviewer=self.name,
            )
        self.opened.answer(question, says, reviewer=self.name)

    def undo(self) -> ReviewAnswer | None:
        taken = self.opened.undo_answer(reviewer=self.name)
        if taken is not None and self.remote is not None:
            self.remote.undo_answer(reviewer=self.name)
        return taken


def _asked(
    kept: _Answers, queue: ReviewQueue, *, order: Order, second: bool, most: int
) -> ReviewQueue | None:
    """Ask through a queue; the next one where the rules were learned again, None at the end."""
    print_line(f"Run {queue.run}: {queue.total:,} predictions without a label. {KEYS}.")
    opened = kept.opened
    while waiting := queue.waiting(opened.answers(), kept.name, second=second):
        said = _read(opened, waiting[0])
        if said in SAYS:
            kept.keep(waiting[0], SAYS[said])
        elif said == "u":
            taken = kept.undo()
            print_line(f"Taken back: {taken.atom}" if taken else "There is nothing to take back.")
        elif said == "l":
            with shown_progress() as progress:
                learned = opened.learn_again(queue.run, progress=progress)
            return opened.review(learned.run_id, order=order, most=most)
        elif said == "q":
            return None
        else:
            print_line(f"{KEYS}.")
    print_line("Nothing is left to ask.")
    return None


def _read(opened: Opened, question: Question) -> str:
    """The letter answered to a question and what is known of its things; at the end of input, q."""
    from workbench.database import DEFAULT_WORLD

    where = f" in {question.world}" if question.world not in ("", DEFAULT_WORLD) else ""
    print_line(
        f"{question.shown}{where}? {question.value:.3f} predicted, an answer moves "
        f"{question.change:.2f}"
    )
    for thing in opened.data.known_things(question.atom, question.world):
        for said in thing.lines():
            print_line(f"  {said}")
    line = sys.stdin.readline()
    return line.strip().lower()[:1] or ("q" if not line else "?")
