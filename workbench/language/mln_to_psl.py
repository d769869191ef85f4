"""A Markov logic network as PSL rules, equal on Boolean states up to a constant.

A clause of weight w >= 0 is the PSL rule of the same literals. A clause `l1 v ... v ln` of negative
weight costs |w| while it holds, and it holds in exactly one of n ways: l1; !l1 ^ l2; !l1 ^ !l2 ^
l3; and so on. Each way is a conjunction, whose denial is a clause: n rules of weight |w| (Bach et
al. 2017, section 2, on what hinge-loss potentials can express over Boolean variables).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.errors import Span
from workbench.language.builtin import negated_operator
from workbench.language.clausal import clausal_form
from workbench.language.clauses import Clause
from workbench.language.declarations import Predicate
from workbench.language.program import (
    ArithmeticRule,
    Cardinality,
    LinearTerm,
    LogicalRule,
    Program,
    Weight,
)
from workbench.language.psl.types import with_declarations
from workbench.language.source import Diagnostics
from workbench.language.terms import (
    Atom,
    Comparison,
    Constant,
    Literal,
    SumVariable,
    Term,
    Variable,
)


@dataclass(frozen=True)
class PslTranslation:
    """PSL rules that equal a Markov logic network on Boolean states.

    Attributes
    ----------
    program : Program
        In PSL. Every ground atom of an open predicate must be listed as a target.
    domains : mapping of type name to predicate name
        Closed predicates that must hold of every constant of the type: they bind variables that
        only unbound literals hold, as Markov logic grounds over whole domains.
    """

    program: Program
    domains: Mapping[str, str]


def mln_to_psl(program: Program) -> PslTranslation:
    """Translate weighted and hard clauses, `!` and `?` declarations into PSL.

    All soft formulas have numbers for weights. A clause of k literals gives one rule when its
    weight is not negative, k otherwise.

    Raises E0129 for each construct that PSL cannot express: functions, order comparisons, weights
    to be learned or from data, existential quantifiers under a negative weight.
    """
    diagnostics = Diagnostics(program.sources)
    translator = _Translator(program)
    for clause in clausal_form(program):
        assert isinstance(clause, Clause)
        try:
            translator.clause(clause)
        except _Inexpressible as problem:
            diagnostics.add("E0129", problem.message, clause.span, problem.help)
    for name in sorted(program.numeric):
        help_text = "soft logic's values lie between 0 and 1"
        diagnostics.add(
            "E0129", f"{name} is a number to be predicted", program.predicates[name].span, help_text
        )
    translator.blocks()
    diagnostics.raise_errors()
    rules = tuple(replace(rule, text="") for rule in translator.rules)
    predicates = [
        replace(p, exactly_one=(), at_most_one=(), span=None) for p in program.predicates.values()
    ]
    predicates += [
        Predicate(name, (type_name,), closed=True) for type_name, name in translator.domains.items()
    ]
    psl = with_declarations(Program("psl", {}, {}, {}, rules), predicates)
    return PslTranslation(psl, translator.domains)


@dataclass
class _Inexpressible(Exception):
    message: str
    help: str | None = None


class _Translator:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.rules: list[LogicalRule | ArithmeticRule] = []
        self.domains: dict[str, str] = {}

    def clause(self, clause: Clause) -> None:
        refuse_inexpressible(clause)
        scale = clause.share if clause.tied else 1.0
        value = None if clause.weight is None else clause.weight * scale
        if value == 0.0:
            return
        names = PslNames([name for name, _ in clause.variable_types])
        literals = [names.literal(literal) for literal in clause.literals]
        conditions = [
            Comparison(
                negated_operator(guard.operator), names.term(guard.left), names.term(guard.right)
            )
            for guard in clause.guards
        ]
        types = {names.of[name]: type_name for name, type_name in clause.variable_types}
        if clause.existential:
            self.existential(clause, literals, conditions, names)
        elif value is None or value > 0:
            self.disjunction(literals, conditions, _weight(value), types, clause.span)
        else:
            for position, literal in enumerate(literals):
                way = [*literals[:position], Literal(literal.atom, not literal.positive)]
                self.disjunction(way, conditions, _weight(-value), types, clause.span)

    def disjunction(
        self,
        literals: list[Literal],
        conditions: list[Comparison],
        weight: Weight,
        types: Mapping[str, str],
        span: Span | None,
    ) -> None:
        """`conditions and negated atoms -> positive literals`, every variable of `types` bound."""
        body = [Literal(literal.atom) for literal in literals if not literal.positive]
        bound = {
            term.name for item in body for term in item.atom.arguments if isinstance(term, Variable)
        }
        binding = [self.domain_literal(name, types[name]) for name in types if name not in bound]
        head = [literal for literal in literals if literal.positive]
        if not head:
            # A rule needs a head: the last body atom goes there, negated.
            last = (body or binding).pop()
            head = [Literal(last.atom, False)]
        self.rules.append(
            LogicalRule((*binding, *body, *conditions), tuple(head), weight, span=span)
        )

    def domain_literal(self, variable: str, type_name: str) -> Literal:
        return Literal(Atom(self.domain_predicate(type_name), (Variable(variable),)))

    def domain_predicate(self, type_name: str) -> str:
        if type_name not in self.domains:
            taken = {name.casefold() for name in (*self.program.predicates, *self.domains.values())}
            name = f"Domain_{type_name}"
            while name.casefold() in taken:
                name += "_"
            self.domains[type_name] = name
        return self.domains[type_name]

    def existential(
        self, clause: Clause, literals: list[Literal], conditions: list[Comparison], names: PslNames
    ) -> None:
        """The rule `sum of the literals' truth >= 1`; n negated groundings add n - sum.

        Each literal sums over names of its own, since PSL itself takes a summation variable in one
        atom only.
        """
        if clause.weight is not None and clause.weight < 0:
            raise _Inexpressible(
                "an existential quantifier under a negative weight has no PSL rule"
            )
        if conditions:
            raise _Inexpressible("a comparison beside an existential quantifier has no PSL rule")
        summed = {names.of[name] for name in clause.existential}
        used: set[str] = set()
        terms, number = [], -1.0
        for literal in literals:
            over = _summed_over(literal.atom, summed)
            own = {name: names.another(name) if name in used else name for name in over}
            used |= own.keys()
            arguments = (
                SumVariable(own[a.name]) if isinstance(a, Variable) and a.name in own else a
                for a in literal.atom.arguments
            )
            atom = replace(literal.atom, arguments=tuple(arguments))
            terms.append(LinearTerm(1.0 if literal.positive else -1.0, (atom,)))
            if not literal.positive and own:
                if len(own) > 1:
                    raise _Inexpressible(
                        "a negated literal under two existential quantifiers has no PSL rule"
                    )
                terms.append(LinearTerm(1.0, (), Cardinality(*own.values())))
            elif not literal.positive:
                number += 1.0
        # Atoms to add, atoms to take away, numbers.
        ordered = sorted(terms, key=lambda term: (not term.atoms, term.coefficient < 0))
        if number:
            ordered.append(LinearTerm(number))
        weight = _weight(clause.weight)
        self.rules.append(ArithmeticRule(tuple(ordered), ">=", (), weight, span=clause.span))

    def blocks(self) -> None:
        """`exactly one` and `at most one` declarations as hard sums."""
        for predicate in self.program.predicates.values():
            for relation, marked in (("=", predicate.exactly_one), ("<=", predicate.at_most_one)):
                if marked:
                    arguments: tuple[Term, ...] = tuple(
                        SumVariable(f"Y{i}") if i in marked else Variable(f"X{i}")
                        for i in range(predicate.arity)
                    )
                    terms = (LinearTerm(1.0, (Atom(predicate.name, arguments),)), LinearTerm(-1.0))
                    self.rules.append(ArithmeticRule(terms, relation, (), Weight("hard")))  # type: ignore[arg-type]


def _summed_over(atom: Atom, summed: set[str]) -> list[str]:
    """The existential variables of an atom, each once."""
    found = [a.name for a in atom.arguments if isinstance(a, Variable) and a.name in summed]
    if len(set(found)) < len(found):
        raise _Inexpressible("an existential variable in two places of one atom has no PSL rule")
    return found


def refuse_inexpressible(clause: Clause) -> None:
    """Raise for what no PSL rule can say."""
    if clause.function_values:
        raise _Inexpressible("a function has no PSL rule", "load its values as a predicate")
    if clause.weight_variable is not None:
        raise _Inexpressible("a weight taken from data has no PSL rule")
    if clause.weight is None and not clause.hard:
        raise _Inexpressible("this formula has no weight yet", "learn the weights first")
    for guard in clause.guards:
        if guard.operator not in ("=", "!="):
            raise _Inexpressible(
                "an order or string comparison has no PSL rule", "PSL knows == and != only"
            )
    if not clause.literals:
        raise _Inexpressible("a clause of comparisons alone has no PSL rule")


def _weight(value: float | None) -> Weight:
    return Weight("hard") if value is None else Weight("given", value)


class PslNames:
    """PSL's names for a clause's variables: a capital first, no primes, all different."""

    def __init__(self, names: Sequence[str]) -> None:
        self.of: dict[str, str] = {}
        for name in names:
            self.of[name] = self._fresh(name[0].upper() + name[1:].replace("'", "_"))

    def _fresh(self, base: str) -> str:
        fresh, number = base, 2
        while fresh in self.of.values():
            fresh, number = f"{base}{number}", number + 1
        return fresh

    def another(self, name: str) -> str:
        """A new name after one given before."""
        fresh = self._fresh(name)
        self.of[fresh] = fresh
        return fresh

    def term(self, term: Term) -> Term:
        if isinstance(term, Variable):
            return Variable(self.of[term.name])
        assert isinstance(term, Constant)
        return Constant(term.name)

    def literal(self, literal: Literal) -> Literal:
        arguments = tuple(self.term(term) for term in literal.atom.arguments)
        return Literal(Atom(literal.atom.predicate, arguments), literal.positive)
