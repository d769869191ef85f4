"""Make the acquaintances: people in rooms with hobbies, and who knows whom, partly observed.

python data/acquaintances/generate.py [DIRECTORY]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

SEED = 31
NAMES = (
    "Alba Bence Carla Dov Edda Finn Greta Hamid Isla Jorge Kira Lotte Marek Nora Otto Pia "
    "Rafa Saga Timo Uma Vito Wim"
)
ROOMS = ("Attic", "Garden", "Library", "Workshop")
HOBBIES = ("Chess", "Climbing", "Cooking", "Cycling", "Piano")
OBSERVED_SHARE = 0.4


def main(directory: Path) -> None:
    rng = np.random.default_rng(SEED)
    people = NAMES.split()
    n = len(people)
    room = rng.integers(len(ROOMS), size=n)
    likes = rng.beta(0.5, 0.9, size=(n, len(HOBBIES))).round(2)
    common = np.minimum(likes[:, None, :], likes[None, :, :]).max(axis=2)
    log_odds = -2.6 + 3.0 * (room[:, None] == room[None, :]) + 2.2 * common
    draw = rng.random((n, n))
    knows = np.triu(draw < 1 / (1 + np.exp(-log_odds)), 1)
    seen = np.triu(rng.random((n, n)) < OBSERVED_SHARE, 1)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    known = knows | knows.T
    observed = seen | seen.T
    _write(directory / "sits_in.tsv", [(people[a], ROOMS[room[a]]) for a in range(n)])
    _write(
        directory / "enjoys.tsv",
        [
            (people[a], hobby, f"{likes[a, h]:.2f}")
            for a in range(n)
            for h, hobby in enumerate(HOBBIES)
        ],
    )
    for name, chosen in (("knows_observed", observed), ("knows_truth", ~observed)):
        _write(
            directory / f"{name}.tsv",
            [(people[a], people[b], str(int(known[a, b]))) for a, b in pairs if chosen[a, b]],
        )
    _write(
        directory / "knows_targets.tsv",
        [(people[a], people[b]) for a, b in pairs if not observed[a, b]],
    )


def _write(path: Path, rows: list[tuple[str, ...]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
