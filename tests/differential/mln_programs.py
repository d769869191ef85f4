"""Random Markov logic programs with data: several worlds, all that the language has."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace
from itertools import product

PREDICATES = {
    "P": ("t",),
    "Q": ("t", "t"),
    "R": ("n",),
    "B": ("t", "n"),
    "H": ("t",),
    "C": ("t",),
    "E": ("t", "t"),
    "T": ("t", "n"),
    "Z": ("e",),
    "Y": ("t", "e"),
    "O": (),
}
FUNCTIONS = {"MotherOf": ("t", "t"), "AgeOf": ("t", "n")}
NAMES = ["Ann", "Bob", "Cy", "Dee", "A b"]
NUMBERS = ["1", "2", "3"]
VARIABLES = {"t": ["x", "y"], "n": ["m", "k"], "e": ["e1"]}
QUANTIFIED = {
    "t": ["z", "u", "y", "x1", "x2"],
    "n": ["i", "j", "i1", "i2"],
    "e": ["d", "d1", "d2", "d3"],
}
MOST_OPEN = 11
"""Open atoms of the largest world, at most."""
FAMILY = 8
"""Programs in a row that have the declarations and facts in common: these are loaded once."""


@dataclass(frozen=True)
class MlnCase:
    """A program, its data and a question.

    Attributes
    ----------
    declarations, rules : tuple of str
        Lines of the program.
    worlds : tuple of (name, lines of facts)
    query : tuple of str, or None
        Predicates asked about.
    closed : tuple of str
    """

    seed: int
    declarations: tuple[str, ...]
    rules: tuple[str, ...]
    worlds: tuple[tuple[str, tuple[str, ...]], ...]
    query: tuple[str, ...] | None
    closed: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join((*self.declarations, *self.rules)) + "\n"

    def data(self, world: int) -> str:
        return "\n".join(self.worlds[world][1]) + "\n"

    def shown(self) -> str:
        """All of it, for a report."""
        parts = [f"// seed {self.seed}, query {self.query}, closed {self.closed}", self.text]
        parts += [f"// world {name}\n{chr(10).join(facts)}" for name, facts in self.worlds]
        return "\n".join(parts)

    def smaller(self) -> list[MlnCase]:
        """Cases with one rule, one world or one fact less."""
        found = [
            replace(self, rules=_without(self.rules, i))
            for i in range(len(self.rules))
            if len(self.rules) > 1
        ]
        found += [
            replace(self, worlds=_without(self.worlds, i))
            for i in range(len(self.worlds))
            if len(self.worlds) > 1
        ]
        for number, (name, facts) in enumerate(self.worlds):
            for i in range(len(facts)):
                changed = list(self.worlds)
                changed[number] = (name, _without(facts, i))
                found.append(replace(self, worlds=tuple(changed)))
        return found


def _without(items: tuple, number: int) -> tuple:  # type: ignore[type-arg]
    return items[:number] + items[number + 1 :]


def random_mln_case(seed: int) -> MlnCase:
    """The case of a seed."""
    return _Drawing(random.Random(f"data {seed // FAMILY}"), seed).case()


def quoted(name: str) -> str:
    """A constant as it stands in rules and facts."""
    return name if (name[0].isupper() and name.isalnum()) or name.isdigit() else f'"{name}"'


@dataclass
class _Drawing:
    random: random.Random
    seed: int
    open: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    functions: bool = False
    inside: int = 0
    declared: dict[str, list[str]] = field(default_factory=dict)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def case(self) -> MlnCase:
        constants = self.constants()
        largest = {type_name: max(len(one[type_name]) for one in constants) for type_name in "tne"}
        self.functions = self.chance(0.3)
        self.choose_predicates(largest)
        mark = self.random.choice(["", "", "!", "!", "?"])
        closed_mark = self.chance(0.15)
        declarations = [
            f"{name} = {{{', '.join(map(quoted, given))}}}"
            for name, given in self.declared.items()
            if given
        ]
        for name in self.used:
            places = [
                f"{type_name}{mark if name == 'B' and i == 1 else ''}"
                for i, type_name in enumerate(PREDICATES[name])
            ]
            star = "*" if closed_mark and name == "C" and name not in self.open else ""
            declarations.append(f"{star}{name}({', '.join(places)})")
        if self.functions:
            declarations += ["t MotherOf(t)", "n AgeOf(t)"]
        weighted = self.chance(0.15)
        if weighted:
            declarations.append("W(t, t, num)")
        worlds = tuple(
            (f"w{number}", tuple(self.facts(one, mark, weighted)))
            for number, one in enumerate(constants)
        )
        self.random = random.Random(f"rules {self.seed}")
        rules = [self.rule() for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        if weighted:
            rules.append(
                self.random.choice(["w: !W(x,y,w) v ", "w: W(x,y,w) => "])
                + self.literal({**VARIABLES, "t": ["x", "y"]})
            )
        has_facts = {
            line.lstrip("!?.0123456789 ").split("(")[0] for _, facts in worlds for line in facts
        }
        asked = [name for name in self.open if self.chance(0.8) or name in has_facts] or self.open[
            :1
        ]
        named = " ".join(rules)
        closed = [
            name
            for name in self.used
            if name not in self.open and (name not in has_facts or self.chance(0.3))
        ]
        query = None if not has_facts & set(self.open) and self.chance(0.2) else tuple(asked)
        hidden = [name for name in self.open if name not in asked]
        if query is not None and any(name + "(" not in named for name in hidden):
            query = tuple(self.open)
        return MlnCase(self.seed, tuple(declarations), tuple(rules), worlds, query, tuple(closed))

    def constants(self) -> list[dict[str, list[str]]]:
        """By world and type; declared constants are every world's."""
        number = self.random.choice([1, 2, 2, 3])
        self.declared = {"t": [], "n": [], "e": []}
        if self.chance(0.4):
            self.declared["t"] = self.random.sample(NAMES, self.random.choice([1, 2]))
        if self.chance(0.6):
            self.declared["n"] = NUMBERS[: self.random.choice([1, 2, 3])]
        found = []
        for _ in range(number):
            one = {
                "t": self.random.sample(NAMES, self.random.choice([1, 2, 2, 3])),
                "n": self.random.sample(NUMBERS, self.random.choice([0, 1, 2])),
                "e": self.random.sample(["Eve", "Eli"], self.random.choice([0, 0, 1, 2])),
            }
            found.append(
                {
                    type_name: sorted({*one[type_name], *self.declared[type_name]})
                    for type_name in one
                }
            )
        return found

    def choose_predicates(self, largest: dict[str, int]) -> None:
        room = MOST_OPEN
        candidates = ["P", "Q", "R", "B", "H", "Z", "Y", "O"]
        self.random.shuffle(candidates)
        for name in ["P" if self.chance(0.5) else "Q", *candidates]:
            size = 1
            for type_name in PREDICATES[name]:
                size *= largest[type_name] + (type_name != "e")
            if name not in self.open and size <= room and len(self.open) < 4 and self.chance(0.6):
                self.open.append(name)
                room -= size
        self.open = self.open or ["P"]
        closed = [
            name
            for name in ("C", "E", "T", "Z", "Y", "P")
            if name not in self.open and self.chance(0.45)
        ]
        self.used = [*self.open, *closed]

    def rule(self) -> str:
        scope = {
            "t": VARIABLES["t"][: self.random.choice([1, 2, 2])],
            "n": VARIABLES["n"],
            "e": VARIABLES["e"],
        }
        text = self.formula(scope, self.random.choice([1, 2, 2, 3]))
        if self.chance(0.12) and "EXIST" not in text and "FORALL" not in text:
            text = self.with_plus(text)
        kind = self.random.random()
        if kind < 0.1:
            return f"{text}."
        weight = self.random.choice(["1.5", "-0.7", "2", "0.3", "-1.2", "0.9"])
        return f"{'@' if kind < 0.15 else ''}{weight} {text}"

    def with_plus(self, text: str) -> str:
        variable = self.random.choice(["x", "y"])
        return text.replace(f"({variable}", f"(+{variable}", 1)

    def formula(self, scope: dict[str, list[str]], depth: int) -> str:
        """A formula in which anything may stand as a part of a larger one after parentheses."""
        kind = self.random.random()
        if depth == 0:
            return self.literal(scope)
        if kind < 0.2:
            return " v ".join(
                self.part(scope, depth - 1) for _ in range(self.random.choice([2, 2, 3]))
            )
        if kind < 0.45:
            body = " ^ ".join(
                self.part(scope, depth - 1) for _ in range(self.random.choice([1, 1, 2]))
            )
            return f"{body} => {self.part(scope, depth - 1)}"
        if kind < 0.55:
            return f"{self.part(scope, depth - 1)} <=> {self.part(scope, depth - 1)}"
        if kind < 0.7:
            return " ^ ".join(
                self.part(scope, depth - 1) for _ in range(self.random.choice([2, 2, 3]))
            )
        if kind < 0.75 and depth == 3:
            return f"*{self.atom(scope)} ^ {self.part(scope, 1)}"
        if kind < 0.97:
            return self.quantified(scope, depth)
        return f"!({self.formula(scope, depth - 1)})"

    def part(self, scope: dict[str, list[str]], depth: int) -> str:
        text = self.formula(scope, depth if self.chance(0.6) else 0)
        return text if " " not in text.replace(", ", ",") else f"({text})"

    def quantified(self, scope: dict[str, list[str]], depth: int) -> str:
        kind = self.random.choice(["EXIST", "EXIST", "FORALL"])
        type_name = self.random.choice(
            ["t", "t", "n", "e"]
            if any("e" in PREDICATES[name] for name in self.used)
            else ["t", "t", "n"]
        )
        if not any(type_name in PREDICATES[name] for name in self.used):
            type_name = next(one for name in self.used for one in (*PREDICATES[name], "t"))
        taken = [one for names in scope.values() for one in names]
        name = next(one for one in QUANTIFIED[type_name] if one not in taken)
        inner = {**scope, type_name: [name, name, *scope.get(type_name, [])]}
        for _ in range(20):
            self.inside += 1
            body = self.formula(inner, depth - 1)
            self.inside -= 1
            if re.search(rf"[(, ]{name}[), ]", body):
                return f"{kind} {name} ({body})"
        return self.literal(scope)

    def literal(self, scope: dict[str, list[str]]) -> str:
        if self.chance(0.12):
            return self.test(scope)
        return f"{'!' if self.chance(0.35) else ''}{self.atom(scope)}"

    def atom(self, scope: dict[str, list[str]]) -> str:
        fitting = [name for name in self.used if all(scope.get(one) for one in PREDICATES[name])]
        name = self.random.choice(
            [*fitting, *(one for one in self.open if one in fitting)] or ["P"]
        )
        if not PREDICATES[name]:
            return name
        return f"{name}({', '.join(self.term(one, scope) for one in PREDICATES[name])})"

    def term(self, type_name: str, scope: dict[str, list[str]]) -> str:
        free = [one for one in scope[type_name] if one in VARIABLES[type_name]]
        if self.functions and not self.inside and self.chance(0.2) and scope.get("t"):
            subject = self.random.choice(
                [one for one in scope["t"] if one in VARIABLES["t"]] or ["Ann"]
            )
            if type_name == "t":
                return f"MotherOf({subject})"
            if type_name == "n":
                return f"AgeOf({subject})"
        if type_name == "n" and free and not self.inside and self.chance(0.2):
            return self.random.choice([f"succ({free[0]})", f"{free[0]} + 1", f"{free[0]} % 2"])
        if type_name != "e" and self.chance(0.08):
            return quoted(self.random.choice(NAMES[:2] if type_name == "t" else NUMBERS[:2]))
        return self.random.choice(scope[type_name])

    def test(self, scope: dict[str, list[str]]) -> str:
        """A comparison next to an atom that gives its variables their types."""
        one, two = self.random.choice(scope["t"]), self.random.choice(scope["t"])
        anchor = self.random.choice(
            [name for name in self.used if "t" in PREDICATES[name]] or ["P"]
        )
        kinds = [
            f"{one} = {two}",
            f"{one} != {two}",
            f"{one} = Ann",
            f"substr({one}, {two})",
            f'startsWith({one}, "A")',
            f'contains({one}, "o")',
            f'hasWord({one}, "ann")',
            f'oneOf({one}, "Ann|Bo|B")',
            f"{one} < {two}",
            f"length({one}) < 3",
            f'concat({one}, {two}) = "AnnBob"',
            f"lower({one}) = "
            f"{self.random.choice(['lower(' + two + ')', chr(34) + 'ann' + chr(34)])}",
        ]
        if self.functions and one in VARIABLES["t"]:
            kinds += (
                [
                    f"MotherOf({one}) = {two}",
                    f"AgeOf({one}) > 1",
                    f"MotherOf({one}) = MotherOf({two})",
                ]
                if two in VARIABLES["t"]
                else []
            )
        if anchor not in self.used:
            return self.atom(scope)
        anchors = " v ".join(
            anchor
            + "("
            + ", ".join(name if place == "t" else scope[place][0] for place in PREDICATES[anchor])
            + ")"
            for name in dict.fromkeys((one, two))
        )
        return (
            f"({self.random.choice(kinds)} {self.random.choice(['v', '^'])} {anchors})"
            if " v " not in anchors
            else f"({self.random.choice(kinds)} v {anchors})"
        )

    def facts(self, constants: dict[str, list[str]], mark: str, weighted: bool) -> list[str]:
        found = []
        for name in self.used:
            taken: set[str] = set()
            for arguments in product(*(constants[type_name] for type_name in PREDICATES[name])):
                atom = f"{name}({', '.join(map(quoted, arguments))})" if arguments else name
                if name not in self.open:
                    if self.chance(0.45):
                        found.append(("!" if self.chance(0.2) else "") + atom)
                elif self.chance(0.2):
                    sign = self.random.choice(["", "!", "!", "?", "0.7 ", "0.25 "])
                    if name == "B" and mark and sign != "!":
                        if arguments[0] in taken or sign != "":
                            continue
                        taken.add(arguments[0])
                    found.append(sign + atom)
        if self.functions:
            for name in constants["t"]:
                if self.chance(0.7):
                    found.append(
                        f"MotherOf({quoted(name)}) = {quoted(self.random.choice(constants['t']))}"
                    )
                if self.chance(0.7) and constants["n"]:
                    found.append(f"AgeOf({quoted(name)}) = {self.random.choice(constants['n'])}")
        if weighted:
            for one, two in product(constants["t"], repeat=2):
                if self.chance(0.3):
                    found.append(
                        f"W({quoted(one)}, {quoted(two)}, {self.random.choice(['0.5', '2', '-1'])})"
                    )
        return found
