"""What people say of predictions: labels by majority, agreement, disputes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations

import numpy as np

from workbench.database import (
    Database,
    ReviewAnswer,
    forget_answer,
    keep_answer,
    known_of,
    read_answers,
)
from workbench.verbs.answered_labels import majority, settle
from workbench.verbs.review import Question


@dataclass(frozen=True)
class Agreement:
    """How far two reviewers agree on what both answered: share and Cohen's kappa (or NaN)."""

    one: str
    other: str
    both: int
    share: float
    kappa: float


def answer(
    database: Database, question: Question, says: bool | None, reviewer: str
) -> ReviewAnswer:
    """Keep what somebody says of an atom (None: skipped); the majority is its label at once."""
    earlier = read_answers(database)
    same = [one for one in earlier if (one.world, one.atom) == (question.world, question.atom)]
    with database.transaction():
        known = {} if same else known_of(database, question.atom, question.world)
        made = ReviewAnswer(
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
        settle(database, [*same, made])
    return made


def undo(database: Database, reviewer: str) -> ReviewAnswer | None:
    """Take a reviewer's last answer back, and the label that came of it; None without one."""
    answers = read_answers(database)
    mine = [one for one in answers if one.reviewer == reviewer]
    if not mine:
        return None
    last = mine[-1]
    with database.transaction():
        forget_answer(database, last)
        same = [one for one in answers if (one.world, one.atom) == (last.world, last.atom)]
        settle(database, same, without=[last])
    return last


def agreements(answers: Iterable[ReviewAnswer]) -> tuple[Agreement, ...]:
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


def disputed(answers: Iterable[ReviewAnswer]) -> tuple[tuple[str, str], ...]:
    """World and atom of what as many affirm as deny; it has no label from reviewers."""
    by_atom: dict[tuple[str, str], list[ReviewAnswer]] = {}
    for one in answers:
        if one.says is None:
            continue
        by_atom.setdefault((one.world, one.atom), []).append(one)
    return tuple(key for key, given in by_atom.items() if majority(given) is None)
