"""`workbench study` on business databases of growing size: people, companies, who directs which,
payments.

    python -m benchmarks.study [--sizes 10000 100000 1000000] [--learner rules|boosted_trees]
    [--folds 5] [--seed 0]

Prints, for each number of rows over all tables, the CPU-seconds of the whole command (from files to
predictions), its wall time, its peak memory, and how well it does on held-out rows. Who is late is
drawn from a planted model: large and many payments, young companies, a colleague who is late.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd

from benchmarks.measuring import print_records

SHARES = {"people": 0.10, "companies": 0.03, "directors": 0.12, "payments": 0.75}
"""Of the rows of all tables."""
BLANK = 0.3
BRANCHES = np.array(["bakery", "building", "catering", "logistics", "retail", "software", "travel"])


def business_tables(rows: int, seed: int = 0) -> dict[str, pd.DataFrame]:
    """The tables by name, `rows` rows in all; the same for the same seed. O(rows)."""
    rng = np.random.default_rng(seed)
    n = {name: max(int(rows * share), 4) for name, share in SHARES.items()}
    companies = pd.DataFrame(
        {
            "company_id": np.char.add("c", np.arange(n["companies"]).astype(str)),
            "branch": BRANCHES[rng.integers(0, len(BRANCHES), n["companies"])],
            "founded": rng.integers(1960, 2024, n["companies"]),
            "employees": np.ceil(rng.lognormal(2, 1, n["companies"])).astype(int),
        }
    )
    person, company = (
        rng.integers(0, n["people"], n["directors"]),
        rng.integers(0, n["companies"], n["directors"]),
    )
    directors = pd.DataFrame({"person": person, "company": company}).drop_duplicates()
    person, company = directors["person"].to_numpy(), directors["company"].to_numpy()
    payer = rng.integers(0, n["people"], n["payments"])
    amount = np.round(rng.lognormal(4, 1, n["payments"]), 2)
    paid = np.bincount(payer, amount, n["people"]) / np.maximum(
        np.bincount(payer, minlength=n["people"]), 1
    )
    young = np.bincount(person, companies["founded"].to_numpy()[company] > 2010, n["people"])
    z = -2.2 + 1.5 * (paid > 100) + 0.8 * np.minimum(young, 2) + rng.normal(0, 0.3, n["people"])
    late = rng.random(n["people"]) < 1 / (1 + np.exp(-z))
    colleagues = np.bincount(company, late[person], n["companies"])
    late |= rng.random(n["people"]) < 0.25 * (
        np.bincount(person, colleagues[company], n["people"]) > late
    )
    told = np.where(late, "yes", "no").astype(object)
    told[rng.random(n["people"]) < BLANK] = None
    people = pd.DataFrame(
        {
            "person_id": np.char.add("p", np.arange(n["people"]).astype(str)),
            "born": rng.integers(1940, 2005, n["people"]),
            "income": np.round(rng.lognormal(10, 0.5, n["people"])).astype(int),
            "late": told,
        }
    )
    payments = pd.DataFrame(
        {
            "payment_id": np.arange(n["payments"]),
            "person_id": people["person_id"].to_numpy()[payer],
            "amount": amount,
            "paid_on": (np.datetime64("2022-01-01") + rng.integers(0, 700, n["payments"])).astype(
                str
            ),
            "purpose": np.array(["rent", "goods", "fees", "wages"])[
                rng.integers(0, 4, n["payments"])
            ],
        }
    )
    named = {
        "person_id": people["person_id"].to_numpy()[person],
        "company_id": companies["company_id"].to_numpy()[company],
    }
    return {
        "people": people,
        "companies": companies,
        "directors": pd.DataFrame(named),
        "payments": payments,
    }


def measured(rows: int, learner: str, folds: int, seed: int) -> dict[str, float | int | None]:
    """One study in a process of its own."""
    with TemporaryDirectory(prefix="study-benchmark-") as directory:
        files = []
        for name, frame in business_tables(rows, seed).items():
            files.append(str(Path(directory) / f"{name}.csv"))
            frame.to_csv(files[-1], index=False)
        out = Path(directory) / "out"
        line = [
            sys.executable,
            "-m",
            "workbench",
            "study",
            *files,
            "--predict",
            "people.late",
            "--out",
            str(out),
        ]
        line += ["--learner", learner, "--folds", str(folds), "--json"]
        begun = perf_counter()
        with (Path(directory) / "said.json").open("w") as said:
            process = os.posix_spawn(
                sys.executable,
                line,
                os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1)],
            )
        _, status, usage = os.wait4(process, 0)
        seconds = perf_counter() - begun
        if status:
            raise SystemExit(
                f"the study of {rows:,} rows ended with status {os.waitstatus_to_exitcode(status)}"
            )
        record = json.loads((out / "study.json").read_text(encoding="utf-8"))
    return {
        "rows": rows,
        "labels": record["labelled"],
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "seconds": round(seconds, 1),
        "peak_mib": usage.ru_maxrss // 1024,
        "AUC-ROC": record["metrics"]["AUC-ROC"]["mean"],
        "base AUC-ROC": record["baselines"]["logistic regression on own columns"]["AUC-ROC"][
            "mean"
        ],
        "rules": len(record["rules"]),
    }


def main() -> None:
    """Measure each size and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--learner", choices=("rules", "boosted_trees"), default="rules")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    print_records(
        (measured(rows, asked.learner, asked.folds, asked.seed) for rows in asked.sizes), asked.json
    )


if __name__ == "__main__":
    main()
