"""Nine kinds of made-up records more, with their truth, and how a practical person sets Splink up
for each: what nothing in `workbench link` was chosen on.

Contacts with nicknames, ships in two registers, museum objects, court cases, packages, inventors of
patents, books in two catalogues, patients with exchanged fields, hotels of chains. Two files call
their columns otherwise, and write dates and telephones in their own ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.linkage_kinds import NOUNS, SYLLABLES, Kind, often_first, spoiled, surname
from benchmarks.linkage_sets import FORENAMES, PLACES, STREETS, TRADES

Random = np.random.Generator
Thing = Mapping[str, Any]

CHAINS = "Hilton,Ibis,Novotel,Holiday Inn,Best Western,Radisson,Comfort Inn,Days Inn".split(",")
SITES = "Airport,City Centre,North,South,Station,Riverside,Old Town,Expo".split(",")
FLAGS = "Panama Liberia Malta Bahamas Cyprus Greece Norway Singapore".split()
COURTS = "N.D. California,S.D. New York,D. Delaware,E.D. Texas,N.D. Illinois,D. Nevada".split(",")
MEDIA = "oil on canvas,etching,bronze,watercolour,gelatin silver print,pencil on paper".split(",")
MOTIFS = "Portrait Landscape Harbour Bridge Woman Boy Still-life Saint Horses Market Ruins".split()
LICENCES = [("MIT", "MIT License"), ("Apache-2.0", "Apache 2.0"), ("BSD-3-Clause", "BSD")]
TASKS = "parser client server cache logger router queue codec planner schema crypto".split()
HOUSES = "Penguin Norton Springer Vintage Elsevier Faber Knopf Wiley".split()
STATES = "CA NY TX WA MA IL NJ MN".split()


def word(random: Random, least: int = 2) -> str:
    return "".join(random.choice(SYLLABLES, random.integers(least, least + 2))).capitalize()


def known(random: Random, value: Any, share: float) -> Any:
    return value if random.random() < share else None


def names(random: Random) -> list[str]:
    return str(often_first(random, FORENAMES)).split()


def day(random: Random, first: int, last: int) -> tuple[int, int, int]:
    return tuple(int(random.integers(*one)) for one in ((first, last), (1, 13), (1, 29)))


def written(random: Random, date: tuple[int, int, int]) -> str:
    year, month, of_month = date
    return str(
        random.choice([f"{year}-{month:02d}-{of_month:02d}", f"{month:02d}/{of_month:02d}/{year}"])
    )


def telephone(random: Random, number: int) -> str:
    one, two, three = number // 10**7, number // 10**4 % 1000, number % 10**4
    return str(
        random.choice(
            [f"({one}) {two:03d}-{three:04d}", f"+1 {one} {two:03d} {three:04d}", f"{number}"]
        )
    )


def number(random: Random) -> int:
    return int(random.integers(200, 999)) * 10**7 + int(random.integers(10**7))


def contact(random: Random, _: None) -> Thing:
    last = surname(random)
    mail = f"{last.lower()}{random.integers(10, 999)}@{random.choice(['mail.org', 'post.net'])}"
    firm = f"{surname(random)} {random.choice(TRADES)}"
    return {"first": names(random), "last": last, "phone": number(random)} | {
        "mail": mail, "firm": firm, "mobile": number(random)
    }  # fmt: skip


def contact_seen(random: Random, one: Thing) -> dict[str, Any]:
    first = one["first"][-1 if random.random() < 0.3 else 0]
    if random.random() < 0.1:
        first = f"{first[0]}."
    name = random.choice([f"{first} {one['last']}", f"{one['last']}, {first}"], p=[0.7, 0.3])
    return {
        "name": spoiled(random, str(name), 0.08),
        "phone": known(random, telephone(random, one["phone"]), 0.7),
        "mobile": known(random, telephone(random, one["mobile"]), 0.4),
        "email": known(random, spoiled(random, one["mail"], 0.04), 0.6),
        "company": known(random, one["firm"].split()[0] if random.random() < 0.2 else one["firm"],
                         0.6),
    }  # fmt: skip


def ship(random: Random, _: None) -> Thing:
    return {
        "name": f"{random.choice(NOUNS)} {word(random)}" if random.random() < 0.5 else word(random),
        "imo": int(random.integers(7 * 10**6, 10**7)), "flag": random.choice(FLAGS),
        "tonnage": int(np.exp(random.normal(9, 1))), "built": int(random.integers(1975, 2022)),
        "call": "".join(random.choice(list("ABCDEFGHJKLMNPQRSTVWXYZ0123456789"), 5)),
    }  # fmt: skip


def ship_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = one["name"].upper() if random.random() < 0.4 else one["name"]
    renamed = random.random() < 0.06
    return {
        "name": word(random) if renamed else spoiled(random, f"MV {name}", 0.08)
        if random.random() < 0.3 else spoiled(random, name, 0.08),
        "imo": known(random, spoiled(random, str(one["imo"]), 0.04), 0.6),
        "flag": one["flag"] if random.random() < 0.85 else random.choice(FLAGS),
        "gross tonnage": one["tonnage"] + int(random.normal(0, 3)),
        "built": one["built"] + int(random.random() < 0.1),
        "call sign": known(random, one["call"], 0.5 if renamed else 0.75),
    }  # fmt: skip


def painters(random: Random) -> list[Thing]:
    return [
        {
            "first": names(random)[0],
            "last": surname(random),
            "born": int(random.integers(1600, 1900)),
        }
        for _ in range(250)
    ]


def work(random: Random, painters: Sequence[Thing]) -> Thing:
    who = often_first(random, list(painters))
    sizes = random.integers(15, 200, 2)
    return {
        "title": " ".join([str(random.choice(MOTIFS)), random.choice(["of", "in", "near"]),
                           str(random.choice(PLACES))]),
        "who": who, "year": who["born"] + int(random.integers(20, 65)),
        "medium": random.choice(MEDIA), "sizes": sizes,
    }  # fmt: skip


def work_seen(random: Random, one: Thing) -> dict[str, Any]:
    who, (high, wide), year = one["who"], one["sizes"], one["year"]
    artist = [f"{who['first']} {who['last']}", f"{who['last']}, {who['first']}"]
    artist += [f"{who['first']} {who['last']} ({who['born']}-{who['born'] + 70})"]
    size = [f"{high} x {wide} cm", f"{high}.0 × {wide}.0 cm", f"{high * 10} x {wide * 10} mm"]
    return {
        "title": spoiled(random, one["title"], 0.08), "artist": str(random.choice(artist)),
        "date": known(random, str(random.choice([f"{year}", f"c. {year}", f"{year - year % 10}s"],
                                                p=[0.6, 0.25, 0.15])), 0.85),
        "medium": one["medium"] if random.random() < 0.9 else one["medium"].split()[0],
        "dimensions": known(random, str(random.choice(size)), 0.75),
    }  # fmt: skip


def case(random: Random, _: None) -> Thing:
    firms = [f"{surname(random)} {random.choice(TRADES)}" for _ in range(2)]
    year = int(random.integers(2001, 2022))
    return {
        "parties": [surname(random) if random.random() < 0.4 else firms[0], firms[1]],
        "court": COURTS[int(len(COURTS) * random.random() ** 1.4)], "year": year,
        "docket": int(random.integers(1, 9999)), "filed": (year, *day(random, 2000, 2001)[1:]),
        "judge": surname(random),
    }  # fmt: skip


def case_seen(random: Random, one: Thing) -> dict[str, Any]:
    left, right = one["parties"]
    right += random.choice(["", " Inc.", " Corp.", ", Inc., et al."])
    docket = [
        f"1:{one['year'] % 100:02d}-cv-{one['docket']:05d}",
        f"{one['year'] % 100:02d}-cv-{one['docket']}",
        f"{one['year'] % 100:02d}-{one['docket']}",
    ]
    return {
        "caption": spoiled(random, f"{left} {random.choice(['v.', 'vs.'])} {right}", 0.1),
        "docket": known(random, str(random.choice(docket)), 0.8), "court": one["court"],
        "filed": known(random, written(random, one["filed"]), 0.75),
        "judge": known(random, spoiled(random, one["judge"], 0.06), 0.6),
    }  # fmt: skip


def package(random: Random, _: None) -> Thing:
    name = f"{word(random).lower()}-{random.choice(TASKS)}"
    return {
        "name": name, "licence": LICENCES[random.integers(3)],
        "home": f"https://github.com/{word(random).lower()}/{name}",
        "author": f"{names(random)[0]} {surname(random)}",
        "said": f"{random.choice(['fast', 'simple', 'tiny', 'modern', 'typed'])} "
        f"{name.split('-')[1]} for {random.choice(NOUNS).lower()} and {word(random).lower()}",
    }  # fmt: skip


def package_seen(random: Random, one: Thing) -> dict[str, Any]:
    name = random.choice(
        [one["name"], one["name"].replace("-", "_"), f"lib{one['name']}", f"python3-{one['name']}"],
        p=[0.5, 0.2, 0.15, 0.15],
    )
    home = one["home"] if random.random() < 0.6 else one["home"].replace("https://", "") + ".git"
    return {
        "package": str(name), "version": ".".join(map(str, random.integers(0, 12, 3))),
        "licence": random.choice(one["licence"]), "homepage": known(random, home, 0.65),
        "maintainer": known(random, spoiled(random, one["author"], 0.05), 0.7),
        "summary": known(random, one["said"].capitalize(), 0.7),
    }  # fmt: skip


def inventors(random: Random) -> list[str]:
    return [f"{surname(random)} {random.choice(TRADES)}" for _ in range(60)]


def inventor(random: Random, firms: Sequence[str]) -> Thing:
    return {
        "first": names(random)[0], "middle": random.choice(list("ABCDEFJLMRST")),
        "last": often_first(random, [surname(random) for _ in range(2)]),
        "homes": [(str(random.choice(PLACES)), str(random.choice(STATES))) for _ in range(2)],
        "firms": [str(often_first(random, list(firms))) for _ in range(2)],
        "class": f"{random.choice(list('ABCFGH'))}{random.integers(1, 70):02d}",
        "peers": [surname(random) for _ in range(4)],
    }  # fmt: skip


def inventor_seen(random: Random, one: Thing) -> dict[str, Any]:
    at = int(random.random() < 0.2)
    first = one["first"] if random.random() < 0.85 else one["first"][0]
    firm = one["firms"][at] + random.choice(["", " Inc.", ", Inc.", " Corporation"])
    if random.random() < 0.55:
        first += f" {one['middle']}."
    peers = [peer for peer in one["peers"] if random.random() < 0.4]
    kind = one["class"] if random.random() < 0.7 else f"H{random.integers(1, 70):02d}"
    return {
        "first name": first, "last name": spoiled(random, one["last"], 0.03),
        "city": one["homes"][at][0], "state": one["homes"][at][1],
        "assignee": known(random, firm, 0.9), "class": kind,
        "co-inventors": "; ".join(peers) or None,
    }  # fmt: skip


def book(random: Random, _: None) -> Thing:
    title = f"The {random.choice(NOUNS)} of {word(random)}"
    if random.random() < 0.4:
        title += f": {random.choice(['A Novel', 'A History', 'Essays', 'Selected Stories'])}"
    return {
        "title": title, "first": names(random)[0], "last": surname(random),
        "house": random.choice(HOUSES), "year": int(random.integers(1950, 2021)),
        "isbn": f"978{random.integers(10**9, 10**10)}", "pages": int(random.normal(300, 90)),
    }  # fmt: skip


def book_seen(random: Random, one: Thing) -> dict[str, Any]:
    title = one["title"].split(":")[0] if random.random() < 0.4 else one["title"]
    author = [
        f"{one['first']} {one['last']}",
        f"{one['last']}, {one['first']}",
        f"{one['first'][0]}. {one['last']}",
    ]
    isbn = one["isbn"] if random.random() < 0.6 else f"{one['isbn'][:3]}-{one['isbn'][3:]}"
    return {
        "title": spoiled(random, title, 0.08), "author": str(random.choice(author)),
        "publisher": known(random, one["house"], 0.8),
        "year": one["year"] + (int(random.integers(1, 4)) if random.random() < 0.1 else 0),
        "isbn": known(random, isbn, 0.5), "pages": known(random, one["pages"], 0.7),
    }  # fmt: skip


def patient(random: Random, _: None) -> Thing:
    return {
        "first": names(random)[0], "last": surname(random), "maiden": surname(random),
        "born": day(random, 1930, 2010), "street": f"{random.integers(1, 300)} "
        f"{random.choice(STREETS)} {random.choice(['Street', 'Road', 'Lane'])}",
        "town": often_first(random, PLACES), "number": int(random.integers(10**8, 10**9)),
    }  # fmt: skip


def patient_seen(random: Random, one: Thing) -> dict[str, Any]:
    first = spoiled(random, one["first"], 0.08)
    last = spoiled(random, one["maiden"] if random.random() < 0.06 else one["last"], 0.08)
    if random.random() < 0.06:
        first, last = last, first
    year, month, of_month = one["born"]
    if random.random() < 0.06 and of_month < 13:
        month, of_month = of_month, month
    moved = random.random() < 0.12
    return {
        "given name": first, "family name": last,
        "date of birth": known(random, f"{year}-{month:02d}-{of_month:02d}", 0.92),
        "sex": "F" if len(one["first"]) % 2 else "M",
        "street": f"{random.integers(1, 300)} {random.choice(STREETS)} Street" if moved
        else spoiled(random, one["street"], 0.1), "town": one["town"],
        "insurance": known(random, spoiled(random, str(one["number"]), 0.04), 0.4),
    }  # fmt: skip


def chain_hotel(random: Random, _: None) -> Thing:
    return {
        "chain": random.choice(CHAINS), "town": often_first(random, PLACES),
        "site": random.choice(SITES), "phone": number(random),
        "rooms": int(random.integers(30, 400)),
        "street": f"{random.integers(1, 900)} {random.choice(STREETS)} "
        f"{random.choice(['Street', 'Avenue'])}", "zip": f"{random.integers(10**4, 10**5)}",
    }  # fmt: skip


def chain_hotel_seen(random: Random, one: Thing) -> dict[str, Any]:
    parts = [
        one["chain"],
        one["town"] if random.random() < 0.7 else "",
        one["site"] if random.random() < 0.7 else "",
    ]
    street = one["street"]
    if random.random() < 0.4:
        street = street.replace("Street", "St").replace("Avenue", "Ave")
    return {
        "hotel": " ".join(part for part in parts if part), "street": spoiled(random, street, 0.06),
        "town": one["town"], "zip": known(random, spoiled(random, one["zip"], 0.03), 0.85),
        "phone": known(random, telephone(random, one["phone"]), 0.7),
        "rooms": known(random, one["rooms"] + int(random.normal(0, 2)), 0.6),
    }  # fmt: skip


FRESH = {
    "contacts": Kind(lambda _: None, contact, contact_seen),
    "ships": Kind(lambda _: None, ship, ship_seen),
    "works": Kind(painters, work, work_seen),
    "cases": Kind(lambda _: None, case, case_seen),
    "packages": Kind(lambda _: None, package, package_seen),
    "inventors": Kind(inventors, inventor, inventor_seen),
    "books": Kind(lambda _: None, book, book_seen),
    "patients": Kind(lambda _: None, patient, patient_seen),
    "chains": Kind(lambda _: None, chain_hotel, chain_hotel_seen),
}
OTHERWISE = {
    "contacts": "full name,telephone,cell,mail,employer",
    "ships": "vessel,IMO number,flag state,GT,year built,callsign",
    "works": "object,maker,dated,technique,size",
    "cases": "case name,case number,venue,filing date,presiding judge",
    "packages": "name,release,license,url,author,description",
    "inventors": "given,family,town,region,applicant,ipc,others",
    "books": "name of book,written by,imprint,published,ISBN13,extent",
    "patients": "forename,surname,dob,gender,address,city,policy",
    "chains": "property,address,city,postal code,tel,keys",
}
"""What a second file calls the columns."""
