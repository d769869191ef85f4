"""A row's own numbers against what is usual for its kind, and against numbers called alike."""

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

CLAIMS = 900


def _claims(directory: Path) -> tuple[list[Path], list[list[object]]]:
    """Odd ones are dear for their service; of some the service or the amount is unknown."""
    rng = np.random.default_rng(5)
    base = rng.normal(4, 1.2, 12)
    services, users = rng.integers(0, 12, CLAIMS), rng.integers(0, 150, CLAIMS)
    over = rng.normal(0, 0.6, CLAIMS)
    odd = rng.random(CLAIMS) < 1 / (1 + np.exp(1 - 3 * over))
    rows: list[list[object]] = [
        [n, f"u{users[n]}",
         "" if rng.random() < 0.05 else f"svc{services[n]}",
         "" if rng.random() < 0.05 else round(float(np.exp(base[services[n]] + over[n])), 2),
         "" if n % 6 == 0 else "yes" if odd[n] else "no"]
        for n in range(CLAIMS)
    ]  # fmt: skip
    usual = [[f"u{n}", int(rng.integers(20, 200))] for n in range(150)]
    return [
        write(directory / "claims.csv", ["claim", "user", "service", "amount", "odd"], rows),
        write(directory / "users.csv", ["user", "usual_amount"], usual),
    ], rows


def test_definitions_say_what_columns_say_of_what_is_usual(tmp_path: Path) -> None:
    """And both what is worked out by hand; of an unknown service nothing is usual."""
    files, rows = _claims(tmp_path)
    with stage(find_sources(files)) as staging:
        ready = prepared(staging, "claims.odd")
        matrix = candidates_for(staging, ready, np.arange(CLAIMS), collective=False)
        words = [candidate_words(one) for one in matrix.candidates]
        usual = "the mean amount of all claims with the same service"
        wanted = [
            f"amount less {usual}",
            f"amount divided by {usual}",
            "amount less its user's usual amount",
        ]
        every = [matrix.candidates[words.index(one)] for one in wanted]
        columns = CandidateColumns(staging, ready.schema, ready.typed, ready.rows)
        X = filled(columns, every, range(len(every)), [])
        assert_definitions_say_columns(staging, ready, every, np.random.default_rng(1), X)
    amounts: dict[object, list[float]] = {}
    for _, _, service, amount, _ in rows:
        if service and amount:
            amounts.setdefault(service, []).append(float(str(amount)))
    by_hand = [
        float(str(amount)) - np.mean(amounts[service]) if service and amount else np.nan
        for _, _, service, amount, _ in rows
    ]
    np.testing.assert_allclose(X[:, 0], by_hand, rtol=1e-9)


def test_what_is_dear_for_its_kind_is_found(tmp_path: Path) -> None:
    files, _ = _claims(tmp_path)
    found = study(files, "claims.odd", folds=3)
    assert any("divided by the mean amount of all claims" in rule.words for rule in found.rules)
    assert found.metrics["AUC-ROC"]["mean"] > 0.8
    assert_infer_says_the_same(tmp_path, files, found, "claim", CLAIMS // 6)
