"""What a condition over pairs of records may be: one expression of columns, constants and calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb

from workbench.errors import InputError, WorkbenchError, did_you_mean

_CLASSES = frozenset(
    "BETWEEN CASE CAST COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION OPERATOR TYPE".split()
)
FUNCTIONS = frozenset(
    "+ - * / // % ** ^ || ~~ !~~ ~~* !~~* ~~~ abs acos array_cosine_similarity array_intersect "
    "array_length array_to_string asin atan atan2 ceil concat "
    "concat_ws contains cos damerau_levenshtein date_diff date_part datediff datepart date_sub "
    "datesub date_trunc day degrees editdist3 ends_with epoch exp floor greatest hamming ifnull "
    "initcap jaccard jaro_similarity jaro_winkler_similarity lcase least left len length "
    "levenshtein list_contains list_cosine_similarity list_has_all list_has_any list_intersect "
    "list_value ln log log10 log2 lower lpad ltrim mismatches month nullif pow power "
    "prefix radians regexp_extract regexp_full_match regexp_matches regexp_replace replace reverse "
    "right round rpad rtrim sign sin split_part sqrt starts_with strip_accents strlen strptime "
    "strpos substr substring suffix tan to_days translate trim trunc try_strptime ucase unaccent "
    "upper year "
    "array_extract to_months to_years isnan isfinite".split()
)
"""All that a condition may call: each depends on its arguments alone."""


def check_condition(
    connection: duckdb.DuckDBPyConnection, condition: str, where: str, known: set[str], help: str
) -> None:
    """Refuse all but one expression over the columns, as DuckDB's own parser reads it.

    Parameters
    ----------
    where : str
        What the condition is of, for people.
    known : set of str
        Names of columns, in lower case.
    help : str
        What is said where a name is like none of them.
    """
    sql = f"SELECT (\n{condition}\n)"
    answer = connection.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchall()
    parsed = json.loads(answer[0][0])
    if parsed.get("error"):
        raise unusable(where, str(parsed.get("error_message")))
    if not _is_plain(parsed["statements"]):
        raise unusable(where, "it is no single expression")
    for part in _parts(parsed["statements"][0]["node"]["select_list"][0]):
        _check_part(part, where, known, help)


def _is_plain(statements: list[Any]) -> bool:
    """Whether what was parsed selects one expression and does nothing else."""
    node = statements[0]["node"]
    clauses = ("where_clause", "having", "qualify", "sample", "group_expressions", "modifiers")
    return (
        len(statements) == 1
        and node["type"] == "SELECT_NODE"
        and node["from_table"]["type"] == "EMPTY"
        and len(node["select_list"]) == 1
        and not any(node[clause] for clause in clauses)
        and not node["cte_map"]["map"]
    )


def _check_part(part: dict[str, Any], where: str, known: set[str], help: str) -> None:
    if part["class"] not in _CLASSES:
        raise unusable(
            where, f"it has a {part['class'].lower()}: columns, constants and calls are taken"
        )
    if part["class"] == "FUNCTION" and (name := part["function_name"].lower()) not in FUNCTIONS:
        raise unusable(
            where, f"it calls {name}, which is not among the functions that conditions may call"
        )
    if (
        part["class"] == "COLUMN_REF"
        and (named := ".".join(part["column_names"])).lower() not in known
    ):
        raise unknown_column(named, where, did_you_mean(named, sorted(known), help))


def _parts(node: Any) -> Iterator[dict[str, Any]]:
    """Every expression in a parsed one."""
    if isinstance(node, list):
        for item in node:
            yield from _parts(item)
    elif isinstance(node, dict):
        if "class" in node:
            yield node
        for item in node.values():
            yield from _parts(item)


def unusable(where: str, what: str) -> WorkbenchError:
    """The refusal of a condition."""
    return InputError.of(
        "E0676",
        f"the condition of {where} cannot be used: {what}",
        help="conditions are one expression in DuckDB's SQL over the two records' columns; "
        "rewrite it in the file",
    )


def unknown_column(column: str, where: str, help: str | None) -> WorkbenchError:
    """The refusal of a column that is not there."""
    return InputError.of(
        "E0677", f"{where} names {column}, and the records have no such column", help=help
    )
