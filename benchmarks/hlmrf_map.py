"""MAP in hinge-loss MRFs: own kernels on three kinds of graph, the paper's networks, and PSL 2.4.1
side by side.

    python -m benchmarks.hlmrf_map kernels [--rows 100000] python -m benchmarks.hlmrf_map social
    [--data DIR] python -m benchmarks.hlmrf_map end-to-end --rules 1000000 [--hinges linear]
    [--seeds 0 1 2] [--psl-jar psl-runtime.jar]

PSL's jar is `pslpython/psl-runtime.jar` inside the wheel that `pip download --no-deps
pslpython==2.4.1` fetches.

All times are CPU seconds of the process (PSL's: user and system of the Java process). Kernels are
compiled before any clock starts; grounding, loading and prediction files are inside the end-to-end
figures.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import workbench as wb
from benchmarks.measuring import print_records
from benchmarks.social_network import WEIGHTS, SocialNetwork, generate, ground, read, write_files
from experiments.psl_scaling import RELATIONS, SIZES
from workbench.inference import Solution, make_engine
from workbench.inference.elsewhere import cpu_seconds
from workbench.inference.feasible_point import make_feasible
from workbench.inference.folding import fold
from workbench.network import Blocks, Domain, GroundNetwork, energy
from workbench.network.relax import relax
from workbench.progress import Progress
from workbench.resources import datasets_directory

Row = dict[str, object]


def pair_network(kind: str, n_rows: int, power: int, seed: int = 0) -> GroundNetwork:
    """Hinges `max(0, y_a - y_b)` along the edges of a graph, and a prior to four of them."""
    rng = np.random.default_rng(seed)
    n_edges, n_priors = int(n_rows / 1.3), n_rows - int(n_rows / 1.3)
    if kind == "random":
        n = n_edges // 3
        edges = rng.integers(0, n, (n_edges, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
    elif kind == "chain":
        n = n_edges
        edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    else:
        side = int(np.sqrt(n_edges / 2))
        n = side * side
        index = np.arange(n).reshape(side, side)
        edges = np.concatenate(
            [
                np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1),
                np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1),
            ]
        )
    edges = np.where(rng.random(len(edges))[:, None] < 0.5, edges, edges[:, ::-1])
    atom, sign = rng.integers(0, n, n_priors), rng.choice([-1.0, 1.0], n_priors)
    level = rng.random(n_priors)
    rows = np.concatenate([np.repeat(np.arange(len(edges)), 2), len(edges) + np.arange(n_priors)])
    data = np.concatenate([np.tile([1.0, -1.0], len(edges)), sign])
    A = csr_array(
        (data, (rows, np.concatenate([edges.ravel(), atom]))), shape=(len(edges) + n_priors, n)
    )
    template = np.concatenate(
        [np.sort(rng.integers(0, 3, len(edges))), np.full(n_priors, 3)]
    ).astype(np.int32)
    sums = np.zeros((4, 2))
    return GroundNetwork(
        A=A,
        b=np.concatenate([np.zeros(len(edges)), np.where(sign > 0.0, -level, level)]),
        template=template,
        scale=None,
        relation=np.zeros(template.size, np.int8),
        power=np.full(4, power, np.int8),
        unit=csr_array((n, 4)),
        constant=np.zeros(4),
        groundings=np.zeros((4, 3), np.int64),
        blocks=Blocks.none(n),
        world=np.zeros(n, np.int32),
        unit_scale=sums,
        evidence_satisfied=sums,
        evidence_violated=sums,
        domain=Domain.UNIT,
    )


PAIR_WEIGHTS = np.array([0.1, 0.5, 1.0, 0.7])


def solve(
    name: str, network: GroundNetwork, weights: np.ndarray, **parameters: object
) -> tuple[float, Solution]:
    """CPU seconds and the answer; the kernels are compiled by a first short run."""
    make_engine(name, "map", max_iterations=1).solve(network, weights)
    began = cpu_seconds()
    answer = make_engine(name, "map", **parameters).solve(network, weights, progress=Progress())
    return cpu_seconds() - began, answer


def kernels(n_rows: int) -> Iterator[Row]:
    """Time to a proven gap on three kinds of graphs, and CPU nanoseconds a nonzero."""
    for power, kind in ((2, "squared"), (1, "linear")):
        for graph in ("random", "chain", "grid"):
            network = pair_network(graph, n_rows, power)
            for name in ("admm", "pdhg", "bcd") if power == 2 else ("admm", "pdhg"):
                tolerance = 1e-4 if power == 2 or name == "pdhg" else 1e-3
                spent, answer = solve(name, network, PAIR_WEIGHTS, tolerance=tolerance)
                steps = int(
                    str(answer.diagnostics.get("iterations") or answer.diagnostics.get("sweeps"))
                )
                yield {
                    "graph": graph,
                    "hinges": kind,
                    "engine": name,
                    "rows": network.n_rows,
                    "cpu_seconds": spent,
                    "gap": answer.gap,
                    "iterations": steps,
                    "nanoseconds": 1e9 * spent / (steps * network.A.nnz),
                }


def social(data: Path, sizes: Sequence[int]) -> Iterator[Row]:
    """The paper's six networks."""
    for power, kind, name in ((2, "squared", "admm"), (1, "linear", "pdhg")):
        for size in sizes:
            network = ground(read(data / "hlmrf" / "social" / f"socialNet{size}.txt.gz"), power)
            spent, answer = solve(name, network, WEIGHTS)
            yield {
                "hinges": kind,
                "engine": name,
                "persons": size,
                "rules": network.n_rows,
                "cpu_seconds": spent,
                "energy": answer.energy,
                "gap": answer.gap,
                "violation": answer.hard_violation,
            }


