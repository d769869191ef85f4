"""Names: the words of a table's or column's name,
and the names of types and predicates made of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain, count

from workbench.errors import InputError, Span

# Of the shapes of letters, so that those of every alphabet count: upper case, lower case (or none),
# digit.
_WORD = re.compile(r"U+(?!l)|U?l+|d+")

ID_WORDS = frozenset(
    "id ids key keys code no nr num number ref uuid guid pk fk kennung nummer schluessel "
    "numero número numéro numer codigo código codice kod kód номер код "
    "isbn issn ean gtin sku imei iban".split()
)
"""Words that say that a column names things, not what it says about them."""

IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "news": "news",
    "movies": "movie",
    "cookies": "cookie",
    "species": "species",
    "series": "series",
    "status": "status",
    "address": "address",
    "business": "business",
    "class": "class",
    "process": "process",
    "bus": "bus",
    "analysis": "analysis",
    "analyses": "analysis",
}
_NOT_BY_THEMSELVES = frozenset("v exist exists forall".split())
_VALUE_TYPES = frozenset(
    "number date text integer int float double bool boolean string world value".split()
)


@lru_cache(maxsize=10_000)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, lower case: `driverId`,
    `driver_id` and `Driver ID` are all (driver, id).
    """
    shape = "".join(map(_shape, name))
    return tuple(name[word.start() : word.end()].lower() for word in _WORD.finditer(shape))


def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name without accents: `Prénom` is (prenom)."""
    letters = unicodedata.normalize("NFKD", name)
    return words("".join(letter for letter in letters if not unicodedata.combining(letter)))


def _shape(letter: str) -> str:
    if letter.isalpha():
        return "U" if letter.isupper() else "l"
    return "d" if letter.isdecimal() else "-"


def singular(word: str) -> str:
    """The singular of an English plural; any other word as it is."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_PLURALS = frozenset(
    ("", *"s es e en n er i a o y ar or k ler lar is l ов ы и а я ь е й ей".split())
)
"""Ends of words in the singular and the plural, of several languages."""
_COMPOUND = re.compile(
    r"(\w{3,}?)(?:s?(?:nummer|nr|numer|number|kennung|schl(?:ue|ü)ssel)|id|code|key|no)"
)


def same_thing(one: str, other: str) -> bool:
    """Whether two words are one but for the ends that tell one from many: boek, boeken."""
    first, second = ("".join(plain_words(singular(word))) for word in (one, other))
    alike = next(
        (at for at, pair in enumerate(zip(first, second)) if pair[0] != pair[1]),
        min(len(first), len(second)),
    )
    return alike >= 3 and {first[alike:], second[alike:]} <= _PLURALS


def thing_of_compound(word: str) -> str:
    """What a word such as `lidnummer` or `userid` names; any other word as it is."""
    found = _COMPOUND.fullmatch(word)
    return found[1] if found else word


def plural(word: str) -> str:
    """The English plural of a noun."""
    known = next((many for many, one in IRREGULAR.items() if one == word and many != word), None)
    if known is not None:
        return known
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def singular_words(name: str) -> tuple[str, ...]:
    """The words of a table's name, the last that is no number in the singular: what one row is."""
    parts = list(words(name))
    for place in reversed(range(len(parts))):
        if not parts[place].isdecimal():
            parts[place] = singular(parts[place])
            break
    return tuple(parts)


def without_id(parts: Sequence[str]) -> tuple[str, ...]:
    """The words of a column that refers to things, without its `id`, `key`, `nr` at the end."""
    kept = list(parts)
    while kept and kept[-1] in ID_WORDS:
        kept.pop()
    return tuple(kept)


def type_name(parts: Sequence[str]) -> str:
    """A type called as the words; never one of the languages' own words."""
    name = "_".join(parts) or "thing"
    if name[0].isdigit():
        name = f"t{name}"
    return f"{name}_name" if name in _VALUE_TYPES | _NOT_BY_THEMSELVES else name


def predicate_name(parts: Sequence[str]) -> str:
    """A predicate called as the words, each with a capital: (is, fraud) is `IsFraud`."""
    name = "".join(word[:1].upper() + word[1:] for word in parts) or "Column"
    if name[0].isdigit():
        name = f"Column{name}"
    return f"{name}Value" if name.lower() in _NOT_BY_THEMSELVES else name


def column_names(
    cells: Sequence[str | None], source: str, line: str | None = None
) -> tuple[str, ...]:
    """The columns that a first row names; one without a name is called `column` and its number.

    Raises E0232 for a column named twice.
    """
    names = [(cell or "").strip() or f"column{place + 1}" for place, cell in enumerate(cells)]
    for place, name in enumerate(names):
        if name in names[:place]:
            column = line.rfind(name) + 1 if line else place + 1
            raise InputError.of(
                "E0232",
                f"the column {name} is named twice: columns "
                f"{names.index(name) + 1} and {place + 1}",
                span=Span(source, 1, column, 1, column + (len(name) if line else 1)),
                line_text=line,
                help="give each column a name of its own",
            )
    return tuple(names)


def unused(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number that makes it one that is not taken."""
    numbered = (f"{name}_{number}" for number in count(2))
    return next(one for one in chain((name,), numbered) if one not in taken)
