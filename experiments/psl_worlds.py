"""What the hinge-loss MRF experiments share: variants, ground worlds, learners, marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from experiments.experiment import Reproduction
from experiments.table import FoldScore
from workbench.arrays import Float
from workbench.database import Database
from workbench.evaluation import paired_t_test
from workbench.grounding import GroundRequest, ground
from workbench.inference import make_engine
from workbench.inference.elsewhere import cpu_seconds
from workbench.inference.folding import fold
from workbench.language.program import Program
from workbench.learning import Example, Learner, make_learner
from workbench.network import (
    BlockKind,
    Blocks,
    Domain,
    GroundNetwork,
    Relation,
    Templates,
    blocks_from_members,
)
from workbench.network.relax import relax

LEARNERS = ("MLE", "MPLE", "LME")
LEVEL = 0.01
"""Of significance, that the paper's tables mark by."""


@dataclass(frozen=True)
class HingeWorld:
    """One grounded world of a PSL program.

    Attributes
    ----------
    example : Example
        Its network and labels (NaN where none).
    arguments : tuple of tuple of str
        The arguments of each atom, by atom id.
    """

    example: Example
    templates: Templates
    arguments: tuple[tuple[str, ...], ...]

    @property
    def network(self) -> GroundNetwork:
        return self.example.network


def ground_world(
    database: Database,
    program: Program,
    world: str,
    *,
    query: str,
    templates: Templates | None = None,
) -> HingeWorld:
    """Ground one world; its facts of partition `truth` are labels and never reach the network."""
    request = GroundRequest(query=(query,), role="learn", worlds=(world,), templates=templates)
    grounding = ground(database, program, request)
    arguments = tuple(grounding.atoms.argument_names())
    return HingeWorld(Example(grounding.network, grounding.truth), grounding.templates, arguments)


def with_linear_hinges(world: HingeWorld) -> HingeWorld:
    """The same world with linear potentials (HL-MRF-L) in place of squared ones.

    Rows over one atom stay rows, so energies and MAP states are those of the program written
    without `^2`.
    """
    network = replace(world.network, power=np.ones_like(world.network.power))
    return replace(world, example=replace(world.example, network=network))


def discrete_twin(world: HingeWorld) -> HingeWorld:
    """The discrete MRF of the same rules: linear potentials over 0/1 atoms, sums as blocks."""
    linear = with_linear_hinges(world)
    network = linear.network
    program = fold(relax(network, np.zeros(network.n_templates)))
    members = [
        program.block_member[start:end].tolist()
        for start, end in zip(program.block_start[:-1], program.block_start[1:])
    ]
    exact = [m for m, is_exact in zip(members, program.block_exact) if is_exact]
    soft = np.flatnonzero(network.relation == Relation.HINGE)
    blocks = (
        blocks_from_members(network.n_atoms, exact, BlockKind.EXACTLY_ONE)
        if exact
        else Blocks.none(network.n_atoms)
    )
    integral = not np.any(network.A.data % 1) and not np.any(network.b % 1)
    twin = replace(network.take_rows(soft), blocks=blocks, domain=Domain.BOOLEAN)
    if integral:
        twin = replace(twin, A=twin.A.astype(np.int8), b=twin.b.astype(np.int8))
    return replace(linear, example=replace(linear.example, network=twin))


def variant(system: str, world: HingeWorld) -> HingeWorld:
    """The world as a system such as `HL-MRF-L MLE` sees it."""
    family, _ = system.rsplit(" ", 1)
    if family == "HL-MRF-Q":
        return world
    return with_linear_hinges(world) if family == "HL-MRF-L" else discrete_twin(world)


def learn_and_predict(
    system: str, train: HingeWorld, test: HingeWorld, *, step: float
) -> tuple[Float, float]:
    """Values of the test world's atoms by learned weights, and CPU seconds of predicting."""
    train, test = variant(system, train), variant(system, test)
    learned = learner_for(system, step=step).fit([train.example], train.templates)
    began = cpu_seconds()
    return predict(system, test, learned.weights), cpu_seconds() - began


