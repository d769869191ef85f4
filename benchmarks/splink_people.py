"""Splink as a practical person sets it up, on one of `benchmarks.linkage_sets`: run by an
interpreter that has it.

    python benchmarks/splink_people.py DIR   # DIR/a.csv [DIR/b.csv] -> DIR/splink.csv: id, cluster

Comparisons are those of its library for each kind of column, blocking rules those a person would
write; probabilities of .95 and more make clusters, as in its tutorial.
"""

from __future__ import annotations

import csv
import logging
import sys
from pathlib import Path
from typing import Any

import duckdb
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

COMPARISONS: dict[str, Any] = {
    "forename": cl.NameComparison("forename"),
    "surname": cl.NameComparison("surname"),
    "born": cl.DateOfBirthComparison("born", input_is_string=True),
    "mail": cl.EmailComparison("mail"),
    "street": cl.LevenshteinAtThresholds("street", [2, 5]),
    "town": cl.ExactMatch("town").configure(term_frequency_adjustments=True),
    "postcode": cl.LevenshteinAtThresholds("postcode", [1, 2]),
    "telephone": cl.LevenshteinAtThresholds("telephone", [1, 2]),
    "name": cl.JaroWinklerAtThresholds("name", [0.95, 0.88, 0.8]),
    "web": cl.LevenshteinAtThresholds("web", [1, 3]),
    "title": cl.JaroWinklerAtThresholds("title", [0.97, 0.9, 0.8]),
    "authors": cl.JaroWinklerAtThresholds("authors", [0.95, 0.88, 0.75]),
    "year": cl.ExactMatch("year"),
}
PERSONS = "forename surname|born|mail|telephone|surname postcode|street postcode|forename postcode"
COMPANIES = "web|street|town substr(name,1,4)"
PAPERS = "substr(title,1,12)|substr(authors,1,10) year|substr(title,1,5) year"
RULES = {
    "forename": (PERSONS, "forename surname born|mail", "forename surname|born"),
    "name": (COMPANIES, "web town", "web|street"),
    "title": (PAPERS, "substr(title,1,20) year", "substr(title,1,12)|substr(authors,1,10) year"),
}
"""By a column that tells the kind: what is compared, what surely matches, what EM is run within."""


def main() -> None:
    """Link the tables of a folder."""
    directory = Path(sys.argv[1])
    logging.disable(logging.WARNING)
    connection = duckdb.connect()
    api = DuckDBAPI(connection=connection)
    tables = []
    for path in sorted(directory.glob("[ab].csv")):
        connection.execute(
            f"CREATE TABLE {path.stem} AS SELECT id AS unique_id, * EXCLUDE (id) "
            f"FROM read_csv('{path}', all_varchar=true)"
        )
        tables.append(api.register(path.stem, dataset_display_name=path.stem))
    columns = [name for name in COMPARISONS if name in connection.table("a").columns]
    compared, sure, trained = (
        [block_on(*rule.split()) for rule in rules.split("|")]
        for rules in next(RULES[one] for one in RULES if one in columns)
    )
    settings = SettingsCreator(
        link_type="dedupe_only" if len(tables) == 1 else "link_only",
        comparisons=[COMPARISONS[name] for name in columns],
        blocking_rules_to_generate_predictions=compared,
    )
    linker = Linker(tables if len(tables) > 1 else tables[0], settings)
    linker.training.estimate_probability_two_random_records_match(sure, recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in trained:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    predicted = linker.inference.predict(threshold_match_probability=0.01)
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(
        predicted, threshold_match_probability=0.95
    )
    rows = connection.execute(
        f"SELECT unique_id, cluster_id FROM {clusters.physical_name}"
    ).fetchall()
    with (directory / "splink.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("id", "cluster"), *rows])


if __name__ == "__main__":
    main()
