"""Small programs whose facts change, one for each thing that a grounding takes from its facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

__all__ = ["MODELS", "SMOKERS", "SOFT", "Model", "one_of_each_atom", "random_fact"]

CONSTANTS = {
    "p": ("Anna", "Bob", "Carl", "Dora", "Eve", "Fred"),
    "l": ("Rome", "Oslo", "Bern"),
    "w": ("Red", "Blue", "Green"),
    "n": ("1", "2.5", "7", "-3"),
    "d": ('"2020-01-31"', '"2020-06-01"', '"2021-03-01"', '"2023-02-01"'),
    "t": ('"Ann Smith"', '"Anne Smith"', '"Bob Jones"', '"Bob Smith"'),
}
VALUES = frozenset("ndt")


@dataclass(frozen=True)
class Model:
    """Rules, what is asked, and what facts may say: predicates with the kinds of arguments (`=`: a function)."""

    rules: str
    query: str
    facts: str

    def predicates(self) -> list[tuple[str, str]]:
        """Names and kinds."""
        return [(name, kinds) for name, _, kinds in (one.partition("/") for one in self.facts.split())]


SOFT = """
1.0: Knows(A, B) & Trusts(A, B) -> Trusts(B, A)
2.0: Knows(A, B) & Knows(B, C) & Trusts(A, B) & (A != C) -> Trusts(A, C) ^2
0.5: !Trusts(A, B)
Trusts(A, +B) <= 2.
"""
MODELS = {
    "smokers": Model(
        """
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
-0.5 Smokes(x)
""",
        "Smokes,Cancer",
        "Friends/pp Smokes/p Cancer/p",
    ),
    "hard": Model(
        """
Boss(person, person)
Works(person, place)
Likes(person, person)
!Boss(x, x).
Boss(x, y) ^ Works(x, p) => Works(y, p).
0.7 Likes(x, y) => Likes(y, x)
0.9 Likes(x, y) ^ Works(x, +p) => Works(y, p)
-0.3 EXIST p Works(x, p)
0.4 Boss(x, y) v !Likes(x, y)
""",
        "Works,Likes",
        "Boss/pp Works/pl Likes/pp",
    ),
    "blocks": Model(
        """
Near(person, person)
Home(person, place!)
Seen(person, place)
1.2 Seen(x, p) => Home(x, p)
0.8 Near(x, y) ^ Home(x, p) => Home(y, p)
0.3 Home(x, +p)
""",
        "Home",
        "Near/pp Seen/pl Home/pl",
    ),
    "defined": Model(
        """
Directs(person, place)
Fraud(person)
Paid(person, number)
Peers(x, y) := Directs(x, c) ^ Directs(y, c) ^ x != y.
Seats(x, n) := n = count(c: Directs(x, c)).
1.3 Peers(x, y) ^ Fraud(x) => Fraud(y)
0.2 * n: Seats(x, n) => Fraud(x)
-0.4 Fraud(x)
""",
        "Fraud",
        "Directs/pl Fraud/p Paid/pn",
    ),
    "dated": Model(
        """
Starts(person, date)
Crash(person, date)
Friends(person, person)
Dnf(person, date)
Dnf(d, t) open where Starts(d, t).
Crashes(d, t, n) := Starts(d, t) ^ n = count(s: Crash(d, s) ^ s < t).
0.8 * n: Crashes(d, t, n) => Dnf(d, t)
-0.4 Dnf(d, t)
0.6 Dnf(d, t) ^ Starts(d, t) ^ Starts(e, t) ^ Friends(d, e) => Dnf(e, t)
""",
        "Dnf",
        "Starts/pd Crash/pd Friends/pp Dnf/pd",
    ),
    "recent": Model(
        """
Drove(person, place)
On(place, date)
Seen(person, date)
Likes(person, person)
Risky(person)
Recent(d, n) := n = count(r: Drove(d, r) ^ On(r, t) ^ t > $now - 365).
0.5 * n: Recent(d, n) => Risky(d)
-0.7 Risky(x)
0.3 Seen(x, t) => Risky(x)
0.6 Likes(x, y) ^ Risky(x) => Risky(y)
""",
        "Risky",
        "Drove/pl On/ld Seen/pd Likes/pp Risky/p",
    ),
    "recursive": Model(
        """
Edge(person, person)
Node(person)
Marked(person)
Age(person, number)
Reach(x, z) := Edge(x, z).
Reach(x, z) := Reach(x, y) ^ Edge(y, z).
Apart(x, y) := Node(x) ^ Node(y) ^ !Reach(x, y).
Oldest(x, n) := n = max(a: Reach(x, y) ^ Age(y, a)).
Total(x, n) := n = sum(a: Edge(x, y) ^ Age(y, a)).
Part(x, r) := r = share(y: Edge(x, y), Node(y)).
Any(x, e) := e = exists(y: Edge(x, y) ^ Node(y)).
1.1 Reach(x, y) ^ Marked(x) => Marked(y)
0.4 Apart(x, y) => Marked(x)
0.1 * n: Oldest(x, n) => Marked(x)
-0.05 * n: Total(x, n) => Marked(x)
0.7 * r: Part(x, r) => Marked(x)
0.2 * e: Any(x, e) => !Marked(x)
-0.3 Marked(x)
""",
        "Marked",
        "Edge/pp Node/p Marked/p Age/pn",
    ),
    "atmost": Model(
        """
