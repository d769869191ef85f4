"""Five kinds of made-up records more, with their truth: fastenings, vehicles, instruments, tracks
and restaurants.

What is hard in them: fastenings of one name differ in a size alone, vehicles of one fleet in the
plate, instruments of one model in the serial number; a live version is another track; a restaurant
is written in two languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_kinds import (
    ADJECTIVES,
    COLOURS,
    NOUNS,
    Kind,
    artists,
    often_first,
    spoiled,
    surname,
)
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS

Random = np.random.Generator
Thing = Mapping[str, Any]

FASTENINGS = "wood screw,hex bolt,machine screw,washer,dowel,wall plug,threaded rod,nut".split(",")
STEELS = [("stainless steel", "A2"), ("zinc plated", "zn"), ("brass", "brass"), ("A4 steel", "A4")]
HEADS = ["countersunk", "pan head", "hex head", "torx", ""]
MAKES = [
    ("Volkswagen", "VW"), ("Mercedes-Benz", "Mercedes"), ("Skoda", "Škoda"), ("Ford", "Ford"),
    ("Renault", "Renault"), ("BMW", "B.M.W."),
]  # fmt: skip
MODELS = "Golf Polo Fabia Focus Clio Astra Passat Megane Corsa Octavia".split()
DEVICES = [
    ("centrifuge", "bench centrifuge"), ("spectrometer", "spectrometre"), ("balance", "scale"),
    ("microscope", "microscope"), ("incubator", "incubator"), ("freezer -80", "ULT freezer"),
]  # fmt: skip
VERSIONS = ["Live", "Radio Edit", "Acoustic", "Remix", "Extended Mix", "Instrumental"]
DISHES = [
    ("Golden", "Goldener"), ("Red", "Roter"), ("Green", "Grüner"), ("Black", "Schwarzer"),
    ("Old", "Alter"), ("White", "Weisser"),
]  # fmt: skip
SIGNS = [
    ("Lion", "Löwe"), ("Dragon", "Drache"), ("Eagle", "Adler"), ("Ox", "Ochse"), ("Stag", "Hirsch"),
    ("Anchor", "Anker"), ("Horse", "Ross"), ("Bear", "Bär"),
]  # fmt: skip
CUISINES = [
    ("Italian", "Italienisch"), ("Chinese", "Chinesisch"), ("Bavarian", "Bayrisch"),
    ("Greek", "Griechisch"), ("Indian", "Indisch"),
]  # fmt: skip


def suppliers(random: Random) -> list[str]:
    return [f"{surname(random)} {random.choice(['GmbH', 'Ltd', 'Tools'])}" for _ in range(30)]


def fastening(random: Random, suppliers: Sequence[str]) -> Thing:
    return {
        "name": random.choice(FASTENINGS), "steel": STEELS[random.integers(len(STEELS))],
        "head": random.choice(HEADS), "thick": random.choice([3, 4, 5, 6, 8, 10]),
        "long": random.choice([16, 20, 25, 30, 35, 40, 50, 60, 80]),
        "pack": random.choice([25, 50, 100, 200, 500]), "supplier": random.choice(suppliers),
        "price": float(np.exp(random.normal(2, 0.5))),
    }  # fmt: skip


def fastening_seen(random: Random, one: Thing) -> dict[str, Any]:
    by = random.choice(["x", " x ", "x", "*"])
    size = f"{one['thick']}{by}{one['long']}{random.choice(['', ' mm', 'mm'])}"
    parts = [one["name"], size, random.choice(one["steel"]), one["head"]]
    if random.random() < 0.3:
        parts = [one["name"], parts[2], one["head"], size]
    said = [part for part in parts if part and (part != one["head"] or random.random() < 0.8)]
    packed = f"{one['pack']} {random.choice(['pcs', 'pieces', 'pc'])}"
    return {
        "article": spoiled(random, " ".join(said), 0.06),
        "pack": packed if random.random() < 0.9 else None,
        "supplier": one["supplier"] if random.random() < 0.85 else one["supplier"].split()[0],
        "price": round(one["price"] * float(np.exp(random.normal(0, 0.03))), 2)
        if random.random() < 0.9 else None,
    }  # fmt: skip


def fleets(random: Random) -> list[str]:
    people = [f"{random.choice(FORENAMES).split()[0]} {surname(random)}" for _ in range(500)]
    return [f"{surname(random)} Logistics" for _ in range(12)] * 12 + people


def vehicle(random: Random, fleets: Sequence[str]) -> Thing:
    year = int(random.integers(2004, 2023))
    plate = "".join(random.choice(list("ABCDEFGHKLMNPRSTVWX"), 2)) + f"{random.integers(10, 99)}"
    return {
        "make": MAKES[random.integers(len(MAKES))], "model": random.choice(MODELS), "year": year,
        "plate": plate + "".join(random.choice(list("ABCDEFGHKLMNPRSTVWX"), 3)),
        "colour": random.choice(COLOURS), "keeper": fleets[random.integers(len(fleets))],
        "engine": random.choice(["1.0", "1.2", "1.4", "1.6", "2.0"]),
        "town": PLACES[random.integers(len(PLACES))],
        "mileage": 12_000.0 * (2024 - year) * float(np.exp(random.normal(0, 0.3))),
    }  # fmt: skip


def vehicle_seen(random: Random, one: Thing) -> dict[str, Any]:
    plate = one["plate"] if random.random() < 0.5 else f"{one['plate'][:4]} {one['plate'][4:]}"
    model = f"{one['model']} {one['engine']}" if random.random() < 0.6 else one["model"]
    sold = random.random() < 0.12
    keeper = f"{random.choice(FORENAMES).split()[0]} {surname(random)}" if sold else one["keeper"]
    return {
        "registration": spoiled(random, plate, 0.07) if random.random() < 0.8 else None,
        "make": random.choice(one["make"]), "model": spoiled(random, model, 0.05),
        "first registered": one["year"], "colour": one["colour"] if random.random() < 0.9 else None,
        "keeper": spoiled(random, keeper, 0.08), "town": one["town"],
        "mileage": int(one["mileage"] * random.uniform(1.0, 1.15)),
    }  # fmt: skip


def laboratories(random: Random) -> Thing:
    models = [
        (DEVICES[random.integers(len(DEVICES))], surname(random),
         f"{random.choice(list('ABCMRSX'))}{random.integers(1, 60) * 10}")
        for _ in range(50)
    ]  # fmt: skip
    rooms = [f"{wing}{floor}.{room:02d}" for wing in "ABC" for floor in "012" for room in range(12)]
    return {"models": models, "rooms": rooms}


def instrument(random: Random, of: Thing) -> Thing:
    device, maker, model = of["models"][random.integers(len(of["models"]))]
    return {
        "device": device, "maker": maker, "model": model,
        "serial": f"{random.integers(10**5, 10**7)}", "room": random.choice(of["rooms"]),
        "bought": np.datetime64("2005-01-01") + random.integers(0, 6500),
        "price": float(np.exp(random.normal(9, 0.3))), "keeper": surname(random),
    }  # fmt: skip


def instrument_seen(random: Random, one: Thing) -> dict[str, Any]:
    model = one["model"] if random.random() < 0.6 else f"{one['model'][0]}-{one['model'][1:]}"
    name = f"{one['maker']} {model} {random.choice(one['device'])}"
    if random.random() < 0.4:
        name = f"{random.choice(one['device'])} {one['maker']} {model}"
    moved = random.random() < 0.2
    return {
        "instrument": spoiled(random, name, 0.06),
        "serial number": spoiled(random, one["serial"], 0.05) if random.random() < 0.45 else None,
        "room": f"C2.{random.integers(12):02d}" if moved else one["room"],
        "acquired": str(one["bought"]) if random.random() < 0.7 else None,
        "cost": round(one["price"], -1 if random.random() < 0.3 else 2)
        if random.random() < 0.7 else None,
        "responsible": spoiled(random, surname(random) if moved else one["keeper"], 0.05),
    }  # fmt: skip


def recordings(random: Random) -> list[Thing]:
    """Songs of which there are versions."""
    every = artists(random)

    def title() -> str:
        last = f" of {random.choice(NOUNS)}" if random.random() < 0.5 else ""
        return f"{random.choice(ADJECTIVES)} {random.choice(NOUNS)}{last}"

    return [
        {
            "title": title(),
            "artist": often_first(random, every), "length": random.normal(225, 40),
            "year": int(random.integers(1970, 2020)),
        }
        for _ in range(1200)
    ]  # fmt: skip


def track(random: Random, of: Sequence[Thing]) -> Thing:
    song = of[random.integers(len(of))]
    version = random.choice(VERSIONS) if random.random() < 0.45 else ""
    longer = float(np.exp(random.normal(0.05, 0.2))) if version else 1.0
    issuer = f"US{random.choice(list('ABCXYZ'))}{random.integers(10, 99)}"
    return {
        **song, "version": version, "length": song["length"] * longer,
        "isrc": f"{issuer}{random.integers(10**6, 10**7)}",
        "year": song["year"] + (int(random.integers(0, 6)) if version else 0),
    }  # fmt: skip


def track_seen(random: Random, one: Thing) -> dict[str, Any]:
    title = one["title"]
    if one["version"] and random.random() < 0.8:
        title += random.choice([" ({})", " - {}", " [{}]"]).format(one["version"])
    artist = one["artist"].removeprefix("The ") if random.random() < 0.2 else one["artist"]
    return {
        "track": spoiled(random, title, 0.05), "artist": spoiled(random, artist, 0.04),
        "seconds": int(one["length"] + random.normal(0, 1.2)),
        "released": one["year"] if random.random() < 0.8 else None,
        "isrc": one["isrc"] if random.random() < 0.3 else None,
    }  # fmt: skip


def restaurant(random: Random, _: None) -> Thing:
    place = int(len(PLACES) * random.random() ** 1.5)
    return {
        "kind": DISHES[random.integers(len(DISHES))], "sign": SIGNS[random.integers(len(SIGNS))],
        "owner": surname(random), "number": int(random.integers(1, 180)),
        "street": random.choice(STREETS), "city": PLACES[place],
        "phone": f"0{300 + place}{random.integers(10**5, 10**6)}",
        "cuisine": CUISINES[random.integers(len(CUISINES))],
    }  # fmt: skip


def restaurant_seen(random: Random, one: Thing) -> dict[str, Any]:
    tongue = int(random.random() < 0.5)
    inn = ("Restaurant", "Gasthaus")[tongue]
    name = f"{one['kind'][tongue]} {one['sign'][tongue]}"
    name = random.choice([name, f"{inn} {name}", f"{inn} {one['owner']}"], p=[0.5, 0.4, 0.1])
    street = (
        f"{one['number']} {one['street']} Street", f"{one['street']}strasse {one['number']}"
    )[tongue]  # fmt: skip
    phone = one["phone"] if random.random() < 0.5 else f"{one['phone'][:4]}/{one['phone'][4:]}"
    return {
        "name": spoiled(random, name, 0.05), "address": street, "city": one["city"],
        "telephone": phone if random.random() < 0.6 else None,
        "cuisine": one["cuisine"][tongue] if random.random() < 0.7 else None,
    }  # fmt: skip


VARIANTS = {
    "fastenings": Kind(suppliers, fastening, fastening_seen),
    "vehicles": Kind(fleets, vehicle, vehicle_seen),
    "instruments": Kind(laboratories, instrument, instrument_seen),
    "tracks": Kind(recordings, track, track_seen),
    "restaurants": Kind(lambda _: None, restaurant, restaurant_seen),
}
