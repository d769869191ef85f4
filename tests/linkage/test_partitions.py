"""Small components are parted exactly, and small files linked without slow imports."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.linkage_sets import households
from workbench.linkage.components import best_partitions
from workbench.linkage.correlation_kernels import violated


def test_no_partition_of_four_records_has_less_energy() -> None:
    weights = np.random.default_rng(3).normal(size=(30, 6))
    one, two = np.triu_indices(4, 1)
    for row, label, energy in zip(weights, *best_partitions(weights)):
        matrix = np.zeros((4, 4))
        matrix[one, two] = matrix[two, one] = row
        every = [violated.py_func(matrix, np.array(each)) for each in product(range(4), repeat=4)]
        assert abs(energy - min(every)) < 1e-12
        assert abs(violated.py_func(matrix, label) - energy) < 1e-12


def test_equal_energies_leave_records_apart() -> None:
    label, energy = best_partitions(np.zeros((1, 3)))
    assert label.tolist() == [[0, 1, 2]]
    assert energy.tolist() == [0.0]


def test_a_small_file_is_linked_without_slow_imports(tmp_path: Path) -> None:
    [people], _ = households(120, seed=3, copies=1.5)
    file = tmp_path / "people.csv"
    people.to_csv(file, index=False)
    code = (
        "import sys; from pathlib import Path\n"
        "from workbench.verbs.linking.link import link\n"
        f"link([{str(file)!r}]).write_clusters(Path({str(tmp_path / 'out.csv')!r}))\n"
        "print([one for one in ('numba', 'pandas', 'scipy.optimize') if one in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert len((tmp_path / "out.csv").read_text().splitlines()) == len(people) + 1
