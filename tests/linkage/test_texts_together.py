"""Two shops that write in a title what the other writes in a description or a column of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import ADJECTIVES, COLOURS, GADGETS, NOUNS
from benchmarks.linkage_sets import ENDS, STARTS
from experiments.cluster_scores import cluster_scores
from tests.linkage.test_link_more import arrived, at_once, pairs_by_name
from workbench.arrays import Array
from workbench.linkage.blocking import Pairs
from workbench.linkage.choice import FieldChoice, told_by_all_texts
from workbench.linkage.fields import Field, make_field
from workbench.linkage.matching import Rivals, best_of_each
from workbench.workspace import open_workspace


def shops(seed: int, things: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two shops, of which each has three quarters of the articles; `thing` beside."""
    random = np.random.default_rng(seed)
    makers = [f"{random.choice(STARTS)}{random.choice(ENDS)}" for _ in range(25)]
    sides: list[list[dict[str, object]]] = [[], []]
    for thing in range(things):
        maker, goods = random.choice(makers), random.choice(GADGETS)
        code = f"{''.join(random.choice(list('ABCX'), 2))}{random.integers(100, 10000)}"
        features = [*random.choice(ADJECTIVES, 2), *random.choice(NOUNS, 2), random.choice(COLOURS)]
        price = float(np.exp(random.normal(4, 1)))
        for side in sides:
            if random.random() < 0.75:
                said = [one for one in features if random.random() < 0.6]
                title = [maker if random.random() < 0.8 else "", goods, *said[:2]]
                more = ["New", goods, *said, random.choice(ADJECTIVES), f"by {maker}"]
                (title if random.random() < 0.7 else more).append(code)
                found = {"title": " ".join(filter(None, title)), "description": " ".join(more)}
                if random.random() < 0.4:
                    found["description"] = ""
                paid = price * float(np.exp(random.normal(0, 0.15)))
                side.append(found | {"price": round(paid, 2), "thing": thing})
    one, other = map(pd.DataFrame, sides)
    return one, other.sample(frac=1, random_state=1)


def test_texts_of_two_shops_are_compared_together_by_records_that_come_later_as_well(
    tmp_path: Path,
) -> None:
    one, other = shops(3, 500)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for table, file, letter in zip((one, other), files, "ab"):
        table.insert(0, "id", [f"{letter}{row}" for row in range(len(table))])
        table.drop(columns="thing").to_csv(file, index=False)
    late = other.iloc[-15:].drop(columns="thing")
    with open_workspace() as ws:
        result = ws.link(*files, id_column="id")
        truth = np.concatenate([table["thing"].to_numpy() for table in (one, other)])
        assert [of.field.name for of in result.model.comparisons] == [
            "title and description",
            "price",
        ]
        scores = cluster_scores(result.clustering.label, truth)
        assert scores["F1"] > 0.9
        assert result.estimates.precision == pytest.approx(scores["precision"], abs=0.06)
        assert result.estimates.recall == pytest.approx(scores["recall"], abs=0.15)
        other.iloc[:-15].drop(columns="thing").to_csv(files[1], index=False)
        ws.link(*files, id_column="id")
        late[["price", "description", "id", "title"]].to_csv(files[1], index=False)
        more = ws.link_more(files[1])
        pairs, clusters, _ = at_once(ws)
        told = pairs_by_name(more.pairs)
        assert any(value > 0.9 for value in told.values())
        assert told == {pair: pairs[pair] for pair in told}
        assert arrived(ws) == clusters


def test_texts_are_told_together_of_a_few_fields_where_one_is_long() -> None:
    long = [f"bosch brake pad fits model {number} of {number % 7}" for number in range(200)]
    makers = ["Bosch", "Sachs", "Mann", "Brembo"] * 10
    of = np.arange(200, dtype=np.int32)

    def field(name: str, texts: list[str], codes: Array) -> Field:
        return make_field(name, "text", texts, codes)

    title = field("title", long, of)
    maker = field("maker", [f"{one} {at}" for at, one in enumerate(makers)], of % 40)
    maker = Field("maker", "name", maker.texts, np.where(of < 10, -1, maker.codes))
    price = make_field("price", "number", [f"{at}.5" for at in range(200)], of)
    told = told_by_all_texts(FieldChoice((title, price, maker), {}))
    assert told is not None
    together, rest = told.fields
    assert (together.kind, together.name, rest) == ("text", "title and maker", price)
    assert together.joined == (("title", ()), ("maker", ()))
    assert together.texts[together.codes[3]] == long[3]
    assert together.texts[together.codes[12]] == f"{long[12]} Bosch 12"
    assert told_by_all_texts(FieldChoice((title, price), {})) is None
    assert told_by_all_texts(FieldChoice((maker, price, maker), {})) is None
    assert told_by_all_texts(FieldChoice((title, maker, price, price, price, price), {})) is None


def test_being_each_others_best_says_little_where_pairs_that_are_alike_by_chance_are_so_too() -> (
    None
):
    pairs = Pairs(np.arange(40, dtype=np.int32), np.arange(40, 80, dtype=np.int32))
    scores = np.repeat([6.0, -1.0, -20.0], [10, 10, 20])
    top = best_of_each(80, pairs, scores)
    # Of the unlikely pairs none is anybody's best.
    top[pairs.left[20:]] = 0.0
    assert Rivals.of(pairs, scores, top).best > 0.3
    assert 0.0 <= Rivals.seen(pairs, scores, top).best < 0.1
