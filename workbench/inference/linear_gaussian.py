"""Atoms that are numbers: means of normal distributions, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from workbench.arrays import Float
from workbench.inference.solution import Solution, Status
from workbench.network.ground_network import GroundNetwork


@dataclass(frozen=True)
class LinearGaussian:
    """The mean of every atom of a network in which all atoms are numbers and none meets another.

    The density is proportional to `exp(sum_i y_i m_i - y_i^2 / 2)` with `m = unit @ weights`: a
    ground rule whose body holds adds its weight (times its scale) to the mean of its head. Mean and
    mode are one. A spread other than 1 scales the energy and moves nothing (McCullagh & Nelder
    1989, 2.2: the normal member of the exponential family; Wang & Domingos 2008 for numeric
    features of a Markov logic network).
    """

    task: Literal["map", "marginal"] = "marginal"
    name: ClassVar[str] = "linear_gaussian"

    def declines(self, network: GroundNetwork, weights: Float) -> str | None:
        """Rows and blocks: numbers are predicted from what is known alone."""
        if network.n_rows or network.blocks.members.nnz:
            return "a rule joins a number with something else that is open, or is hard"
        return None

    def solve(self, network: GroundNetwork, weights: Float) -> Solution:
        """One sparse product."""
        mean = np.asarray(network.unit @ np.asarray(weights, np.float64), np.float64)
        energy = -0.5 * float(mean @ mean) if self.task == "map" else np.nan
        status = Status.OPTIMAL if self.task == "map" else Status.EXACT
        reason = "numbers: the sum of what the rules add, in closed form"
        return Solution(status, mean, energy, energy, 0.0, self.name, reason)