def end_to_end(n_rules: int, seed: int, jar: Path | None, hinges: str | None) -> Iterator[Row]:
    """From files to predictions: ours, and PSL's where its jar is given."""
    network = generate(n_rules, seed)
    for power, kind in ((2, "squared"), (1, "linear")):
        if hinges not in (None, kind):
            continue
        with tempfile.TemporaryDirectory() as directory:
            files = Path(directory)
            write_files(network, power, files)
            began = cpu_seconds()
            with wb.open() as workspace:
                workspace.load(files / "model.data", rules=files / "model.psl")
                loaded = cpu_seconds()
                result = workspace.infer(files / "model.psl", record=False)
                inferred = cpu_seconds()
                result.predictions().to_csv(files / "predictions.csv", index=False)
            done = cpu_seconds()
            answer = result.solution
            solving = result.seconds - result.ground_seconds
            entries = int(str(answer.diagnostics["iterations"])) * result.grounding.network.A.nnz
            yield {
                "system": "ours",
                "hinges": kind,
                "rules": network.n_ground_rules,
                "seed": seed,
                "cpu_seconds": done - began,
                "loading": loaded - began,
                "inferring": inferred - loaded,
                "grounding_wall": result.ground_seconds,
                "solving_wall": solving,
                "nanoseconds": 1e9 * solving / entries,
                "energy": answer.energy,
                "gap": answer.gap,
                "violation": answer.hard_violation,
                "iterations": answer.diagnostics.get("iterations"),
            }
            if jar is not None:
                yield {
                    "system": "PSL",
                    "hinges": kind,
                    "rules": network.n_ground_rules,
                    **_psl(files, jar, power, network),
                }


def _psl(files: Path, jar: Path, power: int, network: SocialNetwork) -> Row:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    predicates: dict[str, dict[str, list[str]]] = {
        f"{name}/2": {"observations": [str(files / f"{name}.tsv")]} for name in RELATIONS
    }
    predicates["Bias/2"] = {"observations": [str(files / "bias.tsv")]}
    predicates["Votes/2"] = {"targets": [str(files / "votes.tsv")]}
    options = {
        "inference.normalize": False,
        "runtime.inference": True,
        "runtime.inference.output.results.dir": str(files / "psl"),
        "runtime.log.level": "WARN",
    }
    rules = [line for line in (files / "model.psl").read_text().splitlines() if line]
    config = files / "psl.json"
    config.write_text(json.dumps({"options": options, "predicates": predicates, "rules": rules}))
    command = ["java", "-Xmx8g", "-jar", str(jar), str(config)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    predicted = next((files / "psl").rglob("V*.txt"), None) if finished.returncode == 0 else None
    if predicted is None:
        return {"failed": (finished.stderr or finished.stdout).strip()[-300:]}
    table = np.loadtxt(predicted, dtype=str)
    direct = ground(network, power)
    values = np.zeros(direct.n_atoms)
    values[2 * table[:, 0].astype(int) + table[:, 1].astype(int)] = table[:, 2].astype(float)
    excess = float(np.max(values.reshape(-1, 2).sum(axis=1) - 1.0))
    projected = make_feasible(fold(relax(direct, WEIGHTS)), values)
    assert projected is not None
    return {
        "cpu_seconds": spent,
        "energy": energy(direct, WEIGHTS, values),
        "violation": excess,
        "energy_once_feasible": energy(direct, WEIGHTS, projected),
    }


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("kernels", "social", "end-to-end"))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rules", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--persons", type=int, nargs="+", default=SIZES, choices=SIZES)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--psl-jar", type=Path)
    parser.add_argument(
        "--hinges", choices=("squared", "linear"), help="Only these; both by default."
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    parts = {
        "kernels": lambda: kernels(chosen.rows),
        "social": lambda: social(chosen.data or datasets_directory(), chosen.persons),
        "end-to-end": lambda: (
            row
            for n in chosen.rules
            for seed in chosen.seeds
            for row in end_to_end(n, seed, chosen.psl_jar, chosen.hinges)
        ),
    }
    print_records(parts[chosen.part](), chosen.json)


if __name__ == "__main__":
    main()
