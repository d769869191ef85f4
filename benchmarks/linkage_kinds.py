"""Made-up records of seven further kinds with their truth: what `workbench link` is tried on, and
not built on.

Firms with legal forms, songs, medicines with strengths, references in three styles, hotels with
coordinates, products with model numbers, and persons of whom three things are known. Each kind has
a world (names that things share), a way to make a thing, and a way to see it: every record is seen
anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.linkage_sets import (
    ENDS,
    FORENAMES,
    LEGAL,
    PLACES,
    STARTS,
    STREETS,
    TOPICS,
    TRADES,
    Tables,
    misspelt,
    told_apart,
)  # fmt: skip

Random = np.random.Generator
Thing = Mapping[str, Any]


class Kind(NamedTuple):
    """How things of a kind come about and are seen."""

    world: Callable[[Random], Any]
    thing: Callable[[Random, Any], Thing]
    seen: Callable[[Random, Thing], dict[str, Any]]


ADJECTIVES = (
    "Broken Silent Golden Lost Wild Endless Sweet Empty Burning Hidden Lonely Electric "
    "Crystal Velvet"
).split()
NOUNS = (
    "Love Night Rain Heart Fire River Moon Road Summer Dream Shadow Light Angel Dance Sky "
    "Storm Garden"
).split()
SYLLABLES = "a be cor di en fo gli hy ino ket lor me ni ox pra ra so ta ul va xi zo thi".split()
DRUG_ENDS = "mab nib pril sartan statin olol azole".split()
FORMS = [
    "tablet tabs tbl",
    "capsule caps cap",
    "coated-tablet FC-tablet film-tab",
    "solution sol soln",
    "cream crm",
]
JOURNALS = [
    ("Journal of Applied Statistics", "J. Appl. Stat."),
    ("Annals of Human Genetics", "Ann. Hum. Genet."),
    ("Physical Review Letters", "Phys. Rev. Lett."), ("Nature", "Nature"),
    ("Machine Learning", "Mach. Learn."), ("Lancet", "The Lancet"),
    ("Journal of Economic Theory", "J. Econ. Theory"), ("Bioinformatics", "Bioinf."),
]  # fmt: skip
SUBJECTS = (
    TOPICS
    + "protein cell soil water model growth human risk bayesian regression market price".split()
    + ["trial"]
)
SUBJECTS += (
    "surface quantum spin carbon climate forest species gene expression network equilibrium".split()
)
HOTELS = (
    "Grand Park Royal Central Plaza Garden Palace Station Continental Imperial Bellevue "
    "Astoria Alpine"
).split()
GADGETS = "Laptop Monitor Camera Printer Headphones Router Keyboard Speaker Projector Drive".split()
COLOURS = "black white silver blue red".split()


def surname(random: Random) -> str:
    return f"{random.choice(STARTS)}{random.choice(ENDS)}"


def spoiled(random: Random, text: str, share: float) -> str:
    return misspelt(random, text) if random.random() < share else text


def often_first(random: Random, values: list[Any]) -> Any:
    return values[int(len(values) * random.random() ** 1.5)]


def firm(random: Random, _: None) -> Thing:
    words = [surname(random), *random.choice(TRADES, random.integers(3), replace=False)]
    vat = f"{random.choice(['GB', 'DE', 'US'])}{random.integers(10**8, 10**9)}"
    return {"words": words, "legal": LEGAL[random.integers(len(LEGAL))], "vat": vat} | seat(random)


def seat(random: Random) -> Thing:
    place = int(len(PLACES) * random.random() ** 1.5)
    street = f"{random.integers(1, 400)} {random.choice(STREETS)} Street"
    return {
        "street": street,
        "city": PLACES[place],
        "postcode": str(10_000 + 131 * place + random.integers(12)),
    }


def firm_seen(random: Random, firm: Thing) -> dict[str, Any]:
    name = " ".join([*firm["words"], str(random.choice(firm["legal"]))]).strip()
    address = dict(seat(random) if random.random() < 0.1 else firm)
    street = (
        address["street"].replace("Street", "St") if random.random() < 0.4 else address["street"]
    )
    vat = firm["vat"] if random.random() < 0.45 else None
    row = {"company": spoiled(random, name, 0.1), "street": street, "city": address["city"]}
    return row | {"postcode": address["postcode"], "vat": vat}


def artists(random: Random) -> list[str]:
    bands = [f"The {random.choice(ADJECTIVES)} {random.choice(NOUNS)}s" for _ in range(300)]
    return bands + [f"{random.choice(FORENAMES).split()[0]} {surname(random)}" for _ in range(300)]


def song(random: Random, artists: list[str]) -> Thing:
    title = [
        random.choice(["The", "My", "In the", "Under", ""]),
        random.choice(ADJECTIVES),
        random.choice(NOUNS),
    ]
    if random.random() < 0.4:
        title += ["of", random.choice(NOUNS)]
    return {
        "title": " ".join(title).strip(),
        "artist": artists[int(len(artists) * random.random() ** 2)],
        "album": f"{random.choice(ADJECTIVES)} {random.choice(NOUNS)}",
        "length": int(random.normal(230, 45)), "year": int(random.integers(1965, 2022)),
    }  # fmt: skip


def song_seen(random: Random, song: Thing) -> dict[str, Any]:
    title, artist = spoiled(random, song["title"], 0.1), song["artist"]
    if random.random() < 0.15:
        title += random.choice([" (Remastered)", " (Live)", " - Single Version", " (Radio Edit)"])
    if random.random() < 0.15:
        artist += f" feat. {surname(random)}"
    length = song["length"] + int(random.normal(0, 2))
    album = song["album"] if random.random() < 0.75 else f"Best of {song['artist']}"
    year = song["year"] + (int(random.integers(1, 20)) if random.random() < 0.15 else 0)
    return {
        "title": title,
        "artist": artist,
        "album": album,
        "length": f"{length // 60}:{length % 60:02d}",
        "year": year,
    }


def pharmacy(random: Random) -> dict[str, list[str]]:
    drugs = [
        "".join([*random.choice(SYLLABLES, random.integers(2, 4)), random.choice(DRUG_ENDS)])
        for _ in range(400)
    ]
    return {
        "drugs": drugs,
        "makers": [f"{surname(random)} {random.choice(['Pharma', 'Labs'])}" for _ in range(60)],
    }


def medicine(random: Random, pharmacy: Mapping[str, list[str]]) -> Thing:
    strength = random.choice([2.5, 5, 10, 20, 25, 40, 50, 75, 100, 200, 250, 400, 500, 850, 1000])
    form, pack = random.choice(FORMS), random.choice([10, 20, 28, 30, 50, 56, 84, 98, 100])
    drug, maker = random.choice(pharmacy["drugs"]), random.choice(pharmacy["makers"])
    return {"drug": drug, "strength": strength, "form": form, "pack": pack, "maker": maker}


def medicine_seen(random: Random, medicine: Thing) -> dict[str, Any]:
    strength, maker = medicine["strength"], medicine["maker"]
    name = spoiled(random, medicine["drug"].capitalize(), 0.1)
    written = [f"{strength:g} mg", f"{strength:g} mg", f"{strength:g}mg", f"{strength / 1000:g} g"]
    return {
        "product": f"{name} {maker.split()[0]}" if random.random() < 0.6 else name,
        "substance": spoiled(random, medicine["drug"], 0.1), "strength": random.choice(written),
        "form": random.choice(medicine["form"].split()), "pack": medicine["pack"],
        "maker": maker if random.random() < 0.9 else maker.split()[0],
    }  # fmt: skip


def writers(random: Random) -> list[tuple[str, str]]:
    return [(str(random.choice(FORENAMES)).split()[0], surname(random)) for _ in range(1200)]


def reference(random: Random, writers: list[tuple[str, str]]) -> Thing:
    first = int(random.integers(1, 900))
    return {
        "title": list(random.choice(SUBJECTS, random.integers(4, 12))),
        "authors": [writers[at] for at in random.integers(0, len(writers), random.integers(1, 6))],
        "journal": JOURNALS[random.integers(len(JOURNALS))], "volume": int(random.integers(1, 120)),
        "first": first, "last": first + int(random.integers(2, 40)),
        "year": int(random.integers(1975, 2020)),
    }  # fmt: skip


def reference_seen(random: Random, reference: Thing) -> dict[str, Any]:
    authors, first, last = (reference[name] for name in ("authors", "first", "last"))
    styles = [
        "; ".join(f"{last}, {first[0]}." for first, last in authors),
        " and ".join(f"{last}, {first}" for first, last in authors),
        f"{authors[0][1]} et al." if len(authors) > 2 else " & ".join(last for _, last in authors),
    ]
    title = " ".join(spoiled(random, word, 0.02) for word in reference["title"]).capitalize()
    pages = random.choice([f"{first}-{last}", f"{first}-{last}", f"{first}--{last}", str(first)])
    row = {
        "authors": random.choice(styles),
        "title": title,
        "journal": random.choice(reference["journal"]),
    }
    return row | {"volume": reference["volume"], "pages": pages, "year": reference["year"]}


def cities(random: Random) -> list[tuple[str, float, float]]:
    return [(place, 40 + 12 * random.random(), 25 * random.random() - 5) for place in PLACES]


def hotel(random: Random, cities: list[tuple[str, float, float]]) -> Thing:
    city, latitude, longitude = often_first(random, cities)
    words = list(random.choice(HOTELS, random.integers(1, 3), replace=False))
    street = (
        f"{random.integers(1, 300)} {random.choice(STREETS)} {random.choice(['Street', 'Road'])}"
    )
    place = {
        "latitude": latitude + random.normal(0, 0.03),
        "longitude": longitude + random.normal(0, 0.04),
    }
    return {
        "words": words,
        "street": street,
        "city": city,
        "stars": int(random.integers(2, 6)),
    } | place


def hotel_seen(random: Random, hotel: Thing) -> dict[str, Any]:
    name = " ".join(hotel["words"])
    name = random.choice([f"Hotel {name}", f"{name} Hotel", name, f"{name} Hotel & Spa"])
    name += f" {hotel['city']}" if random.random() < 0.15 else ""
    street = hotel["street"].replace("Street", "St.") if random.random() < 0.4 else hotel["street"]
    place = {
        axis: round(hotel[axis] + random.normal(0, 0.0006), 5) for axis in ("latitude", "longitude")
    }
    stars = hotel["stars"] if random.random() < 0.9 else int(random.integers(2, 6))
    row = {
        "name": spoiled(random, name, 0.08),
        "address": street if random.random() < 0.85 else None,
    }
    return row | {"city": hotel["city"], "stars": stars} | place


def brands(random: Random) -> list[str]:
    return [surname(random) for _ in range(40)]


def product(random: Random, brands: list[str]) -> Thing:
    letters = f"{random.choice(list('ABCDEFGKLMPSTXZ'))}{random.choice(list('ABCDRSTX'))}"
    size = (
        f"{random.choice([8, 13, 15, 24, 27, 32, 64, 128, 256])} "
        f"{random.choice(['GB', 'inch', 'MP', 'W'])}"
    )
    return {
        "brand": random.choice(brands), "gadget": random.choice(GADGETS), "size": size,
        "model": f"{letters}{random.choice(['', '-'])}{random.integers(10, 999) * 10}",
        "colour": random.choice(COLOURS), "price": float(np.exp(random.normal(5, 0.9))),
    }  # fmt: skip


def product_seen(random: Random, product: Thing) -> dict[str, Any]:
    model = random.choice([product["model"], product["model"], product["model"].replace("-", " ")])
    parts = {
        product["brand"]: 0.8,
        product["gadget"]: 0.8,
        model: 0.92,
        product["size"]: 0.6,
        product["colour"]: 0.6,
    }
    title = [part for part, share in parts.items() if random.random() < share] or [
        product["gadget"]
    ]
    if random.random() < 0.3:
        random.shuffle(title)
    price = round(product["price"] * np.exp(random.normal(0, 0.08)), 2)
    said = (
        f"{random.choice(ADJECTIVES)} {product['gadget'].lower()} with {product['size']}, "
        f"{product['colour']}"
    )
    return {
        "title": " ".join(title), "brand": product["brand"] if random.random() < 0.7 else None,
        "price": price if random.random() < 0.85 else None,
        "description": said if random.random() < 0.5 else None,
    }  # fmt: skip


def person(random: Random, _: None) -> Thing:
    born = np.datetime64("1935-01-01") + random.integers(0, 25_000)
    names = often_first(random, FORENAMES).split()
    return {
        "forenames": names,
        "surname": surname(random),
        "born": str(born),
        "town": often_first(random, PLACES),
    }


def person_seen(random: Random, person: Thing) -> dict[str, Any]:
    name = f"{person['forenames'][-1 if random.random() < 0.2 else 0]} {person['surname']}"
    town = person["town"] if random.random() < 0.8 else random.choice(PLACES)
    return {
        "name": spoiled(random, name, 0.15),
        "born": spoiled(random, person["born"], 0.06),
        "town": town,
    }


KINDS = {
    "firms": Kind(lambda _: None, firm, firm_seen),
    "songs": Kind(artists, song, song_seen),
    "medicines": Kind(pharmacy, medicine, medicine_seen),
    "references": Kind(writers, reference, reference_seen),
    "hotels": Kind(cities, hotel, hotel_seen),
    "products": Kind(brands, product, product_seen),
    "persons": Kind(lambda _: None, person, person_seen),
}


def made_up(
    kind: str,
    n: int,
    *,
    seed: int,
    again: float = 0.3,
    apart: bool = False,
    blank: float = 0.0,
    kinds: Mapping[str, Kind] = KINDS,
) -> Tables:
    """`n` records.

    Parameters
    ----------
    again : float
        The probability that a thing has one more record, whenever it has one; of two tables that it
        is in both.
    apart : bool
        In two tables, each with one record of a thing at most.
    blank : float
        Share of cells without a value.
    """
    random = np.random.default_rng(seed)
    made = kinds[kind]
    world = made.world(random)
    rows: list[dict[str, Any]] = []
    truth: list[int] = []
    sides: list[int] = []
    while len(rows) < n:
        thing, number = made.thing(random, world), truth[-1] + 1 if truth else 0
        if apart:
            seen = [0, 1] if random.random() < again else [int(random.integers(2))]
        else:
            seen = [0] * int(random.geometric(1.0 - again))
        rows += [made.seen(random, thing) for _ in seen]
        truth += [number] * len(seen)
        sides += seen
    table = pd.DataFrame(rows)
    table = table.astype(object).where(random.random(table.shape) >= blank)
    return told_apart(random, table, np.array(truth), np.array(sides, np.bool_))
