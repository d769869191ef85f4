"""Draw the fraud example: people, companies, who directs which, addresses. A planted model says who
is fraudulent.

    python data/fraud/generate.py [--people 1200] [--seed 1] [--out DIRECTORY] [--leak]

The planted model is a Markov random field over people. `PLANTED` has its weights: what raises the
log-odds that a person is fraudulent, the last two for each other fraudulent person met there. Rings
are companies with several directors, most of them registered at one mailbox; inside them the last
two weights feed each other. Labels are drawn by Gibbs sampling; three in ten are left blank.
`answers/people.csv` has the truth of the blanks, with the probability that the planted model gives
each once it has seen all labels: the best that can be learned from these tables.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

PLANTED = {
    "bias": -4.0,
    "younger than 30 on 2024-01-01": 0.9,
    "phone not verified": 1.1,
    "registered at a mailbox": 0.8,
    "income below 18,000": 0.7,
    "directs a company with a fraudulent director": 2.0,
    "shares an address with a fraudulent person": 1.0,
}
TODAY = date(2024, 1, 1)
BLANK, RINGS_IN, PEOPLE_A_RING = 0.3, 24, (3, 6)
FIRST = (
    "Ada Ben Cleo Dario Edda Falk Gesa Henk Ines Jonte Kaja Lior Mira Nuno Oda Piet Quim Rhea Sven "
    "Tilda Ugo Vera Wim Xenia Yann Zora Anouk Bela Caspar Dilan Elif Frieda Goran Hilde Ilja Juna "
    "Kemal Lotte Marek Nele"
).split()
LAST = (
    "Abel Bruns Castel Dorn Egger Falke Gross Hauk Imhof Janssen Keller Lorenz Moser Nagel Ott "
    "Pohl Quast Reuter Sander Thoma Ulrich Voss Weiss Zander Adami Birk Conti Diaz Eriks Fabre "
    "Grimm Horn Ivano Jung Krol Lund Novak"
).split()
STREETS = (
    "Ahornweg Birkenallee Domplatz Erlenstraße Feldgasse Gartenweg Hafenstraße Inselweg "
    "Kirchplatz Lindenallee"
).split()
CITIES = "Ansheim Bergau Dornfeld Eschwyl Falkenried".split()
BRANCHES = "bakery building catering logistics retail software travel".split()
FORMS = "Works Trading Partners House Lines Studio".split()


@dataclass(frozen=True)
class World:
    """What is known of everybody; arrays by number of the person, company or address."""

    born: list[date]
    verified: np.ndarray
    income: np.ndarray
    address: np.ndarray
    mailbox: np.ndarray
    directs: list[tuple[int, int]]
    ring_companies: int


def build(people: int, rng: np.random.Generator) -> World:
    """Everything but who is fraudulent."""
    addresses, companies = people * 3 // 8, people // 4
    rings = max(people // (1200 // RINGS_IN), 2)
    mailbox = rng.random(addresses) < 0.06
    mailbox[:rings] = True
    address = rng.integers(rings, addresses, people)
    members = rng.permutation(people)
    directs: set[tuple[int, int]] = set()
    start = 0
    for ring in range(rings):
        size = int(rng.integers(*PEOPLE_A_RING, endpoint=True))
        for person in members[start : start + size]:
            directs.add((int(person), ring))
            if rng.random() < 0.7:
                address[person] = ring
        start += size
    for company in range(rings, companies):
        for person in rng.choice(
            people, size=int(rng.choice((1, 2, 3), p=(0.6, 0.3, 0.1))), replace=False
        ):
            directs.add((int(person), company))
    born = [TODAY - timedelta(days=int(days)) for days in rng.integers(19 * 365, 75 * 365, people)]
    income = np.round(rng.lognormal(10.3, 0.55, people) / 50) * 50
    return World(born, rng.random(people) < 0.8, income, address, mailbox, sorted(directs), rings)


def own_log_odds(world: World) -> np.ndarray:
    """float64 (n_people,): the part of the log-odds that is the person's own."""
    young = np.array([born > date(TODAY.year - 30, 1, 1) for born in world.born])
    return (
        PLANTED["bias"]
        + PLANTED["younger than 30 on 2024-01-01"] * young
        + PLANTED["phone not verified"] * ~world.verified
        + PLANTED["registered at a mailbox"] * world.mailbox[world.address]
        + PLANTED["income below 18,000"] * (world.income < 18_000)
    )


