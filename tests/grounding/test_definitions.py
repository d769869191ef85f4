"""Definitions made by SQL against a nested-loop reading of the same statements,
in two worlds at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import product

import numpy as np
import pytest

from workbench.database import Database, load_alchemy_text
from workbench.errors import InputError, UsageError
from workbench.grounding import GroundRequest, ground
from workbench.grounding.definitions import make_definitions
from workbench.grounding.prepare import prepare
from workbench.grounding.program_clauses import clauses_of
from workbench.language import parse_mln
from workbench.language.program import Aggregate, Condition, Program
from workbench.language.terms import Apply, Atom, Comparison, Constant, Literal, Term, Variable
from workbench.language.values import parse_value
from workbench.language.variable_types import infer_condition_types

DECLARED = """
Directs(person, company)
Closed(company)
Edge(node, node)
Pays(person, person, number)
On(company, date)
Named(person, text)
Fraud(person)
"""
DEFINITIONS = """
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.
Peers(x, y) := Pays(x, y, a) ^ a > 5.
Linked(x) := Peers(x, P1).
Reach(x, z) := Edge(x, z).
Reach(x, z) := Reach(x, y) ^ Edge(y, z).
Twice(x, z) := Edge(x, z).
Twice(x, z) := Twice(x, y) ^ Twice(y, z).
Odd(x, y) := Edge(x, y).
Odd(x, z) := Even(x, y) ^ Edge(y, z).
Even(x, z) := Odd(x, y) ^ Edge(y, z).
Companies(x, n) := n = count(c: Directs(x, c)).
Shut(x, s) := s = share(c: Directs(x, c), Closed(c)).
Paid(x, s) := s = sum(a: Pays(x, y, a) ^ a > 3).
Most(x, m, k) := m = max(a: Pays(x, y, a)) ^ k = mean(a: Pays(x, y, a)).
Both(x, y, n) := Peers(x, y) ^ n = count(c: Directs(x, c) ^ Directs(y, c)).
Some(x, e) := e = exists(c: Directs(x, c) ^ Closed(c)).
Lonely(x) := Directs(x, c) ^ !Closed(c) ^ n = count(y: Peers(x, y)) ^ n < 2.
Above(x, b, n) := Pays(x, z, b) ^ n = count(y: Pays(x, y, a) ^ a > b).
Founded(x, y, d) := Directs(x, c) ^ On(c, t) ^ y = year(t) ^ d = days(t, "2020-01-01") / 2.
Since(x, t) := t = latest(u: Directs(x, c) ^ On(c, u)).
All(n) := n = count(x, c: Directs(x, c)).
Alike(x, y) := Named(x, s) ^ Named(y, t) ^ x != y ^ levenshtein(s, t) <= 1.
Said(x, n) := Named(x, s) ^ n = countWords(s, "Bob ANN bob, o'hara").
Either(x) := Named(x, s) ^ oneOf(s, "anne|a-Bob|an").
Recent(x, n) := n = count(c: Directs(x, c) ^ On(c, t) ^ t > $now - 200).
Half(x, h) := Pays(x, y, a) ^ h = log(a - 4).
"""
Facts = Mapping[str, Sequence[tuple[object, ...]]]


def random_facts(rng: np.random.Generator) -> Facts:
    people, firms, nodes = ([f"{letter}{i}" for i in range(5)] for letter in "PCN")

    def pick(names: list[str], count: int) -> list[str]:
        return [names[i] for i in rng.integers(len(names), size=count)]

    day = datetime(2019, 6, 1)
    return {
        "Directs": sorted(set(zip(pick(people, 7), pick(firms, 7)))),
        "Closed": sorted({(name,) for name in pick(firms, 2)}),
        "Edge": sorted(set(zip(pick(nodes, 5), pick(nodes, 5)))),
        "Pays": sorted(
            set(zip(pick(people, 6), pick(people, 6), rng.integers(1, 9, 6).astype(float).tolist()))
        ),
        "On": sorted(
            set(
                zip(
                    pick(firms, 4),
                    [day + timedelta(hours=int(h)) for h in rng.integers(0, 9999, 4)],
                )
            )
        ),
        "Named": sorted(set(zip(pick(people, 4), pick(["ann", "anne", "bob", "a-Bob"], 4)))),
    }


def written(facts: Facts) -> str:
    return "\n".join(
        f"{name}({', '.join(f'{chr(34)}{a}{chr(34)}' for a in arguments)})"
        for name, rows in facts.items()
        for arguments in rows
    )


class Reader:
    """Every binding of every variable, one loop inside another; sets grow until nothing is new."""

    def __init__(self, program: Program, facts: Facts, now: datetime) -> None:
        self.program = program
        self.now = now
        self.facts = {name: set(facts.get(name, ())) for name in program.predicates}
        domains: dict[str, set[object]] = {}
        for name, rows in facts.items():
            declared = program.predicates[name]
            for row in rows:
                for cell, type_name, kind in zip(row, declared.argument_types, declared.kinds):
                    if kind is None:
                        domains.setdefault(type_name, set()).add(cell)
        domains.setdefault("person", set()).add("P1")
        self.domains = domains
        order = [d.head.predicate for d in program.definitions]
        for names in (["Reach"], ["Twice"], ["Odd", "Even"], *([n] for n in dict.fromkeys(order))):
            before = -1
            while before != sum(len(self.facts[n]) for n in names):
                before = sum(len(self.facts[n]) for n in names)
                for definition in program.definitions:
                    if definition.head.predicate in names:
                        types = infer_condition_types(
                            definition.head, definition.body, program
                        ).variables
                        for binding in self.bindings(definition.head, definition.body, types):
                            row = tuple(self.value(t, binding) for t in definition.head.arguments)
                            if None not in row:
                                self.facts[definition.head.predicate].add(row)

    def bindings(
        self, head: Atom, body: Sequence[Condition], types: Mapping[str, str]
    ) -> Iterator[dict[str, object]]:
        aggregates = [one for one in body if isinstance(one, Aggregate)]
        found = list(
            self.solutions(
                [one for one in body if not isinstance(one, Aggregate)], {}, partial=True
            )
        )
        for aggregate in aggregates:
            extended = []
            for binding in found:
                unbound = [
                    t.name
                    for t in head.arguments
                    if isinstance(t, Variable)
                    and t.name not in binding
                    and any(
                        isinstance(one, Literal) and t in one.atom.arguments
                        for one in aggregate.body
                    )
                ]
                zero = aggregate.function in ("count", "sum", "exists")
                inner = list(self.solutions(aggregate.body, binding))
                if zero or not unbound:
                    groups = [
                        dict(zip(unbound, v))
                        for v in product(*(sorted(self.domains[types[n]]) for n in unbound))
                    ]
                else:
                    groups = [
                        dict(t) for t in {tuple((n, one[n]) for n in unbound) for one in inner}
                    ]
                for group in groups:
                    rows = [one for one in inner if all(one[n] == v for n, v in group.items())]
                    if rows or zero:
                        result = self.aggregate(aggregate, rows)
                        extended.append({**binding, **group, aggregate.variable: result})
            found = extended
        tests = [one for one in body if isinstance(one, Comparison)]
        yield from (b for one in found for b in self.solutions(tests, one))

    def aggregate(self, aggregate: Aggregate, rows: list[dict[str, object]]) -> object:
        values = [tuple(self.value(t, one) for t in aggregate.of) for one in rows]
        numbers = [value[0] for value in values]
        match aggregate.function:
            case "count":
                return float(len(set(values)))
            case "exists":
                return float(bool(values))
            case "share":
                kept = {
                    v
                    for v, one in zip(values, rows)
                    if any(True for _ in self.solutions(aggregate.among, one))
                }
                return len(kept) / len(set(values))
            case "sum":
                return float(sum(numbers))  # type: ignore[arg-type]
            case "mean":
                return sum(numbers) / len(numbers)  # type: ignore[arg-type]
            case "min":
                return min(numbers)  # type: ignore[type-var]
        return max(numbers)  # type: ignore[type-var]

    def solutions(
        self, body: Sequence[Condition], given: dict[str, object], partial: bool = False
    ) -> Iterator[dict[str, object]]:
        found = [dict(given)]
        literals = [one for one in body if isinstance(one, Literal)]
        for literal in sorted(literals, key=lambda one: not one.positive):
            rows = self.facts[literal.atom.predicate]
            if literal.positive:
                found = [
                    new
                    for one in found
                    for row in rows
                    if (new := self.match(literal.atom, row, one)) is not None
                ]
            else:
                found = [
                    one
                    for one in found
                    if all(self.match(literal.atom, row, one) is None for row in rows)
                ]
        pending = [one for one in body if isinstance(one, Comparison)]
        for comparison in pending:
            kept = []
            for one in found:
                held = self.compare(comparison, one)
                kept += (
                    [one] if held is None and partial else [held] if isinstance(held, dict) else []
                )
            found = kept
        yield from found

    def match(
        self, atom: Atom, row: tuple[object, ...], given: dict[str, object]
    ) -> dict[str, object] | None:
        binding = dict(given)
        for term, cell in zip(atom.arguments, row):
            wanted = self.value(term, binding)
            if isinstance(term, Variable) and term.name not in binding:
                binding[term.name] = cell
            elif wanted != cell:
                return None
        return binding

    def compare(
        self, comparison: Comparison, binding: dict[str, object]
    ) -> dict[str, object] | bool | None:
        left, right = (self.value(t, binding) for t in (comparison.left, comparison.right))
        for term, other in ((comparison.left, right), (comparison.right, left)):
            if isinstance(term, Variable) and term.name not in binding:
                return (
                    {**binding, term.name: other}
                    if comparison.operator == "=" and other is not None
                    else None
                )
        if left is None or right is None:
            return None
        if isinstance(left, float) and isinstance(right, str):
            right = float(right)
        if comparison.operator == "oneOf":
            return binding if str(left) in str(right).split("|") else False
        held = {"=": left == right, "!=": left != right}
        if comparison.operator not in held:
            held |= {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}  # type: ignore[operator]
        return binding if held[comparison.operator] else False

    def value(self, term: Term, binding: Mapping[str, object]) -> object:
        if isinstance(term, Variable):
            return self.now if term.name == "$now" else binding.get(term.name)
        if isinstance(term, Constant):
            return term.name
        assert isinstance(term, Apply)
        values = [self.value(argument, binding) for argument in term.arguments]
        if None in values:
            return None
        match term.function, values:
            case "levenshtein", [str(one), str(other)]:
                return float(edit_distance(one, other))
            case "countWords", [str(text), str(words)]:
                said, wanted = (set(re.findall(r"\w+", one.lower())) for one in (text, words))
                return float(len(said & wanted))
            case "year", [datetime() as day]:
                return float(day.year)
            case "days", [datetime() as day, str(text)]:
                return (day - datetime.fromisoformat(text)).total_seconds() / 86400
            case "log", [float(number)]:
                return float(np.log(number)) if number > 0 else None
            case "/", [float(one), other]:
                return one / float(str(other))
            case "-", [datetime() as day, str(text)]:
                return day - timedelta(days=float(text))
            case "-", [float(one), other]:
                return one - float(str(other))
        raise AssertionError(term)


def edit_distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    keep = edit_distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(keep, edit_distance(one[1:], other) + 1, edit_distance(one, other[1:]) + 1)


def made(worlds: Sequence[Facts]) -> tuple[Program, list[dict[str, set[tuple[object, ...]]]]]:
    program = parse_mln(DECLARED + DEFINITIONS)
    with Database.open(threads=1) as database:
        database.declare(program)
        for number, facts in enumerate(worlds):
            load_alchemy_text(database, written(facts), world=f"w{number}")
        request = GroundRequest(query=["Fraud"])
        found: list[dict[str, set[tuple[object, ...]]]] = []
        connection = database.cursor()
        vocabulary, _ = prepare(
            database, connection, program, clauses_of(database, program, request), request
        )
        make_definitions(vocabulary, program.defined)
        tables = database.type_tables()
        for world in range(len(worlds)):
            found.append({})
            for name in program.defined:
                stored = vocabulary.stored[name]
                cells = ", ".join(
                    column
                    if kind is not None
                    else f"(SELECT name FROM {tables[type_name]} WHERE id = {column})"
                    for column, type_name, kind in zip(
                        stored.columns, stored.argument_types, stored.kinds
                    )
                )
                query = f'SELECT {cells} FROM "{stored.table_name}" WHERE world = {world}'
                rows = connection.execute(query).fetchall()
                assert len(rows) == len(set(rows)), name
                found[-1][name] = set(rows)
    return program, found


@pytest.mark.parametrize("seed", range(3))
def test_facts_of_definitions_equal_nested_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worlds = [random_facts(rng), random_facts(rng)][: 1 + (seed > 0)]
    program, found = made(worlds)
    now = max(day for facts in worlds for _, day in facts["On"])
    for facts, one in zip(worlds, found):
        reader = Reader(program, facts, now)  # type: ignore[arg-type]
        for name in program.defined:
            assert rounded(one[name]) == rounded(reader.facts[name]), name


def rounded(rows: set[tuple[object, ...]]) -> set[tuple[object, ...]]:
    return {
        tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row) for row in rows
    }


def test_parse_value_reads_what_data_hold() -> None:
    declared = parse_mln(DECLARED).predicates
    assert [parse_value(kind, "2020-02-30") for kind in declared["On"].kinds if kind] == [None]
    assert [parse_value(kind, "1e3") for kind in declared["Pays"].kinds if kind] == [1000.0]


def test_what_a_definition_may_not_read() -> None:
    with Database.open(threads=1) as database:
        program = parse_mln(
            DECLARED + "Near(x) := Pays(x, y, a) ^ Fraud(y).\n1 Near(x) => Fraud(x)"
        )
        database.declare(program)
        load_alchemy_text(database, "Pays(A, B, 2)")
        with pytest.raises(UsageError, match="E0323"):
            ground(database, program, GroundRequest(query=["Fraud"]))
        with pytest.raises(UsageError, match="E0322"):
            ground(database, program, GroundRequest(query=["Near"]))
        with pytest.raises(UsageError, match="E0322"):
            ground(database, program, GroundRequest(query=["Pays"]))
        with pytest.raises(InputError, match=r"(?s)E0210.*no number|E0210.*not 'many'"):
            load_alchemy_text(database, "Pays(A, B, many)")
        database.declare(parse_mln(DECLARED + "Near(person)\n1 Near(x) => Fraud(x)"))
        load_alchemy_text(database, "Near(A)")
        with pytest.raises(UsageError, match="E0324"):
            ground(
                database,
                parse_mln(DECLARED + "Near(x) := Pays(x, y, a).\n1 Near(x) => Fraud(x)"),
                GroundRequest(query=["Fraud"]),
            )


@pytest.mark.parametrize("function", ["sum", "mean"])
def test_dates_are_not_added_up(function: str) -> None:
    rules = (
        f"{DECLARED}When(c, n) := n = {function}(t: On(c, t)).\n1 When(c, n) ^ n > 3 ^ "
        "Directs(x, c) => Fraud(x)\n"
    )
    program = parse_mln(rules)
    with Database.open() as database:
        database.declare(program)
        load_alchemy_text(database, "On(C1, 2020-01-31)\nDirects(A, C1)\n")
        with pytest.raises(InputError, match="E0151"):
            ground(database, program, GroundRequest(query=("Fraud",)))


def test_a_definition_over_a_predicate_without_facts_says_so() -> None:
    rules = """
