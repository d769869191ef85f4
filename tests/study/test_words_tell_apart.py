"""No two candidates of a study are told in the same words: a reader would take them for one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.study.test_study import write
from workbench.study.fitting import candidates_for
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage

N = 120


def _days(rng: np.random.Generator, n: int) -> list[str]:
    return [str(day) for day in np.datetime64("2024-01-01") + rng.integers(0, 300, n)]


def _answers(rng: np.random.Generator, n: int) -> list[str]:
    return rng.choice(["yes", "no", ""], n, p=[0.4, 0.5, 0.1]).tolist()


def _loans(directory: Path, rng: np.random.Generator) -> list[Path]:
    """Loans, each with a borrower and a guarantor, and their instalments."""
    first = rng.integers(0, 40, N)
    second = (first + rng.integers(1, 40, N)) % 40
    granted, answers = _days(rng, N), _answers(rng, N)
    loans = [[f"l{k}", granted[k], f"p{first[k]}", f"p{second[k]}", answers[k]] for k in range(N)]
    paid = _days(rng, 3 * N)
    instalments = [[f"l{k % N}", paid[k], int(rng.integers(900))] for k in range(3 * N)]
    return [
        write(directory / "people.csv", ["person", "age"], [[f"p{k}", 20 + k] for k in range(40)]),
        write(
            directory / "loans.csv",
            ["loan", "granted", "borrower", "guarantor", "defaulted"],
            loans,
        ),
        write(directory / "instalments.csv", ["loan", "paid", "amount"], instalments),
    ]


def _molecules(directory: Path, rng: np.random.Generator) -> list[Path]:
    """Molecules of atoms, and bonds between an atom and another."""
    answers = _answers(rng, N)
    atoms = [
        [f"a{k}", f"m{k // 5}", str(rng.choice(["c", "n"])), round(float(rng.normal()), 2)]
        for k in range(5 * N)
    ]
    bonds = [
        [f"a{k}", f"a{k + step}", str(rng.choice(["single", "double"]))]
        for k in range(5 * N)
        for step in (1, 2)
        if k // 5 == (k + step) // 5
    ]
    return [
        write(directory / "molecules.csv", ["molecule", "active"], [*zip(_keys("m"), answers)]),
        write(directory / "atoms.csv", ["atom", "molecule", "element", "charge"], atoms),
        write(directory / "bonds.csv", ["atom1", "atom2", "type"], bonds),
    ]


def _transfers(directory: Path, rng: np.random.Generator) -> list[Path]:
    """Accounts, and transfers from one to another, by columns called as the accounts are."""
    answers = _answers(rng, N)
    transfers = [
        [f"a{one}", f"a{other}", int(rng.integers(1, 900)), str(rng.choice(["cash", "wire"]))]
        for one, other in rng.integers(0, N, (5 * N, 2))
    ]
    return [
        write(directory / "accounts.csv", ["account_id", "launders"], [*zip(_keys("a"), answers)]),
        write(
            directory / "transfers.csv",
            ["from_account", "to_account", "amount", "means"],
            transfers,
        ),
    ]


def _lends(directory: Path, rng: np.random.Generator) -> list[Path]:
    """Who lends to whom among people of groups: what is asked is of a pair, either of whom has
    groups.
    """
    pairs = [divmod(int(at), 25) for at in rng.permutation(625)[:90]]
    answers = _answers(rng, len(pairs))
    lends = [[f"p{one}", f"p{other}", back] for (one, other), back in zip(pairs, answers)]
    members = [[f"p{k}", f"g{group}"] for k in range(25) for group in rng.permutation(6)[:3]]
    return [
        write(directory / "people.csv", ["person", "age"], [[f"p{k}", 20 + k] for k in range(25)]),
        write(directory / "lends.csv", ["from_person", "to_person", "back"], lends),
        write(directory / "members.csv", ["person", "group"], members),
        write(directory / "groups.csv", ["group", "rank"], [[f"g{k}", k] for k in range(6)]),
    ]


def _payments(directory: Path, rng: np.random.Generator) -> list[Path]:
    """Payments of a day, from an account to another; accounts are of branches, and have limits."""
    answers = _answers(rng, 5 * N)
    payments = [
        [f"t{k}", f"d{k % 40}", *(f"a{end}" for end in rng.integers(0, N, 2)), answers[k]]
        for k in range(5 * N)
    ]
    accounts = [[f"a{k}", f"b{k % 9}", 1990 + k % 30] for k in range(N)]
    return [
        write(directory / "branches.csv", ["branch", "size"], [[f"b{k}", k * k] for k in range(9)]),
        write(directory / "accounts.csv", ["account", "branch", "opened"], accounts),
        write(directory / "limits.csv", ["account", "most"], [[f"a{k}", k % 50] for k in range(N)]),
        write(directory / "days.csv", ["day", "rain"], [[f"d{k}", k % 7] for k in range(40)]),
        write(
            directory / "payments.csv",
            ["payment", "day", "from_account", "to_account", "bad"],
            payments,
        ),
    ]


def _keys(letter: str) -> list[str]:
    return [f"{letter}{k}" for k in range(N)]


@pytest.mark.parametrize(
    ("made", "target", "time", "least"),
    [
        (_loans, "loans.defaulted", "loans.granted", 300),
        (_molecules, "molecules.active", None, 50),
        (_transfers, "accounts.launders", None, 80),
        (_lends, "lends.back", None, 60),
        (_payments, "payments.bad", None, 200),
        (_payments, "accounts.opened", None, 100),
    ],
)
def test_no_two_candidates_are_told_alike(
    tmp_path: Path, made: object, target: str, time: str | None, least: int
) -> None:
    assert callable(made)
    files = made(tmp_path, np.random.default_rng(3))
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, target, time=time)
        found = candidates_for(staging, ready, ready.rows, collective=True).candidates
    assert len(found) >= least
    said = Counter(candidate_words(one, timed=time is not None) for one in found)
    assert [words for words, n in said.items() if n > 1] == []
