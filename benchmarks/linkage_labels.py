"""How many answers about pairs it takes: those that are asked for, beside answers to random pairs.

    python -m benchmarks.linkage_labels Amazon-Google --seeds 1 2

Records of the pairs of `er-products` are two files; an answer is the label that the pair has in
`train` or `valid` (a pair that neither has is of different things). Asked for are the questions of
the linkage so far (`ws.linkage().questions()`), some at a time, and the files are linked again with
all answers. F1 is over the pairs of `test`, which are never asked about, a pair said to match from
the linkage's threshold on. The first rows are without labels and with all of them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import print_records
from workbench.resources import datasets_directory
from workbench.verbs.linking.result import LinkResult
from workbench.workspace import Workspace, open_workspace

Pair = tuple[str, str]
PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class Labelled:
    """Two files of records, and the pairs of each part with their labels."""

    files: tuple[Path, Path]
    parts: Mapping[str, Mapping[Pair, bool]]

    @property
    def known(self) -> dict[Pair, bool]:
        return {**self.parts["train"], **self.parts["valid"]}

    def f1(self, result: LinkResult) -> float:
        """Over the pairs of `test`, a pair said to match from the linkage's threshold on."""
        found = result.pairs
        likely = found[found["probability"] >= result.threshold]
        said = set(zip(likely["left"], likely["right"]))
        test = self.parts["test"]
        right = sum(same and pair in said for pair, same in test.items())
        return 2 * right / (sum(pair in said for pair in test) + sum(test.values()))


def read(directory: Path, folder: Path) -> Labelled:
    """The records and pairs of one of `er-products`, the records written as two files."""
    sides: tuple[dict[Sequence[str], str], dict[Sequence[str], str]] = ({}, {})
    parts: dict[str, dict[Pair, bool]] = {}
    columns: list[str] = []
    for part in PARTS:
        parts[part] = {}
        with gzip.open(directory / f"{part}.txt.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                *records, label = line.rstrip("\n").split("\t")
                ids = []
                for known, letter, text in zip(sides, "lr", records):
                    columns, cells = _record(text)
                    ids.append(known.setdefault(cells, f"{letter}{len(known)}"))
                parts[part][ids[0], ids[1]] = label == "1"
    files = folder / "left.csv", folder / "right.csv"
    for path, known in zip(files, sides):
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(
                [["id", *columns], *([name, *cells] for cells, name in known.items())]
            )
    return Labelled(files, parts)


def _record(text: str) -> tuple[list[str], tuple[str, ...]]:
    split = re.split(r"COL (.*?) VAL ", text)[1:]
    return split[::2], tuple(cell.strip() for cell in split[1::2])


def linked(ws: Workspace, data: Labelled, labels: Mapping[Pair, bool]) -> LinkResult:
    """The two files linked with some labels."""
    if not labels:
        return ws.link(*data.files)
    path = data.files[0].with_name("labels.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = ([*pair, int(same)] for pair, same in labels.items())
        csv.writer(file).writerows([["left", "right", "match"], *rows])
    return ws.link(*data.files, labels=path)


def asked_for(ws: Workspace, data: Labelled, labels: Mapping[Pair, bool]) -> Iterator[Pair]:
    """The pairs across the files that the linkage asks about, but those of `test`."""
    for question in ws.linkage().questions(1000):
        left, right = sorted(name.split(":", 1)[1] for name in (question.left, question.right))
        if left[0] != right[0] and (left, right) not in {*data.parts["test"], *labels}:
            yield left, right


def measured(
    data: Labelled, seeds: Sequence[int], sizes: Sequence[int], step: int, most: int
) -> Iterator[dict[str, object]]:
    """A row a linkage: which labels, how many, and F1."""
    with open_workspace() as ws:
        known = data.known
        yield _row("none", {}, data.f1(linked(ws, data, {})))
        yield _row("all", known, data.f1(linked(ws, data, known)))
        for seed in seeds:
            order = sorted(known)
            random.Random(seed).shuffle(order)
            for size in sizes:
                some = {pair: known[pair] for pair in order[:size]}
                yield _row(f"random, seed {seed}", some, data.f1(linked(ws, data, some)))
        labels: dict[Pair, bool] = {}
        linked(ws, data, labels)
        while len(labels) < most:
            asked = [pair for pair, _ in zip(asked_for(ws, data, labels), range(step))]
            if not asked:
                break
            labels |= {pair: known.get(pair, False) for pair in asked}
            yield _row("asked for", labels, data.f1(linked(ws, data, labels)))


def _row(which: str, labels: Mapping[Pair, bool], f1: float) -> dict[str, object]:
    return {"labels": which, "number": len(labels), "same": sum(labels.values()), "F1": f1}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", default="Amazon-Google")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--random", type=int, nargs="+", default=[500, 1000, 2000, 3000, 4500])
    parser.add_argument("--step", type=int, default=25, help="questions before it links again")
    parser.add_argument("--most", type=int, default=600, help="questions in all")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = read(datasets_directory() / "er-products" / given.name, Path(folder))
        rows = measured(data, given.seeds, given.random, given.step, given.most)
        print_records(list(rows), as_json=given.json)


if __name__ == "__main__":
    main()
