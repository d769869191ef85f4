"""Soft logic brought up to date: random sequences of atoms, beside fresh runs."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

from tests.differential.outcome import Difference, Tally
from tests.differential.psl_checks import loaded
from tests.differential.psl_programs import Fact, PslCase
from tests.verbs.update_sequences import canonical, facts_of
from workbench.errors import WorkbenchError
from workbench.language.ground_atoms import atom_text
from workbench.language.program import Program
from workbench.language.psl.document_reading import parse_psl_document
from workbench.verbs.infer import InferenceResult
from workbench.workspace import Workspace

STEPS = 4
PARTITIONS = {"observations": "evidence", "targets": "target"}
Worlds = dict[str, tuple[Fact, ...]]


def check_soft_updates(case: PslCase, tally: Tally) -> None:
    """Raise `Difference` where an update or refusal is not that of a fresh run."""
    draw = Random(f"soft updates {case.seed}")
    program = parse_psl_document(json.dumps(case.document(0))).program()
    there: Worlds = {
        name: tuple(one for one in facts if draw.random() < 0.8) for name, facts in case.worlds
    }
    with _holding(case, there, program) as workspace:
        answer = _answer(workspace, program)
        if not isinstance(answer, InferenceResult):
            tally.add(f"left out: the first run is refused, {answer}")
            return
        run = answer.run_id
        for _ in range(STEPS):
            world, facts = draw.choice(case.worlds)
            part = draw.choice(list(PARTITIONS))
            pending = [one for one in facts if one[1] == part and one not in there[world]]
            known = [one for one in there[world] if one[1] == part]
            add = draw.sample(pending, min(len(pending), draw.randint(0, 2)))
            gone = draw.sample(known, min(len(known), draw.randint(0, 1)))
            after = there | {world: (*(one for one in there[world] if one not in gone), *add)}
            before = facts_of(workspace)
            try:
                updated = workspace.update(
                    run,
                    list(map(fact_text, add)),
                    list(map(fact_text, gone)),
                    world=world,
                    partition=PARTITIONS[part],
                ).result
            except WorkbenchError as error:
                _check_refused(case, after, program, error)
                if facts_of(workspace) != before:
                    raise Difference("soft update", "refused, and the facts have changed") from None
                tally.add(f"refused as a fresh run, {error.diagnostics[0].code}")
                continue
            there = after
            with _holding(case, there, program) as other:
                check_equal(updated, _answer(other, program))
            tally.add("updates as fresh runs")


def _holding(case: PslCase, worlds: Worlds, program: Program) -> Workspace:
    return loaded(replace(case, worlds=tuple(worlds.items())), program)


def _answer(workspace: Workspace, program: Program) -> InferenceResult | str:
    """What is inferred, or the code of what is said instead."""
    try:
        return workspace.infer(workspace.declare(program), engine="clarabel")
    except WorkbenchError as error:
        return error.diagnostics[0].code


def fact_text(fact: Fact) -> str:
    predicate, part, arguments, value = fact
    sign = (
        "?"
        if part == "targets"
        else ""
        if value in (None, 1.0)
        else "!"
        if value == 0.0
        else f"{value:g} "
    )
    return sign + atom_text(predicate, arguments)


def _check_refused(case: PslCase, worlds: Worlds, program: Program, error: WorkbenchError) -> None:
    with _holding(case, worlds, program) as workspace:
        answer = _answer(workspace, program)
    if answer != error.diagnostics[0].code:
        said = answer if isinstance(answer, str) else "an answer"
        raise Difference(
            "soft update", f"refused with {error.diagnostics[0]}, and a fresh run gives {said}"
        )


def check_equal(updated: InferenceResult, fresh: InferenceResult | str) -> None:
    if isinstance(fresh, str):
        raise Difference("soft update", f"answered, and a fresh run is refused, {fresh}")
    if one_alone := _atoms(updated) ^ _atoms(fresh):
        raise Difference("soft update", f"atoms of one alone: {sorted(one_alone)[:4]}")
    one, other = canonical(updated.grounding), canonical(fresh.grounding)
    for part in one:
        if one[part] != other[part]:
            raise Difference(
                "soft update", f"{part}: {(one[part] - other[part]) + (other[part] - one[part])}"
            )
    energies = (
        (updated.solution.energy, fresh.solution.energy),
        (updated.evidence_energy, fresh.evidence_energy),
    )
    for got, wanted in energies:
        if abs((got or 0.0) - (wanted or 0.0)) > 1e-4 * max(1.0, abs(wanted or 0.0)):
            raise Difference("soft update", f"energy {got}, of a fresh run {wanted}")


def _atoms(result: InferenceResult) -> set[str]:
    atoms = result.grounding.atoms
    return {f"{world}: {atom}" for world, atom in zip(atoms.world_names(), atoms.names())}
