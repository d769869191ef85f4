"""What a run's scores stand on: learned from what, what was known, held out or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isclose

from workbench.database import Database, Run, read_runs, run_table

ROUNDED = 1e-3


@dataclass(frozen=True)
class Standing:
    """What a run's scores stand on.

    Attributes
    ----------
    held_out : bool or None
        Whether they are of atoms that were not learned from; None where the run has nothing to do
        with learning.
    text : str
        In one or two sentences.
    """

    held_out: bool | None
    text: str


def standing_of(database: Database, run: Run) -> Standing:
    """What a run was learned from, what it knew, and what it is scored on."""
    if run.parameters.get("ended"):
        return Standing(None, "It was ended before it had anything to show.")
    if run.kind == "study":
        return Standing(True, str(run.parameters.get("labels", "")))
    if run.kind == "crossval":
        folds = run.parameters.get("folds") or []
        once = "One fold only: there is no spread. " if len(folds) == 1 else ""
        many = f"{len(folds)} folds" if len(folds) != 1 else "1 fold"
        return Standing(True, f"{once}Learned without the atoms that it is scored on, {many}.")
    if run.kind != "infer":
        return Standing(None, "Learned from the labels in the workspace; nothing is scored here.")
    withheld = run.parameters.get("labels") == "withheld"
    known = (
        "Known atoms of what is asked were "
        + ("withheld" if withheld else "taken as evidence")
        + "."
    )
    studied = _study(database, run)
    if studied is not None:
        held = "its scores are those of rows that it held out."
        return Standing(
            None, f"Rules and weights are those of the study, run {studied.id}; {held} {known}"
        )
    teacher = _teacher(database, run)
    if teacher is None:
        return Standing(None, f"The weights stand in the rules; no run here learned them. {known}")
    return Standing(
        False,
        f"In-sample: run {teacher.id} learned these weights from labels of the same data. Scores "
        "against them say how "
        f"well the rules fit, not how well they predict; cross-validate for that. {known}",
    )


def _study(database: Database, run: Run) -> Run | None:
    """The study that found the program."""
    same = (
        one
        for one in read_runs(database)
        if one.kind == "study" and one.program_hash == run.program_hash
    )
    return next(same, None)


def _teacher(database: Database, run: Run) -> Run | None:
    """The learning run over the same facts whose weights the run applies, perhaps rounded."""
    applied = _weights(database, run)
    for other in read_runs(database):
        if (
            other.kind == "learn"
            and other.data_hash == run.data_hash
            and "ended" not in other.parameters
        ):
            learned = _weights(database, other)
            if learned and learned.keys() == applied.keys():
                pairs = ((learned[name], applied[name]) for name in learned)
                if all(isclose(one, two, rel_tol=ROUNDED, abs_tol=ROUNDED) for one, two in pairs):
                    return other
    return None


def _weights(database: Database, run: Run) -> dict[tuple[str, int], float]:
    """The weight of each template, by its formula and how often that came before."""
    seen: Counter[str] = Counter()
    found = {}
    table = run_table(database, run.id, "weight")
    for formula, weight in zip(table["formula"], table["weight"]):
        found[formula, seen[formula]] = float(weight)
        seen[formula] += 1
    return found
