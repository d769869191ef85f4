"""`memory`: what would take more is refused after the count, before a row is made."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.errors import InputError, UsageError
from workbench.grounding.memory import estimated_bytes
from workbench.network import reported_energy
from workbench.parameters import read_size

RULES = "Friends(p, p)\nSmokes(p)\n1 Friends(x,y) ^ Smokes(x) => Smokes(y)\n"


def test_the_estimate_decides() -> None:
    with wb.open() as ws:
        ws.declare(RULES)
        people = [f"A{place}" for place in range(51)]
        ws.load(pd.DataFrame({"a": people[:-1], "b": people[1:]}), predicate="Friends")
        needed = estimated_bytes(50, 100, 51)
        assert ws.preview(RULES, query="Smokes").bytes == needed
        assert ws.ground(RULES, query="Smokes", memory=needed).network.n_rows == 50
        with pytest.raises(InputError, match="50 ground rows") as caught:
            ws.ground(RULES, query="Smokes", memory=f"{needed - 1}")
        assert caught.value.diagnostics[0].code == "E0340"
        assert "E0340" in [
            one.code for one in ws.preview(RULES, query="Smokes", memory="1MB").warnings
        ]


@pytest.mark.parametrize(("text", "size"), [("10GB", 10**10), ("1.5 kib", 1536), ("7", 7), (5, 5)])
def test_sizes_are_read(text: str | int, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "lots", "-1GB", "0", "3 parsecs", "GB", "nan"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_size(text)
    assert caught.value.diagnostics[0].code == "E0840"


SOFT = "0.4: Knows(A, B) & Votes(A) -> Votes(B) ^2\n0.2: !Votes(A)\n1: Loyal(A) -> Votes(A)\n"


def test_soft_logic_that_memory_would_not_hold_is_solved_from_disk_and_says_so() -> None:
    rng = np.random.default_rng(0)
    pairs = (
        pd.DataFrame(rng.integers(0, 300, (9000, 2)), columns=["a", "b"])
        .drop_duplicates()
        .astype(str)
    )
    with wb.open() as ws:
        ws.declare(SOFT)
        ws.load(pairs, predicate="Knows")
        ws.load(pd.DataFrame({"a": [str(n) for n in range(0, 300, 7)]}), predicate="Loyal")
        ws.load(
            pd.DataFrame({"a": [str(n) for n in range(300)]}), predicate="Votes", partition="target"
        )
        whole = ws.infer(SOFT)
        passed = ws.infer(SOFT, memory="401MB")
        assert [one.code for one in passed.warnings] == ["E0334"]
        assert passed.solution.engine == "streamed"
        assert "its rows lie on disk" in passed.solution.reason
        assert passed.grounding.network.n_rows == whole.grounding.network.n_rows
        assert (passed.grounding.network.A != whole.grounding.network.A).nnz == 0
        assert passed.solution.energy == pytest.approx(whole.solution.energy, rel=2e-3)
        assert passed.solution.bound <= whole.solution.energy
        assert reported_energy(
            passed.grounding.network, passed.weights, passed.values
        ) == pytest.approx(passed.solution.energy)
        spilling = ws.infer(SOFT, memory="401MB", options={"memory": 0, "rows_at_once": 1000})
        assert spilling.solution.diagnostics["parts"] > passed.solution.diagnostics["parts"]
        assert spilling.solution.energy == pytest.approx(passed.solution.energy, rel=2e-3)
        with pytest.raises(InputError, match="E0340"):
            ws.infer(SOFT, memory="401MB", engine="admm")
        with pytest.raises(InputError, match="of disk"):
            ws.infer(SOFT, memory="1MB")


LOGIC = """Knows(p, p)
Votes(p)
Loyal(p)
0.4 Knows(x, y) ^ Votes(x) => Votes(y)
0.9 Loyal(x) => Votes(x)
0.3 !Votes(x)
"""


@pytest.mark.parametrize(
    ("task", "engine"), [("map", "auto"), ("map", "ilp"), ("marginal", "auto")]
)
def test_markov_logic_that_memory_would_not_hold_is_solved_in_bins_and_says_so(
    task: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.verbs.infer.LEAST_BIN", 20_000)
    pairs = [(f"{n}", f"{n // 10 * 10 + (n * step) % 10}") for n in range(200) for step in (3, 7)]
    with wb.open() as ws:
        ws.declare(LOGIC)
        ws.load(pd.DataFrame(pairs, columns=["a", "b"]), predicate="Knows")
        ws.load(pd.DataFrame({"a": [f"{n}" for n in range(0, 200, 3)]}), predicate="Loyal")
        whole = ws.infer(LOGIC, query="Votes", task=task, engine=engine)
        short = ws.preview(LOGIC, query="Votes").bytes - 1
        binned = ws.infer(LOGIC, query="Votes", task=task, engine=engine, memory=short)
        assert [one.code for one in binned.warnings] == ["E0334"]
        assert isinstance(binned.grounding.network.b, np.memmap)
        assert "bins" in binned.solution.reason
        assert binned.solution.diagnostics["bins"] > 1
        assert binned.solution.status == whole.solution.status
        if task == "map":
            assert binned.solution.energy == pytest.approx(whole.solution.energy)
            assert binned.solution.bound == pytest.approx(whole.solution.bound)
            assert binned.rules() == whole.rules()
            about = whole.explain("Votes(3)"), binned.explain("Votes(3)")
            assert about[0] == about[1]
        else:
            assert binned.values == pytest.approx(whole.values)


LABELLED = "Knows(p, p)\nVotes(p)\nKnows(x, y) ^ Votes(x) => Votes(y)\nVotes(x)\n"


def test_pseudo_likelihood_that_memory_would_not_hold_is_learned_from_disk_and_says_so() -> None:
    rng = np.random.default_rng(0)
    pairs = pd.DataFrame(rng.integers(0, 300, (9000, 2)), columns=["a", "b"]).drop_duplicates()
    people = pd.DataFrame({"a": [str(n) for n in range(300)]})
    votes = people.assign(value=(rng.random(300) < 0.4).astype(float))
    with wb.open() as ws:
        ws.declare(LABELLED)
        ws.load(pairs.astype(str), predicate="Knows")
        ws.load(votes, predicate="Votes")
        whole = ws.learn(LABELLED, query="Votes")
        passed = ws.learn(LABELLED, query="Votes", memory="401MB")
        assert [one.code for one in passed.warnings if one.severity == "warning"] == ["E0334"]
        assert isinstance(passed.grounding.network.b, np.memmap)
        assert passed.weights == pytest.approx(whole.weights, abs=1e-9)
        assert passed.rules() == whole.rules()
        with pytest.raises(InputError, match="E0340"):
            ws.learn(LABELLED, query="Votes", memory="401MB", learner="voted_perceptron")
        hard = LABELLED + "Knows(x, y) => !Votes(x).\n"
        assert ws.learn(hard, query="Votes").learned.status == "converged"
        with pytest.raises(InputError, match="that the labels violate"):
            ws.learn(hard, query="Votes", memory="401MB")
        ws.data.correct(["?Votes(3)"])
        with pytest.raises(InputError, match="without a label"):
            ws.learn(LABELLED, query="Votes", memory="401MB")
