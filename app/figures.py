"""Numbers as people read them: fewer decimals the more digits stand before the point."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import floor, isfinite, log10


def decimals(largest: float, digits: int = 3) -> int:
    """So many decimals below ten, and one less for each further digit before the point."""
    if not isfinite(largest) or abs(largest) < 10:
        return digits
    return max(0, digits - floor(log10(abs(largest))))


def figure(value: float, *, sign: bool = False) -> str:
    """`0.123`, `53,000`; what rounds to nothing has no minus."""
    places = decimals(value)
    return f"{round(value, places) + 0.0:{'+' if sign else ''},.{places}f}"


def decimals_of_weights(sizes: Collection[float], digits: int = 3) -> int:
    """So many that the least weight above nothing has two digits that count, six at most."""
    told = [size for size in sizes if isfinite(size) and size > 0]
    least = 1 - floor(log10(min(told))) if told else digits
    return max(decimals(max(told, default=0.0), digits), min(6, least))


def several(count: int, one: str, many: str = "") -> str:
    """`1 row`, `1,200 rows`; `many` where it takes more than an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def with_short_weight(rule: str) -> str:
    """A rule as it is written, its weight with four digits that count."""
    return re.sub(r"^-?\d+\.\d{4,}(?=[\s:])", lambda weight: f"{float(weight[0]):.4g}", rule)


def spread(score: Mapping[str, float | None]) -> str:
    """A mean over folds with its standard deviation, to the same decimals."""
    mean, deviation = score["mean"], score["sd"]
    if mean is None:
        return "none"
    places = decimals(mean)
    return f"{mean:,.{places}f}" + (f" ± {deviation:,.{places}f}" if deviation is not None else "")


def most_telling(parts: Sequence[tuple[str, float]], total: float) -> tuple[str, float] | None:
    """The largest part of the total's own sign: what speaks against it is no reason for it."""
    side = [part for part in parts if part[1] * total > 0]
    return max(side, key=lambda part: abs(part[1]), default=None)
