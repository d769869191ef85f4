"""Types whose constants a learned program names for all worlds, of which some world lacks one."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.grounding.program_clauses import clauses_of
from workbench.grounding.result import Grounding
from workbench.grounding.stored_domains import StoredDomains
from workbench.grounding.vocabulary import Vocabulary
from workbench.language.clauses import Clause
from workbench.language.terms import Variable


def uneven_types(grounding: Grounding) -> tuple[str, ...]:
    """Types of `+` variables with other constants in other worlds, where that tells.

    A constant that a rule names is one of every world. It tells where the type is one of open
    atoms, or where no negated atom of evidence binds the variable: an atom that no fact lists is
    false.
    """
    origin = grounding.origin
    uneven = StoredDomains(origin.database, origin.vocabulary.worlds).uneven()
    if not uneven:
        return ()
    clauses = clauses_of(origin.database, origin.vocabulary.program, origin.vocabulary.request)
    told = {
        name
        for one in clauses
        if isinstance(one, Clause)
        for name in _telling(one, origin.vocabulary)
    }
    return tuple(sorted(uneven & told))


def _telling(clause: Clause, vocabulary: Vocabulary) -> Iterator[str]:
    open_types = {
        name
        for one, role in vocabulary.roles.items()
        if role.open
        for name in vocabulary.arguments(one)
    }
    bound = {
        term.name
        for literal in clause.literals
        if not literal.positive and not vocabulary.roles[literal.atom.predicate].open
        for term in literal.atom.arguments
        if isinstance(term, Variable)
    }
    for variable, type_name in clause.variable_types:
        if variable in clause.plus and (type_name in open_types or variable not in bound):
            yield type_name
