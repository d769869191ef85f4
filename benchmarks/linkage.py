"""Record linkage on people that are made up: seconds, memory and F1 of `workbench link` on up to a
million records.

    python -m benchmarks.linkage --records 100000 1000000     # each in a process of its own
    python -m benchmarks.linkage --records 50000 --write DIR  # people and truth, as Parquet

The people have names of Zipf's frequencies with short forms, birthdays, places with postcodes of
their own, jobs; they live in families that share surname, place and postcode. Records of a person
drop cells, hit a neighbouring key, exchange letters, use a short form, move, or know the year of
birth alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import print_records

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SYLLABLES = [
    a + b
    for a in "b br d f g h j k l m n p r s st t th v w".split()
    for b in "a e i o u ai ea".split()
]
ENDINGS = "n s t r l ck rd son ton man ley well ford er".split()

BLANK = {
    "first_name": 0.01,
    "surname": 0.05,
    "born": 0.2,
    "place": 0.12,
    "postcode": 0.2,
    "occupation": 0.45,
    "middle_names": 0.15,
}
"""How often a cell is blank."""


def people(
    n_records: int, *, seed: int = 0, copies: float = 4.0, spoiled: float = 1.0
) -> tuple[pd.DataFrame, pd.Series]:
    """Records and the person that each is of.

    Parameters
    ----------
    copies : float
        Mean number of records a person has; the numbers are geometric.
    spoiled : float
        How often cells are spoiled, as a multiple of the usual.
    """
    random = np.random.default_rng(seed)
    n_people = max(2, round(n_records / copies))
    person = _persons(random, n_people, n_records)
    truth = np.repeat(np.arange(n_people), _copies(random, n_people, n_records))
    order = random.permutation(n_records)
    truth = truth[order]
    columns = {name: values[truth] for name, values in person.items()}
    columns = _spoil(random, columns, spoiled)
    frame = pd.DataFrame({"record": np.arange(n_records), **columns})
    return frame, pd.Series(truth, name="cluster")


def _copies(random: np.random.Generator, n_people: int, n_records: int) -> np.ndarray:
    share = random.geometric(min(0.99, n_people / n_records), n_people).astype(float)
    copies = np.maximum(1, np.floor(share * n_records / share.sum())).astype(int)
    while (missing := n_records - copies.sum()) != 0:
        at = random.integers(0, n_people, abs(missing))
        if missing < 0:
            at = at[copies[at] > 1]
        np.add.at(copies, at, int(np.sign(missing)))
        copies = np.maximum(copies, 1)
    return copies


def _zipf(random: np.random.Generator, n_values: int, n: int, power: float) -> np.ndarray:
    weights = 1.0 / np.arange(5, n_values + 5) ** power
    return random.choice(n_values, n, p=weights / weights.sum())


def _names(random: np.random.Generator, n: int, syllables: int) -> np.ndarray:
    found: dict[str, None] = {}
    while len(found) < n:
        parts = random.integers(1, syllables + 1)
        found["".join(random.choice(SYLLABLES, parts)) + str(random.choice(ENDINGS))] = None
    return np.array(list(found), object)


def _persons(random: np.random.Generator, n: int, n_records: int) -> dict[str, np.ndarray]:
    n_families = max(1, round(n / 1.6))
    family = random.integers(0, n_families, n)
    first, last = _names(random, 600, 2), _names(random, max(300, round(6 * n**0.6)), 3)
    places = _names(random, max(50, round(8 * n**0.45)), 3)
    of_family = _zipf(random, len(last), n_families, 0.85)
    place_of_family = _zipf(random, len(places), n_families, 0.9)
    stays = random.random(n) < 0.7
    place = np.where(stays, place_of_family[family], _zipf(random, len(places), n, 0.9))
    outward = np.array([f"{places[at][:2]}{at % 28}" for at in range(len(places))], object)
    inward = np.where(stays, family * 7919 % 500, random.integers(0, 500, n))
    postcode = [
        f"{outward[at]} {code % 10}{LETTERS[code % 23]}{LETTERS[code * 7 % 26]}"
        for at, code in zip(place, inward)
    ]
    days = random.integers(0, 100 * 365, n)
    born = (np.datetime64("1850-01-01") + days).astype("datetime64[D]")
    unsure = random.random(n) < 0.15
    born = np.where(unsure, born.astype("datetime64[Y]").astype("datetime64[D]"), born)
    jobs = _names(random, 150, 3)
    return {
        "first_name": first[_zipf(random, len(first), n, 1.05)],
        "middle_names": np.where(
            random.random(n) < 0.4, first[_zipf(random, len(first), n, 1.05)], None
        ),
        "surname": last[of_family[family]],
        "born": born.astype(str).astype(object),
        "place": places[place],
        "postcode": np.array(postcode, object),
        "occupation": jobs[_zipf(random, len(jobs), n, 1.1)],
        "moved_to": np.roll(np.array(postcode, object), 1),
    }


def _spoil(
    random: np.random.Generator, columns: dict[str, np.ndarray], spoiled: float
) -> dict[str, np.ndarray]:
    n = len(columns["surname"])
    moved = random.random(n) < 0.06 * spoiled
    postcode = np.where(moved, columns.pop("moved_to"), columns["postcode"])
    nearby = random.random(n) < 0.12 * spoiled
    postcode[nearby] = [
        f"{text[:-3]}{random.integers(10)}{LETTERS[random.integers(23)]}{text[-1]}"
        for text in postcode[nearby]
    ]
    short = random.random(n) < 0.1 * spoiled
    first = columns["first_name"].copy()
    first[short] = [text[:3] + "y" for text in first[short]]
    other = random.random(n) < 0.05 * spoiled
    first[other] = random.permutation(first[other])
    born = columns["born"].copy()
    year_only = random.random(n) < 0.1 * spoiled
    born[year_only] = [text[:4] + "-01-01" for text in born[year_only]]
    job = columns["occupation"].copy()
    changed = random.random(n) < 0.15 * spoiled
    job[changed] = random.permutation(job[changed])
    found = {
        "first_name": _typos(random, first, 0.12 * spoiled),
        "middle_names": _typos(random, columns["middle_names"], 0.1 * spoiled),
        "surname": _typos(random, columns["surname"], 0.12 * spoiled),
        "born": _typos(random, born, 0.1 * spoiled, "0123456789"),
        "place": _typos(random, columns["place"], 0.03 * spoiled),
        "postcode": _typos(random, postcode, 0.05 * spoiled),
        "occupation": job,
    }
    for name, share in BLANK.items():
        found[name][random.random(n) < share * spoiled] = None
    return found


def _typos(
    random: np.random.Generator, texts: np.ndarray, share: float, letters: str = LETTERS
) -> np.ndarray:
    """Some texts with a letter changed, left out, doubled, or exchanged with the next."""
    found = texts.copy()
    for at in np.flatnonzero(random.random(len(texts)) < share):
        text = found[at]
        if text is None or len(text) < 2:
            continue
        place, how = int(random.integers(len(text) - 1)), random.integers(4)
        letter = letters[random.integers(len(letters))]
        if letters[0] == "0":
            how = 0 if text[place] != "-" else 3
        rest = text[place + 1 :]
        found[at] = (
            text[:place]
            + [letter + rest, rest, text[place] * 2 + rest, rest[0] + text[place] + rest[1:]][how]
        )
    return found


def main() -> None:
    """Write the people, or link them and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--copies", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--write", type=Path, help="a folder for the records of the first number, unmeasured"
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.write:
        _write(*people(chosen.records[0], seed=chosen.seed, copies=chosen.copies), chosen.write)
        return
    print_records(
        (_measured(*people(n, seed=chosen.seed, copies=chosen.copies)) for n in chosen.records),
        chosen.json,
    )


