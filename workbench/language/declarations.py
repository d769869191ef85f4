"""What a program declares: types, predicates and functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.errors import Span
from workbench.language.number_scale import NumberScale
from workbench.language.values import ValueKind, argument_kinds


@dataclass(frozen=True, slots=True)
class Type:
    """A type and the constants declared for it (ranges expanded)."""

    name: str
    constants: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate's declaration.

    Parameters
    ----------
    exactly_one, at_most_one : tuple of int
        Positions marked `!` and `?` in the declaration.
    closed : bool or None
        True for Tuffy's `*` mark and PSL's `closed`; False for PSL's `open`; None when the data
        decide.
    value_last : bool
        The last argument is a number read as a rule weight (`w: !Sim(x,y,w) v Same(x,y)`).
    entities : tuple of int
        Positions whose type is called `number`, `date` or `text` and is an ordinary type with a
        domain all the same.
    numeric : bool
        Declared as `Price(house) = number`: its atoms are numbers to be predicted, normally
        distributed, and the weights of rules add up to their means.
    scale : NumberScale
        Of numbers, what that holds of: `Price(house) = positive_number` of their logarithms.
    """

    name: str
    argument_types: tuple[str, ...]
    exactly_one: tuple[int, ...] = ()
    at_most_one: tuple[int, ...] = ()
    closed: bool | None = None
    value_last: bool = False
    entities: tuple[int, ...] = ()
    numeric: bool = False
    scale: NumberScale = NumberScale.PLAIN
    span: Span | None = field(default=None, compare=False)

    @property
    def arity(self) -> int:
        return len(self.argument_types)

    @property
    def kinds(self) -> tuple[ValueKind | None, ...]:
        """The kind of value of each argument; None for a constant of a domain."""
        return argument_kinds(self.argument_types, self.entities, value_last=self.value_last)

    @property
    def has_values(self) -> bool:
        """Whether some argument is a number, date or text, so that the predicate is evidence."""
        return any(self.kinds)


@dataclass(frozen=True, slots=True)
class Function:
    """A function whose values are given in the data (`mother(person) person`)."""

    name: str
    argument_types: tuple[str, ...]
    return_type: str
    span: Span | None = field(default=None, compare=False)
