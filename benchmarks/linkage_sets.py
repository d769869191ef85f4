"""Made-up linkage problems of several kinds with their truth: households, companies, papers and
products.

What tells them from `benchmarks.linkage.people` is why pairs of different things are alike: persons
of a household share surname, street, town and telephone, persons who moved share none of these with
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

Tables = tuple[list[pd.DataFrame], list[np.ndarray]]
"""One table or two, and what each of their records is of."""

FORENAMES = [
    "James Jim", "Robert Bob", "John Jack", "Michael Mike", "William Bill", "David Dave",
    "Richard Rick", "Joseph Joe", "Thomas Tom", "Charles Chuck", "Daniel Dan", "Matthew Matt",
    "Anthony Tony", "Mark", "Steven Steve", "Andrew Andy", "Kenneth Ken", "Kevin", "George",
    "Edward Ted", "Brian", "Nicholas Nick", "Samuel Sam", "Frank", "Henry Harry", "Mary Molly",
    "Patricia Pat", "Jennifer Jen", "Linda", "Elizabeth Liz", "Barbara Barb", "Susan Sue", "Sarah",
    "Karen", "Nancy", "Margaret Peggy", "Lisa", "Sandra Sandy", "Emily Em", "Donna", "Carol",
    "Amanda Mandy", "Laura", "Deborah Deb", "Rebecca Becky", "Sharon", "Cynthia Cindy",
    "Kathleen Kathy", "Helen", "Amy", "Angela", "Ruth", "Anna", "Emma", "Christine Tina", "Rachel",
    "Maria", "Virginia", "Julie", "Joan", "Alice", "Victoria Vicky",
]  # fmt: skip
STARTS = (
    "Sm Br Wil Tay And Rob Har Mar Tur Camp Mor Ste Mur Hal Car Mitch Per Phil Tor Wat Fos "
    "Kel Hugh Ben Sand"
).split()
STARTS += (
    "Ros Pow Lon Wash Sim Gon Gra Wall Lop Fish Hof Schn Kru Nov Kov Dub Lef Gar Fern Quin "
    "Ost Lind Berg"
).split()
ENDS = (
    "ith own liams son ston lor erson inson ker ris tin ner bell er wards gan lins vens phy "
    "man ell es rez ips"
).split()
ENDS += (
    "ans dy ey ings ders well ance ington mons ander field sen mann eider ler ak ac ov evre eau"
).split()
PLACES = (
    "Springfield Franklin Clinton Georgetown Salem Fairview Madison Arlington Ashland Dover "
    "Oxford Jackson"
).split()
PLACES += (
    "Burlington Manchester Milton Newport Auburn Dayton Lexington Milford Riverside "
    "Cleveland Hudson"
).split()
STREETS = (
    "Main Oak Pine Maple Cedar Elm View Lake Hill Park Walnut Spring North Ridge Church "
    "Willow Mill Sunset"
).split()
TRADES = (
    "Systems Technologies Industries Manufacturing Logistics Consulting Foods Electronics Software"
).split()
TRADES += (
    "Construction Engineering Motors Textiles Chemicals Media Holdings Insurance Trading Packaging"
).split()
LEGAL = [
    ("Inc", "Incorporated", ""),
    ("Ltd", "Limited", "Ltd."),
    ("GmbH", ""),
    ("LLC", "L.L.C.", ""),
    ("AG", ""),
]
TOPICS = (
    "learning relational database query optimization mining inference probabilistic graph "
    "stream indexing"
).split()
TOPICS += (
    "parallel distributed web semantic knowledge clustering temporal similarity join scale adaptive"
).split()
TOPICS += (
    "transactions schema integration privacy ranking approximate storage cache evaluation spatial"
).split()
VENUES = [
    ("International Conference on Management of Data", "SIGMOD"), ("Very Large Data Bases", "VLDB"),
    ("International Conference on Data Engineering", "ICDE"),
    ("Knowledge Discovery and Data Mining", "KDD"),
    ("ACM Transactions on Database Systems", "TODS"),
]  # fmt: skip


def households(
    n: int,
    *,
    seed: int,
    copies: float,
    spoiled: float = 1.0,
    blank: float = 0.1,
    apart: bool = False,
) -> Tables:
    """Persons with `copies` records on average, a quarter of them at the address of the person
    before.

    Parameters
    ----------
    spoiled : float
        How often persons move, change their telephone, use a short name and are misspelt, as a
        multiple of the usual.
    blank : float
        Share of cells without a value.
    apart : bool
        In two tables, each with one record of a person at most.
    """
    random = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    truth: list[int] = []
    person = _person(random)
    while len(rows) < n:
        before, person = person, _person(random)
        if random.random() < 0.25:
            person |= {name: before[name] for name in ("surname", "street", "town", "postcode")}
        number = truth[-1] + 1 if truth else 0
        for _ in range(min(int(random.geometric(1 / copies)), n - len(rows))):
            truth.append(number)
            rows.append(_seen(random, person, spoiled, blank))
    table = pd.DataFrame(rows)
    side = random.random(n) < 0.5 if apart else np.zeros(n, np.bool_)
    return told_apart(random, table, np.array(truth), side)


def _person(random: np.random.Generator) -> dict[str, Any]:
    surname = f"{random.choice(STARTS)}{random.choice(ENDS)}"
    forename = int(len(FORENAMES) * random.random() ** 1.5)
    day = np.datetime64("1935-01-01") + random.integers(0, 25_000)
    box = f"{FORENAMES[forename].split()[0]}.{surname}{random.integers(100)}"
    mail = f"{box}@mail{random.integers(4)}.org".lower()
    return {"forename": forename, "surname": surname, "born": str(day), "mail": mail} | _address(
        random
    )


def _address(random: np.random.Generator) -> dict[str, Any]:
    place = int(len(PLACES) * random.random() ** 1.5)
    return {
        "street": f"{random.integers(1, 2000)} {random.choice(STREETS)} "
        f"{random.choice(['Street', 'Road'])}",
        "town": PLACES[place],
        "postcode": f"{10_000 + 131 * place + random.integers(12)}",
        "telephone": f"{200 + place}-{random.integers(200, 999)}-{random.integers(10_000):04d}",
    }


def _seen(
    random: np.random.Generator, person: Mapping[str, Any], spoiled: float, blank: float
) -> dict[str, Any]:
    names = FORENAMES[person["forename"]].split()
    row = dict(person) | {"forename": names[-1 if random.random() < 0.25 * spoiled else 0]}
    if random.random() < 0.2 * spoiled:
        row |= {name: cell for name, cell in _address(random).items() if name != "telephone"}
    if random.random() < 0.15 * spoiled:
        row["telephone"] = _address(random)["telephone"]
    for name, share in {
        "forename": 0.08,
        "surname": 0.1,
        "street": 0.1,
        "born": 0.06,
        "mail": 0.1,
    }.items():
        if random.random() < share * spoiled:
            row[name] = misspelt(random, row[name])
    for name in ("born", "street", "town", "postcode", "telephone", "mail"):
        if random.random() < blank:
            row[name] = None
    return row


def misspelt(random: np.random.Generator, text: str) -> str:
    at = int(random.integers(len(text) - 1))
    letter = (
        "0123456789"[random.integers(10)]
        if text[at].isdigit()
        else "abcdefghij"[random.integers(10)]
    )
    return [text[:at] + letter, text[:at], text[: at + 1] + text[at]][random.integers(3)] + text[
        at + 1 :
    ]


def companies(n: int, *, seed: int, overlap: float) -> Tables:
    """Two registers of `n` companies, names and legal forms abbreviated; a share is in both."""
    random = np.random.default_rng(seed)

    def made() -> dict[str, Any]:
        words = [f"{random.choice(STARTS)}{random.choice(ENDS)}", str(random.choice(TRADES))]
        web = f"www.{''.join(words).lower()}.com"
        return {"words": words, "legal": LEGAL[random.integers(len(LEGAL))], "web": web} | _address(
            random
        )

    def seen(one: Mapping[str, Any], side: int) -> dict[str, Any]:
        words = [word[:4] if random.random() < 0.15 else word for word in one["words"]]
        address = one if random.random() < 0.8 else _address(random)
        row = {
            "name": " ".join([*words, str(random.choice(one["legal"]))]).strip(),
            "web": one["web"],
        }
        row |= {name: address[name] for name in ("street", "town")}
        return {
            name: None if name != "name" and random.random() < 0.2 else cell
            for name, cell in row.items()
        }

    return _two(random, n, overlap, made, seen)


def papers(n: int, *, seed: int, overlap: float) -> Tables:
    """Two libraries of `n` papers, one to one, each with its own way with venues and authors."""
    random = np.random.default_rng(seed)
    writers = [
        (str(random.choice(FORENAMES)).split()[0], random.choice(STARTS) + random.choice(ENDS))
        for _ in range(900)
    ]

    def made() -> dict[str, Any]:
        return {
            "title": list(random.choice(TOPICS, random.integers(3, 9))),
            "authors": [
                writers[at] for at in random.integers(0, len(writers), random.integers(1, 5))
            ],
            "venue": VENUES[random.integers(len(VENUES))],
            "year": int(random.integers(1990, 2012)),
        }

    def seen(one: Mapping[str, Any], side: int) -> dict[str, Any]:
        words = [
            misspelt(random, word) if random.random() < 0.03 else word for word in one["title"]
        ]
        short = side == 1 and random.random() < 0.7
        return {
            "title": " ".join(words),
            "authors": ", ".join(
                f"{first[0] + '.' if short else first} {last}" for first, last in one["authors"]
            ),
            "venue": one["venue"][side],
            "year": one["year"] + (random.random() < 0.05),
        }

    return _two(random, n, overlap, made, seen)


def _two(
    random: np.random.Generator,
    n: int,
    overlap: float,
    made: Callable[[], dict[str, Any]],
    seen: Callable[[Mapping[str, Any], int], dict[str, Any]],
) -> Tables:
    rows, truth, side = [], [], []
    for thing in range(round(n * (2 - overlap))):
        one = made()
        for where in (0, 1) if thing < n * overlap else (int(thing >= n),):
            rows.append(seen(one, where))
            truth.append(thing)
            side.append(where)
    return told_apart(random, pd.DataFrame(rows), np.array(truth), np.array(side, np.bool_))


def told_apart(
    random: np.random.Generator, table: pd.DataFrame, truth: np.ndarray, side: np.ndarray
) -> Tables:
    """In random order, with ids; of two sides the first record of each thing in each."""
    order = random.permutation(len(table))
    table, truth, side = table.iloc[order].reset_index(drop=True), truth[order], side[order]
    table.insert(0, "id", [f"r{row}" for row in range(len(table))])
    if not side.any():
        return [table], [truth]
    first = ~pd.DataFrame({"truth": truth, "side": side}).duplicated().to_numpy()
    kept = [np.flatnonzero(first & (side == where)) for where in (False, True)]
    return [table.iloc[rows] for rows in kept], [truth[rows] for rows in kept]


SETS: dict[str, Callable[[], Tables]] = {
    "households": lambda: households(3000, seed=1, copies=1.8),
    "households, few duplicates": lambda: households(4000, seed=2, copies=1.05),
    "households, spoiled": lambda: households(4000, seed=3, copies=2.5, spoiled=2.0),
    "households, half blank": lambda: households(4000, seed=4, copies=2.5, blank=0.5),
    "households, two files": lambda: households(4000, seed=5, copies=2.0, apart=True),
    "60 records": lambda: households(60, seed=6, copies=2.0),
    "companies, two files": lambda: companies(3000, seed=7, overlap=0.5),
    "papers, two files": lambda: papers(2500, seed=8, overlap=0.7),
}
