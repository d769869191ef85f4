"""Three more kinds of made-up records with their truth: catalogues, patients and books.

What is hard in them: catalogues list variants of one model that differ in a letter or a size,
patients are siblings and twins, marry and have their names exchanged, books come in editions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_kinds import (
    ADJECTIVES,
    GADGETS,
    NOUNS,
    SUBJECTS,
    Kind,
    often_first,
    spoiled,
    surname,
)
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS

Random = np.random.Generator
Thing = Mapping[str, Any]

SIZES = ["", "", "64GB", "128GB", "256GB", "13 inch", "15 inch", "500 ml", "1 l", "750 W"]
SUFFIXES = ["", "", "B", "W", "S", "Pro", "Lite", "II"]
PUBLISHERS = [
    ("Oxford University Press", "OUP"), ("Springer-Verlag", "Springer"),
    ("Penguin Books", "Penguin"), ("Cambridge University Press", "CUP"),
    ("John Wiley & Sons", "Wiley"), ("MIT Press", "The MIT Press"),
]  # fmt: skip


def families(random: Random) -> list[Thing]:
    """Models of which there are variants."""
    return [
        {
            "brand": surname(random), "gadget": str(random.choice(GADGETS)),
            "code": "".join(random.choice(list("ABCDEFGHKLMNPRSTVXZ"), 2))
            + str(random.integers(100, 9999)),
            "price": float(np.exp(random.normal(5, 0.8))),
        }
        for _ in range(700)
    ]  # fmt: skip


def article(random: Random, families: Sequence[Thing]) -> Thing:
    family = families[random.integers(len(families))]
    said = {"size": str(random.choice(SIZES)), "suffix": str(random.choice(SUFFIXES))}
    ean = f"{random.integers(10**12, 10**13)}"
    return {
        **family,
        **said,
        "ean": ean,
        "price": family["price"] * float(np.exp(random.normal(0, 0.15))),
    }


def article_seen(random: Random, article: Thing) -> dict[str, Any]:
    code = (
        article["code"] if random.random() < 0.6 else f"{article['code'][:2]}-{article['code'][2:]}"
    )
    model = (
        f"{code}{article['suffix']}"
        if random.random() < 0.5
        else f"{code} {article['suffix']}".strip()
    )
    parts = [article["brand"], model, article["gadget"], article["size"]]
    if random.random() < 0.35:
        parts = [article["gadget"], article["brand"], article["size"], model]
    kept = [part for part in parts if part and (part == model or random.random() < 0.85)]
    title = " ".join(kept) + (
        f" ({random.choice(ADJECTIVES).lower()})" if random.random() < 0.2 else ""
    )
    return {
        "product name": spoiled(random, title, 0.08),
        "manufacturer": article["brand"] if random.random() < 0.8 else None,
        "list price": f"{article['price'] * np.exp(random.normal(0, 0.05)):.2f}"
        if random.random() < 0.8 else None,
        "ean": article["ean"] if random.random() < 0.3 else None,
    }  # fmt: skip


def homes(random: Random) -> list[Thing]:
    """Families: surname, address, telephone, the parents' year of birth."""
    found = []
    for _ in range(900):
        place = int(len(PLACES) * random.random() ** 1.5)
        street = (
            f"{random.integers(1, 250)} {random.choice(STREETS)} "
            f"{random.choice(['Street', 'Road', 'Avenue'])}"
        )
        home = {
            "surname": surname(random),
            "address": street,
            "city": PLACES[place],
            "born": random.integers(1930, 1985),
        }
        found.append(home | {"phone": f"0{200 + place} {random.integers(10**5, 10**6)}"})
    return found


def patient(random: Random, homes: Sequence[Thing]) -> Thing:
    home = homes[random.integers(len(homes))]
    child = random.random() < 0.5
    year = int(home["born"]) + (random.integers(20, 38) if child else random.integers(-4, 5))
    # Twins are told apart by their forenames alone.
    day = np.datetime64(f"{year}-01-01") + (
        100 if child and random.random() < 0.1 else random.integers(365)
    )
    forename = often_first(random, FORENAMES).split()
    numbers = {"insurance": f"{random.choice(list('ABCDEFGHJK'))}{random.integers(10**8, 10**9)}"}
    return {
        **home,
        **numbers,
        "born": day.astype(object),
        "forename": forename,
        "second": surname(random)[0],
        "sex": "mf"[random.integers(2)],
    }


