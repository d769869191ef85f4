"""What the two max-margin experiments share: worlds ground once, choice of weights, F1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from experiments.experiment import Reproduction
from experiments.simplify import simplify
from workbench.arrays import Float
from workbench.database import Database
from workbench.evaluation import scores
from workbench.grounding import GroundRequest, ground
from workbench.inference import make_engine
from workbench.inference.solution import Engine
from workbench.language.program import Program
from workbench.learning import Example
from workbench.learning.choice import choose, held_out_worlds
from workbench.learning.max_margin import MaxMargin, map_f1
from workbench.learning.newton import PreconditionedConjugateGradient
from workbench.network import Templates
from workbench.progress import SILENT, Conduct, Progress

Loss = Literal["hamming", "0/1", "f1"]
Cuts = Literal["rounded", "fractional"]

ORACLES: Mapping[str, Engine] = {
    "lp": make_engine("lp", "map"),
    "maxwalksat": make_engine("maxwalksat", "map", flips_per_atom=20, tries=1),
}
"""What separates in training. A local search that goes on from its last state needs few flips."""

SCALE: Mapping[Loss, float] = {"hamming": 1.0, "0/1": 100.0, "f1": 1000.0}
"""What the penalties are multiplied by: a wrong atom costs far less in the other losses than 1."""


@dataclass(frozen=True)
class MarginSetting:
    """Settings that the held-out worlds decide between."""

    cuts: Cuts
    penalty: float


@dataclass(frozen=True)
class MarginStudy:
    """Ground worlds, and the weights learned on them so far.

    Attributes
    ----------
    penalties : tuple of float
        The values of C that are tried, ascending.
    cuts : tuple of str
        The kinds of cuts that are tried.
    """

    names: tuple[str, ...]
    examples: tuple[Example, ...]
    templates: Templates
    penalties: tuple[float, ...]
    cuts: tuple[Cuts, ...]
    progress: Progress = SILENT
    cache: dict[Any, Any] = field(default_factory=dict)

    def max_margin(
        self, test: int, loss: Loss, engine: str = "lp", judges: int | None = None
    ) -> tuple[Float, MarginSetting]:
        """Weights for a test world: C and the kind of cuts are those that predict held-out training
        worlds best.

        For each training world (of the first `judges`; all by default), models are trained on the
        others and judged on it by F1; the test world takes no part. A model of two worlds serves
        both tests that leave those two in.
        """
        train = [world for world in range(len(self.names)) if world != test]
        # Of equals the smallest penalty is the best, so those come first.
        candidates = sorted(
            self._path(tuple(train[1:]), loss, engine), key=lambda candidate: candidate.penalty
        )

        def fits(worlds: Sequence[int]) -> list[Float]:
            found = self._path(tuple(worlds), loss, engine)
            return [found[candidate] for candidate in candidates]

        best = choose(candidates, held_out_worlds(train, judges), fits, self._map_f1).best
        self.progress.step(
            f"max margin, {loss}", test, len(self.names), f"{self.names[test]}: {best}"
        )
        return self._path(tuple(train), loss, engine, only=best)[best], best

    def at_penalties(self, test: int, penalties: Sequence[float], cuts: Cuts) -> dict[float, Float]:
        """Weights on all other worlds at each of the penalties, Hamming loss."""
        key = ("penalties", test, tuple(penalties), cuts)
        if key not in self.cache:
            learner = self._learner("hamming", "lp", cuts)
            training = learner.prepared(self._others(test), self.templates)
            path = learner.path(training, penalties, Conduct(progress=self.progress))
            self.cache[key] = {penalty: found.weights for penalty, found in zip(penalties, path)}
        answer: dict[float, Float] = self.cache[key]
        return answer

    def likelihood(self, worlds: Sequence[int], stops: Sequence[int]) -> dict[int, Float]:
        """Weights on some worlds by PSCG, after each number of iterations."""
        key = ("likelihood", tuple(worlds), tuple(stops))
        if key not in self.cache:
            learner = PreconditionedConjugateGradient(sweeps=20)
            training = learner.prepared([self.examples[one] for one in worlds], self.templates)
            path = learner.path(training, stops, Conduct(progress=self.progress))
            self.cache[key] = {stop: learned.weights for stop, learned in zip(stops, path)}
        answer: dict[int, Float] = self.cache[key]
        return answer

    def likelihood_held_out(self, test: int, stops: Sequence[int]) -> tuple[Float, int]:
        """The same for a test world, after the iterations that suit held-out training worlds."""
        train = [world for world in range(len(self.names)) if world != test]
        best = choose(
            sorted(stops),
            held_out_worlds(train),
            lambda worlds: self.likelihood(worlds, stops).values(),
            self._map_f1,
        ).best
        return self.likelihood(train, [best])[best], best

    def _map_f1(self, weights: Float, worlds: Sequence[int]) -> float:
        """Of the relaxation's state, on average over the worlds."""
        engine = make_engine("lp", "map")
        return float(np.mean([map_f1(self.examples[world], weights, engine) for world in worlds]))

    def _others(self, test: int) -> list[Example]:
        return [example for world, example in enumerate(self.examples) if world != test]

    def _path(
        self, worlds: tuple[int, ...], loss: Loss, engine: str, only: MarginSetting | None = None
    ) -> dict[MarginSetting, Float]:
        """Weights of every candidate on some worlds, or up to one candidate's penalty."""
        key = (worlds, loss, engine, only)
        if key not in self.cache:
            examples = [self.examples[world] for world in worlds]
            found: dict[MarginSetting, Float] = {}
            for cuts in self.cuts if only is None else (only.cuts,):
                scaled = [penalty * SCALE[loss] for penalty in self.penalties]
                grid = [penalty for penalty in scaled if only is None or penalty <= only.penalty]
                learner = self._learner(loss, engine, cuts)
                training = learner.prepared(examples, self.templates)
                path = learner.path(training, grid, Conduct(progress=self.progress))
                for penalty, learned in zip(grid, path):
                    found[MarginSetting(cuts, penalty)] = learned.weights
            self.cache[key] = found
        answer: dict[MarginSetting, Float] = self.cache[key]
        return answer

    def _learner(self, loss: Loss, engine: str, cuts: Cuts) -> MaxMargin:
        return MaxMargin(
            loss=loss,
            cuts=cuts,
            slacks="worlds",
            relative_gap=0.05,
            max_iterations=60,
            engine=ORACLES[engine],
        )

    def f1(self, test: int, weights: Float, engine: Engine) -> float:
        """F1 of the test world's prediction: its MAP state, or its marginals from 0.5 up."""
        example = self.examples[test]
        values = engine.solve(example.network, weights).values
        return float(scores((values >= 0.5).astype(np.float64), example.truth)["F1"])


