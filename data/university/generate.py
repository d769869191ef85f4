"""Make the university tables: six departments whose advisors are drawn from a planted Markov logic
network.

Evidence (papers, courses, topics, offices) is drawn first, around a likely advisor for each
student. Then who advises whom is drawn by Gibbs sampling from the Markov logic network of
`advisors.mln` with the weights in `PLANTED`, given that evidence. So the rules fit the data in
form, and the best possible prediction is still not perfect.

    python data/university/generate.py [DIRECTORY]
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

SEED = 20_240_607
SWEEPS = 200
DEPARTMENTS = ("Aldervale", "Birchmoor", "Cedarholm", "Dunmere", "Elmstead", "Fernhill")
TOPICS = ("Databases", "Graphics", "Languages", "Networks", "Robotics", "Theory")
PHASES = ("Early", "Middle", "Late")
RANKS = ("Junior", "Senior")
GIVEN_NAMES = (
    "Abena Adil Akira Alma Amara Anouk Arjun Astrid Bashir Beatriz Bo Camille Chidi Dalia Dmitri "
    "Elif Emeka Esme Farid Freya Goran Hana Hiro Ines Ivar Jamila Jonas Kaia Kofi Lea Liang Luca "
    "Mafalda Malik Mei Milan Nadia Nils Noor Odile Omar Paloma Petra Quentin Rania Ravi Rosa Sami "
    "Selma Sven Tariq Thea Umut Vera Viktor Wanda Xavi Yara Yusuf Zofia"
)
FAMILY_NAMES = (
    "Abara Berg Castel Dahl Eriksen Fontaine Gruber Haddad Ilves Janssen Kaya Lindqvist Moreau "
    "Novak Okoye Park Quispe Rossi Sato Tanaka Ueda Varga Weiss Xu Yilmaz Zeman"
)
PLANTED = {
    "paper": 2.4,
    "course": 1.6,
    "topic": 1.6,
    "office": 0.8,
    "two advisors": -2.0,
    ("Early", "Junior"): -4.6,
    ("Early", "Senior"): -4.0,
    ("Middle", "Junior"): -4.0,
    ("Middle", "Senior"): -3.2,
    ("Late", "Junior"): -3.6,
    ("Late", "Senior"): -3.0,
}


def main(directory: Path) -> None:
    rng = np.random.default_rng(SEED)
    names = [f"{given}{family}" for given in GIVEN_NAMES.split() for family in FAMILY_NAMES.split()]
    names = [names[i] for i in rng.permutation(len(names))]
    tables: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for department in DEPARTMENTS:
        people = [names.pop() for _ in range(int(rng.integers(38, 46)))]
        n_professors = int(rng.integers(8, 11))
        _department(rng, department, people[n_professors:], people[:n_professors], tables)
    for name, header in HEADERS.items():
        with (directory / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow((*header, "department"))
            writer.writerows(sorted(set(tables[name]), key=lambda row: (row[-1], *row)))


HEADERS = {
    "students": ("student", "phase"),
    "professors": ("professor", "rank"),
    "wrote": ("student", "paper"),
    "published": ("professor", "paper"),
    "assists": ("student", "course"),
    "teaches": ("professor", "course"),
    "studies": ("student", "topic"),
    "researches": ("professor", "topic"),
    "shares_office": ("student", "office_mate"),
    "advised_by": ("student", "professor"),
}


def _department(
    rng: np.random.Generator,
    department: str,
    students: list[str],
    professors: list[str],
    tables: dict[str, list[tuple[str, ...]]],
) -> None:
    n, m = len(students), len(professors)
    phases = rng.choice(3, size=n, p=(0.3, 0.3, 0.4))
    ranks = rng.choice(2, size=m, p=(0.4, 0.6))
    likely = rng.choice(m, size=n, p=(1 + 2 * ranks) / (1 + 2 * ranks).sum())
    interests = [
        rng.choice(len(TOPICS), size=int(rng.integers(1, 3)), replace=False) for _ in range(m)
    ]
    shared = {name: np.zeros((n, m)) for name in ("paper", "course", "topic")}

    def add(table: str, *cells: str) -> None:
        tables[table].append((*cells, department))

    for p, professor in enumerate(professors):
        add("professors", professor, RANKS[ranks[p]])
        for k in interests[p]:
            add("researches", professor, TOPICS[k])
    courses = [f"Course{department[0]}{c + 1}" for c in range(2 * m)]
    teachers = rng.permutation(np.repeat(np.arange(m), 2))
    for c, course in enumerate(courses):
        add("teaches", professors[teachers[c]], course)
    paper = 0
    for s, student in enumerate(students):
        add("students", student, PHASES[phases[s]])
        topic = (
            int(rng.choice(interests[likely[s]]))
            if rng.random() < 0.85
            else int(rng.integers(len(TOPICS)))
        )
        add("studies", student, TOPICS[topic])
        shared["topic"][s] += [topic in interests[p] for p in range(m)]
        for _ in range(int(rng.poisson((0.5, 1.2, 2.2)[phases[s]]))):
            paper += 1
            title = f"Paper{department[0]}{paper}"
            authors = {int(likely[s]) if rng.random() < 0.85 else int(rng.integers(m))}
            if rng.random() < 0.2:
                authors.add(int(rng.integers(m)))
            add("wrote", student, title)
            for p in authors:
                add("published", professors[p], title)
                shared["paper"][s, p] += 1
        for _ in range(int(rng.integers(0, 3))):
            own = [c for c in range(len(courses)) if teachers[c] == likely[s]]
            c = int(rng.choice(own)) if rng.random() < 0.7 else int(rng.integers(len(courses)))
            row = (student, courses[c], department)
            if row not in tables["assists"]:
                tables["assists"].append(row)
                shared["course"][s, teachers[c]] += 1
    office = np.zeros((n, n), dtype=bool)
    for s in range(n):
        for o in range(s):
            if rng.random() < (0.3 if likely[s] == likely[o] else 0.01):
                office[s, o] = office[o, s] = True
    for s, o in zip(*office.nonzero()):
        add("shares_office", students[s], students[o])
    for s, p in zip(*_advisors(rng, phases, ranks, shared, office).nonzero()):
        add("advised_by", students[s], professors[p])


def _advisors(
    rng: np.random.Generator,
    phases: np.ndarray,
    ranks: np.ndarray,
    shared: dict[str, np.ndarray],
    office: np.ndarray,
) -> np.ndarray:
    """A state of AdvisedBy after `SWEEPS` Gibbs sweeps under the planted weights, shape (students,
    professors).
    """
    field = np.array([[PLANTED[PHASES[h], RANKS[r]] for r in ranks] for h in phases])
    field = field + sum(PLANTED[name] * counts for name, counts in shared.items())
    state = np.zeros(field.shape, dtype=bool)
    for _ in range(SWEEPS):
        for s, p in np.ndindex(*state.shape):
            mates, others = office[s], state[s].sum() - state[s, p]
            # Each office pair grounds the rule both ways: one way an advisor gains for each mate
            # who has the same, the other way loses for each who has not.
            with_same = state[mates, p].sum()
            log_odds = field[s, p] + PLANTED["office"] * (2 * with_same - mates.sum())
            # The rule about two advisors grounds for (p, q) and for (q, p).
            log_odds += 2 * PLANTED["two advisors"] * others
            state[s, p] = rng.random() < 1 / (1 + np.exp(-log_odds))
    return state


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