def neighbours(world: World) -> list[dict[int, float]]:
    """For each person the others that count, with the weight of each."""
    found: list[dict[int, float]] = [{} for _ in world.born]
    groups: list[tuple[list[int], float]] = []
    for company in {company for _, company in world.directs}:
        weight = PLANTED["directs a company with a fraudulent director"]
        groups.append(([person for person, other in world.directs if other == company], weight))
    for address in np.unique(world.address):
        weight = PLANTED["shares an address with a fraudulent person"]
        groups.append((np.flatnonzero(world.address == address).tolist(), weight))
    for group, weight in groups:
        for one in group:
            for other in group:
                if one != other:
                    found[one][other] = found[one].get(other, 0.0) + weight
    return found


def sample(
    world: World, rng: np.random.Generator, sweeps: int, known: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """A state by Gibbs sampling and each person's mean probability over the second half of the
    sweeps.

    `known` is 1, 0, or -1 where the state is to be drawn.
    """
    own, around = own_log_odds(world), neighbours(world)
    state = (rng.random(len(own)) < 0.15).astype(int)
    if known is not None:
        state = np.where(known >= 0, known, state)
    drawn = np.arange(len(own)) if known is None else np.flatnonzero(known < 0)
    total = np.zeros(len(own))
    for sweep in range(sweeps):
        for person in drawn:
            odds = own[person] + sum(
                weight for other, weight in around[person].items() if state[other]
            )
            probability = 1.0 / (1.0 + np.exp(-odds))
            state[person] = rng.random() < probability
            total[person] += probability * (2 * sweep >= sweeps)
    return state, total / max(sweeps - (sweeps + 1) // 2, 1)


def write(path: Path, header: list[str], rows: list[list[object]]) -> None:
    """One CSV file."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main() -> None:
    """Write the five files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument(
        "--leak", action="store_true", help="add a column closed_on, filled where is_fraud = yes"
    )
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    world = build(given.people, rng)
    truth, _ = sample(world, rng, 200)
    blank = rng.random(given.people) < BLANK
    _, chances = sample(world, rng, 400, np.where(blank, -1, truth))
    (given.out / "answers").mkdir(parents=True, exist_ok=True)
    # Numbers are handed out at random, so that a ring cannot be told by its number.
    person_ids = [f"P{number:04d}" for number in rng.permutation(given.people) + 1]
    n_companies = 1 + max(company for _, company in world.directs)
    company_ids = [f"C{number:04d}" for number in rng.permutation(n_companies) + 1]
    address_ids = [f"A{number:04d}" for number in rng.permutation(len(world.mailbox)) + 1]
    say = ("no", "yes")
    people = []
    for person in np.argsort(person_ids):
        row = [
            person_ids[person],
            f"{rng.choice(FIRST)} {rng.choice(LAST)}",
            world.born[person],
            "" if rng.random() < 0.04 else int(world.income[person]),
            say[int(world.verified[person])],
            address_ids[world.address[person]],
        ]
        if given.leak:
            closed = TODAY + timedelta(days=int(rng.integers(10, 300)))
            row.append(closed if truth[person] and not blank[person] else "")
        people.append([*row, "" if blank[person] else say[truth[person]]])
    header = ["person_id", "name", "born", "income", "phone_verified", "address_id"]
    write(
        given.out / "people.csv",
        [*header, *(["closed_on"] if given.leak else []), "is_fraud"],
        people,
    )
    write(
        given.out / "companies.csv",
        ["company_id", "name", "branch", "founded"],
        [
            [
                company_ids[company],
                f"{rng.choice(LAST)} {rng.choice(FORMS)}",
                rng.choice(BRANCHES),
                date(2000, 1, 1) + timedelta(days=int(rng.integers(0, 8700))),
            ]
            for company in np.argsort(company_ids)
        ],
    )
    write(
        given.out / "directors.csv",
        ["person_id", "company_id", "since"],
        sorted(
            [
                person_ids[person],
                company_ids[company],
                str(TODAY - timedelta(days=int(rng.integers(30, 5000)))),
            ]
            for person, company in world.directs
        ),
    )
    write(
        given.out / "addresses.csv",
        ["address_id", "street", "city", "kind"],
        [
            [
                address_ids[place],
                f"{rng.choice(STREETS)} {rng.integers(1, 99)}",
                rng.choice(CITIES),
                "mailbox" if world.mailbox[place] else rng.choice(("flat", "house")),
            ]
            for place in np.argsort(address_ids)
        ],
    )
    write(
        given.out / "answers" / "people.csv",
        ["person_id", "is_fraud", "planted"],
        sorted(
            [person_ids[person], say[truth[person]], f"{chances[person]:.4f}"]
            for person in np.flatnonzero(blank)
        ),
    )


if __name__ == "__main__":
    main()