def ground_study(
    database: Database,
    program: Program,
    names: Sequence[str],
    query: str,
    *,
    penalties: Sequence[float],
    cuts: Sequence[Cuts],
    progress: Progress,
) -> MarginStudy:
    """Ground each world apart over the templates of all of them.

    A template that only the test world has gets no counts in training, so it weighs 0, as if it had
    not been made.
    """
    progress.step("grounding", 0, len(names) + 1, "templates")
    templates = ground(
        database, program, GroundRequest(query=(query,), role="learn", worlds=tuple(names))
    ).templates
    examples = []
    for number, name in enumerate(names):
        progress.step("grounding", number + 1, len(names) + 1, name)
        request = GroundRequest(query=(query,), role="learn", worlds=(name,), templates=templates)
        grounding = ground(database, program, request)
        examples.append(
            Example(simplify(grounding.network), np.nan_to_num(grounding.truth, nan=0.0))
        )
    return MarginStudy(
        tuple(names), tuple(examples), templates, tuple(penalties), tuple(cuts), progress
    )


def score_systems(
    run: Reproduction,
    study: MarginStudy,
    engines: Mapping[str, str],
    weigh: Callable[[MarginStudy, int, str], tuple[Float, str]],
) -> None:
    """Leave one world out: F1 of each system on each world; what was chosen for it becomes a note.

    Parameters
    ----------
    engines : mapping of str to str
        The engine that predicts for each system.
    weigh : callable
        From the study, the test world and the system to weights learned on the other worlds and
        what was chosen, empty where nothing was.
    """
    for system in run.systems:
        with run.measured.timed(system):
            for test, name in enumerate(study.names[: run.folds]):
                weights, setting = weigh(study, test, system)
                if setting:
                    run.measured.notes.append(f"{system}, {name}: {setting}.")
                figures = {"F1": study.f1(test, weights, make_engine(engines[system]))}
                run.measured.add(system, name, name, figures)
