"""The figures of Huynh and Mooney (2008), Tables 3 to 7."""

from __future__ import annotations

from workbench.experiments.table import published_figures

__all__ = ["PUBLISHED"]

_COLUMNS = ("amine", "toxic", "acetyl", "memory")

_ACCURACY = {
    "ALCHEMY": (50.1, 54.7, 48.2, 50.0),
    "BUSL": (51.3, 51.7, 55.9, 49.8),
    "ALEPH": (81.6, 81.7, 79.6, 76.0),
    "ALEPH-PSCG": (64.6, 74.7, 78.0, 60.3),
    "ALEPH-ExactL2": (83.5, 87.5, 79.5, 72.6),
    "ALEPH++PSCG": (72.0, 69.9, 76.5, 65.6),
    "ALEPH++ExactL2": (86.8, 89.5, 82.1, 72.9),
    "ALEPH++ExactL1": (89.4, 91.3, 85.1, 77.6),
    "ALCHEMY+transitivity": (50.0, 50.0, 53.0, 50.0),
    "BUSL+transitivity": (52.2, 50.1, 54.1, 50.1),
    "ALEPH-PSCG+transitivity": (61.4, 73.3, 80.4, 58.9),
    "ALEPH-ExactL2+transitivity": (87.0, 88.8, 84.1, 76.5),
    "ALEPH++PSCG+transitivity": (72.9, 68.4, 83.3, 70.1),
    "ALEPH++ExactL2+transitivity": (91.7, 91.4, 88.7, 81.3),
    "ALEPH++ExactL1+transitivity": (90.5, 91.9, 87.6, 81.3),
    "TFOIL": (87.5, 92.1, 82.8, 80.4),
    "kFOIL": (88.8, 89.3, 87.8, 80.2),
    "RUMBLE": (91.1, 91.2, 88.4, 83.2),
    "ALEPH (shipped modes)": (73.6, 77.8, 64.5, 58.3),
}
_AUC = {
    "ALCHEMY": (0.483, 0.622, 0.473, 0.452),
    "BUSL": (0.641, 0.511, 0.588, 0.426),
    "ALEPH-PSCG": (0.846, 0.904, 0.850, 0.744),
    "ALEPH-ExactL2": (0.904, 0.930, 0.850, 0.768),
    "ALEPH++PSCG": (0.777, 0.874, 0.810, 0.737),
    "ALEPH++ExactL2": (0.935, 0.937, 0.899, 0.813),
    "ALEPH++ExactL1": (0.954, 0.939, 0.916, 0.844),
}
_CLAUSES = {
    "ALEPH++": (7061, 2034, 8662, 6524),
    "ALEPH++ExactL2": (5070, 1194, 5427, 4250),
    "ALEPH++ExactL1": (3477, 747, 2433, 2471),
}

PUBLISHED = {
    **published_figures(_COLUMNS, ("accuracy",), _ACCURACY),
    **published_figures(_COLUMNS, ("AUC-ROC",), _AUC),
    **published_figures(_COLUMNS, ("clauses",), _CLAUSES),
}
"""By (system, column, metric); accuracy in percent, clauses as the average number learned (Table 6).

`ALEPH (shipped modes)` is not in the paper: Aleph 5 on SWI-Prolog was measured with the modes that come with the data.
"""
