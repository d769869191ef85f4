"""What both grammars ask of an aggregate."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.errors import Span, nearest
from workbench.language.builtin import AGGREGATES
from workbench.language.program import Aggregate, Condition, Term
from workbench.language.refusal import Refused

__all__ = ["check_aggregate"]


def check_aggregate(name: str, of: Sequence[Term], bodies: Sequence[Sequence[Condition]], span: Span | None) -> None:
    """Refuse an aggregate of another form than `name(terms: conditions)`.

    Raises
    ------
    Refused
        E0151
    """
    if name not in AGGREGATES:
        close = nearest(name, AGGREGATES)
        help = f"did you mean {close}?" if close else f"there are {', '.join(AGGREGATES)}"
        raise Refused("E0151", f"there is no aggregate {name}", span, help)
    if any(isinstance(one, Aggregate) for body in bodies for one in body):
        raise Refused("E0151", "an aggregate stands inside another", span, "define the inner one first")
    if (len(bodies) > 1) != (name == "share"):
        what = "takes two sets of conditions" if name == "share" else "takes one set of conditions"
        raise Refused("E0151", f"{name} {what}", span, "write share(c: Directs(x, c), Closed(c))")
    if len(of) > 1 and name not in ("count", "exists", "share"):
        raise Refused("E0151", f"{name} is taken of one term", span, f"write {name}(a: ...)")
