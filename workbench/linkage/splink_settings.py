"""Splink's saved models: its settings as JSON with trained m and u,
read and weighed as Splink does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from workbench.arrays import Float, Int8
from workbench.errors import InputError, WorkbenchError

LEAST = 1e-300
"""m and u count for no less, as in Splink 5."""
LINK_TYPES = ("dedupe_only", "link_only", "link_and_dedupe")
_EQUAL = re.compile(r'\(*\s*"?([^"=]+?)_([lr])"?\s*=\s*"?([^"=]+?)_([lr])"?\s*\)*', re.IGNORECASE)


@dataclass(frozen=True)
class SplinkLevel:
    """One level of a comparison.

    Attributes
    ----------
    condition : str or None
        SQL over columns `x_l` and `x_r`; None for ELSE.
    weight : float
        log2(m/u); 0 for a level of missing values.
    m, u : float or None
        None for a level of missing values.
    term : str or None
        The column whose values' frequencies adjust the weight.
    term_weight, term_least : float
        How much of the adjustment counts; no frequency counts for less than `term_least`.
    term_u : float
        What frequencies are measured against: u of exact agreement in `term`.
    """

    label: str
    condition: str | None
    weight: float
    m: float | None = None
    u: float | None = None
    term: str | None = None
    term_weight: float = 1.0
    term_least: float = 0.0
    term_u: float = 1.0

    def adjustment(self, left: Float, right: Float) -> Float:
        """What frequencies of two records' values add to the weight; NaN is a missing value."""
        frequency = np.fmax(np.fmax(left, right), self.term_least)
        frequency[np.isnan(left) & np.isnan(right)] = self.term_u
        return np.asarray(self.term_weight * (log2(self.term_u) - np.log2(frequency)))


@dataclass(frozen=True)
class SplinkComparison:
    """Levels of one comparison, the first that holds counts."""

    name: str
    levels: tuple[SplinkLevel, ...]


@dataclass(frozen=True)
class SplinkModel:
    """A trained model.

    Attributes
    ----------
    link_type : {'dedupe_only', 'link_only', 'link_and_dedupe'}
    prior : float
        log2 of the odds that two random records match.
    blocking : tuple of str
        SQL over `l.x` and `r.x`.
    """

    link_type: str
    prior: float
    comparisons: tuple[SplinkComparison, ...]
    blocking: tuple[str, ...]
    id_column: str | None = None

    @property
    def terms(self) -> tuple[str, ...]:
        """Columns whose values' frequencies are needed."""
        return tuple(
            dict.fromkeys(
                level.term for one in self.comparisons for level in one.levels if level.term
            )
        )


def weights_of(
    comparison: SplinkComparison, levels: Int8, frequencies: dict[str, tuple[Float, Float]]
) -> Float:
    """What a comparison adds to the match weight of each pair, in bits.

    Parameters
    ----------
    levels : int8 array, shape (n_pairs,)
    frequencies : dict of str to pair of float64 arrays, shape (n_pairs,)
        Column -> the frequency of the left and of the right record's value, NaN where it is
        missing.
    """
    found = np.array([level.weight for level in comparison.levels])[levels]
    for place, level in enumerate(comparison.levels):
        if level.term:
            left, right = frequencies[level.term]
            rows = np.flatnonzero(levels == place)
            found[rows] += level.adjustment(left[rows], right[rows])
    return np.asarray(found)


