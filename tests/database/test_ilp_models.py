"""Interpretations, as SLIPCOVER's files write them, against the same said with an argument more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from workbench.database.ilp import load_ilp
from workbench.database.relation_arrays import read_examples
from workbench.errors import InputError
from workbench.grounding.ilp_background import derive_facts
from workbench.language.ilp.reader import read_ilp
from workbench.workspace import open_workspace

BIAS = """
replaceable(gear). replaceable(wheel).
lost(X) :- worn(X), \\+ replaceable(X).
calm :- \\+ worn(_).
determination(sendback/0, worn/1). determination(sendback/0, lost/1).
modeh(*, sendback). modeb(*, worn(-part)). modeb(*, lost(-part)).
"""
PLACED = """
replaceable(gear). replaceable(wheel).
lost(M, X) :- worn(M, X), \\+ replaceable(X).
calm(M) :- \\+ worn(M, _).
determination(sendback/1, worn/2). determination(sendback/1, lost/2).
modeh(*, sendback(+model)). modeb(*, worn(+model, -part)). modeb(*, lost(+model, -part)).
"""


def models(seed: int) -> tuple[str, str]:
    """Machines as models, and as facts and examples of one world."""
    draw = random.Random(seed)
    apart, placed = [], []
    for machine in range(12):
        parts = [one for one in ("gear", "wheel", "engine", "control") if draw.random() < 0.4]
        back = bool({"engine", "control"} & set(parts))
        worn = [f"worn({part})." for part in parts]
        label = "sendback." if back else "neg(sendback)."
        said = [*worn, label, "neg(worn(none))."]
        apart.append("\n".join([f"begin(model({machine})).", *said, f"end(model({machine}))."]))
        placed += [f"worn({machine}, {part})." for part in parts]
        placed.append(f"example(sendback({machine}), {1 if back else -1}).")
    return "\n".join(apart), "\n".join(placed)


def test_a_model_is_an_argument_more(tmp_path: Path) -> None:
    apart, placed = models(4)
    (tmp_path / "apart.pl").write_text(BIAS + apart)
    (tmp_path / "placed.pl").write_text(PLACED + placed)
    ours, theirs = (derive_facts(read_ilp(tmp_path / name)) for name in ("apart.pl", "placed.pl"))
    assert ours.positives == theirs.positives
    assert ours.negatives == theirs.negatives
    assert [str(mode) for mode in ours.modes] == [str(mode) for mode in theirs.modes]
    for name, arity in (("worn", 2), ("lost", 2), ("replaceable", 1)):
        assert set(ours.facts[name, arity]) == set(theirs.facts[name, arity])


def test_rules_of_models_are_learned_and_used_on_others(tmp_path: Path) -> None:
    (tmp_path / "machines.pl").write_text(BIAS + models(4)[0])
    (tmp_path / "others.pl").write_text(
        "replaceable(gear).\nbegin(model(x)).\nworn(engine).\nend(model(x)).\n"
        "begin(model(y)).\nworn(gear).\nneg(sendback).\nend(model(y)).\n"
    )
    with open_workspace() as workspace:
        learned = workspace.structure(read_ilp(tmp_path / "machines.pl"), weights="l2")
    assert "lost(x0, x1) := worn(x0, x1) ^ !replaceable(x1)." in learned.text
    (tmp_path / "learned.mln").write_text(learned.text)
    with open_workspace() as workspace:
        workspace.load(tmp_path / "others.pl", rules=tmp_path / "learned.mln")
        found = workspace.infer(tmp_path / "learned.mln", query=["sendback"], labels="withheld")
        values = dict(zip(found.predictions()["atom"], found.predictions()["value"]))
    assert values['sendback("x")'] > 0.7 > 0.3 > values['sendback("y")']


def test_facts_outside_hold_in_each_model(tmp_path: Path) -> None:
    text = BIAS + "worn(belt).\nbegin(model(a)).\nsendback.\nend(model(a)).\n"
    text += "begin(model(b)).\nworn(gear).\nneg(sendback).\nend(model(b)).\n"
    (tmp_path / "problem.pl").write_text(text)
    facts = read_ilp(tmp_path / "problem.pl").facts["worn", 2]
    assert set(facts) == {("a", "belt"), ("b", "belt"), ("b", "gear")}


def test_folds_of_models_are_those_of_their_examples(tmp_path: Path) -> None:
    text = BIAS + "fold(train, [a, c]).\nfold(test, [b]).\n"
    for name, said in (
        ("a", "sendback"),
        ("b", "neg(sendback)"),
        ("c", "sendback"),
        ("d", "sendback"),
    ):
        text += f"begin(model({name})).\nworn(gear).\n{said}.\nend(model({name})).\n"
    (tmp_path / "problem.pl").write_text(text)
    problem = read_ilp(tmp_path / "problem.pl")
    assert problem.folds == {(("a",), True): 1, (("c",), True): 1, (("b",), False): 2}
    assert ("fold", 2) not in problem.facts
    with open_workspace() as workspace:
        load_ilp(workspace.database, problem)
        _, _, fold = read_examples(workspace.database, "sendback")
    assert sorted(fold.tolist()) == [-1, 1, 1, 2], "an example may have no fold"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("begin(model(a)).\nbegin(model(b)).\nend(model(b)).\n", 2),
        ("begin(model(a)).\nsendback.\nend(model(b)).\nend(model(a)).\n", 3),
        ("end(model(a)).\n", 1),
        ("begin(model(a)).\nworn(X).\nend(model(a)).\n", 2),
        ("begin(model(a)).\nworn(x) :- calm.\nend(model(a)).\n", 2),
        ("begin(model(a)).\nsendback.\n", 2),
    ],
)
def test_what_is_no_model_is_placed(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "problem.pl").write_text(text)
    with pytest.raises(InputError) as caught:
        read_ilp(tmp_path / "problem.pl")
    first = caught.value.diagnostics[0]
    assert (first.code, first.span and first.span.line) == ("E0142", line)
