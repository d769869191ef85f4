"""What if a weight were otherwise: as inferred by rules with that weight, and nothing kept."""

from __future__ import annotations

import pytest

import workbench as wb
from workbench.database import load_alchemy_text
from workbench.errors import Cancelled, UsageError
from workbench.progress import Progress

FACTS = "Friends(Anna, Bob)\nFriends(Bob, Cy)\nFriends(Cy, Dan)\nSmokes(Anna)\n"
BOTH = "Smokes(x) ^ Friends(x, y) => Smokes(y) ^ Cancer(y)"
PRIOR = "Smokes(x)"


def rules(both: float, prior: float) -> str:
    declared = "Friends(person, person)\nSmokes(person)\nCancer(person)\n"
    return f"{declared}{both} ({BOTH})\n{prior} {PRIOR}\n0.2 Cancer(x)\n"


@pytest.mark.parametrize(("both", "prior"), [(2.0, -0.3), (0.0, 1.5), (-1.0, 0.0), (1.1, -0.3)])
@pytest.mark.parametrize("task", ["marginal", "map"])
@pytest.mark.parametrize("first", [1.1, 0.0])
def test_other_weights_answer_as_rules_with_them(
    both: float, prior: float, task: str, first: float
) -> None:
    """A formula of two clauses has one weight, in its sense; weight 0 is ground, too."""
    with wb.open() as ws:
        ws.declare(rules(first, -0.3))
        load_alchemy_text(ws.database, FACTS)
        query, engine = "Smokes,Cancer", "exact" if task == "marginal" else "ilp"
        run = ws.infer(rules(first, -0.3), query=query, task=task, engine=engine)
        told = ws.what_if(run, weights={BOTH: both, PRIOR: prior}).set_index("atom")
        with_fact = ws.what_if(run, {"Friends(Anna, Bob)": False}, weights={BOTH: both}).set_index(
            "atom"
        )
        wanted = ws.infer(
            rules(both, prior), query=query, task=task, engine=engine, record=False
        ).predictions()
        assert told["after"].to_dict() == pytest.approx(wanted.set_index("atom")["value"].to_dict())
        assert len(ws.runs()) == 1
        assert ws.data.remove(["Friends(Anna, Bob)"]) == 1
        wanted = ws.infer(
            rules(both, -0.3), query=query, task=task, engine=engine, record=False
        ).predictions()
        after = with_fact["after"].dropna().to_dict()
        assert after == pytest.approx(
            {atom: wanted.set_index("atom")["value"][atom] for atom in after}
        )


def test_a_supposed_label_is_told_to_a_predictor_whose_labels_are_withheld() -> None:
    text, supposed = rules(1.1, -0.3), {"Smokes(Bob)": True, "Friends(Cy, Dan)": False}
    with wb.open() as ws:
        ws.declare(text)
        load_alchemy_text(ws.database, FACTS.replace("Smokes(Anna)\n", ""))
        query, engine = "Smokes,Cancer", "exact"
        run = ws.infer(text, query=query, engine=engine)
        wanted = ws.what_if(run, supposed).set_index("atom")["after"]
        load_alchemy_text(ws.database, "Smokes(Anna)\n!Smokes(Bob)\n")
        withheld = ws.infer(text, query=query, engine=engine, labels="withheld")
        told = ws.what_if(withheld, supposed).set_index("atom")["after"]
        assert told.drop("Smokes(Bob)").to_dict() == pytest.approx(
            wanted.drop("Smokes(Bob)").to_dict()
        )


def test_weights_of_soft_logic_and_of_a_fold() -> None:
    text = "{}: Near(A, B) & Warm(A) -> Warm(B)\n1: !Warm(A)\n"
    with wb.open() as ws:
        ws.declare(text.format(2))
        load_alchemy_text(ws.database, "Near(a, b)\nNear(b, c)\n0.9 Warm(a)\n?Warm(b)\n?Warm(c)\n")
        run = ws.infer(text.format(2), engine="clarabel")
        told = ws.what_if(run, weights={"Near(A, B) & Warm(A) -> Warm(B)": 0.25}).set_index("atom")[
            "after"
        ]
        wanted = (
            ws.infer(text.format(0.25), engine="clarabel", record=False)
            .predictions()
            .set_index("atom")["value"]
        )
        assert told.to_dict() == pytest.approx(wanted.to_dict(), abs=1e-4)


@pytest.mark.parametrize(
    ("weights", "said"),
    [({"Smokes(y)": 1.0}, r"E0853.*(.|\n)*Smokes\(x\)"), ({PRIOR: float("inf")}, "E0853")],
)
def test_what_has_no_such_weight_is_told(weights: dict[str, float], said: str) -> None:
    with wb.open() as ws:
        ws.declare(rules(1, 1))
        load_alchemy_text(ws.database, FACTS)
        run = ws.infer(rules(1, 1), query="Smokes,Cancer", engine="exact")
        with pytest.raises(UsageError, match=said):
            ws.what_if(run, weights=weights)


@pytest.mark.parametrize(
    "otherwise", [{"changes": {"Smokes(Anna)": False}}, {"weights": {PRIOR: 3.0}}]
)
def test_one_that_is_cancelled_has_no_answer(otherwise: dict[str, dict[str, float]]) -> None:
    """An engine answers with the best it has, which says nothing of the change."""
    with wb.open() as ws:
        ws.declare(rules(1.1, -0.3))
        load_alchemy_text(ws.database, FACTS)
        result = ws.infer(rules(1.1, -0.3), query="Smokes,Cancer", task="map")

        def cancel(stage: str, done: float, total: float | None, message: str) -> None:
            progress.cancel_event.set()

        progress = Progress(cancel)
        with pytest.raises(Cancelled):
            ws.what_if(result, **otherwise, progress=progress)  # type: ignore[arg-type]
        assert len(ws.runs()) == 1