def _write(frame: pd.DataFrame, truth: pd.Series, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    frame.to_parquet(directory / "people.parquet")
    pd.DataFrame({"record": frame["record"], "cluster": truth}).to_parquet(
        directory / "truth.parquet"
    )


def _measured(frame: pd.DataFrame, truth: pd.Series) -> dict[str, object]:
    """One run of the command line in a process of its own."""
    from experiments.cluster_scores import cluster_scores

    with tempfile.TemporaryDirectory() as directory:
        _write(frame, truth, Path(directory))
        said, found = _linked(Path(directory))
    linked = found.set_index("id")["cluster"].loc[range(len(truth))].to_numpy()
    scores = cluster_scores(pd.factorize(linked)[0], truth.to_numpy())
    return (
        {"records": len(truth)} | said | {name: round(value, 4) for name, value in scores.items()}
    )


def _linked(directory: Path) -> tuple[dict[str, object], pd.DataFrame]:
    out = directory / "clusters.csv"
    began = time.perf_counter()
    line = [
        sys.executable,
        "-m",
        "workbench",
        "link",
        str(directory / "people.parquet"),
        "--id",
        "record",
    ]
    with (directory / "said.json").open("w") as said:
        opened = [(os.POSIX_SPAWN_DUP2, said.fileno(), 1)]
        process = os.posix_spawn(
            sys.executable, [*line, "--out", str(out), "--json"], os.environ, file_actions=opened
        )
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - began
    if status:
        raise SystemExit(f"the linkage ended with status {os.waitstatus_to_exitcode(status)}")
    answer = json.loads((directory / "said.json").read_text(encoding="utf-8"))
    figures: dict[str, object] = {name: answer[name] for name in ("candidates", "clusters", "gap")}
    figures |= {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
    }
    return figures | {"peak_mib": used.ru_maxrss // 1024}, pd.read_csv(out)


if __name__ == "__main__":
    main()
