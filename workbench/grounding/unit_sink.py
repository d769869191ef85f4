"""Groundings with one open atom, summed by atom and template."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Float


@dataclass
class UnitSink:
    """Groundings with one open atom, summed by atom and template.

    Attributes
    ----------
    constant : float64 array, shape (n_templates,)
        Summed potential at y = 0.
    scale_sums : float64 array, shape (n_templates, 2)
        Summed scale of positive and of negative (absolute) scale.
    """

    n_atoms: int
    n_templates: int
    constant: Float = field(init=False)
    scale_sums: Float = field(init=False)
    _entries: list[tuple[Array, Array, Float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.constant = np.zeros(self.n_templates)
        self.scale_sums = np.zeros((self.n_templates, 2))

    def add(
        self,
        atoms: Array,
        template: int | Array,
        scale: float | Float,
        slope: float | Float,
        b: float | Float,
    ) -> None:
        """Potentials `b + slope * y >= 0`, each times its scale; numbers stand for all."""
        if not atoms.size:
            return
        templates = np.broadcast_to(np.asarray(template, np.int32), atoms.shape)
        changes = np.broadcast_to(
            -np.asarray(slope, np.float64) * np.asarray(scale, np.float64), atoms.shape
        )
        self._entries.append((atoms, templates, changes))
        for column, sign in ((0, 1.0), (1, -1.0)):
            self.scale_sums[:, column] += self._total(
                templates, np.maximum(sign * np.asarray(scale), 0.0)
            )
        self.constant += self._total(
            templates, np.asarray(b, np.float64) * np.asarray(scale, np.float64)
        )

    def _total(self, templates: Array, values: Float) -> Float:
        """Sums of values (one, or one an entry) by template."""
        if np.ndim(values) == 0:
            return np.asarray(
                np.bincount(templates, minlength=self.n_templates) * float(values), np.float64
            )
        return np.asarray(np.bincount(templates, values, minlength=self.n_templates), np.float64)

    def matrix(self) -> csr_array:
        """The change of the satisfied count, shape (n_atoms, n_templates); equal entries summed."""
        from scipy.sparse import coo_array

        if not self._entries:
            return csr_array((self.n_atoms, self.n_templates), dtype=np.float64)
        index = np.int32 if max(self.n_atoms, self.n_templates) < 2**31 - 1 else np.int64
        atoms = np.concatenate([part for part, _, _ in self._entries]).astype(index, copy=False)
        templates = np.concatenate([part for _, part, _ in self._entries]).astype(index, copy=False)
        change = np.concatenate([part for _, _, part in self._entries])
        self._entries.clear()
        entries: Any = (change, (atoms, templates))
        matrix = coo_array(entries, shape=(self.n_atoms, self.n_templates)).tocsr()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return csr_array(matrix)
