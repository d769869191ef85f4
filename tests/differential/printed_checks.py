"""Programs of every kind in canonical form: read again they are the same programs."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any

from tests.differential.dated_checks import random_dated_case
from tests.differential.mln_programs import random_mln_case
from tests.differential.outcome import Difference, Tally
from tests.differential.psl_programs import PslCase, random_psl_case
from tests.differential.shrinking import Case
from tests.differential.soft_value_programs import SoftValueCase, random_soft_value_case
from tests.differential.value_programs import random_value_case
from workbench.language.formatting import format_mln_source, format_psl_source
from workbench.language.mln.parsing import parse_mln
from workbench.language.printing import format_program
from workbench.language.psl.parsing import parse_psl

MAKERS = (
    random_mln_case,
    random_psl_case,
    random_value_case,
    random_soft_value_case,
    random_dated_case,
)
WHERE = {"span", "text", "source", "sources"}
"""Fields that say where something was read."""


def random_printed_case(seed: int) -> Case:
    """The case of a seed: the kinds take turns."""
    return MAKERS[seed % len(MAKERS)](seed)  # type: ignore[return-value]


def check_printed(case: Case, tally: Tally) -> None:
    """Raise `Difference` where a program in canonical form is another, or not in that form."""
    said = case.text  # type: ignore[attr-defined]
    text = said if isinstance(said, str) else "\n".join(said) + "\n"
    soft = isinstance(case, PslCase | SoftValueCase)
    read = parse_psl if soft else parse_mln
    source = format_psl_source if soft else format_mln_source
    tally.add("soft logic", soft)
    if soft and re.search(r"^-", text, re.MULTILINE):
        tally.add("left out: a line that begins with - goes on with the one before it")
        return
    meant = _plain(read(text))
    for form, printed in (("program", format_program(read(text))), ("file", source(text))):
        if _plain(read(printed)) != meant:
            raise Difference(f"printed {form}", f"it is another program:\n{printed}")
        again = format_program(read(printed)) if form == "program" else source(printed)
        if again != printed:
            raise Difference(f"printed {form}", f"printed again it is\n{again}")


def _plain(value: Any) -> Any:
    """A program without where it was read."""
    if is_dataclass(value):
        kept = (one.name for one in fields(value) if one.name not in WHERE)
        return type(value).__name__, *((name, _plain(getattr(value, name))) for name in kept)
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if hasattr(value, "items"):
        return sorted((str(key), _plain(one)) for key, one in value.items())
    return value
