"""What ways that lead back say of a thing: those that it pays and that pay it; rings of three."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.study.test_definitions_and_columns import assert_definitions_say_columns
from tests.study.test_study import assert_infer_says_the_same, write
from workbench.study.columns import CandidateColumns
from workbench.study.fitting import candidates_for, filled
from workbench.study.prepared import prepared
from workbench.study.words import candidate_words
from workbench.tables import find_sources, stage
from workbench.verbs.studying.study import study

N = 900


def test_rings_and_different_things_are_counted(tmp_path: Path) -> None:
    """As columns, as definitions, and counted by hand: over rows with a key and without."""
    rng = np.random.default_rng(11)
    paid = [(int(a), int(b)) for a, b in rng.integers(0, N, (2000, 2)) if a != b]
    follows = sorted({(int(a), int(b)) for a, b in rng.integers(0, N, (2500, 2)) if a != b})
    devices = [f"dev{rng.integers(400)}" for _ in paid]
    rows = [[f"a{n}", n % 7, "" if n % 5 == 0 else int(rng.integers(9))] for n in range(N)]
    transfers = [[n, f"a{a}", f"a{b}", devices[n]] for n, (a, b) in enumerate(paid)]
    files = [
        write(tmp_path / "accounts.csv", ["account", "branch", "score"], rows),
        write(tmp_path / "transfers.csv", ["transfer", "sender", "receiver", "device"], transfers),
        write(
            tmp_path / "follows.csv",
            ["follower", "followed"],
            [[f"a{a}", f"a{b}"] for a, b in follows],
        ),
    ]
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "accounts.score")
        matrix = candidates_for(staging, ready, np.arange(N), collective=False)
        every = [
            one
            for one in matrix.candidates
            if all(hop.kind in ("from", "to") for hop in one.path.hops)
            and {part.aggregate for part in one.compared or (one,)} & {"in_common", "different"}
            and (one.aggregate == "in_common" or len(one.path.hops) == 1)
        ]
        X = filled(
            CandidateColumns(staging, ready.schema, ready.typed, ready.rows),
            every,
            range(len(every)),
            [],
        )
        assert_definitions_say_columns(staging, ready, every, rng, X)
        by_words = dict(zip(map(candidate_words, every), X.T))
    pays, paid_by, likes = (
        {n: {b for a, b in pairs if a == n} for n in range(N)}
        for pairs in (paid, [(b, a) for a, b in paid], follows)
    )
    twice = {n: set().union(*(pays[m] for m in pays[n])) for n in range(N)}
    by_hand = {
        "number of the accounts that are both its receiver and its sender (through transfers)": (
            lambda n: len(pays[n] & paid_by[n])
        ),
        "number of the accounts that are both its receiver's receiver and its sender "
        "(through transfers)": lambda n: len(twice[n] & paid_by[n]),
        "number of the accounts that are both its receiver's receiver and its receiver "
        "(through transfers)": lambda n: len(twice[n] & pays[n]),
        "number of the accounts that are both its receiver and its followed "
        "(through transfers and follows)": lambda n: len(pays[n] & likes[n]),
        "number of different device of its transfers as sender": (
            lambda n: len({device for (a, _), device in zip(paid, devices) if a == n})
        ),
    }
    for words, count in by_hand.items():
        assert by_words[words].tolist() == [count(n) for n in range(N)], words
    shares = [one for one in every if one.compared and one.compared[0].aggregate == "in_common"]
    assert shares


def test_accounts_in_rings_of_three_are_found(tmp_path: Path) -> None:
    """Three that pay each other in turn, among chains of three that end."""
    rng = np.random.default_rng(12)
    n = 500
    trios = rng.permutation(n)[:240].reshape(-1, 3)
    rings, chains = trios[:40], trios[40:]
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, n, (900, 2)) if a != b]
    for one, two, three in rings.tolist():
        pairs += [(one, two), (two, three), (three, one)]
    for one, two, three in chains.tolist():
        pairs += [(one, two), (two, three), (one, three)]
    fraud = np.isin(np.arange(n), rings) ^ (rng.random(n) < 0.05)
    rows = [
        [f"a{at}", int(rng.integers(9)), "" if at % 10 == 0 else ["no", "yes"][int(is_so)]]
        for at, is_so in enumerate(fraud)
    ]
    order = rng.permutation(len(pairs)).tolist()
    files = [
        write(tmp_path / "accounts.csv", ["account", "branch", "fraud"], rows),
        write(
            tmp_path / "transfers.csv",
            ["transfer", "sender", "receiver"],
            [[f"t{at}", f"a{pairs[at][0]}", f"a{pairs[at][1]}"] for at in order],
        ),
    ]
    found = study(files, "accounts.fraud", folds=3)
    assert found.metrics["AUC-ROC"]["mean"] > 0.85
    assert "that are both its receiver's receiver and its sender" in found.rules[0].words
    (tmp_path / "out").mkdir()
    assert_infer_says_the_same(tmp_path / "out", files, found, "account", n_asked=50)
