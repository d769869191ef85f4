"""People asked in the terminal which pairs of records are the same."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from workbench.commands.console import print_json, print_line, print_table, print_warnings
from workbench.commands.working import shown_progress

if TYPE_CHECKING:
    from workbench.service.client import RemoteWorkspace
    from workbench.verbs.linking.answering import PairQuestion
    from workbench.verbs.linking.linkage import Linkage
    from workbench.workspace import Workspace

SAYS = {"y": True, "n": False}
KEYS = "y the same, n not, s skip, u undo, l link again with the answers, q quit"


def review_pairs(
    opened: Workspace, remote: RemoteWorkspace | None, run: int, *, most: int, json: bool
) -> None:
    """Ask which pairs of a linkage are the same, those worth asking first, at most so many; where
    the workspace is a copy of a server's, it is told first.
    """
    linkage: Linkage | None = opened.linkage(run)
    if json:
        assert linkage is not None
        asked = [asdict(one) for one in linkage.questions(most)]
        print_json({"run": run, "total": len(asked), "questions": asked})
        return
    while linkage is not None:
        linkage, remote = _asked(opened, remote, linkage, most), None


def _asked(
    opened: Workspace, remote: RemoteWorkspace | None, linkage: Linkage, most: int
) -> Linkage | None:
    """Ask through a linkage; the next one where the files were linked again, None at the end."""
    given: list[PairQuestion] = []
    passed: set[tuple[str, str]] = set()
    print_line(f"Run {linkage.run_id}: pairs of records worth asking about. {KEYS}.")
    while len(passed) < most and (question := _next(linkage, passed)) is not None:
        said = _read(linkage, question)
        if said in SAYS:
            _answer(remote, linkage, question, SAYS[said])
            given.append(question)
        if said in ("y", "n", "s"):
            passed.add((question.left, question.right))
        elif said == "u" and given:
            last = given.pop()
            _answer(remote, linkage, last, None)
            passed.discard((last.left, last.right))
            print_line(f"Taken back: {last.left} and {last.right}")
        elif said == "l":
            with shown_progress() as progress:
                found = opened.link_again(linkage.run_id, progress=progress)
            print_warnings(found.warnings)
            return opened.linkage(found.run_id)
        elif said == "q":
            break
        else:
            print_line(f"{KEYS}.")
    figures = linkage.figures()
    print_line(
        f"{len(linkage.answers()):,} answers; {figures['records']:,} records in "
        f"{figures['clusters']:,} clusters"
    )
    return None


def _answer(
    remote: RemoteWorkspace | None, linkage: Linkage, pair: PairQuestion, same: bool | None
) -> None:
    if remote is not None:
        remote.answer_pair(run=linkage.run_id, left=pair.left, right=pair.right, same=same)
    linkage.answer(pair.left, pair.right, same)


def _next(linkage: Linkage, passed: set[tuple[str, str]]) -> PairQuestion | None:
    for question in linkage.questions(len(passed) + 1):
        if (question.left, question.right) not in passed:
            return question
    return None


def _read(linkage: Linkage, question: PairQuestion) -> str:
    """The letter answered to a pair, shown side by side; at the end of input, q."""
    rows = linkage.side_by_side(question.left, question.right).fillna("").to_numpy().tolist()
    now = "together" if question.together else "apart"
    print_table(
        f"The same? {question.probability:.3f}, {now} now",
        ("column", question.left, question.right),
        rows,
    )
    line = sys.stdin.readline()
    return line.strip().lower()[:1] or ("q" if not line else "?")
