"""Names of columns cut into words, in every alphabet."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.tables import find_sources, propose, stage
from workbench.tables.names import predicate_name, same_thing, words
from workbench.tables.reference_names import names_agree


@pytest.mark.parametrize(
    ("name", "parts", "predicate"),
    [
        ("driverId", ("driver", "id"), "DriverId"),
        ("is_fraud", ("is", "fraud"), "IsFraud"),
        ("HTTPServer2Name", ("http", "server", "2", "name"), "HttpServer2Name"),
        ("Gekündigt", ("gekündigt",), "Gekündigt"),
        ("Älteste Öffnung", ("älteste", "öffnung"), "ÄltesteÖffnung"),
        ("straßenName", ("straßen", "name"), "StraßenName"),
        ("ΑριθμόςΠελάτη", ("αριθμός", "πελάτη"), "ΑριθμόςΠελάτη"),
        ("年齢", ("年齢",), "年齢"),
    ],
)
def test_words(name: str, parts: tuple[str, ...], predicate: str) -> None:
    assert words(name) == parts
    assert predicate_name(parts) == predicate


@pytest.mark.parametrize(
    ("column", "table", "key", "agree"),
    [
        ("client", "Clients (2024)", "N° client", True),
        ("client 2", "accounts", "client_id", True),
        ("fall", "stays", "Fall-Nr", True),
        ("id_cliente", "personas", "cliente", True),
        ("no_orders", "orders", "order_id", False),
        ("n_orders", "orders", "order_id", False),
        ("price", "orders", "order_id", False),
    ],
)
def test_names_that_speak_of_another_table(column: str, table: str, key: str, agree: bool) -> None:
    assert (names_agree(column, table, key) >= 2) == agree


@pytest.mark.parametrize(
    ("things", "key", "others", "column"),
    [
        ("leden", "lidnummer", "uitleningen", "lid"),
        ("boeken", "ISBN", "uitleningen", "boek"),
        ("comande", "numero", "righe", "comanda"),
        ("клиенты", "номер", "заказы", "клиент"),
        ("Aufträge", "Auftragsnr", "Positionen", "Auftrag"),
        ("users", "userid", "logins", "user"),
        ("listings", "MLS #", "visits", "listing"),
        ("öğrenciler", "no", "notlar", "öğrenci"),
    ],
)
def test_references_are_told_by_names_in_many_languages(
    tmp_path: Path, things: str, key: str, others: str, column: str
) -> None:
    first = "".join(f"{7000 + 3 * at},{at % 7}\n" for at in range(40))
    (tmp_path / f"{things}.csv").write_text(f"{key},x\n{first}", encoding="utf-8")
    second = "".join(f"{7000 + 3 * (at * 7 % 40)},{at % 5}.5\n" for at in range(90))
    (tmp_path / f"{others}.csv").write_text(f"{column},y\n{second}", encoding="utf-8")
    with stage(find_sources([tmp_path])) as staging:
        mapping = propose(staging)
    assert mapping.table(things).key == key
    found = mapping.table(others).column(column)
    assert (found.kind, found.table) == ("reference", things)


@pytest.mark.parametrize(
    ("one", "other"), [("count", "country"), ("state", "station"), ("plan", "planet"), ("a", "as")]
)
def test_other_words_are_other_things(one: str, other: str) -> None:
    assert not same_thing(one, other)


def test_tables_share_no_type_by_chance(tmp_path: Path) -> None:
    """Rows of `order` and `orders`, called by their numbers, were the same things."""
    (tmp_path / "order.csv").write_text("title,age\nx,7\ny,8\nx,9\n")
    (tmp_path / "orders.csv").write_text("colour,size\nr,7\ng,8\nr,9\n")
    with stage(find_sources([tmp_path / "order.csv", tmp_path / "orders.csv"])) as staging:
        types = [table.type for table in propose(staging).tables]
    assert types == ["order", "orders"]
    (tmp_path / "customers2.csv").write_text("id,age\n1,7\n2,8\n")
    with stage(find_sources([tmp_path / "customers2.csv"])) as staging:
        assert propose(staging).tables[0].type == "customer_2"


@pytest.mark.parametrize("other", ["profiles", "accounts"])
def test_of_two_tables_of_the_same_things_the_one_called_as_the_key_has_them(
    tmp_path: Path, other: str
) -> None:
    for name, column in (("customers", "churned"), (other, "plan")):
        rows = "".join(f"{1000 + k},{'ab'[k % 2]}\n" for k in range(40))
        (tmp_path / f"{name}.csv").write_text(f"customer_id,{column}\n{rows}", encoding="utf-8")
    with stage(find_sources([tmp_path / "customers.csv", tmp_path / f"{other}.csv"])) as staging:
        mapping = propose(staging)
    own, more = (mapping.table(name).column("customer_id") for name in ("customers", other))
    assert (own.kind, own.table) == ("key", None)
    assert (more.kind, more.table) == ("key", "customers")
