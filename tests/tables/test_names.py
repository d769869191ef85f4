"""Names of columns cut into words, in every alphabet."""

from __future__ import annotations

import pytest

from workbench.tables.names import predicate_name, words


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
