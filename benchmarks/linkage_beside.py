"""`workbench link` beside a cut through TF-IDF likeness, over made-up problems of many kinds: F1,
what is said of precision and recall and what is so, CPU-seconds.

    python -m benchmarks.linkage_beside              # further kinds, a third of the others
    python -m benchmarks.linkage_beside --held-back  # kinds that nothing is chosen on
    python -m benchmarks.linkage_beside --none       # no duplicate at all
    python -m benchmarks.linkage_beside --of drugs --json

The rival joins records whose letters in threes, all cells together, have a cosine beyond a cut: one
cut for all problems, the best of them, and the best of each problem, which an oracle tells.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from benchmarks.linkage_kinds import Kind, made_up
from benchmarks.linkage_said import Problems, means, measured, problems
from benchmarks.linkage_sets import Tables
from benchmarks.linkage_unseen import HELD_BACK, IN_VIEW
from benchmarks.measuring import print_records
from experiments.cluster_scores import cluster_scores

CUTS = tuple(np.round(np.arange(0.3, 1.0, 0.05), 2).tolist())


def main() -> None:
    """Print a row a problem, the means at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=8100)
    parser.add_argument("--of", default="", metavar="WORD", help="problems whose name has it")
    parser.add_argument("--held-back", action="store_true")
    parser.add_argument("--none", action="store_true", help="problems without any duplicate")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    kinds = HELD_BACK if chosen.held_back else IN_VIEW
    asked = without_duplicates(chosen.seed, kinds) if chosen.none else of_kinds(chosen.seed, kinds)
    if not chosen.held_back and not chosen.none:
        asked |= dict(list(problems(chosen.seed).items())[::3])
    asked = {name: make for name, make in asked.items() if chosen.of in name}
    if not asked:
        parser.error(f"no problem's name has {chosen.of!r}")
    print_records(_rows(asked), chosen.json)


def _rows(asked: Problems) -> Iterator[dict[str, object]]:
    rows, cuts = [], []
    for name, make in asked.items():
        tables, truths = make()
        cuts.append(tfidf_scores(tables, np.concatenate(truths)))
        rows.append(measured(name, (tables, truths)))
        rows[-1]["best cut F1"] = round(max(cuts[-1]), 3)
        yield rows[-1]
    of_all = np.mean(cuts, axis=0)
    yield means(rows) | {
        "best cut F1": round(float(np.mean(np.max(cuts, axis=1))), 4),
        "one cut F1": round(float(of_all.max()), 4),
        "one cut": CUTS[int(of_all.argmax())],
    }


def of_kinds(seed: int, kinds: Mapping[str, Kind]) -> Problems:
    """One file and two, many duplicates and few."""
    return _made(seed, kinds, {
        "": (41, 0.3, False), ", few": (42, 0.05, False),
        ", two files": (43, 0.5, True), ", two files, few": (44, 0.05, True),
    })  # fmt: skip


def without_duplicates(seed: int, kinds: Mapping[str, Kind]) -> Problems:
    """One file and two."""
    return _made(seed, kinds, {", none": (45, 0.0, False), ", two files, none": (46, 0.0, True)})


def _made(
    seed: int, kinds: Mapping[str, Kind], ways: Mapping[str, tuple[int, float, bool]]
) -> Problems:
    def one(kind: str, at: int, again: float, apart: bool) -> Callable[[], Tables]:
        return lambda: made_up(kind, 1500, seed=seed + at, again=again, apart=apart, kinds=kinds)

    return {f"{kind}{way}": one(kind, *how) for kind in kinds for way, how in ways.items()}


def tfidf_scores(tables: list[pd.DataFrame], truth: np.ndarray) -> list[float]:
    """F1 of the components of the pairs beyond each cut; of two files only pairs across."""
    from scipy.sparse.csgraph import connected_components
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [
        " ".join(str(cell) for cell in row if pd.notna(cell))
        for table in tables
        for row in table.drop(columns="id").itertuples(index=False)
    ]
    side = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    rows = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(texts)
    alike = (rows @ rows.T).tocoo()
    keep = (alike.row < alike.col) & (alike.data >= CUTS[0])
    if len(tables) > 1:
        keep &= side[alike.row] != side[alike.col]
    alike.data = np.where(keep, alike.data, 0.0)
    alike.eliminate_zeros()
    found = []
    for cut in CUTS:
        graph = alike.copy()
        graph.data = (alike.data >= cut).astype(np.int8)
        graph.eliminate_zeros()
        found.append(cluster_scores(connected_components(graph, directed=False)[1], truth)["F1"])
    return found


if __name__ == "__main__":
    main()
