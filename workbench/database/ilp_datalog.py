"""Background clauses of ILP files read as Datalog: with negation and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.errors import Diagnostic, InputError, WorkbenchError
from workbench.language.ilp.problem import BackgroundClause, IlpProblem
from workbench.language.ilp.terms import Compound, LogicVariable, Symbol, Term, subterms, term_text

Key = tuple[str, int]
"""A predicate by name and arity."""

COMPARISONS = frozenset(("<", ">", "=<", ">=", "=:=", "=\\=", "=", "==", "\\=", "\\==", "!="))
_TYPE_TESTS = {"number": "number", "integer": "integer", "float": "number", "atom": "name"}


@dataclass(frozen=True)
class TypeDomain:
    """The constants of a mode's type, over which a variable ranges that no literal binds.

    `threshold`: the place is a constant (`#`), so that few values of many will do.
    """

    type: str
    threshold: bool

    @property
    def key(self) -> Key:
        """A name for its table that no predicate has."""
        return (f"{'threshold' if self.threshold else 'type'} {self.type}", 1)


@dataclass(frozen=True)
class DatalogClause:
    """A background clause as a join.

    Attributes
    ----------
    positive, negative : tuples of (key, terms)
    comparisons : tuple of (operator, left, right)
    tests : tuple of ('number' | 'integer' | 'name', term)
        What a term has to be.
    domains : tuple of TypeDomain
        Of the variables that nothing else binds; each has a literal of its key among `positive`.
    commits : set of (test, argument place), or None
        It holds a cut behind tests of instantiation and these, so no later clause of its predicate
        is tried where the arguments pass them.
    """

    head: Key
    head_terms: tuple[Term, ...]
    positive: tuple[tuple[Key, tuple[Term, ...]], ...]
    negative: tuple[tuple[Key, tuple[Term, ...]], ...]
    comparisons: tuple[tuple[str, Term, Term], ...]
    tests: tuple[tuple[str, Term], ...]
    source: BackgroundClause
    domains: tuple[TypeDomain, ...] = ()
    commits: frozenset[tuple[str, int]] | None = None

    def tests_of_places(self, tests: Iterable[tuple[str, Term]]) -> frozenset[tuple[str, int]]:
        """Of some tests those of arguments, each with the argument's place."""
        return frozenset(
            (kind, place)
            for kind, tested in tests
            for place, term in enumerate(self.head_terms)
            if term == tested
        )


def datalog_clauses(problem: IlpProblem) -> list[DatalogClause]:
    """The clauses that some mode reaches, in source order; a system would never call the others.

    Prolog's tests are read as of a call whose arguments are all given, which is how a clause is
    tested on an example: `var(X)` and `nonvar(X)` say nothing, and behind a cut that follows such
    tests no later clause counts; behind `number(X), !` none that asks for a number as well.

    Raises E0220, for each clause that is no Datalog.
    """
    types = problem.argument_types()
    modes = {(mode.predicate, mode.arity): mode for mode in problem.modes if not mode.head}
    thresholds = {
        (mode.predicate, place)
        for mode in problem.modes
        for place, argument in enumerate(mode.arguments)
        if argument.mark == "#"
    }
    found: list[DatalogClause] = []
    faults: list[Diagnostic] = []
    cuts: dict[Key, frozenset[tuple[str, int]]] = {}
    for clause in _reached(problem, modes):
        try:
            read = _datalog(clause)
            if read.head in cuts:
                if cuts[read.head] <= read.tests_of_places(read.tests):
                    continue
                raise declined(clause, "may stand behind the cut of an earlier clause")
            if read.commits is not None:
                cuts[read.head] = read.commits
            given = types.get(read.head[0], ()) if read.head in modes else ()
            found.append(_bound(read, given, thresholds))
        except WorkbenchError as error:
            faults += error.diagnostics
    if faults:
        raise InputError(faults)
    return found


def declined(clause: BackgroundClause, why: str) -> WorkbenchError:
    """The error for a clause that is no Datalog."""
    return InputError.of(
        "E0220",
        f"the background clause for `{term_text(clause.head)}` {why}",
        span=clause.span,
        help="background clauses are evaluated as Datalog; give the predicate as ground facts "
        "instead",
    )


def _key(term: Term) -> Key:
    return (
        (term.functor, len(term.arguments)) if isinstance(term, Compound) else (term_text(term), 0)
    )


def _reached(problem: IlpProblem, modes: Mapping[Key, object]) -> list[BackgroundClause]:
    """The clauses of predicates that a body mode names, and of those that these call."""
    calls: dict[Key, set[Key]] = {}
    for clause in problem.clauses:
        called = {_key(part) for literal in clause.body for part in subterms(literal)}
        calls.setdefault(_key(clause.head), set()).update(called)
    reached: set[Key] = set()
    pending = [key for key in modes if key[0] in problem.body_predicates]
    while pending:
        key = pending.pop()
        if key not in reached:
            reached.add(key)
            pending += calls.get(key, ())
    return [clause for clause in problem.clauses if _key(clause.head) in reached]


