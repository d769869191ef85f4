"""MAP in hinge-loss MRFs: own kernels on three kinds of graph, the paper's networks, and PSL 2.4.1 side by side.

    python -m benchmarks.hlmrf_map kernels [--rows 100000]
    python -m benchmarks.hlmrf_map social --data ../shared/datasets
    python -m benchmarks.hlmrf_map end-to-end --rules 1000000 [--hinges linear] [--psl-jar psl-runtime.jar]

PSL's jar is `pslpython/psl-runtime.jar` inside the wheel that `pip download --no-deps pslpython==2.4.1` fetches.

All times are CPU seconds of the process (PSL's: user and system of the Java process). Kernels are compiled before any
clock starts; grounding, loading and prediction files are inside the end-to-end figures.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

import workbench as wb
from benchmarks.measuring import cpu_seconds
from benchmarks.social_network import RELATIONS, WEIGHTS, generate, ground, read, write_files
from workbench.inference import make_engine
from workbench.inference.convex_program import convex_program
from workbench.inference.feasible_point import make_feasible
from workbench.network import Blocks, Domain, GroundNetwork, energy
from workbench.network.relax import relax
from workbench.progress import Progress

SIZES = (22050, 33075, 38588, 44100, 49613, 55125)


def pair_network(kind: str, n_rows: int, power: int, seed: int = 0) -> GroundNetwork:
    """Hinges `max(0, y_a - y_b)` along the edges of a random, chain or grid graph, and one prior to four of them."""
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
    A = csr_array((data, (rows, np.concatenate([edges.ravel(), atom]))), shape=(len(edges) + n_priors, n))
    template = np.concatenate([np.sort(rng.integers(0, 3, len(edges))), np.full(n_priors, 3)]).astype(np.int32)
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


def solve(name: str, network: GroundNetwork, weights: np.ndarray, **parameters: object) -> tuple[float, object]:
    """CPU seconds and the answer; the kernels are compiled by a first short run."""
    make_engine(name, "map", max_iterations=1).solve(network, weights)
    began = cpu_seconds()
    answer = make_engine(name, "map", **parameters).solve(network, weights, progress=Progress())
    return cpu_seconds() - began, answer


def kernels(n_rows: int) -> Iterator[str]:
    """Time to a proven gap, and when the energy first came within 1e-3 and 1e-4 of the best bound."""
    yield f"{'graph':8}{'hinges':9}{'engine':18}{'rows':>9}{'CPU s':>8}{'gap':>10}{'iterations':>12}{'ns/copy/it':>12}"
    for power, kind in ((2, "squared"), (1, "linear")):
        for graph in ("random", "chain", "grid"):
            network = pair_network(graph, n_rows, power)
            for name in ("admm", "pdhg", "bcd") if power == 2 else ("admm", "pdhg"):
                tolerance = 1e-4 if power == 2 or name == "pdhg" else 1e-3
                spent, answer = solve(name, network, PAIR_WEIGHTS, tolerance=tolerance)
                steps = answer.diagnostics.get("iterations") or answer.diagnostics.get("sweeps")  # type: ignore[attr-defined]
                each = 1e9 * spent / (steps * network.A.nnz)
                yield (
                    f"{graph:8}{kind:9}{name:18}{network.n_rows:9,}{spent:8.2f}"
                    f"{answer.gap:10.1e}{steps:12,}{each:12.1f}"  # type: ignore[attr-defined]
                )


def social(data: Path) -> Iterator[str]:
    """The paper's six networks."""
    yield f"{'persons':>8}{'rules':>9}  {'hinges':9}{'engine':8}{'CPU s':>8}{'energy':>12}{'gap':>10}{'violation':>11}"
    for power, kind, name in ((2, "squared", "admm"), (1, "linear", "pdhg")):
        points = []
        for size in SIZES:
            network = ground(read(data / "hlmrf" / "social" / f"socialNet{size}.txt.gz"), power)
            spent, answer = solve(name, network, WEIGHTS)
            points.append((network.n_rows, spent))
            yield (
                f"{size:8,}{network.n_rows:9,}  {kind:9}{name:8}{spent:8.2f}{answer.energy:12.4f}"  # type: ignore[attr-defined]
                f"{answer.gap:10.1e}{answer.hard_violation:11.1e}"  # type: ignore[attr-defined]
            )
        x, y = np.array(points, np.float64).T
        yield f"{kind}: R^2 of a line through CPU seconds against rows {np.corrcoef(x, y)[0, 1] ** 2:.4f}"


def end_to_end(n_rules: int, jar: Path | None, hinges: str | None) -> Iterator[str]:
    """From files to predictions: ours, and PSL's where its jar is given."""
    network = generate(n_rules)
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
                result.predictions().to_csv(files / "predictions.csv", index=False)
            done = cpu_seconds()
            answer = result.solution
            yield (
                f"ours  {kind:8} {network.n_ground_rules:,} rules: {done - began:.1f} s CPU (loading "
                f"{loaded - began:.1f}), energy {answer.energy:.4f}, gap {answer.gap:.1e}, violation "
                f"{answer.hard_violation:.1e}, {answer.engine}"
            )
            if jar is not None:
                yield _psl(files, jar, kind, power, network)


def _psl(files: Path, jar: Path, kind: str, power: int, network: object) -> str:
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
        return f"PSL   {kind:8} failed: {(finished.stderr or finished.stdout).strip()[-300:]}"
    table = np.loadtxt(predicted, dtype=str)
    direct = ground(network, power)  # type: ignore[arg-type]
    values = np.zeros(direct.n_atoms)
    values[2 * table[:, 0].astype(int) + table[:, 1].astype(int)] = table[:, 2].astype(float)
    excess = float(np.max(values.reshape(-1, 2).sum(axis=1) - 1.0))
    raw = energy(direct, WEIGHTS, values)
    projected = make_feasible(convex_program(relax(direct, WEIGHTS)), values)
    assert projected is not None
    return (
        f"PSL   {kind:8} {spent:.1f} s CPU, energy {raw:.4f} with constraints off by {excess:.1e}, "
        f"{energy(direct, WEIGHTS, projected):.4f} once projected onto them"
    )


def main() -> None:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("kernels", "social", "end-to-end"))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=1_000_000)
    parser.add_argument("--data", type=Path, default=Path("../shared/datasets"))
    parser.add_argument("--psl-jar", type=Path)
    parser.add_argument("--hinges", choices=("squared", "linear"), help="Only these; both by default.")
    chosen = parser.parse_args()
    parts = {
        "kernels": lambda: kernels(chosen.rows),
        "social": lambda: social(chosen.data),
        "end-to-end": lambda: end_to_end(chosen.rules, chosen.psl_jar, chosen.hinges),
    }
    for line in parts[chosen.part]():
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
