"""Runs of random cases against an oracle; differences are made small and printed."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TypeVar

from tests.differential.dated_checks import check_dated, random_dated_case
from tests.differential.hidden_learning_checks import check_hidden_learning
from tests.differential.learning_checks import check_learning, random_learning_case
from tests.differential.mln_checks import check_mln
from tests.differential.mln_clauses import TooMany
from tests.differential.mln_meaning import TooLarge
from tests.differential.mln_programs import random_mln_case
from tests.differential.model_checks import check_model, random_model_case
from tests.differential.outcome import Difference, Tally
from tests.differential.printed_checks import check_printed, random_printed_case
from tests.differential.product_answers import forget
from tests.differential.psl_checks import check_psl
from tests.differential.psl_programs import random_psl_case
from tests.differential.score_checks import check_scores, random_score_case
from tests.differential.shrinking import Case, smallest
from tests.differential.soft_learner_checks import check_soft_learners
from tests.differential.soft_learning_checks import check_soft_learning, random_soft_case
from tests.differential.soft_update_checks import check_soft_updates
from tests.differential.soft_value_checks import check_soft_values
from tests.differential.soft_value_programs import random_soft_value_case
from tests.differential.soft_value_update_checks import check_soft_value_updates
from tests.differential.study_checks import check_study, random_study_case
from tests.differential.table_checks import check_tables, random_table_case
from tests.differential.update_checks import UpdateCase, check_updates
from tests.differential.value_checks import check_values
from tests.differential.value_programs import random_value_case
from tests.differential.value_update_checks import (
    check_value_updates,
    random_value_update_case,
)
from tests.differential.variants import check_variants
from workbench.errors import WorkbenchError

Some = TypeVar("Some", bound=Case)

REFUSALS = {
    "E0115": "more clauses than the limit",
    "E0306": "a function of an existentially quantified variable",
    "E0326": "the latest date of facts without dates",
}
"""What the languages decline by design; any other refusal is a difference."""

KINDS: dict[str, tuple[Callable[[int], Case], Callable[[Case, Tally], None]]] = {
    "mln": (random_mln_case, check_mln),  # type: ignore[dict-item]
    "learning": (random_learning_case, check_learning),  # type: ignore[dict-item]
    "hidden learning": (random_learning_case, check_hidden_learning),  # type: ignore[dict-item]
    "variants": (random_mln_case, check_variants),  # type: ignore[dict-item]
    "psl": (random_psl_case, check_psl),  # type: ignore[dict-item]
    "values": (random_value_case, check_values),  # type: ignore[dict-item]
    "soft learning": (random_soft_case, check_soft_learning),  # type: ignore[dict-item]
    "soft learners": (random_soft_case, check_soft_learners),  # type: ignore[dict-item]
    "scores": (random_score_case, check_scores),  # type: ignore[dict-item]
    "models": (random_model_case, check_model),  # type: ignore[dict-item]
    "dated": (random_dated_case, check_dated),  # type: ignore[dict-item]
    "soft values": (random_soft_value_case, check_soft_values),  # type: ignore[dict-item]
    "soft updates": (random_psl_case, check_soft_updates),  # type: ignore[dict-item]
    "soft value updates": (random_soft_value_case, check_soft_value_updates),  # type: ignore[dict-item]
    "printed": (random_printed_case, check_printed),
    "studies": (random_study_case, check_study),  # type: ignore[dict-item]
    "tables": (random_table_case, check_tables),  # type: ignore[dict-item]
    "value updates": (random_value_update_case, check_value_updates),  # type: ignore[dict-item]
    "updates": (UpdateCase, check_updates),  # type: ignore[dict-item]
}


SHARES = dict.fromkeys(KINDS, 1) | {"mln": 9, "psl": 5, "learning": 2, "values": 2}
"""How the programs of a run are dealt to the kinds."""


def run_programs(
    kind: str,
    n: int,
    seed: int,
    *,
    seconds: float | None = None,
    shrink: float = 60.0,
    show: bool = True,
) -> Tally:
    """Check cases `seed`, `seed + 1`, ... until `n` of them were compared or time is up."""
    tally = Tally()
    until = None if seconds is None else monotonic() + seconds
    while tally.counts["programs"] < n and (until is None or monotonic() < until):
        tally += run_case(kind, seed, shrink=shrink, show=show)
        seed += 1
    forget()
    return tally


def run_cases(kind: str, seeds: range, *, shrink: float = 30.0) -> Tally:
    """Check the cases of all `seeds`."""
    tally = Tally()
    for seed in seeds:
        tally += run_case(kind, seed, shrink=shrink)
    forget()
    return tally


def run_case(kind: str, seed: int, *, shrink: float, show: bool = True) -> Tally:
    """Check one case; a difference is made small and printed."""
    make, check = KINDS[kind]
    tally = Tally()
    verdict = _verdict(make(seed), check, tally)
    if verdict is None:
        return tally
    forget()
    alone = _verdict(make(seed), check, Tally())
    if alone is None:
        verdict, case = f"after other programs on the same data: {verdict}", make(seed)
    else:
        case = smallest(make(seed), partial(_is_still, check, alone), shrink)
    tally.differences.append((verdict, case.shown()))
    if show:
        print(f"DIFFERENCE {kind} {seed}: {verdict}\n{case.shown()}", file=sys.stderr, flush=True)
    return tally


def _is_still(check: Callable[[Case, Tally], None], verdict: str, case: Case) -> bool:
    found = _verdict(case, check, Tally())
    return found is not None and found.split(":")[0] == verdict.split(":")[0]


def _verdict(case: Case, check: Callable[[Case, Tally], None], tally: Tally) -> str | None:
    """None where all is well; what is not, otherwise."""
    try:
        check(case, tally)
    except (TooLarge, TooMany):
        tally.add("left out: too large for the oracle")
        return None
    except Difference as difference:
        tally.add("programs")
        return str(difference)
    except WorkbenchError as error:
        code = error.diagnostics[0].code
        if code not in REFUSALS:
            tally.add("programs")
            return f"refused {code}: {error.diagnostics[0].message}"
        tally.add(f"declined {code}, {REFUSALS[code]}")
        return None
    except Exception as error:
        tally.add("programs")
        return (
            f"crash {type(error).__name__}: {error} "
            f"({traceback.extract_tb(error.__traceback__)[-1].name})"
        )
    tally.add("programs")
    return None
