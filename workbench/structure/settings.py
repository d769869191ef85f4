"""Parameters of the clause search, by Aleph's names, meanings and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_type_hints

import numpy as np

from workbench.errors import UsageError, nearest
from workbench.parameters import SignedOrInfinite, read_parameters
from workbench.structure.scores import EVALUATION_FUNCTIONS


@dataclass(frozen=True)
class SearchSettings:
    """Parameters of the search, by Aleph's names, meanings and defaults.

    `caching` has no switch: covers are always cached, by canonical form. Aleph's `depth`,
    `proof_strategy` and other settings of its prover have no meaning here, where bodies are joins.

    Parameters
    ----------
    i : int
        Layers of the bottom clause.
    clauselength : int
        Most literals of a clause, the head counted.
    minpos : int
        Fewest positives an acceptable clause covers; a clause below it is not refined either.
    noise : int
        Most negatives an acceptable clause covers.
    minacc : float
        Least accuracy of an acceptable clause.
    minscore : float
        Least score of an acceptable clause.
    nodes : int
        Most clauses evaluated for one seed.
    search : {'bf', 'df', 'heuristic'}
        Shortest clause first (within a length the best score first), longest first, best score
        first.
    openlist : int
        Beam: the most open nodes kept; 0 for no limit.
    evalfn : str
        A key of `EVALUATION_FUNCTIONS`, or `fitted_m`: the m-estimate with m fitted to the first
        seed's clauses.
    explore : bool
        Go on with clauses that no refinement can lift above the best so far.
    m, prior : float or None
        Of the m-estimate; `prior` None for the share of positives.
    collect : float or None
        Keep every acceptable clause that scores more, on the way (the `++` of Huynh and Mooney
        2008).
    """

    i: int = 2
    clauselength: int = 4
    minpos: int = 1
    noise: int = 0
    minacc: float = 0.0
    minscore: SignedOrInfinite = -np.inf
    nodes: int = 5000
    search: Literal["bf", "df", "heuristic"] = "bf"
    openlist: int = 0
    evalfn: str = "coverage"
    explore: bool = False
    m: float = 2.0
    prior: float | None = None
    collect: SignedOrInfinite | None = None

    def __post_init__(self) -> None:
        if self.evalfn not in (*EVALUATION_FUNCTIONS, "fitted_m"):
            close = nearest(self.evalfn, (*EVALUATION_FUNCTIONS, "fitted_m"))
            raise UsageError.of(
                "E0610",
                f"there is no evaluation function `{self.evalfn}`",
                help=f"did you mean `{close}`?"
                if close
                else f"choose one of {', '.join(EVALUATION_FUNCTIONS)}",
            )
        if self.search not in ("bf", "df", "heuristic"):
            raise UsageError.of(
                "E0610", f"there is no search `{self.search}`", help="choose from bf, df, heuristic"
            )
        if self.clauselength < 2 or self.i < 1 or self.nodes < 1:
            raise UsageError.of("E0610", "clauselength is at least 2, i and nodes at least 1")

    @classmethod
    def read(
        cls, settings: Mapping[str, str], given: Mapping[str, object], collect: float | None = None
    ) -> SearchSettings:
        """Settings of an ILP file, those given winning over them.

        Names of the file that mean nothing here are left out (`unused`); given ones are refused.

        Raises E0610 for a setting that does not exist or a value of the wrong kind.
        """
        known = {entry.name for entry in fields(cls)}
        stated = {name: text for name, text in settings.items() if name in known}
        values = {name: _unlimited(name, value) for name, value in {**stated, **given}.items()}
        if collect is not None:
            values["collect"] = collect
        return cls(**cast(Any, read_parameters(cls, values, "the search", "E0610")))

    @classmethod
    def unused(cls, settings: Mapping[str, str]) -> dict[str, str]:
        """Settings of an ILP file that have no effect here, with the reason."""
        known = {entry.name for entry in fields(cls)}
        return {
            name: _UNUSED.get(name, "is no parameter of this search")
            for name in settings
            if name not in known
        }


_UNUSED = {
    "caching": "covers are always cached",
    "cache_clauselength": "covers of every length are cached",
    "depth": "bodies are joins, so proofs have no depth",
    "proof_strategy": "bodies are joins, not proofs",
    "prooftime": "bodies are joins, not proofs",
    "verbosity": "progress is shown on standard error",
    "minposfrac": "give minpos",
    "max_vars": "clauselength bounds the variables",
    "max_clauses": "the covering loop ends when all positives are covered",
}


def _unlimited(name: str, value: object) -> object:
    """Aleph's `inf` where a whole number is wanted: no limit."""
    whole = get_type_hints(SearchSettings).get(name) is int
    if whole and (value == np.inf or value in ("inf", "+inf")):
        return 0 if name == "openlist" else 2**31 - 1
    return value


def check_range(parameters: Any, **least: float) -> None:
    """Refuse (`E0610`) parameters of a search below what is named, and any other number below 0."""
    for entry in fields(parameters):
        value = getattr(parameters, entry.name)
        if isinstance(value, int | float) and value < least.get(entry.name, 0):
            raise UsageError.of(
                "E0610", f"{entry.name} is at least {least.get(entry.name, 0)}, not {value}"
            )