def _datalog(clause: BackgroundClause) -> DatalogClause:
    def atom(term: Term) -> tuple[Key, tuple[Term, ...]]:
        if isinstance(term, Symbol):
            return (term.name, 0), ()
        if not isinstance(term, Compound):
            raise declined(clause, "calls a variable")
        for argument in term.arguments:
            if isinstance(argument, Compound) and variables([argument]):
                raise declined(clause, f"has the function term `{term_text(argument)}`")
        return (term.functor, len(term.arguments)), term.arguments

    positive: list[tuple[Key, tuple[Term, ...]]] = []
    negative: list[tuple[Key, tuple[Term, ...]]] = []
    comparisons: list[tuple[str, Term, Term]] = []
    tests: list[tuple[str, Term]] = []
    body, passed = _without_cut(clause)
    for literal in body:
        match literal:
            case Symbol("true"):
                continue
            case Compound("var" | "nonvar" | "ground", (_,)) | Compound(
                "\\+" | "not", (Compound("var", (_,)),)
            ):
                continue
            case Compound(("number" | "integer" | "float" | "atom") as name, (term,)):
                tests.append((_TYPE_TESTS[name], term))
            case Compound("\\+" | "not", (negated,)):
                negative.append(atom(negated))
            case Compound(operator, (left, right)) if operator in COMPARISONS:
                if isinstance(left, Compound) or isinstance(right, Compound):
                    raise declined(clause, f"computes in `{term_text(literal)}`")
                comparisons.append((operator, left, right))
            case Compound((";" | "->" | "is" | "=..") as name):
                raise declined(clause, f"uses `{name}`")
            case _:
                positive.append(atom(literal))
    head, head_terms = atom(clause.head)
    read = DatalogClause(
        head, head_terms, tuple(positive), tuple(negative), tuple(comparisons), tuple(tests), clause
    )
    return read if passed is None else replace(read, commits=read.tests_of_places(passed))


def _without_cut(
    clause: BackgroundClause,
) -> tuple[tuple[Term, ...], list[tuple[str, Term]] | None]:
    """The body without its cut, and behind which tests of arguments that shuts out later clauses.

    None where it shuts out none; cuts of other kinds are declined.
    """
    cuts = [place for place, literal in enumerate(clause.body) if literal == Symbol("!")]
    if not cuts:
        return clause.body, None
    before, after = clause.body[: cuts[0]], clause.body[cuts[0] + 1 :]
    passed = [literal for literal in before if not _is_instantiation(literal)]
    # A last cut only spares a system the later clauses.
    if len(cuts) == 1 and passed and not after and all(map(_is_test, passed)):
        return before, None
    tests = [
        (_TYPE_TESTS[literal.functor], literal.arguments[0])
        for literal in passed
        if isinstance(literal, Compound)
        and literal.functor in _TYPE_TESTS
        and literal.arguments[0] in subterms(clause.head)
    ]
    if len(cuts) == 1 and len(tests) == len(passed):
        return before + after, tests
    raise declined(clause, "has a cut")


def _is_instantiation(literal: Term) -> bool:
    match literal:
        case Compound("\\+" | "not", (Compound("var", (_,)),)) | Compound(
            "var" | "nonvar" | "ground", (_,)
        ):
            return True
    return False


def _is_test(literal: Term) -> bool:
    if not isinstance(literal, Compound):
        return False
    compared = literal.functor in COMPARISONS and len(literal.arguments) == 2
    return compared or literal.functor in _TYPE_TESTS or _is_instantiation(literal)


def _bound(
    clause: DatalogClause, types: Sequence[str], thresholds: set[tuple[str, int]]
) -> DatalogClause:
    """The clause with each variable bound: by a literal, an equation, or its type's constants."""
    clause = _unified(clause)
    bound = {name for _, terms in clause.positive for name in variables(terms)}
    tested = [
        *(term for _, left, right in clause.comparisons for term in (left, right)),
        *(t for _, t in clause.tests),
    ]
    needed = variables(clause.head_terms) | variables(tested)
    domains: dict[str, TypeDomain] = {}
    for place, (term, name) in enumerate(zip(clause.head_terms, types)):
        # A head variable without any condition is a slip.
        computed = clause.comparisons or clause.tests
        if isinstance(term, LogicVariable) and term.name not in bound and computed:
            threshold = (clause.head[0], place) in thresholds
            domains.setdefault(term.name, TypeDomain(name, threshold))
    free = needed - bound - set(domains)
    if free:
        raise declined(clause.source, f"leaves the variable {sorted(free)[0]} unbound")
    ranges = tuple((domain.key, (LogicVariable(name),)) for name, domain in domains.items())
    return replace(clause, positive=clause.positive + ranges, domains=tuple(domains.values()))


def _unified(clause: DatalogClause) -> DatalogClause:
    """`X = t` with a variable X that no literal binds, carried out."""
    bound = {name for _, terms in clause.positive for name in variables(terms)}
    for equation in clause.comparisons:
        operator, left, right = equation
        for variable, term in ((left, right), (right, left)):
            if (
                operator not in ("=", "==")
                or not isinstance(variable, LogicVariable)
                or variable.name in bound
            ):
                continue

            def put(term: Term, old: Term = variable, new: Term = term) -> Term:
                return new if term == old else term

            rest = tuple(
                (o, put(a), put(b)) for o, a, b in clause.comparisons if (o, a, b) != equation
            )
            return _unified(
                replace(
                    clause,
                    head_terms=tuple(map(put, clause.head_terms)),
                    negative=tuple((key, tuple(map(put, terms))) for key, terms in clause.negative),
                    comparisons=rest,
                    tests=tuple((kind, put(tested)) for kind, tested in clause.tests),
                )
            )
    return clause


def variables(terms: Iterable[Term]) -> set[str]:
    """The names of the variables in the terms."""
    return {
        part.name for term in terms for part in subterms(term) if isinstance(part, LogicVariable)
    }
