"""The program that a linkage is written as:
`infer` gives each pair the probability that linking gave it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import workbench
from benchmarks.linkage import people
from tests.linkage.test_splink_settings import PEOPLE, model
from workbench.linkage.link_model import LinkModel
from workbench.linkage.mixture import sigmoid
from workbench.linkage.tree import FieldTree
from workbench.verbs.linking.link import link
from workbench.verbs.linking.result import LinkResult
from workbench.workspace import parse_atom

TABLES = {
    "loans.csv": "id,Book title,2nd author,Book-title\n"
    + "\n".join(
        f"{row},{title},{author},x{row % 3}"
        for row, (title, author) in enumerate(
            [
                ("Emma", "Austen"),
                ("Emma", "Austin"),
                ("Dune", "Herbert"),
                ("Dunes", "Herbert"),
                ("It", ""),
                ('"It"', "King"),
            ]
            * 4
        )
    ),
}


def equal_probabilities(result: LinkResult, path: Path) -> None:
    """Write the program, and infer with it."""
    result.write_program(path)
    with workbench.open() as workspace:
        workspace.load(path.with_suffix(".db"), rules=path)
        found = workspace.infer(path, query=["Same"], task="marginal", engine="exact").predictions()
    value = dict(zip(map(parse_atom, found["atom"]), found["value"]))
    names, pairs = result.record_names(), result.candidates.pairs
    told = [
        value.get(("Same", (names[left], names[right])))
        for left, right in zip(pairs.left, pairs.right)
    ]
    assert [one is None for one in told] == result.settled.tolist()
    np.testing.assert_allclose(
        np.array(told, float)[~result.settled], sigmoid(result.scores)[~result.settled], atol=1e-6
    )


def with_second_kind(result: LinkResult) -> LinkResult:
    """The result with a second kind of non-matches, of other trees."""
    linked = result.model
    assert isinstance(linked, LinkModel)
    random, tree = np.random.default_rng(5), linked.tree
    sizes = [one.n_levels for one in linked.comparisons]
    parent: Sequence[int] = (1, -1, *[0] * (len(sizes) - 2))
    tables = [
        np.log(random.dirichlet(np.ones(size), sizes[above] if above >= 0 else 1))
        for size, above in zip(sizes, parent)
    ]
    other = FieldTree(tuple(parent), tuple(tables), -1.0)
    changed = replace(linked, tree=replace(tree, others=(tree.others[0], other)))
    return replace(result, model=changed, scores=changed.scores(result.candidates.pairs))


@pytest.mark.parametrize("labelled", [False, True])
def test_pairs_have_the_probabilities_that_linking_gave(tmp_path: Path, labelled: bool) -> None:
    frame, truth = people(40, seed=2)
    frame = frame[["record", "first_name", "surname", "born", "place"]]
    frame.to_csv(tmp_path / "people.csv", index=False)
    labels = None
    if labelled:
        labels = tmp_path / "labels.csv"
        sides = [(one, other) for one in range(30) for other in range(one)]
        known = [f"{one},{other},{int(truth[one] == truth[other])}" for one, other in sides]
        labels.write_text("left,right,match\n" + "\n".join(known), encoding="utf-8")
    result = link([tmp_path / "people.csv"], labels=labels)
    assert (result.labels > 0) == labelled
    equal_probabilities(result, tmp_path / "people.mln")
    if not labelled:
        equal_probabilities(with_second_kind(result), tmp_path / "kinds.mln")
        assert "AlikeOtherwise" in (tmp_path / "kinds.mln").read_text(encoding="utf-8")


def test_names_of_fields_and_records_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    (tmp_path / "loans.csv").write_text(TABLES["loans.csv"], encoding="utf-8")
    (tmp_path / "more loans.csv").write_text(TABLES["loans.csv"] + "\n", encoding="utf-8")
    equal_probabilities(
        link([tmp_path / "loans.csv", tmp_path / "more loans.csv"]), tmp_path / "loans.mln"
    )


def test_a_model_of_splink_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "model.json").write_text(json.dumps(model()), encoding="utf-8")
    result = link([tmp_path / "people.csv"], settings=tmp_path / "model.json")
    equal_probabilities(result, tmp_path / "people.mln")