def read_splink(text: str, shown: str) -> SplinkModel:
    """Read a model that Splink saved.

    Raises E0674 for what is no such JSON or has parts that are not taken, E0675 for levels without
    m or u.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise _wrong(shown, f"is not JSON: {error}") from None
    if (
        not isinstance(given, dict)
        or not isinstance(given.get("comparisons"), list)
        or not given["comparisons"]
    ):
        raise _wrong(shown, "has no list of comparisons")
    link_type = given.get("link_type")
    if link_type not in LINK_TYPES:
        raise _wrong(shown, f"has link_type {link_type!r}, not one of {', '.join(LINK_TYPES)}")
    prior = _number(given.get("probability_two_random_records_match", 0.0001))
    if prior is None or not 0.0 < prior < 1.0:
        raise _wrong(
            shown, "has a probability_two_random_records_match that is no number between 0 and 1"
        )
    rules = given.get("blocking_rules_to_generate_predictions") or []
    if not isinstance(rules, list):
        raise _wrong(shown, "has blocking_rules_to_generate_predictions that are no list")
    return SplinkModel(
        link_type,
        log2(prior / (1.0 - prior)),
        tuple(_comparison(one, place, shown) for place, one in enumerate(given["comparisons"], 1)),
        tuple(_rule(one, shown) for one in rules),
        given.get("unique_id_column_name", "unique_id"),
    )


def _rule(given: Any, shown: str) -> str:
    if isinstance(given, dict) and given.get("arrays_to_explode"):
        raise _wrong(
            shown, "has a blocking rule over exploded arrays, which cells of text cannot have"
        )
    text = given.get("blocking_rule") if isinstance(given, dict) else given
    if not isinstance(text, str):
        raise _wrong(shown, f"has a blocking rule without a text: {given!r}")
    return text


def _comparison(given: Any, place: int, shown: str) -> SplinkComparison:
    levels = given.get("comparison_levels") if isinstance(given, dict) else None
    if not isinstance(levels, list) or not levels:
        raise _wrong(shown, f"has no list of comparison_levels in comparison {place}")
    name = str(given.get("output_column_name") or f"comparison {place}")
    for number, level in enumerate(levels, 1):
        if not isinstance(level, dict) or not isinstance(level.get("sql_condition"), str):
            raise _wrong(shown, f"has no sql_condition in level {number} of {name}")
    return SplinkComparison(name, tuple(_level(one, levels, name, shown) for one in levels))


def _level(
    given: dict[str, Any], beside: Sequence[dict[str, Any]], name: str, shown: str
) -> SplinkLevel:
    condition: str | None = given["sql_condition"]
    label = str(given.get("label_for_charts") or condition)
    if str(condition).strip().upper() == "ELSE":
        condition = None
    if given.get("is_null_level"):
        return SplinkLevel(label, condition, 0.0)
    m, u = (_trained(given, key, label, name, shown) for key in ("m_probability", "u_probability"))
    level = SplinkLevel(label, condition, log2(max(m, LEAST) / max(u, LEAST)), m, u)
    term = given.get("tf_adjustment_column")
    share, least = (_number(given.get(f"tf_{key}", default)) for key, default in _TERM_DEFAULTS)
    if share is None or least is None:
        raise _wrong(
            shown, f"has a term frequency adjustment that is no number in {label} of {name}"
        )
    if not term or condition is None or share == 0.0:
        return level
    term = str(term).strip('"')
    agreed = u if given.get("disable_tf_exact_match_detection") else _exact_u(beside, term)
    if agreed is None:
        raise _wrong(
            shown,
            f"adjusts {label} of {name} for {term}, and has no level of exact agreement in {term}",
        )
    return SplinkLevel(label, condition, level.weight, m, u, term, share, least, max(agreed, LEAST))


_TERM_DEFAULTS = (("adjustment_weight", 1.0), ("minimum_u_value", 0.0))


def _trained(given: dict[str, Any], key: str, label: str, name: str, shown: str) -> float:
    value = _number(given.get(key))
    if value is None or not 0.0 <= value <= 1.0:
        raise InputError.of(
            "E0675",
            f"{shown}: {label} of {name} has no {key}: that level was not trained",
            help="train it in Splink and save the model again, or write "
            "a probability into the file",
        )
    return value


def _exact_u(levels: Sequence[dict[str, Any]], term: str) -> float | None:
    for level in levels:
        sides = _EQUAL.fullmatch(level["sql_condition"].strip())
        if (
            sides
            and sides[2].lower() != sides[4].lower()
            and {sides[1].lower(), sides[3].lower()} == {term.lower()}
        ):
            return _number(level.get("u_probability"))
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _wrong(shown: str, what: str) -> WorkbenchError:
    return InputError.of(
        "E0674",
        f"{shown} {what}",
        help="give the file that linker.misc.save_model_to_json wrote",
    )
