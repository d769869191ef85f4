"""Eight kinds of made-up records more, with their truth: of each there are two readings.

Wines have vintages, garments sizes and colours, papers parts, buildings flats, firms subsidiaries,
and fathers sons of their names: who joins these joins several things. People move between two
homes, and give again and again: who tells these apart tells one thing apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_kinds import (
    ADJECTIVES,
    COLOURS,
    NOUNS,
    SUBJECTS,
    Kind,
    often_first,
    spoiled,
    surname,
)
from benchmarks.linkage_sets import FORENAMES, LEGAL, PLACES, STREETS, TRADES
from benchmarks.linkage_variants import Random, Thing

ESTATES = "Chateau Domaine Weingut Bodega".split()
GRAPES = "Merlot Riesling Syrah Malbec Pinot Cabernet".split()
CLOTHES = "Shirt Jacket Dress Skirt Coat Jeans".split()
SIZES = "XS S M L XL XXL".split()
BRANCHES = "Holding,Services,Logistics,Real Estate".split(",")


def forename(random: Random) -> str:
    return str(often_first(random, FORENAMES).split()[0])


def known(random: Random, value: Any, share: float) -> Any:
    return value if random.random() < share else None


def home(random: Random) -> dict[str, str]:
    place = int(len(PLACES) * random.random() ** 1.5)
    return {
        "street": f"{random.integers(1, 250)} {random.choice(STREETS)} Street",
        "city": PLACES[place], "phone": f"0{200 + place} {random.integers(10**5, 10**6)}",
    }  # fmt: skip


def day(random: Random, year: int) -> str:
    return f"{year}-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}"


def estates(random: Random) -> list[Thing]:
    return [
        {
            "producer": f"{random.choice(ESTATES)} {surname(random)}",
            "name": f"{random.choice(ADJECTIVES)} {random.choice(NOUNS)}",
            "region": random.choice(PLACES), "grape": random.choice(GRAPES),
            "price": float(np.exp(random.normal(3, 0.6))),
        }
        for _ in range(500)
    ]  # fmt: skip


def wine(random: Random, estates: Sequence[Thing]) -> Thing:
    estate = estates[random.integers(len(estates))]
    price = estate["price"] * float(np.exp(random.normal(0, 0.12)))
    return {**estate, "vintage": int(random.integers(1998, 2021)), "price": price}


def wine_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = f"{one['name']} {one['grape']}"
    if random.random() < 0.6:
        name = f"{one['producer']} {one['name']}"
    price = round(one["price"] * float(np.exp(random.normal(0, 0.04))), 2)
    return {
        "wine": spoiled(random, name, 0.08), "winery": known(random, one["producer"], 0.85),
        "vintage": known(random, one["vintage"], 0.9), "region": one["region"],
        "price": known(random, price, 0.85),
    }  # fmt: skip


def styles(random: Random) -> list[Thing]:
    return [
        {
            "brand": surname(random),
            "style": f"{random.choice(ADJECTIVES)} {random.choice(CLOTHES)}",
            "fabric": random.choice(["cotton", "wool", "linen", "denim"]),
            "price": float(np.exp(random.normal(3.8, 0.5))),
        }
        for _ in range(250)
    ]


def garment(random: Random, styles: Sequence[Thing]) -> Thing:
    told = {"size": random.choice(SIZES), "colour": random.choice(COLOURS)}
    return {
        **styles[random.integers(len(styles))], **told, "sku": f"{random.integers(10**7, 10**8)}"
    }  # fmt: skip


def garment_seen(random: Random, one: Thing) -> dict[str, Any]:
    parts = [one["brand"], one["style"], one["colour"], one["size"]]
    if random.random() < 0.4:
        parts = [one["style"], one["brand"], one["size"], one["colour"]]
    return {
        "item": spoiled(random, " ".join(parts), 0.06), "brand": known(random, one["brand"], 0.8),
        "fabric": known(random, one["fabric"], 0.8),
        "price": round(one["price"] * (1.0 if random.random() < 0.7 else 0.8), 2),
        "sku": known(random, one["sku"], 0.25),
    }  # fmt: skip


def series(random: Random) -> list[Thing]:
    return [
        {
            "title": " ".join(random.choice(SUBJECTS, random.integers(3, 7))).capitalize(),
            "authors": [(forename(random), surname(random)) for _ in range(random.integers(1, 4))],
            "journal": random.choice(["Annals of Statistics", "Physics Letters", "Acta"]),
            "year": int(random.integers(1970, 2015)), "parts": 3 if random.random() < 0.35 else 1,
        }
        for _ in range(1400)
    ]  # fmt: skip


def part(random: Random, series: Sequence[Thing]) -> Thing:
    one, first = series[random.integers(len(series))], int(random.integers(1, 900))
    number = int(random.integers(one["parts"]))
    pages = f"{first}-{first + int(random.integers(4, 40))}"
    return {**one, "part": number, "year": one["year"] + number, "pages": pages}


def part_seen(random: Random, one: Thing) -> dict[str, Any]:
    number = ["I", "II", "III"][one["part"]]
    written = random.choice([": part {}", ". {}", ", {}"]).format(number)
    authors = "; ".join(f"{last}, {first[0]}." for first, last in one["authors"])
    if random.random() < 0.5:
        authors = " and ".join(f"{first} {last}" for first, last in one["authors"])
    return {
        "title": spoiled(random, one["title"] + (written if one["parts"] > 1 else ""), 0.1),
        "authors": authors, "journal": one["journal"], "year": known(random, one["year"], 0.9),
        "pages": known(random, one["pages"], 0.5),
    }  # fmt: skip


def buildings(random: Random) -> list[Thing]:
    return [
        {
            "street": random.choice(STREETS), "number": int(random.integers(1, 200)),
            "city": often_first(random, PLACES), "postcode": str(random.integers(10_000, 99_999)),
        }
        for _ in range(250)
    ]  # fmt: skip


def flat(random: Random, buildings: Sequence[Thing]) -> Thing:
    told = {"flat": int(random.integers(1, 25)), "occupant": surname(random)}
    return {**buildings[random.integers(len(buildings))], **told}


def flat_seen(random: Random, one: Thing) -> dict[str, Any]:
    number, street, door = (one[name] for name in ("number", "street", "flat"))
    written = [
        f"{number} {street} Street, Apt {door}", f"{street} St {number}/{door}",
        f"{number} {street} St. #{door}",
    ]  # fmt: skip
    return {
        "address": spoiled(random, random.choice(written), 0.05), "city": one["city"],
        "postcode": one["postcode"],
        "occupant": known(random, spoiled(random, one["occupant"], 0.08), 0.7),
    }  # fmt: skip


def firms_of_groups(random: Random) -> list[Thing]:
    found = []
    for _ in range(1500):
        name, at = f"{surname(random)} {random.choice(TRADES)}", home(random)
        more = random.choice(BRANCHES, random.integers(1, 3), replace=False)
        for branch in ["", *more] if random.random() < 0.4 else [""]:
            told = {"name": f"{name} {branch}".strip(), "legal": LEGAL[random.integers(len(LEGAL))]}
            register = f"HRB {random.integers(1000, 99_999)}"
            staff = float(np.exp(random.normal(3, 1)))
            found.append({**at, **told, "register": register, "staff": staff})
    return found


def one_of(random: Random, things: list[Thing]) -> Thing:
    """Each thing once."""
    return things.pop(random.integers(len(things)))


def firm_of_group_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = f"{one['name']} {random.choice(one['legal'])}".strip()
    street = one["street"] if random.random() < 0.6 else one["street"].replace("Street", "St")
    return {
        "company": spoiled(random, name, 0.08), "street": street, "city": one["city"],
        "phone": known(random, one["phone"], 0.7),
        "register": known(random, one["register"], 0.3),
        "staff": known(random, int(one["staff"] * random.uniform(0.9, 1.1)), 0.7),
    }  # fmt: skip


def namesakes(random: Random) -> list[Thing]:
    found = []
    for _ in range(1500):
        at, last, first, year = home(random), surname(random), forename(random), 1930
        year += int(random.integers(35))
        of_family = [(first, year)]
        if random.random() < 0.25:
            of_family.append((first, year + int(random.integers(22, 34))))
        if random.random() < 0.6:
            of_family.append((forename(random), year + 2))
        for name, born in of_family:
            mail = f"{name.lower()}{random.integers(10, 99)}@mail.org"
            told = {"first": name, "last": last, "born": day(random, born), "mail": mail}
            found.append({**at, **told})
    return found


def namesake_seen(random: Random, one: Thing) -> dict[str, Any]:
    return {
        "first name": spoiled(random, one["first"], 0.06),
        "last name": spoiled(random, one["last"], 0.06),
        "born": known(random, spoiled(random, one["born"], 0.05), 0.55),
        "street": one["street"], "city": one["city"], "phone": known(random, one["phone"], 0.6),
        "mail": known(random, one["mail"], 0.2),
    }  # fmt: skip


def mover(random: Random, _: None) -> Thing:
    homes = [home(random) for _ in range(1 + int(random.random() < 0.5))]
    born = day(random, int(random.integers(1935, 2003)))
    return {"first": forename(random), "last": surname(random), "born": born, "homes": homes}


def mover_seen(random: Random, one: Thing) -> dict[str, Any]:
    at = one["homes"][random.integers(len(one["homes"]))]
    return {
        "first name": spoiled(random, one["first"], 0.08),
        "last name": spoiled(random, one["last"], 0.08),
        "born": known(random, spoiled(random, one["born"], 0.04), 0.85),
        "street": at["street"], "city": at["city"], "phone": known(random, at["phone"], 0.7),
    }  # fmt: skip


def giver(random: Random, _: None) -> Thing:
    mail = f"{surname(random).lower()}{random.integers(10, 9999)}@mail.org"
    return {**home(random), "first": forename(random), "last": surname(random), "mail": mail}


def gift_seen(random: Random, one: Thing) -> dict[str, Any]:
    street = one["street"] if random.random() < 0.9 else home(random)["street"]
    return {
        "first name": spoiled(random, one["first"], 0.08),
        "last name": spoiled(random, one["last"], 0.08), "street": spoiled(random, street, 0.08),
        "city": one["city"], "mail": known(random, one["mail"], 0.5),
        "given on": day(random, int(random.integers(2015, 2024))),
        "sum": int(random.choice([10, 20, 50, 100])),
    }  # fmt: skip


READINGS = {
    "wines": Kind(estates, wine, wine_seen),
    "garments": Kind(styles, garment, garment_seen),
    "parts": Kind(series, part, part_seen),
    "flats": Kind(buildings, flat, flat_seen),
    "groups": Kind(firms_of_groups, one_of, firm_of_group_seen),
    "namesakes": Kind(namesakes, one_of, namesake_seen),
    "movers": Kind(lambda _: None, mover, mover_seen),
    "gifts": Kind(lambda _: None, giver, gift_seen),
}
