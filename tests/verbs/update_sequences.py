"""Random updates beside fresh runs: `python -m tests.verbs.update_sequences 1000`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.verbs.update_models import Model, one_of_each_atom, random_fact
from tests.verbs.update_programs import MODELS
from workbench.database import Database, data_hash, load_alchemy_text, set_fact, texts_of_facts
from workbench.database.copying import copy_of
from workbench.errors import WorkbenchError
from workbench.grounding import Grounding
from workbench.inference.accepts import Task
from workbench.language.ground_atoms import atom_text
from workbench.language.printing import quote_constant
from workbench.network import reported_energy
from workbench.verbs.explaining.reopening import recorded_run
from workbench.verbs.fact_changes import changes_of
from workbench.verbs.infer import InferenceResult
from workbench.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd


def canonical(grounding: Grounding) -> dict[str, Counter[Any]]:
    """Rows, unit groundings and sums under names instead of numbers."""
    network, labels = grounding.network, grounding.templates.label
    names = [
        f"{world}: {atom}"
        for world, atom in zip(grounding.atoms.world_names(), grounding.atoms.names())
    ]
    rows: Counter[Any] = Counter()
    A = network.A
    for row in range(network.n_rows):
        entries = slice(A.indptr[row], A.indptr[row + 1])
        literals = tuple(
            sorted((names[atom], float(a)) for atom, a in zip(A.indices[entries], A.data[entries]))
        )
        label = labels[network.template[row]] if network.template[row] >= 0 else "hard"
        scale = 1.0 if network.scale is None else float(network.scale[row])
        rows[label, int(network.relation[row]), float(network.b[row]), literals] += round(scale, 9)
    unit = network.unit.tocoo()
    units: Counter[Any] = Counter()
    for atom, template, change in zip(*unit.coords, unit.data):
        if abs(change) > 1e-12:
            units[names[atom], labels[template]] += round(float(change), 9)
    sums: Counter[Any] = Counter()
    for name in ("constant", "groundings", "unit_scale", "evidence_satisfied", "evidence_violated"):
        for label, figure in zip(labels, np.atleast_2d(getattr(network, name).T).T.tolist()):
            rounded = tuple(round(value, 9) for value in np.atleast_1d(figure).tolist())
            if any(rounded):
                sums[name, label, rounded] += 1
    members = network.blocks.members
    blocks: Counter[Any] = Counter()
    for block in range(network.blocks.n_blocks):
        inside = members.indices[members.indptr[block] : members.indptr[block + 1]]
        right = int(network.blocks.right[block])
        blocks[
            int(network.blocks.kind[block]), right, tuple(sorted(names[atom] for atom in inside))
        ] += 1
    return {"rows": rows, "units": units, "sums": sums, "blocks": blocks}


def counts(grounding: Grounding) -> list[tuple[int, ...]]:
    """What each rule became."""
    return [(one.ground_rows, one.open, one.satisfied, one.violated) for one in grounding.rules]


def check_equal(updated: InferenceResult, fresh: InferenceResult) -> None:
    """The network, energy, bound and marginals of an updated answer are those of a fresh one."""
    assert updated.grounding.atoms.names() == fresh.grounding.atoms.names()
    one, other = canonical(updated.grounding), canonical(fresh.grounding)
    for part in one:
        assert one[part] == other[part], part
    assert counts(updated.grounding) == counts(fresh.grounding)
    if updated.task == "map":
        assert updated.solution.energy == pytest.approx(fresh.solution.energy, abs=1e-6)
        assert updated.solution.bound == pytest.approx(fresh.solution.bound, abs=1e-6)
        assert updated.solution.hard_violation == fresh.solution.hard_violation
        _check_sums(updated)
    else:
        np.testing.assert_allclose(updated.values, fresh.values, atol=1e-9)
    assert updated.evidence_energy == pytest.approx(fresh.evidence_energy, abs=1e-9)


def _check_sums(updated: InferenceResult) -> None:
    """What has been summed update after update is what the rows come to, rule by rule."""
    if updated.sums is None:
        return
    network = updated.grounding.network
    summed = [(one.groundings, one.distance) for one in updated.rules()]
    again = [(one.groundings, one.distance) for one in replace(updated, sums=None).rules()]
    np.testing.assert_allclose(summed, again, atol=1e-9)
    energy = reported_energy(network, updated.weights, updated.solution.values)
    assert updated.solution.energy == pytest.approx(energy, abs=1e-9)


def facts_of(workspace: Workspace) -> dict[str, list[Any]]:
    return {
        name: sorted(map(str, workspace.database.execute(f'FROM "{stored.table_name}"').fetchall()))
        for name, stored in workspace.database.predicates().items()
    }


def run_sequence(seed: int, steps: int = 5, name: str | None = None) -> Counter[str]:
    """A random sequence of changes, each beside a fresh run; how many of each kind."""
    random = Random(f"updates {seed}")
    model = MODELS[name or random.choice(sorted(MODELS))]
    task = random.choice(("map", "marginal"))
    worlds = ("world",) if random.random() < 0.6 else ("world", "other")
    with Workspace(Database.open(threads=1)) as workspace:
        workspace.declare(model.rules)
        for world in worlds:
            facts = one_of_each_atom(random_fact(random, model).lstrip("!") for _ in range(8))
            load_alchemy_text(workspace.database, "\n".join(sorted(facts)), world=world)
        try:
            run = (
                workspace.infer(
                    model.rules, query=model.query, task=task, engine=_engine(model)
                ).run_id
                or 0
            )
        except WorkbenchError as error:
            return Counter({f"left out, {error.diagnostics[0].code}": 1})
        sequence = Sequence(workspace, run, model, task, Random(f"looks {seed}"))
        for _ in range(steps):
            world = random.choice(worlds) if random.random() < 0.9 else "a later world"
            add = one_of_each_atom(random_fact(random, model) for _ in range(random.randint(0, 3)))
            remove = [text for text in known_facts(workspace, world) if random.random() < 0.15][:2]
            match random.choice(("update", "update", "update", "add", "apart", "what if")):
                case "apart":
                    workspace.data.correct(*add, world=world)
                    workspace.data.remove(*remove, world=world)
                case "what if":
                    sequence.what_if(
                        {atom_of(text): random.choice((True, False, None)) for text in add}
                    )
                case how:
                    sequence.update(add, remove, correct=how == "update", world=world)
    return sequence.done


@dataclass
class Sequence:
    """Changes of one workspace, and what came of them."""

    workspace: Workspace
    run: int
    model: Model
    task: Task
    looks: Random
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        # Edges of bins and means are those that the run was recorded with.
        self.program = recorded_run(self.workspace.database, self.run).program

    def update(self, add: list[str], remove: list[str], *, correct: bool, world: str) -> None:
        """Update the run and compare; what is refused is refused of a fresh run."""
        before = facts_of(self.workspace)
        try:
            renewed = self.workspace.update(self.run, add, remove, correct=correct, world=world)
        except WorkbenchError as error:
            assert facts_of(self.workspace) == before
            code = error.diagnostics[0].code
            if code != "E0850":
                assert code == self._refused(add, remove, correct=correct, world=world)
            self.done[f"refused, {code}"] += 1
            return
        check_equal(renewed.result, self._fresh(self.workspace))
        self.done["updates"] += 1
        if self.looks.random() < 0.3:
            again = self.workspace.update(self.run, add, [], correct=True, world=world)
            assert (again.facts_added, len(again.changes)) == (0, 0)
            assert self.workspace.runs.get(again.result.run_id or 0).data_hash == data_hash(
                self.workspace.database
            )
            self.done["the same update again"] += 1

    def what_if(self, changes: dict[str, bool | None]) -> None:
        """Try changes, and compare with a fresh run over a copy that has them."""
        newest = max(run.id for run in self.workspace.runs.all())
        if not changes or self.workspace.runs.get(newest).data_hash != data_hash(
            self.workspace.database
        ):
            return
        before = facts_of(self.workspace)
        told: object
        try:
            told = _values(self.workspace.what_if(self.workspace.reopen(newest), changes), "after")
        except WorkbenchError as error:
            told = error.diagnostics[0].code
        assert facts_of(self.workspace) == before
        wanted: object
        with copy_of(self.workspace.database) as copied:
            try:
                for atom, value in changes.items():
                    set_fact(copied, atom, value)
                wanted = _values(self._fresh(Workspace(copied)).predictions(), "value")
            except WorkbenchError as error:
                wanted = error.diagnostics[0].code
        if isinstance(told, str) or isinstance(wanted, str):
            assert told == wanted
        elif self.task == "marginal":
            assert told == pytest.approx({atom: wanted[atom] for atom in told}, abs=1e-9)  # type: ignore[index, attr-defined]
        self.done["what-ifs"] += 1

    def _fresh(self, workspace: Workspace) -> InferenceResult:
        return workspace.infer(
            self.program,
            query=self.model.query,
            task=self.task,
            engine=_engine(self.model),
            record=False,
        )

    def _refused(self, add: list[str], remove: list[str], **options: Any) -> str | None:
        """The code that a fresh run over the changed facts is refused with."""
        with copy_of(self.workspace.database) as copied:
            try:
                changes = changes_of(copied, add, remove, **options)
                with copied.transaction():
                    changes.apply(copied)
                self._fresh(Workspace(copied))
            except WorkbenchError as error:
                return error.diagnostics[0].code
        return None


def _engine(model: Model) -> str:
    return "auto" if "= number" in model.rules else "exact"


def _values(frame: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    """Values of the atoms that have one, by world and text."""
    rows = frame.dropna(subset=[column]).to_dict("records")
    return {(str(row.get("world")), row["atom"]): float(row[column]) for row in rows}


def atom_of(fact: str) -> str:
    """A fact without its sign."""
    return fact.lstrip("!").split(" = ")[0]


def known_facts(workspace: Workspace, world: str) -> list[str]:
    """The facts of a world as they are written."""
    found = []
    for facts in texts_of_facts(workspace.database):
        stored = workspace.database.predicate(facts.predicate)
        for row in facts.rows.to_pylist():
            arguments = [str(row[column]) for column in stored.columns]
            if row["world"] != world:
                continue
            if len(stored.key) < len(stored.columns):
                found.append(
                    f"{atom_text(stored.name, arguments[:-1])} = {quote_constant(arguments[-1])}"
                )
            else:
                found.append(f"{'' if row['value'] else '!'}{atom_text(stored.name, arguments)}")
    return sorted(found)


def main() -> None:
    """Run the number of sequences given, and say which fail."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed, done = [], Counter[str]()
    for seed in range(first, first + count):
        try:
            done += run_sequence(seed)
        except Exception as error:
            failed.append(seed)
            print(f"sequence {seed}: {type(error).__name__}: {str(error)[:500]}", flush=True)
    print(f"{count - len(failed)} of {count} sequences equal fresh runs: {dict(done)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
