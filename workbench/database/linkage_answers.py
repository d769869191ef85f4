"""What people look at in a kept linkage and say of it: clusters, doubtful pairs, answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.database.kept_linkage import KeptLinkage

if TYPE_CHECKING:
    import pyarrow

_THERE = "(SELECT number FROM {0}.record)"


def answered_pairs(store: KeptLinkage) -> list[tuple[int, int, bool]]:
    """Pairs of kept records whose answer was given: lower, upper, same; the latest last."""
    return store.rows(
        f"SELECT lower, upper, same FROM {{0}}.label WHERE lower IN {_THERE} AND upper IN {_THERE} "
        "ORDER BY rowid"
    )


def put_answer(store: KeptLinkage, lower: int, upper: int, same: bool | None) -> None:
    """Give a pair its answer, in place of an earlier one; None takes it back."""
    pair = {"lower": lower, "upper": upper}
    store.rows("DELETE FROM {0}.label WHERE lower = $lower AND upper = $upper", **pair)
    if same is not None:
        given = "SELECT $lower AS lower, $upper AS upper, $same AS same"
        store.rows(f"INSERT INTO {{0}}.label BY NAME {given}", **pair, same=same)


def doubtful_pairs(store: KeptLinkage) -> list[tuple[int, int, float]]:
    """Pairs of kept records that are worth asking about: lower, upper, log odds."""
    if not store.has("doubt"):
        return []
    return store.rows(
        f"SELECT lower, upper, log_odds FROM {{0}}.doubt WHERE lower IN {_THERE} AND upper IN "
        f"{_THERE} ORDER BY rowid"
    )


def expected_from(store: KeptLinkage) -> list[tuple[float, int, float, float]]:
    """Of each threshold: pairs from there on, their expected precision and recall."""
    if not store.has("curve"):
        return []
    return store.rows("SELECT threshold, pairs, precision, recall FROM {0}.curve ORDER BY 1")


def clusters_of_two(store: KeptLinkage, search: str, most: int) -> pyarrow.Table:
    """cluster, records, energy of clusters of two records and more, of one where it is searched
    for; the largest first.

    The energy is that of their component: above 0 where its pairs contradict one another.

    `search`: part of an id or a value of a record in them; empty for all.
    """
    columns = [name for name, *_ in store.rows("DESCRIBE {0}.record") if name.startswith("f")]
    said = f"concat_ws(' ', id, {', '.join(columns)})" if columns else "id"
    sql = store.sql(
        "SELECT cluster, count(*) AS records, coalesce(max(energy), 0) AS energy "
        "FROM {0}.record LEFT JOIN {0}.component USING (component) GROUP BY cluster "
        "HAVING (count(*) > 1 OR $search <> '') "
        f"AND bool_or(contains(lower({said}), lower($search))) "
        "ORDER BY records DESC, cluster LIMIT $most"
    )
    asked = {"search": search, "most": most}
    return store.connection.sql(sql, params=asked).to_arrow_table()
