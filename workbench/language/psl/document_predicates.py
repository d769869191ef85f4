"""The predicates that a PSL document declares, each a signature and its description."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.errors import did_you_mean
from workbench.language.declarations import Predicate
from workbench.language.psl.document import PARTITIONS
from workbench.language.psl.document_faults import DocumentFaults
from workbench.language.psl.types import ANY_TYPE

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
        name = signature.partition("/")[0]
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
        arity = self._arity(signature, options)
        if arity is None:
            return None
        if types and len(types) != arity:
            self.note(
                f"`{signature}` has {arity} arguments and lists {len(types)} types", signature
            )
        self._check_kind(signature, options)
        for key in options:
            self._check_key(name, str(key))
        closed = True if "closed" in marks else False if "open" in marks else None
        if closed is None and isinstance(description, Mapping):
            listed = any(part in description for part in PARTITIONS)
            closed = not description.get("targets") if listed else None
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

    def _arity(self, signature: str, options: Mapping[object, object]) -> int | None:
        """How many arguments a predicate takes: of its signature, else as said beside it."""
        name, _, digits = signature.partition("/")
        types = options.get("types")
        listed = len(types) if isinstance(types, list) and types else None
        arity = int(digits) if digits.isdigit() else options.get("arity", listed)
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
        return arity

    def _check_kind(self, signature: str, options: Mapping[object, object]) -> None:
        """Note a predicate whose values PSL has from elsewhere than facts."""
        name, kind = signature.partition("/")[0], str(options.get("type") or "standard")
        short = kind.rsplit(".", 1)[-1].casefold().removesuffix("predicate")
        if options.get("function") or options.get("model"):
            self.note(
                f"{name} is computed by code, which is not supported",
                signature,
                "load its values as a table",
            )
        elif short not in ("standard", "unspecified"):
            self.note(
                f"{name} is a predicate of type `{kind}`, which is not supported",
                kind,
                "standard predicates alone are; load the values of this one as observations",
            )

    def _check_key(self, name: str, key: str) -> None:
        if key in _OF_PREDICATES:
            return
        keys = f"the keys are {', '.join(_OF_PREDICATES[:6])}"
        hint = did_you_mean(key, _OF_PREDICATES, keys)
        self.note(f"`{key}` says nothing about {name}", key, hint)
