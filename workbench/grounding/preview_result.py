"""What a preview tells: of each rule, of each scope, of the whole program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.errors import Diagnostic


@dataclass(frozen=True)
class RulePreview:
    """What one rule would become.

    Attributes
    ----------
    rule : str
        Its text.
    ground_rows, unit_groundings : int
        Rows of the network, and entries of `unit`, after merging and before hard rules fix atoms.
    open, satisfied, violated : int
        Groundings with an open atom, satisfied and violated by evidence alone, before merging.
    joins : str
        The relations joined, with their sizes.
    samples : tuple of str
        Ground clauses in logic syntax.
    """

    rule: str
    clauses: int
    ground_rows: int
    unit_groundings: int
    open: int
    satisfied: int
    violated: int
    templates: int
    joins: str
    sql: str
    plan: str
    samples: tuple[str, ...]

    def as_record(self) -> dict[str, object]:
        """JSON-ready fields."""
        return vars(self).copy()


@dataclass(frozen=True)
class ScopePreview:
    """How many atoms of a predicate its scopes keep, and their share of all combinations."""

    atoms: int
    share: float


@dataclass(frozen=True)
class Preview:
    """A program's groundings, rule by rule, and the number of open atoms.

    `definitions` has the number of facts of each predicate that a definition made, `scopes` what
    each scope keeps, `bytes` what the answer is estimated to take in memory.
    """

    rules: tuple[RulePreview, ...]
    atoms: int
    templates: int
    warnings: tuple[Diagnostic, ...] = ()
    definitions: Mapping[str, int] = field(default_factory=dict)
    scopes: Mapping[str, ScopePreview] = field(default_factory=dict)
    bytes: int = 0

    @property
    def ground_rows(self) -> int:
        return sum(rule.ground_rows for rule in self.rules)

    @property
    def unit_groundings(self) -> int:
        return sum(rule.unit_groundings for rule in self.rules)

    def as_record(self) -> dict[str, object]:
        """JSON-ready fields: `rules`, `atoms`, `templates`, `ground_rows`, `bytes`, ..."""
        return {
            "rules": [rule.as_record() for rule in self.rules],
            "atoms": self.atoms,
            "templates": self.templates,
            "ground_rows": self.ground_rows,
            "unit_groundings": self.unit_groundings,
            "bytes": self.bytes,
            "warnings": [warning.as_record() for warning in self.warnings],
            "definitions": dict(self.definitions),
            "scopes": {
                name: {"atoms": one.atoms, "share": one.share} for name, one in self.scopes.items()
            },
        }