def learner_for(system: str, *, step: float) -> Learner:
    """The published learner of a system such as `HL-MRF-Q MLE` or `MRF LME`."""
    family, method = system.rsplit(" ", 1)
    if family == "MRF":
        return {
            "MLE": lambda: make_learner(
                "voted_perceptron", step=step, iterations=100, per_weight=True, start="given"
            ),
            "MPLE": lambda: make_learner("pseudo_likelihood", prior_sd=10.0),
            "LME": lambda: make_learner(
                "max_margin", penalty=0.1, nonnegative=True, max_iterations=60
            ),
        }[method]()
    return {
        "MLE": lambda: make_learner("hinge_perceptron", step=step, iterations=100, start=None),
        "MPLE": lambda: make_learner(
            "hinge_pseudolikelihood", step=step, iterations=100, start=None
        ),
        "LME": lambda: make_learner("hinge_large_margin", C=0.1),
    }[method]()


def predict(system: str, world: HingeWorld, weights: Float) -> Float:
    """MAP values of a hinge-loss MRF; of a discrete one marginals by Gibbs sampling (2,500)."""
    if system.startswith("MRF"):
        engine = make_engine("gibbs", samples=2500, burn_in=500, chains=1, from_map=True)
    else:
        engine = make_engine("auto", "map")
    return engine.solve(world.network, weights).values


def measure_splits(
    run: Reproduction,
    program: Program,
    query: str,
    *,
    column: str,
    number: int,
    load: Callable[[Database, int], None],
    score: Callable[[int, HingeWorld, Float], Mapping[str, float]],
    step: float = 5.0,
    others: Mapping[str, Callable[[int], Mapping[str, float]]] = MappingProxyType({}),
    of: str = "split",
) -> Inference:
    """Every system on each split: learned on its world `train`, scored on its world `test`.

    Parameters
    ----------
    number : int
        How many splits there are.
    load : callable
        Puts both worlds of a split into a database.
    others : mapping of str to callable
        Systems that read the data themselves: from the number of the split to its scores.
    of : str
        What a split is called.
    """
    spent = Inference()
    splits = run.folds or number
    with run.measured.until_cancelled():
        for split in range(splits):
            with Database.open() as database:
                database.declare(program)
                load(database, split)
                train = ground_world(database, program, "train", query=query)
                test = ground_world(
                    database, program, "test", query=query, templates=train.templates
                )
            spent.rows.append(test.network.n_rows)
            for system in run.systems:
                run.progress.step(system, split, splits, f"{of} {split + 1}")
                with run.measured.timed(system):
                    if system in others:
                        figures = others[system](split)
                    else:
                        values, seconds = learn_and_predict(system, train, test, step=step)
                        spent.seconds.setdefault(system, []).append(seconds)
                        figures = score(split, test, values)
                run.measured.add(system, column, f"{of} {split + 1}", figures)
    return spent


@dataclass(frozen=True)
class Inference:
    """What predicting took: CPU seconds by system and split, and rows of each test world."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)

    def note(self, of: str) -> str:
        """Mean CPU seconds of each system, in words."""
        means = ", ".join(
            f"{system} {np.mean(spent):.3f}" for system, spent in self.seconds.items()
        )
        return f"Inference, CPU seconds a {of}: {means}"


def best_marks(measured: Sequence[FoldScore], *, lower_is_better: Sequence[str] = ()) -> list[str]:
    """Per column and metric: the best system and what a paired t-test cannot tell from it."""
    groups: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for score in measured:
        groups.setdefault((score.column, score.metric), {}).setdefault(score.system, {})[
            score.fold
        ] = score.value
    notes = []
    for (column, metric), systems in groups.items():
        folds = sorted(set.intersection(*(set(values) for values in systems.values())))
        if len(folds) < 3:
            continue
        sign = -1.0 if metric in lower_is_better else 1.0
        values: Mapping[str, Float] = {
            name: np.array([by[f] for f in folds]) for name, by in systems.items()
        }
        best = max(values, key=lambda name: sign * float(values[name].mean()))
        tied = [
            n
            for n in values
            if n != best and paired_t_test(values[best], values[n]).p_value >= LEVEL
        ]
        rest = (
            f"; not significantly worse: {', '.join(tied)}"
            if tied
            else "; all others significantly worse"
        )
        notes.append(
            f"{column}, {metric}: best {best}{rest} (paired t-test, {len(folds)} folds, level "
            f"{LEVEL})."
        )
    return notes
