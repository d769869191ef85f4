"""Graphical models and weighted satisfiability of others: UAI and WCNF files."""

from workbench.interchange.conversion import (
    ClauseProgram,
    as_clauses,
    as_factors,
    as_integer_program,
    write_integer_program,
)
from workbench.interchange.factors import FactorModel
from workbench.interchange.ground import GroundModel, ground_clauses, ground_factors
from workbench.interchange.uai import format_uai, parse_evidence, parse_uai
from workbench.interchange.wcnf import WeightedClauses, format_wcnf, parse_wcnf
