"""Where rows are, and which are near to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Place:
    """Two columns that say where a row is: degrees north and east, or x and y in the plane.

    Attributes
    ----------
    of : str
        Which of several places of a row it is, as its columns are called: `pickup`.
    """

    first: str
    second: str
    on_globe: bool = True
    of: str = ""

    @property
    def distance(self) -> Literal["km", "apart"]:
        """The function of two such places."""
        return "km" if self.on_globe else "apart"


@dataclass(frozen=True)
class Near:
    """That one row is within a distance of another, by a place of each."""

    here: Place
    there: Place
    within: float = 0.0