Near(person, person)
Home(person, place?)
Seen(person, place)
1.2 Seen(x, p) => Home(x, p)
0.8 Near(x, y) ^ Home(x, p) => Home(y, p)
Near(x, y) ^ Home(x, Rome) => !Home(y, Oslo).
-0.3 Home(x, +p)
""",
        "Home",
        "Near/pp Seen/pl Home/pl",
    ),
    "functions": Model(
        """
person MotherOf(person)
Tall(person)
Friends(person, person)
1.2 Tall(MotherOf(x)) => Tall(x)
-0.4 Tall(x)
0.7 Friends(x, y) ^ Tall(x) => Tall(y)
0.5 Friends(x, MotherOf(y)) => Tall(y)
""",
        "Tall",
        "Friends/pp Tall/p MotherOf/=pp",
    ),
    "weights": Model(
        """
Similar(person, person, number)
Same(person, person)
Base(person)
w: !Similar(x,y,w) v Same(x,y)
0.5 Same(x,y) => Same(y,x)
-0.2 Same(x,y)
0.9 Base(x) ^ Base(y) => Same(x, y)
!Same(x, x).
""",
        "Same",
        "Similar/ppn Same/pp Base/p",
    ),
    "exist": Model(
        """
person = {Anna, Bob}
Friends(person, person)
Smokes(person)
Calm(person)
1.3 Smokes(x) => (EXIST y (Friends(x, y) ^ Smokes(y)))
0.6 Calm(x) => (FORALL y !Friends(x, y))
EXIST x Smokes(x).
-0.8 Smokes(x)
0.5 Calm(x) v Smokes(x)
""",
        "Smokes,Calm",
        "Friends/pp Smokes/p Calm/p",
    ),
    "scoped": Model(
        """
Surname(person, place)
Born(person, number)
Same(person, person)
Same(x, y) open where Surname(x, s) ^ Surname(y, s) ^ x != y.
0.4 Born(x, n) ^ Born(y, n) => Same(x, y)
-0.3 Same(x, y)
1.0 Same(x, y) ^ Same(y, z) => Same(x, z)
Same(x, y) => Same(y, x).
""",
        "Same",
        "Surname/pl Born/pn Same/pp",
    ),
    "texts": Model(
        """
Named(person, text)
Knows(person, person)
Twin(person, person)
Twin(x, y) open where Named(x, s) ^ Named(y, t) ^ x != y ^ jaro_winkler(s, t) > 0.6.
1.0 * tfidf(s, t): Named(x, s) ^ Named(y, t) => Twin(x, y)
0.8 Knows(x, y) => !Twin(x, y)
-0.2 Twin(x, y)
""",
        "Twin",
        "Named/pt Knows/pp",
    ),
    "plus": Model(
        """
Word(page, word)
Link(page, page)
Topic(page, topic!)
0.9 Word(p, +w) ^ Topic(p, +t)
0.6 Link(p, q) ^ Topic(p, t) => Topic(q, t)
Word(p, Red) => !Topic(p, Oslo).
""",
        "Topic",
        "Word/pw Link/pp Topic/pl",
    ),
    "hiddens": Model(
        """
Wrote(person, page)
Expert(person)
Good(page)
1.1 Wrote(x, p) ^ Expert(x) => Good(p)
0.6 Wrote(x, p) ^ Good(p) => Expert(x)
-0.2 Expert(x)
-0.3 Good(p)
0.2 EXIST p (Wrote(x, p) ^ Good(p))
""",
        "Good",
        "Wrote/pl Expert/p Good/l",
    ),
    "binned": Model(
        """
Age(person, number)
Likes(person, person)
Fraud(person)
0.5 * standardised(a): Age(x, a) => Fraud(x)
0.4 Age(x, a) ^ +bin(a, 2) => Fraud(x)
0.4 Likes(x, y) ^ Fraud(x) => Fraud(y)
-0.1 Fraud(x)
""",
        "Fraud",
        "Age/pn Likes/pp Fraud/p",
    ),
    "numbers": Model(
        """
Area(house, number)
Near(house, house)
Old(house)
Price(house) = number
2.5 * a: Area(x, a) => Price(x)
-1.5 Old(x) ^ Price(x)
0.5 Near(x, y) ^ Old(y) => Price(x)
7 Price(x)
""",
        "Price",
        "Area/pn Near/pp Old/p",
    ),
    "iff": Model(
        """
Friends(person, person)
Smokes(person)
2 Smokes(x) <=> Friends(x, x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
0.3 *Friends(x, Anna) ^ Smokes(x)
-1 Smokes(x) v Smokes(Bob)
""",
        "Smokes",
        "Friends/pp Smokes/p",
    ),
}
SMOKERS = MODELS["smokers"].rules


def random_fact(random: Random, model: Model) -> str:
    """A fact as text, denied now and then where no value stands in it."""
    name, kinds = random.choice(model.predicates())
    drawn = [random.choice(CONSTANTS[kind]) for kind in kinds.lstrip("=")]
    if kinds.startswith("="):
        return f"{name}({', '.join(drawn[:-1])}) = {drawn[-1]}"
    sign = "!" if random.random() < 0.15 and VALUES.isdisjoint(kinds) else ""
    return f"{sign}{name}({', '.join(drawn)})"


def one_of_each_atom(facts: Iterable[str]) -> list[str]:
    """The facts without those that others contradict: one update says one thing of an atom."""
    return list({text.lstrip("!").split(" = ")[0]: text for text in facts}.values())
