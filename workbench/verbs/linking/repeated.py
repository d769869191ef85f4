"""What is said of duplicates within either of two files, which are compared across alone."""

from __future__ import annotations

import numpy as np

from workbench.errors import Diagnostic
from workbench.linkage.repeated import Repeated
from workbench.tables.records import Records


def about_repeated(records: Records, repeated: Repeated | None) -> list[Diagnostic]:
    """That pairs within two files look like one thing and are apart, where these repeat things."""
    if repeated is None:
        return []
    alike, pairs = np.flatnonzero(repeated.alike), repeated.pairs
    left, right = (records.ids[side[alike[0]]] for side in (pairs.left, pairs.right))
    of = [records.sources[place] for place in np.unique(records.source[pairs.left[alike]])]
    number = round(float(repeated.times[alike].sum()))
    about = "" if np.all(repeated.times[alike] == 1.0) else "about "
    return [
        Diagnostic.warning(
            "E0708",
            f"{about}{number:,} pairs within {' and '.join(of)} look like one thing "
            f"({left} and {right}, say), and stay apart: two files are compared across alone",
            help="link each file by itself first, or put both into one file, to find what either "
            "has twice",
        )
    ]
