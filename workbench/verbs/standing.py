"""What a run's scores stand on: learned from what, what was known, held out or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isclose
from typing import Any

from workbench.database import Database, Run, read_runs, run_table
from workbench.language import parse_program
from workbench.language.rewriting import rule_text

ROUNDED = 1e-3
HALF = 0.5


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
    if studied is not None and not withheld:
        held = "its scores are those of rows that it held out."
        return Standing(
            None, f"Rules and weights are those of the study, run {studied.id}; {held} {known}"
        )
    teacher = studied or _teacher(database, run)
    if teacher is None:
        return Standing(None, f"The weights stand in the rules; no run here learned them. {known}")
    learned, asked = (_worlds(database, one) for one in (teacher, run))
    if learned and asked and learned.isdisjoint(asked):
        return Standing(True, f"Run {teacher.id} learned these weights from other worlds. {known}")
    changed = "" if teacher.data_hash in (run.data_hash, None) else ", before facts were changed"
    return Standing(
        False,
        f"In-sample: run {teacher.id} learned these weights, or most of them, from labels of the "
        f"same data{changed}. Scores against them say how well the rules fit, not how well they "
        f"predict; cross-validate for that. {known}",
    )


def _worlds(database: Database, run: Run) -> set[str]:
    """Those that a run names, or that there were when it learned; none where it has all of now."""
    there, last = list(database.worlds()), run.parameters.get("worlds_up_to")
    since = there[: there.index(last) + 1] if last in there else ()
    return set(run.parameters.get("worlds") or since)


def _study(database: Database, run: Run) -> Run | None:
    """The study that found the rules and weights."""
    stated = _stated(run.program_text)
    same = (
        one
        for one in read_runs(database)
        if one.kind == "study" and one.program_text and _stated(one.program_text) == stated
    )
    return next(same, None)


def _teacher(database: Database, run: Run) -> Run | None:
    """The learning run, or study, half of whose weights at least the run applies, perhaps rounded:
    others may have been written by hand since, or facts changed. Of several, one over the same
    facts, then the one with most of them, then the newest.
    """
    applied, stated = _weights(database, run), _stated(run.program_text)
    best: tuple[tuple[bool, float], Run] | None = None
    for other in read_runs(database):
        if other.kind not in ("learn", "study") or "ended" in other.parameters:
            continue
        if other.kind == "study":
            share = _share(_stated(other.program_text), stated)
        else:
            share = _share(_weights(database, other), applied)
        order = (other.data_hash == run.data_hash, share)
        if share >= HALF and (best is None or order > best[0]):
            best = order, other
    return None if best is None else best[1]


def _share(learned: Mapping[Any, float], applied: Mapping[Any, float]) -> float:
    """How many of the learned weights are applied, from 0 to 1."""
    alike = [
        isclose(weight, applied[name], rel_tol=ROUNDED, abs_tol=ROUNDED)
        for name, weight in learned.items()
        if name in applied
    ]
    return sum(alike) / max(len(learned), 1)


@lru_cache(maxsize=64)
def _stated(program: str) -> Mapping[str, float]:
    """The weight of each rule that a program gives one."""
    if not program:
        return {}
    rules = parse_program(program).rules
    return {rule_text(one): one.weight.value for one in rules if one.weight.value is not None}


def _weights(database: Database, run: Run) -> dict[tuple[str, int], float]:
    """The weight of each template, by its formula and how often that came before; of a run that
    learned, only what it moved, where it moved anything.
    """
    seen: Counter[str] = Counter()
    found, moved = {}, {}
    table = run_table(database, run.id, "weight")
    for formula, weight, initial in zip(table["formula"], table["weight"], table["initial"]):
        name = formula, seen[formula]
        found[name] = float(weight)
        if weight != initial:
            moved[name] = float(weight)
        seen[formula] += 1
    return moved or found if run.kind == "learn" else found
