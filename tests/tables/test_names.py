"""Names of columns cut into words, in every alphabet."""

from __future__ import annotations

import pytest

from workbench.tables.names import predicate_name, words
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
