"""Six kinds of made-up records more, with their truth: what stands in a title, and what is written
in several ways.

Offers of two shops and spare parts have all they say in a title, model numbers among it, written
apart or together; citations abbreviate venues, registers legal forms in three languages, vehicles
the number of their chassis; names are transliterated in two ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_kinds import COLOURS, Kind, often_first, spoiled, surname
from benchmarks.linkage_readings import forename, known
from benchmarks.linkage_sets import PLACES, STREETS, TOPICS
from benchmarks.linkage_variants import Random, Thing

GOODS = [
    ("vacuum cleaner", "hoover"), ("coffee machine", "espresso maker"), ("toaster", "toaster"),
    ("drill", "cordless drill"), ("hard disk", "external HDD"), ("tablet", "tablet pc"),
    ("kettle", "water kettle"), ("mouse", "wireless mouse"), ("phone case", "cover"),
    ("blender", "smoothie maker"), ("lamp", "LED desk lamp"), ("scanner", "flatbed scanner"),
]  # fmt: skip
FEATURES = (
    "bluetooth usb-c rechargeable compact portable 4k wifi touchscreen ergonomic quiet fast "
    "waterproof foldable premium"
).split()
UNITS = "5W 10W 18W 45W 60W 500W 900W 2000W 20GB 100GB 500ml 750ml".split()
SPARES = (
    "brake pad,oil filter,spark plug,wiper blade,timing belt,air filter,clutch kit,shock absorber"
).split(",")
FITS = "Golf Focus Clio Astra Corsa Fabia".split()
FORMS = [("GmbH", "Ltd", "SARL"), ("AG", "plc", "SA"), ("KG", "LP", "SCS"), ("eV", "Assoc", "ASBL")]
BUSINESS = [
    ("Bau", "Construction", "Batiment"), ("Handel", "Trading", "Commerce"),
    ("Technik", "Engineering", "Technique"), ("Immobilien", "Properties", "Immobilier"),
    ("Logistik", "Logistics", "Logistique"), ("Verlag", "Publishing", "Editions"),
]  # fmt: skip
VENUES = [
    ("Proceedings of the International Conference on Machine Learning", "ICML", "Proc. ICML"),
    ("Advances in Neural Information Processing Systems", "NIPS", "NeurIPS"),
    ("Very Large Data Bases", "VLDB", "Proc. VLDB"),
    ("Journal of Machine Learning Research", "JMLR", "J. Mach. Learn. Res."),
    ("International Conference on Data Engineering", "ICDE", "Proc. ICDE"),
    ("Knowledge Discovery and Data Mining", "KDD", "SIGKDD"),
]
CARS = "Audi A4,Audi A6,BMW 320,Ford Fiesta,Ford Focus,Opel Corsa,Seat Leon,VW Golf,Fiat 500"
GIVEN = (
    "Sergey Yuri Mikhail Natalya Tatyana Zhanna Evgeniy Vyacheslav Kseniya Aleksey Lyudmila "
    "Dmitriy Oksana Vera Yulia Timofey Arkhip Viktor"
).split()
STEMS = "Kuzn Shev Zhuk Chern Khark Vasil Tsvet Yakov Mikhail Petrosh Grish Lev Shost Chek".split()
ENDINGS = "etsov chenko ovsky ov in enko akov iuk ishvili yan aev ich".split()
SPELLED = "sh sch,zh j,ch tsch,kh h,y j,v w,ts z,iu yu,ia ya,x ks".split(",")


def any_of(random: Random, values: Sequence[Any]) -> Any:
    return values[int(random.integers(len(values)))]


def model(random: Random, letters: int, digits: int) -> tuple[str, str]:
    drawn = random.choice(list("ABCDEFGHJKLMNPRSTVWXZ"), letters)
    return "".join(drawn), "".join(map(str, random.integers(0, 10, digits)))


def makers(random: Random) -> list[str]:
    return [surname(random) for _ in range(35)]


def offer(random: Random, makers: list[str]) -> Thing:
    letters, digits = int(random.integers(1, 4)), int(random.integers(2, 6))
    return {
        "maker": often_first(random, makers), "goods": any_of(random, GOODS),
        "model": model(random, letters, digits), "tail": any_of(random, ["", "", "X", "S", "-EU"]),
        "unit": any_of(random, UNITS), "features": random.choice(FEATURES, 4, replace=False),
        "price": float(np.exp(random.normal(4, 0.8))),
    }  # fmt: skip


def offer_seen(random: Random, one: Thing) -> dict[str, Any]:
    written = any_of(random, ["-", "", "", " "]).join(one["model"])
    written += one["tail"] if random.random() < 0.8 else ""
    written = written.lower() if random.random() < 0.2 else written
    parts = {one["maker"]: 0.85, written: 0.88, any_of(random, one["goods"]): 1.0, one["unit"]: 0.5}
    title = [part for part, share in parts.items() if random.random() < share]
    title += list(random.choice(one["features"], random.integers(4), replace=False))
    if random.random() < 0.25:
        title = [title[-1], *title[:-1]]
    said = [f"{any_of(random, one['goods'])},", *random.choice(one["features"], 2, replace=False)]
    said.append(any_of(random, ["best price", "new", "refurbished", "with warranty"]))
    said += [written] if random.random() < 0.3 else []
    price = round(one["price"] * float(np.exp(random.normal(0, 0.12))), 2)
    return {
        "title": spoiled(random, " ".join(title), 0.06),
        "description": known(random, " ".join(said), 0.6), "price": known(random, price, 0.8),
    }  # fmt: skip


def spare(random: Random, makers: list[str]) -> Thing:
    side = any_of(random, ["front", "rear", "left", "right", ""])
    return {
        "part": any_of(random, SPARES), "maker": any_of(random, makers), "side": side,
        "model": model(random, 2, 4), "fits": any_of(random, FITS),
        "price": float(np.exp(random.normal(3, 0.7))),
    }  # fmt: skip


def spare_seen(random: Random, one: Thing) -> dict[str, Any]:
    written = any_of(random, ["", " ", "-", "."]).join(one["model"])
    first = [one["part"], one["maker"], written if random.random() < 0.9 else ""]
    first = [*first[1:], first[0]] if random.random() < 0.4 else first
    last = [known(random, one[name], 0.7) for name in ("fits", "side")]
    said = " ".join(part for part in (*first, *last) if part)
    price = round(one["price"] * random.uniform(0.9, 1.1), 2)
    return {"description": spoiled(random, said, 0.06), "price": known(random, price, 0.7)}


def entry(random: Random, _: None) -> Thing:
    return {
        "name": surname(random), "business": any_of(random, BUSINESS),
        "form": any_of(random, FORMS), "city": often_first(random, PLACES),
        "number": f"{any_of(random, ['HRB', 'B', 'FN'])} {random.integers(1000, 200_000)}",
        "since": int(random.integers(1950, 2023)),
        "street": f"{any_of(random, STREETS)} {random.integers(1, 200)}",
    }  # fmt: skip


def entry_seen(random: Random, one: Thing) -> dict[str, Any]:
    tongue = int(random.choice(3, p=[0.6, 0.25, 0.15]))
    name = f"{one['name']} {one['business'][tongue]} {one['form'][tongue]}"
    number = one["number"] if random.random() < 0.7 else one["number"].replace(" ", "")
    return {
        "firm": spoiled(random, name, 0.07), "seat": one["city"],
        "register": known(random, number, 0.45), "founded": known(random, one["since"], 0.8),
        "address": known(random, spoiled(random, one["street"], 0.06), 0.7),
    }  # fmt: skip


def cited(random: Random, _: None) -> Thing:
    return {
        "title": " ".join(random.choice(TOPICS, random.integers(4, 9))),
        "authors": [(forename(random), surname(random)) for _ in range(random.integers(1, 5))],
        "venue": any_of(random, VENUES), "year": int(random.integers(1985, 2020)),
    }  # fmt: skip


def cited_seen(random: Random, one: Thing) -> dict[str, Any]:
    authors = " and ".join(f"{last}, {first}" for first, last in one["authors"])
    if random.random() < 0.6:
        authors = ", ".join(f"{first[0]}. {last}" for first, last in one["authors"])
    return {
        "authors": spoiled(random, authors, 0.08), "title": spoiled(random, one["title"], 0.15),
        "venue": known(random, any_of(random, one["venue"]), 0.85),
        "year": known(random, one["year"], 0.85),
    }  # fmt: skip


def car(random: Random, _: None) -> Thing:
    first = "".join(random.choice(list("ABCDEFGHJKLMNPRSTUVWXYZ0123456789"), 11))
    return {
        "chassis": f"{first}{random.integers(10**5, 10**6)}", "owner": surname(random),
        "model": any_of(random, CARS.split(",")), "year": int(random.integers(2001, 2024)),
        "colour": any_of(random, COLOURS), "driven": int(random.integers(5, 250)) * 1000,
    }  # fmt: skip


def car_seen(random: Random, one: Thing) -> dict[str, Any]:
    chassis = one["chassis"] if random.random() < 0.45 else one["chassis"][-7:]
    owner = spoiled(random, one["owner"], 0.06) if random.random() < 0.85 else surname(random)
    return {
        "vin": known(random, spoiled(random, chassis, 0.05), 0.75),
        "model": one["model"] if random.random() < 0.7 else one["model"].split()[1],
        "year": one["year"], "colour": known(random, one["colour"], 0.85),
        "km": one["driven"] + int(random.integers(3000)), "owner": known(random, owner, 0.8),
    }  # fmt: skip


def transliterated(random: Random, text: str, share: float) -> str:
    for pair in SPELLED:
        one, other = pair.split()
        if random.random() < share:
            text = text.replace(one, other).replace(one.capitalize(), other.capitalize())
    return text


def bearer(random: Random, _: None) -> Thing:
    born = np.datetime64("1945-01-01") + int(random.integers(24_000))
    name = f"{any_of(random, GIVEN)} {any_of(random, STEMS)}{any_of(random, ENDINGS)}"
    return {"name": name, "born": str(born), "city": often_first(random, PLACES)}


def bearer_seen(random: Random, one: Thing) -> dict[str, Any]:
    return {
        "name": transliterated(random, one["name"], 0.5 if random.random() < 0.5 else 0.0),
        "born": known(random, spoiled(random, one["born"], 0.04), 0.9),
        "city": known(random, one["city"], 0.8),
    }  # fmt: skip


TITLES = {
    "offers": Kind(makers, offer, offer_seen),
    "spares": Kind(makers, spare, spare_seen),
    "registers": Kind(lambda _: None, entry, entry_seen),
    "citations": Kind(lambda _: None, cited, cited_seen),
    "cars": Kind(lambda _: None, car, car_seen),
    "transliterated": Kind(lambda _: None, bearer, bearer_seen),
}
