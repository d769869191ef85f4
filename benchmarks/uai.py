"""Relational models of the UAI 2014 competition: partition functions, marginals and likeliest
states.

`python -m benchmarks.uai [MODEL...] [--time-limit S] [--json]`; beside ours the files' references
and, where the package is installed, toulbar2's state. `--drawn`: the likeliest states of made-up
models, by `auto` and by integer programs, in processor time.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measuring import print_records
from workbench.arrays import Float, Int64
from workbench.inference.elsewhere import cpu_seconds
from workbench.interchange import FactorModel, format_uai, parse_evidence
from workbench.interchange.factors import FactorGroup
from workbench.resources import datasets_directory
from workbench.verbs.solve import LOG_10, read_model, solve_model

MARGINALS = ("auto", "bp", "gibbs")


def reference(path: Path) -> Float:
    """The numbers of a reference file."""
    return np.array(path.read_text().split()[1:], np.float64)


def marginal_errors(
    values: Sequence[Float] | None, given: Float
) -> tuple[float, float] | tuple[None, None]:
    """Largest and mean absolute difference to a .MAR file; none where time ended before."""
    if values is None:
        return None, None
    expected = given[1:]
    ours = np.concatenate([np.concatenate(([one.size], one)) for one in values])
    counts = np.cumsum([0, *(one.size + 1 for one in values)])[:-1]
    apart = np.delete(np.abs(ours - expected), counts)
    return float(apart.max()), float(apart.mean())


def toulbar2(model: FactorModel, known: Int64, seconds: float) -> float | None:
    """log10 of the product at toulbar2's state in the time; None where it is not installed."""
    try:
        import pytoulbar2
    except ImportError:
        return None
    network = pytoulbar2.CFN(resolution=6)
    for variable, states in enumerate(model.states.tolist()):
        network.AddVariable(f"v{variable}", [f"s{state}" for state in range(states)])
    for group in model.groups:
        cost = group.logs.max(axis=tuple(range(1, group.logs.ndim)), keepdims=True) - group.logs
        for scope, table in zip(group.scopes.tolist(), np.minimum(cost, 1e6), strict=True):
            network.AddFunction([f"v{variable}" for variable in scope], table.ravel().tolist())
    for variable in np.flatnonzero(known >= 0).tolist():
        costs = np.full(model.states[variable], 1e6)
        costs[known[variable]] = 0.0
        network.AddFunction([f"v{variable}"], costs.tolist())
    found = network.Solve(timeLimit=int(seconds))
    return None if found is None else model.log_value(np.array(found[0], np.int64)) / LOG_10


def measure(folder: Path, name: str, limit: float) -> dict[str, Any]:
    """Every figure of one model."""
    file, evidence = folder / f"{name}.uai.gz", folder / f"{name}.uai.evid"
    row: dict[str, Any] = {
        "model": name,
        "reference_log_z": float(reference(folder / f"{name}.uai.PR")[0]),
    }
    sums = solve_model(file, evidence=evidence, task="pr", time_limit=limit)
    row |= {"log10_z": sums.log10_z, "pr_seconds": sums.seconds, "pr_reason": sums.reason}
    for engine in MARGINALS:
        found = solve_model(
            file, evidence=evidence, task="marginal", engine=engine, time_limit=limit
        )
        errors = marginal_errors(found.probabilities, reference(folder / f"{name}.uai.MAR"))
        row[f"marginals, {engine}"] = {
            "engine": found.engine,
            "status": found.status,
            "max": errors[0],
            "mean": errors[1],
            "seconds": found.seconds,
        }
    best = solve_model(file, evidence=evidence, task="map", time_limit=limit)
    row |= {
        "map_log10": best.map_log10,
        "bound": best.bound,
        "map_status": best.status,
        "map_seconds": best.seconds,
    }
    model = read_model(file)
    assert isinstance(model, FactorModel)
    begun = perf_counter()
    row["toulbar2_log10"] = toulbar2(
        model, parse_evidence(evidence.read_text(), model.states), limit
    )
    row["toulbar2_seconds"] = perf_counter() - begun
    return row


def drawn(states: int, pairs: list[tuple[int, int]], seed: int) -> FactorModel:
    """Normal logarithms for each value of each variable, and for each combination of a pair."""
    rng = np.random.default_rng(seed)
    n = 1 + max(map(max, pairs))
    own = FactorGroup(np.arange(n)[:, None], rng.normal(size=(n, states)))
    joint = FactorGroup(np.array(pairs), rng.normal(size=(len(pairs), states, states)))
    return FactorModel(np.full(n, states), (own, joint))


def grid(n: int) -> list[tuple[int, int]]:
    """The pairs of a square grid."""
    across = [(row * n + at, row * n + at + 1) for row in range(n) for at in range(n - 1)]
    return across + [(at, at + n) for at in range(n * (n - 1))]


def graph(n: int, m: int, seed: int) -> list[tuple[int, int]]:
    """`m` different pairs of `n` variables."""
    rng = np.random.default_rng(seed)
    every = [(a, b) for b in range(n) for a in range(b)]
    return [every[at] for at in rng.choice(len(every), m, replace=False).tolist()]


DRAWN = {
    "graph, 100 of 3 states, 200 pairs": (3, graph(100, 200, 1)),
    "graph, 200 of 2 states, 400 pairs": (2, graph(200, 400, 3)),
    "grid, 10 x 10 of 4 states": (4, grid(10)),
    "grid, 15 x 15 of 4 states": (4, grid(15)),
    "grid, 20 x 20 of 2 states": (2, grid(20)),
}


def measure_drawn(name: str, limit: float) -> dict[str, Any]:
    """The likeliest state of a made-up model by `auto`, `ilp` and toulbar2."""
    states, pairs = DRAWN[name]
    model = drawn(states, pairs, seed=len(pairs))
    row: dict[str, Any] = {"model": name}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model.uai"
        file.write_text(format_uai(model))
        for engine in ("auto", "ilp"):
            begun = cpu_seconds()
            best = solve_model(file, task="map", engine=engine, time_limit=limit)
            row[engine] = {
                "map_log10": best.map_log10,
                "bound": best.bound,
                "status": best.status,
                "engine": best.engine,
                "cpu_seconds": cpu_seconds() - begun,
            }
    begun = cpu_seconds()
    row["toulbar2_log10"] = toulbar2(model, np.full(model.states.size, -1), limit)
    row["toulbar2_cpu_seconds"] = cpu_seconds() - begun
    return row


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.drawn:
        names = given.models or list(DRAWN)
        print_records((measure_drawn(name, given.time_limit) for name in names), given.json)
        return
    folder = datasets_directory(given.data_dir) / "uai"
    names = given.models or sorted(
        path.name.removesuffix(".uai.gz") for path in folder.glob("*.uai.gz")
    )
    print_records((measure(folder, name, given.time_limit) for name in names), given.json)


if __name__ == "__main__":
    main()
