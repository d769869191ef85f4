"""Records that say all in a title: model numbers, written apart or together, tell them apart."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.linkage_kinds import ADJECTIVES, COLOURS, NOUNS, made_up
from benchmarks.linkage_sets import ENDS, FORENAMES, PLACES, STARTS
from benchmarks.linkage_titles import TITLES
from experiments.cluster_scores import cluster_scores
from workbench.linkage.choice import choose_fields, told_by_a_title
from workbench.linkage.fields import make_field
from workbench.linkage.numbers import words_in
from workbench.verbs.linking.link import link


@pytest.mark.parametrize("text", ["oil filter ab 1234", "ab1234 oil filter", "oil ab1234x filter"])
def test_a_number_and_the_letters_beside_it_are_one_word(text: str) -> None:
    found = words_in(text)
    assert "ab1234" in found
    assert not {"ab", "1234"} & set(found)
    assert len(found) == len(set(found))


def test_short_numbers_and_long_words_stay_as_they_are() -> None:
    assert words_in("12 st johns road") == ["12", "st", "johns", "road"]
    assert words_in("to be or not to be") == ["to", "be", "or", "not"]
    assert words_in("windows 2000 professional") == ["windows", "2000", "professional"]


@pytest.mark.parametrize("apart", [False, True])
def test_offers_of_one_model_number_are_found(tmp_path: Path, apart: bool) -> None:
    again = 0.5 if apart else 0.3
    tables, truths = made_up("offers", 2000, seed=41, again=again, apart=apart, kinds=TITLES)
    files = [tmp_path / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    result = link(files, id_column="id")
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    truth = np.array([of[str(one)] for one in result.records.ids])
    scores = cluster_scores(result.clustering.label, truth)
    assert scores["precision"] > 0.9
    assert scores["F1"] > 0.5


@pytest.mark.parametrize(("others", "kind"), [(1, "text"), (2, None)])
def test_a_title_is_told_by_chance_where_two_fields_are_too_few(
    others: int, kind: str | None
) -> None:
    titles = [f"brake pad fits model {number} of {number % 7}" for number in range(40)]
    prices, makers = ([f"{number}.5" for number in range(20)], ["Bosch", "Sachs", "Mann", "Brembo"])
    of = np.arange(40, dtype=np.int32)
    given = [
        make_field("title", "text", titles, of),
        make_field("price", "number", prices, of % 20),
        make_field("maker", "text", makers, of % 4),
    ]
    choice = choose_fields(given[: 1 + others], one_source=False)
    assert len(choice.fields) == 1 + others
    assert [one.kind for one in choice.fields if one.of_many_words] == ["words"]
    told = told_by_a_title(choice)
    assert (told.fields[0].kind if told else None) == kind


def test_labels_say_what_chance_makes_of_a_title(tmp_path: Path) -> None:
    tables, truths = made_up("spares", 400, seed=23, again=0.4, apart=True, kinds=TITLES)
    files = [tmp_path / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    here, there = (dict(zip(map(int, truth), table["id"])) for truth, table in zip(truths, tables))
    things = sorted(here.keys() & there.keys())[:12]
    rows = [f"{here[thing]},{there[thing]},yes" for thing in things]
    rows += [f"{here[one]},{there[other]},no" for one, other in pairwise(things)]
    (tmp_path / "labels.csv").write_text("\n".join(["left,right,match", *rows]), encoding="utf-8")
    without = link(files, id_column="id")
    known = link(files, id_column="id", labels=tmp_path / "labels.csv")
    assert {one.field.kind for one in without.model.comparisons} == {"text", "number"}
    assert {one.field.kind for one in known.model.comparisons} == {"numbered words", "number"}


@pytest.mark.parametrize("number", [400, 1500])
def test_a_title_beside_a_price_tells_the_few_that_are_in_both_files(
    tmp_path: Path, number: int
) -> None:
    tables, truths = made_up("spares", number, seed=23, again=0.1, apart=True, kinds=TITLES)
    files = [tmp_path / f"{letter}.csv" for letter, _ in zip("ab", tables)]
    for table, file in zip(tables, files):
        table.to_csv(file, index=False)
    result = link(files, id_column="id")
    of = dict(zip(map(str, pd.concat(tables)["id"]), np.concatenate(truths)))
    truth = np.array([of[str(one)] for one in result.records.ids])
    assert cluster_scores(result.clustering.label, truth)["F1"] > 0.6


def test_prices_that_differ_a_little_do_not_speak_against_titles(tmp_path: Path) -> None:
    """Two columns: nearly the same price is no less usual among offers of one thing than the same
    price is.
    """
    random = np.random.default_rng(11)
    makers, rows = [f"{start}{end}" for start in STARTS[:6] for end in ENDS[:6]], []
    for thing in range(1300):
        name, fits, side = (random.choice(words) for words in (NOUNS, COLOURS, ADJECTIVES[:4]))
        letters = "".join(random.choice(list("ABCDEFGHKLMNPRST"), 2))
        code, maker = f"{letters}{random.integers(1000, 10**4)}", random.choice(makers)
        price = float(np.exp(random.normal(3, 0.7)))
        for _ in range(1 + int(random.random() < 0.4)):
            words = [name, maker, code if random.random() < 0.9 else ""]
            words += [one if random.random() < 0.7 else "" for one in (fits, side)]
            title = " ".join(words if random.random() < 0.6 else [*words[1:3], name, *words[3:]])
            paid = f"{price * random.uniform(0.9, 1.1):.2f}" if random.random() < 0.7 else ""
            rows.append((f"r{len(rows)}", title, paid, thing))
    table = pd.DataFrame(rows, columns=["id", "title", "price", "thing"])
    table.drop(columns="thing").to_csv(tmp_path / "offers.csv", index=False)
    result = link([tmp_path / "offers.csv"])
    assert cluster_scores(result.clustering.label, table["thing"].to_numpy())["F1"] > 0.8


@pytest.mark.parametrize("n", [300, 1500])
def test_records_of_one_column_are_linked(tmp_path: Path, n: int) -> None:
    """Chance is told by crossed texts: of names that many share fewer pairs match."""
    random = np.random.default_rng(n)
    rows = []
    for thing in range(n * 2 // 3):
        code = f"{random.choice(list('ABCDEF'))}{random.integers(1000, 10**4)}"
        words = [random.choice(STARTS), code, random.choice(NOUNS), random.choice(COLOURS)]
        for _ in range(1 + int(random.random() < 0.5)):
            said = [word for word in words if word == code or random.random() < 0.85]
            rows.append((" ".join(said), thing))
    table = pd.DataFrame(rows, columns=["title", "thing"])
    table[["title"]].to_csv(tmp_path / "titles.csv", index=False)
    result = link([tmp_path / "titles.csv"])
    assert cluster_scores(result.clustering.label, table["thing"].to_numpy())["F1"] > 0.6
    least, most = result.estimates.precision_interval
    assert most - least > 0.3


FIRMS = "Foods Energy Capital Media Labs Motors Textiles Shipping Mining Pharma".split()
LEGAL = "Ltd,Limited,LLC,Inc,Corporation,GmbH,plc,".split(",")


def made_firms(n: int, again: float, seed: int) -> pd.DataFrame:
    """Names of firms; who is named twice has another legal form, or a slip."""
    random, rows = np.random.default_rng(seed), []
    for thing in range(n):
        name = f"{random.choice(STARTS)}{random.choice(ENDS)} {random.choice(STARTS)}"
        for _ in range(1 + int(random.random() < again)):
            at = int(random.integers(1, len(name)))
            seen = name[:at] + name[at + 1 :] if random.random() < 0.2 else name
            rows.append((f"{seen} {FIRMS[thing % 10]} {random.choice(LEGAL)}".strip(), thing))
    return pd.DataFrame(rows, columns=["firm", "thing"]).sample(frac=1, random_state=seed)


@pytest.mark.parametrize("again", [0.05, 0.5])
def test_firms_are_linked_by_their_names_alone(tmp_path: Path, again: float) -> None:
    table = made_firms(800, again, 6)
    table[["firm"]].to_csv(tmp_path / "firms.csv", index=False)
    result = link([tmp_path / "firms.csv"])
    assert cluster_scores(result.clustering.label, table["thing"].to_numpy())["F1"] > 0.7
    assert [one.code for one in result.warnings] == ["E0692"]


def test_what_stands_together_in_texts_is_no_duplicate(tmp_path: Path) -> None:
    """Houses of one street share all its words, and are not one house."""
    random = np.random.default_rng(5)
    names = ("San Juan", "Santa Ana", "Rio Vieja", "Gran Via", "Cervantes", "La Paz Alta")
    streets = [f"Calle de {one} {two}" for one in names for two in ("Real", "Nueva", "del Sol")]
    houses = {f"{random.choice(streets)} {random.integers(1, 400)}" for _ in range(700)}
    pd.DataFrame({"address": sorted(houses)}).to_csv(tmp_path / "houses.csv", index=False)
    label = link([tmp_path / "houses.csv"]).clustering.label
    assert len(np.unique(label)) > 0.95 * len(houses)


def test_without_duplicates_nothing_of_one_column_is_linked(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    names = {
        f"{random.choice(FORENAMES)} {random.choice(STARTS)}{random.choice(ENDS)}"
        for _ in range(900)
    }
    pd.DataFrame({"name": sorted(names)}).to_csv(tmp_path / "names.csv", index=False)
    assert len(link([tmp_path / "names.csv"]).clustering) > 0.97 * len(names)


def shop(random: np.random.Generator, things: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two shops that call an article in their own words, of which each has some; `thing` beside."""
    sides: list[list[tuple[str, float, int]]] = [[], []]
    for thing in range(things):
        maker, goods = random.choice(STARTS[:8]), random.choice(NOUNS[:8])
        code = f"{random.choice(list('ABCX'))}{random.integers(100, 1000)}"
        colour, price = random.choice(COLOURS), random.uniform(10, 300)
        written = [f"{maker} {goods} {code}", f"{goods} {code.lower()} {colour} by {maker}"]
        for side, title in enumerate(written):
            if random.random() < 0.75:
                sides[side].append((title, round(price * random.uniform(0.95, 1.05), 2), thing))
    one, other = (pd.DataFrame(side, columns=["title", "price", "thing"]) for side in sides)
    return one, other.sample(frac=1, random_state=1)


