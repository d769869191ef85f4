"""The predicates that a PSL document declares, each a signature and its description."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.errors import nearest
from workbench.language.declarations import Predicate
from workbench.language.psl_document import ANY_TYPE, PARTITIONS
from workbench.language.psl_document_faults import DocumentFaults

__all__ = ["PredicateReading"]

_OF_PREDICATES = (
    *PARTITIONS,
    "evaluations",
    "types",
    "arity",
    "type",
    "options",
    "function",
    "model",
    "args",
)

MOST_ARGUMENTS = 1_000
"""Arguments of a predicate that a document may declare."""


class PredicateReading(DocumentFaults):
    """Reads declarations, and notes what is wrong with them."""

    def predicate(self, signature: str, description: object) -> Predicate | None:
        name, _, digits = signature.partition("/")
        words: list[object] = list(description) if isinstance(description, list) else [description]
        marks = {str(word).casefold() for word in words if isinstance(word, str)}
        options = {
            key: value for word in words if isinstance(word, Mapping) for key, value in word.items()
        }
        types = options.get("types")
        if not isinstance(types, list | type(None)) or not re.fullmatch(r"[^\W\d]\w*", name):
            self.note(
                f"`{signature}` is no name and number of arguments",
                signature,
                "as in `Knows/2: open`",
            )
            return None
        arity = (
            int(digits) if digits.isdigit() else options.get("arity", len(types) if types else None)
        )
        if not isinstance(arity, int):
            self.note(
                f"`{signature}` does not say how many arguments it takes",
                signature,
                f"write {name}/2",
            )
            return None
        if not 0 <= arity <= MOST_ARGUMENTS:
            self.note(
                f"`{signature}` takes more than {MOST_ARGUMENTS} arguments, or fewer than none",
                signature,
            )
            return None
        if types and len(types) != arity:
            self.note(
                f"`{signature}` has {arity} arguments and lists {len(types)} types", signature
            )
        kind = str(options.get("type") or "standard")
        if options.get("function") or options.get("model"):
            self.note(
                f"{name} is computed by code, which is not supported",
                signature,
                "load its values as a table",
            )
        elif kind.rsplit(".", 1)[-1].casefold().removesuffix("predicate") not in (
            "standard",
            "unspecified",
        ):
            known = "standard predicates alone are; load the values of this one as observations"
            self.note(
                f"{name} is a predicate of type `{kind}`, which is not supported", kind, known
            )
        for key in options:
            if str(key) not in _OF_PREDICATES:
                close = nearest(str(key), _OF_PREDICATES)
                hint = (
                    f"did you mean {close}?"
                    if close
                    else f"the keys are {', '.join(_OF_PREDICATES[:6])}"
                )
                self.note(f"`{key}` says nothing about {name}", str(key), hint)
        closed = True if "closed" in marks else False if "open" in marks else None
        if closed is None and isinstance(description, Mapping):
            closed = not description.get("targets")
        unknown = marks - {"closed", "open", "block"}
        if unknown:
            self.note(
                f"`{sorted(unknown)[0]}` says nothing about a predicate",
                signature,
                "write `open` or `closed`",
            )
        return Predicate(
            name, tuple(map(str, types)) if types else (ANY_TYPE,) * arity, closed=closed
        )