def patient_seen(random: Random, patient: Thing) -> dict[str, Any]:
    first = patient["forename"][-1 if random.random() < 0.15 else 0]
    last = surname(random) if random.random() < 0.05 else patient["surname"]
    if random.random() < 0.3:
        first = f"{first} {patient['second']}."
    first, last = spoiled(random, first, 0.08), spoiled(random, last, 0.1)
    if random.random() < 0.03:
        first, last = last, first
    born = patient["born"].strftime(str(random.choice(["%Y-%m-%d", "%Y-%m-%d", "%d.%m.%Y"])))
    address = patient["address"]
    for long, short in (("Street", "St."), ("Road", "Rd"), ("Avenue", "Ave")):
        address = address.replace(long, short) if random.random() < 0.4 else address
    moved = random.random() < 0.15
    return {
        "first name": first, "last name": last.upper() if random.random() < 0.15 else last,
        "date of birth": born if random.random() < 0.93 else None, "sex": patient["sex"],
        "address": f"{random.integers(1, 250)} {random.choice(STREETS)} Street"
        if moved else address,
        "city": random.choice(PLACES) if moved else patient["city"],
        "phone": patient["phone"] if random.random() < 0.6 else None,
        "insurance": spoiled(random, patient["insurance"], 0.05) if random.random() < 0.4 else None,
    }  # fmt: skip


def works(random: Random) -> list[Thing]:
    """Books of which there are editions."""

    def writer() -> tuple[str, str]:
        return often_first(random, FORENAMES).split()[0], surname(random)

    return [
        {
            "title": [
                *random.choice(SUBJECTS, random.integers(2, 6)), str(random.choice(NOUNS)).lower(),
            ],
            "authors": [writer() for _ in range(random.integers(1, 4))],
            "publisher": PUBLISHERS[random.integers(len(PUBLISHERS))],
            "year": int(random.integers(1960, 2015)),
        }
        for _ in range(1500)
    ]  # fmt: skip


def book(random: Random, works: Sequence[Thing]) -> Thing:
    work = works[random.integers(len(works))]
    edition = int(random.choice([1, 1, 1, 2, 3]))
    told = {
        "edition": edition,
        "year": work["year"] + 5 * (edition - 1),
        "pages": int(random.integers(90, 900)),
    }
    return {**work, **told, "isbn": f"978{random.integers(10**9, 10**10)}"}


def book_seen(random: Random, book: Thing) -> dict[str, Any]:
    title = " ".join(spoiled(random, word, 0.02) for word in book["title"]).capitalize()
    if book["edition"] > 1 and random.random() < 0.7:
        title += random.choice([f", {book['edition']}nd ed.", f" ({book['edition']}. edition)"])
    if random.random() < 0.2:
        title += f": {random.choice(ADJECTIVES).lower()} {random.choice(NOUNS).lower()}"
    styles = [
        "; ".join(f"{last}, {first[0]}." for first, last in book["authors"]),
        ", ".join(f"{first} {last}" for first, last in book["authors"]),
        f"{book['authors'][0][1]}",
    ]
    return {
        "title": title, "author": random.choice(styles),
        "publisher": random.choice(book["publisher"]),
        "year": book["year"] + (random.random() < 0.06) if random.random() < 0.9 else None,
        "pages": book["pages"] + int(random.integers(-8, 9)) * (random.random() < 0.4),
        "isbn": spoiled(random, book["isbn"], 0.03) if random.random() < 0.3 else None,
    }  # fmt: skip


FURTHER = {
    "catalogues": Kind(families, article, article_seen),
    "patients": Kind(homes, patient, patient_seen),
    "books": Kind(works, book, book_seen),
}