Knows(p, p)
Met(p, p)
Known(p)
Friends(x, n) := n = count(y: Met(x, y)).
1 Friends(x, n) ^ n >= 1 => Known(x)
"""
    with Database.open() as database:
        program = parse_mln(rules)
        database.declare(program)
        load_alchemy_text(database, "Knows(A, B)")
        found = ground(database, program, GroundRequest(query=("Known",))).warnings
    (note,) = (one for one in found if one.code == "E0333")
    assert note.message == "Met has no facts, and Friends is made of it"
    assert note.span is not None
    assert note.span.line == 5


def test_a_date_that_is_written_and_moved_is_a_date() -> None:
    rules = """
On(c, date)
Early(c)
Old(c) := On(c, d) ^ d < "2020-01-01" - 7.
Late(c, n) := On(c, d) ^ n = d - "2020-01-01" ^ n > 0.
1 Old(c) => Early(c)
1 Late(c, n) ^ n = 31 => Early(c)
"""
    with Database.open() as database:
        program = parse_mln(rules)
        database.declare(program)
        load_alchemy_text(database, "On(A, 2019-12-20)\nOn(B, 2019-12-28)\nOn(C, 2020-02-01)")
        network = ground(database, program, GroundRequest(query=("Early",))).network
    assert network.unit.toarray().T.tolist() == [[1, 0, 0], [0, 0, 1]]