def linked_shops(folder: Path, shops: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[float, list[str]]:
    """F1 and the codes of what is said of two shops' titles and prices."""
    files = [folder / "a.csv", folder / "b.csv"]
    for table, file in zip(shops, files):
        table[["title", "price"]].to_csv(file, index=False)
    result = link(files)
    truth = np.concatenate([one["thing"].to_numpy() for one in shops])
    codes = [one.code for one in result.warnings if one.code in ("E0681", "E0691", "E0692")]
    return cluster_scores(result.clustering.label, truth)["F1"], codes


@pytest.mark.parametrize("seed", [1, 2])
def test_shops_of_a_short_title_and_a_price_are_linked_by_their_codes(
    tmp_path: Path, seed: int
) -> None:
    f1, said = linked_shops(tmp_path, shop(np.random.default_rng(seed), 300))
    assert f1 > 0.9
    assert "E0681" not in said


def test_shops_that_share_no_article_are_not_linked(tmp_path: Path) -> None:
    one, other = (shop(np.random.default_rng(seed), 300)[seed] for seed in (0, 1))
    other["thing"] += 1000
    f1, said = linked_shops(tmp_path, (one, other))
    assert f1 == 0
    assert said == ["E0681"]


def test_what_matches_imply_speaks_against_a_reading_of_two_fields(tmp_path: Path) -> None:
    """Chains of hotels in few towns: words of names come together, and not the hotels."""
    random = np.random.default_rng(3)
    chains = "Hilton Ibis Novotel Mercure Radisson Marriott".split()
    sites = "Airport Central North South Station Riverside Expo".split()
    rows = []
    for _ in range(400):
        town = random.choice(PLACES)
        name = f"{random.choice(chains)} {random.choice(sites)}"
        rows.append((f"{name} {town}" if random.random() < 0.4 else name, town))
    pd.DataFrame(rows, columns=["hotel", "town"]).drop_duplicates().to_csv(
        tmp_path / "h.csv", index=False
    )
    result = link([tmp_path / "h.csv"])
    assert len(result.clustering) > 0.9 * len(result.records)
