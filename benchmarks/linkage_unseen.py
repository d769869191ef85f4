"""Twelve kinds of made-up records more, with their truth; six of them are looked at only at the
end of a change to `workbench link`, so that nothing is chosen on them.

In view: pupils with exchanged names, addresses with flats, drugs with strengths, vendors, papers in
two archives, recordings with versions. Held back: voters with fathers and sons, schools, games for
several machines, spare parts with numbers, guests of whom little is known, sights with coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_fresh import known, number, telephone, word, written
from benchmarks.linkage_kinds import (
    ADJECTIVES,
    DRUG_ENDS,
    NOUNS,
    Kind,
    often_first,
    spoiled,
    surname,
)
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS, TOPICS, TRADES
from benchmarks.linkage_titles import any_of

Random = np.random.Generator
Thing = Mapping[str, Any]

READ_AS = {"o": "0", "l": "1", "m": "rn", "S": "5", "B": "8", "e": "c", "i": "l"}
"""What a scanner makes of letters."""
WAYS = [("Street", "St", "Str."), ("Road", "Rd", "Rd."), ("Avenue", "Ave", "Av.")]
PACKS = [("film-coated tablets", "tabs", "FCT"), ("capsules", "caps", "cps"),
         ("oral solution", "soln", "sol."), ("cream", "crm", "cr.")]  # fmt: skip
SCHOOLS = [("Primary School", "PS", "Prim. Sch."), ("High School", "HS", "High Sch."),
           ("Academy", "Acad.", "Academy")]  # fmt: skip
MACHINES = ["PS4", "PS5", "Xbox One", "Switch", "PC"]
SAINTS = "Mary John Paul Anne Joseph Peter Luke".split()
SIGHTS = ["Museum", "Church", "Castle", "Park", "Theatre", "Bridge", "Tower", "Market"]
FITTED = ["brake disc", "oil filter", "fuel pump", "water pump", "wheel bearing", "alternator"]


def scanned(random: Random, text: str, share: float) -> str:
    """As a scanner reads it, one letter in ten otherwise."""
    if random.random() >= share:
        return text
    return "".join(READ_AS.get(one, one) if random.random() < 0.3 else one for one in text)


def forename(random: Random) -> str:
    return str(often_first(random, FORENAMES)).split()[0]


def date(random: Random, first: int, last: int) -> str:
    return str(np.datetime64(f"{first}-01-01") + random.integers(0, 365 * (last - first)))


def pupil(random: Random, _: None) -> Thing:
    first, last = forename(random), surname(random)
    return {"first": first, "last": last, "born": date(random, 2000, 2008),
            "school": f"{any_of(random, PLACES)} {any_of(random, SCHOOLS)[0]}",
            "mail": f"{first[0]}.{last}{random.integers(99)}@pupils.org".lower()}  # fmt: skip


def pupil_seen(random: Random, one: Thing) -> dict[str, Any]:
    first, last = scanned(random, one["first"], 0.1), scanned(random, one["last"], 0.1)
    if random.random() < 0.08:
        first, last = last, first
    moved = random.random() < 0.15
    school = f"{any_of(random, PLACES)} High School" if moved else one["school"]
    return {"first": first, "last": last, "born": spoiled(random, one["born"], 0.05),
            "school": school, "form": f"{random.integers(5, 11)}{any_of(random, 'abc')}",
            "mail": known(random, one["mail"], 0.5)}  # fmt: skip


def flat(random: Random, _: None) -> Thing:
    place = int(len(PLACES) * random.random() ** 1.5)
    return {
        "number": int(random.integers(1, 120)),
        "street": any_of(random, STREETS),
        "way": any_of(random, WAYS),
        "unit": int(random.integers(1, 9)) * (random.random() < 0.5),
        "town": PLACES[place],
        "code": 20_000 + 97 * place + int(random.integers(9)),
    }


def flat_seen(random: Random, one: Thing) -> dict[str, Any]:
    house, way = f"{one['number']}", any_of(random, one["way"])
    unit = any_of(random, ["Apt ", "#", "Unit ", "Flat "]) + str(one["unit"]) if one["unit"] else ""
    line = f"{house} {spoiled(random, one['street'], 0.06)} {way} {unit}".strip()
    if random.random() < 0.2:
        line = f"{unit} {house} {one['street']} {way}".strip()
    return {"address": line.upper() if random.random() < 0.3 else line,
            "town": spoiled(random, one["town"], 0.05),
            "postcode": known(random, spoiled(random, str(one["code"]), 0.03), 0.8)}  # fmt: skip


def makers(random: Random) -> list[str]:
    return [f"{surname(random)} {any_of(random, ['Pharma', 'Labs', 'AG'])}" for _ in range(40)]


def drug(random: Random, makers: Sequence[str]) -> Thing:
    return {"name": word(random) + any_of(random, DRUG_ENDS), "maker": often_first(random, makers),
            "mg": int(any_of(random, [5, 10, 20, 25, 50, 100, 250, 500])),
            "form": any_of(random, PACKS), "of": int(any_of(random, [10, 20, 28, 30, 56, 100])),
            "price": float(np.exp(random.normal(3, 0.8)))}  # fmt: skip


def drug_seen(random: Random, one: Thing) -> dict[str, Any]:
    strength = any_of(random, [f"{one['mg']} mg", f"{one['mg']}mg", f"{one['mg']}.0 mg"])
    maker = one["maker"] if random.random() < 0.7 else one["maker"].split()[0]
    name = spoiled(random, one["name"], 0.08)
    return {
        "product": f"{name} {strength} {any_of(random, one['form'])}",
        "pack": any_of(random, [f"{one['of']}", f"{one['of']} pcs", f"x{one['of']}"]),
        "holder": spoiled(random, maker, 0.05),
        "price": known(random, round(one["price"] * random.normal(1, 0.05), 2), 0.7),
    }


def vendor(random: Random, _: None) -> Thing:
    name = f"{surname(random)} {any_of(random, ['', '& Sons ', ''])}{any_of(random, TRADES)}"
    return {"name": name, "bank": f"GB{random.integers(10**9, 10**10)}", "phone": number(random),
            "town": often_first(random, PLACES),
            "street": f"{random.integers(1, 300)} {any_of(random, STREETS)} Road"}  # fmt: skip


def vendor_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = one["name"] + any_of(random, ["", " Ltd", " Ltd.", " Limited", " LLC"])
    name = name.replace("&", "and") if random.random() < 0.5 else name
    moved = random.random() < 0.1
    return {"vendor": scanned(random, name.upper() if random.random() < 0.3 else name, 0.15),
            "iban": known(random, one["bank"], 0.5),
            "phone": known(random, telephone(random, one["phone"]), 0.5),
            "street": f"{random.integers(1, 300)} {any_of(random, STREETS)} Rd" if moved
            else one["street"], "town": often_first(random, PLACES) if moved else one["town"],
            "terms": any_of(random, ["30 days", "14 days", "net"])}  # fmt: skip


def authors(random: Random) -> list[tuple[str, str]]:
    return [(forename(random), surname(random)) for _ in range(500)]


def paper(random: Random, authors: Sequence[tuple[str, str]]) -> Thing:
    start = int(random.integers(1, 900))
    return {"title": " ".join(random.choice(TOPICS, random.integers(4, 8))).capitalize(),
            "by": [often_first(random, list(authors)) for _ in range(random.integers(1, 4))],
            "year": int(random.integers(1990, 2021)), "pages": (start, start + 12)}  # fmt: skip


def paper_seen(random: Random, one: Thing) -> dict[str, Any]:
    short = random.random() < 0.5
    by = [f"{last}, {first[0]}." if short else f"{first} {last}" for first, last in one["by"]]
    if len(by) > 2 and random.random() < 0.3:
        by = [by[0], "et al."]
    preprint = random.random() < 0.2
    start, end = one["pages"]
    return {
        "title": scanned(random, spoiled(random, one["title"], 0.15), 0.1),
        "authors": "; ".join(by) if short else ", ".join(by),
        "year": one["year"] - preprint,
        "pages": None if preprint else any_of(random, [f"{start}-{end}", f"pp. {start}--{end}"]),
        "venue": "arXiv" if preprint else any_of(random, ["J. Res.", "Proc. Conf.", "Trans."]),
    }


def recording(random: Random, bands: Sequence[str]) -> Thing:
    return {"title": f"{any_of(random, ADJECTIVES)} {any_of(random, NOUNS)}",
            "band": often_first(random, list(bands)), "length": int(random.normal(220, 50)),
            "version": any_of(random, ["", "", "", "live", "remix", "acoustic"]),
            "album": f"{any_of(random, NOUNS)} {word(random)}"}  # fmt: skip


def bands(random: Random) -> list[str]:
    return [f"The {any_of(random, ADJECTIVES)} {word(random)}s" for _ in range(150)]


def recording_seen(random: Random, one: Thing) -> dict[str, Any]:
    said = f" ({one['version'].title()})" if one["version"] else ""
    if said and random.random() < 0.4:
        said = f" - {one['version']} version"
    length = one["length"] + int(random.normal(0, 2))
    band = one["band"].removeprefix("The ") if random.random() < 0.4 else one["band"]
    return {"track": spoiled(random, one["title"], 0.08) + said,
            "artist": spoiled(random, band, 0.06), "seconds": length,
            "album": known(random, one["album"], 0.6)}  # fmt: skip


def voter(random: Random, _: None) -> Thing:
    year = int(random.integers(1930, 1975))
    home = {"street": f"{random.integers(1, 900)} {any_of(random, STREETS)} St",
            "town": often_first(random, PLACES), "last": surname(random)}  # fmt: skip
    son = random.random() < 0.1
    return home | {"first": forename(random), "middle": any_of(random, "ABCDEJLMRST"),
                   "suffix": "Jr" if son else "", "year": year + 25 * son,
                   "party": any_of(random, ["DEM", "REP", "UNA"])}  # fmt: skip


def voter_seen(random: Random, one: Thing) -> dict[str, Any]:
    middle = one["middle"] if random.random() < 0.6 else None
    moved = random.random() < 0.15
    return {"first_name": spoiled(random, one["first"], 0.05), "middle_name": middle,
            "last_name": spoiled(random, one["last"], 0.05),
            "suffix": one["suffix"] or None, "birth_year": one["year"],
            "address": f"{random.integers(1, 900)} {any_of(random, STREETS)} St" if moved
            else one["street"], "city": one["town"],
            "party": one["party"] if random.random() < 0.9 else "UNA"}  # fmt: skip


def school(random: Random, _: None) -> Thing:
    saint = f"St {any_of(random, SAINTS)}'s" if random.random() < 0.4 else any_of(random, PLACES)
    return {"name": saint, "kind": any_of(random, SCHOOLS), "town": any_of(random, PLACES),
            "head": f"{forename(random)} {surname(random)}", "phone": number(random),
            "pupils": int(random.integers(80, 1500))}  # fmt: skip


def school_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = one["name"].replace("St ", any_of(random, ["St ", "Saint ", "St. "]))
    head = one["head"] if random.random() < 0.7 else f"{forename(random)} {surname(random)}"
    return {"school": spoiled(random, f"{name} {any_of(random, one['kind'])}", 0.06),
            "town": one["town"], "head teacher": known(random, spoiled(random, head, 0.06), 0.8),
            "phone": known(random, telephone(random, one["phone"]), 0.6),
            "pupils": one["pupils"] + int(random.normal(0, 15))}  # fmt: skip


def game(random: Random, _: None) -> Thing:
    name = f"{any_of(random, ADJECTIVES)} {any_of(random, NOUNS)}"
    if random.random() < 0.4:
        name += f" {any_of(random, ['II', 'III', '2', '3', '4'])}"
    return {"name": name, "house": surname(random), "machine": any_of(random, MACHINES),
            "year": int(random.integers(2008, 2021)),
            "code": f"{any_of(random, 'ABCD')}{random.integers(10**4, 10**5)}"}  # fmt: skip


def game_seen(random: Random, one: Thing) -> dict[str, Any]:
    extra = any_of(random, ["", "", "", ": Standard Edition", " (New)"])
    return {"title": spoiled(random, one["name"], 0.06) + extra, "platform": one["machine"],
            "publisher": any_of(random, [one["house"], f"{one['house']} Games"]),
            "year": one["year"], "sku": known(random, one["code"], 0.4)}  # fmt: skip


def spare(random: Random, _: None) -> Thing:
    digits = random.integers(10**5, 10**6)
    return {"number": (any_of(random, "ABCFKM") + any_of(random, "ABCFKM"), int(digits)),
            "goods": any_of(random, FITTED), "maker": any_of(random, ["Bosch", "Valeo", "SKF"]),
            "size": int(random.integers(20, 300)),
            "weight": float(np.exp(random.normal(0, 0.8)))}  # fmt: skip


def spare_seen(random: Random, one: Thing) -> dict[str, Any]:
    letters, digits = one["number"]
    code = any_of(random, [f"{letters}{digits}", f"{letters}-{digits}", f"{letters} {digits}"])
    return {
        "part": known(random, scanned(random, code, 0.05), 0.85),
        "description": any_of(
            random,
            [
                f"{one['goods']} {one['size']} mm {one['maker']}",
                f"{one['maker']} {one['goods']} {one['size']}mm",
            ],
        ),
        "weight": known(random, round(one["weight"] * random.normal(1, 0.02), 3), 0.7),
    }


def guest(random: Random, _: None) -> Thing:
    return {"name": (forename(random), surname(random)), "town": often_first(random, PLACES),
            "born": date(random, 1940, 2003)}  # fmt: skip


def guest_seen(random: Random, one: Thing) -> dict[str, Any]:
    first, last = one["name"]
    name = any_of(random, [f"{first} {last}", f"{last} {first}", f"{first[0]}. {last}"])
    day = np.datetime64(one["born"]).item()
    return {
        "guest": scanned(random, name, 0.1),
        "from": one["town"],
        "birth": known(random, written(random, (day.year, day.month, day.day)), 0.7),
    }


def sight(random: Random, _: None) -> Thing:
    return {"name": f"{word(random)} {any_of(random, SIGHTS)}", "town": any_of(random, PLACES),
            "at": (random.uniform(45, 52), random.uniform(0, 15))}  # fmt: skip


def sight_seen(random: Random, one: Thing) -> dict[str, Any]:
    first, kind = one["name"].rsplit(" ", 1)
    name = any_of(random, [f"{first} {kind}", f"{kind} of {first}", first])
    north, east = one["at"] + random.normal(0, 0.0005, 2)
    return {"name": spoiled(random, name, 0.08), "town": known(random, one["town"], 0.8),
            "lat": round(north, 4), "lon": round(east, 4),
            "kind": kind if random.random() < 0.8 else any_of(random, SIGHTS)}  # fmt: skip


IN_VIEW = {
    "pupils": Kind(lambda _: None, pupil, pupil_seen),
    "addresses": Kind(lambda _: None, flat, flat_seen),
    "drugs": Kind(makers, drug, drug_seen),
    "vendors": Kind(lambda _: None, vendor, vendor_seen),
    "archives": Kind(authors, paper, paper_seen),
    "recordings": Kind(bands, recording, recording_seen),
}
HELD_BACK = {
    "voters": Kind(lambda _: None, voter, voter_seen),
    "schools": Kind(lambda _: None, school, school_seen),
    "games": Kind(lambda _: None, game, game_seen),
    "numbered spares": Kind(lambda _: None, spare, spare_seen),
    "guests": Kind(lambda _: None, guest, guest_seen),
    "sights": Kind(lambda _: None, sight, sight_seen),
}
