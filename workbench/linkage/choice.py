"""Which columns are compared: the empty, the constant and mere row numbers are left out,
repetitions undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.linkage.fields import Field, joined_texts, without_words_of

SAMPLE = 3000
REPEATS = 0.8
TEXTS = ("name", "numbered", "words", "numbered words")
TWO = 2
"""Fields that say nothing of each other but by the match: of two it cannot be told how often
matches and others agree in them, of three it can.
"""
A_FEW = 1.5
"""Words of a title on average, at least."""
FEW_FIELDS = 5
"""Of more the others tell how often matches agree in each, and texts are read one by one."""
NO_REPEATS = "no value repeats"
"""Of single words: they are compared where there is nothing else, for they may be alike."""
FEW = 20
"""Of so few records chance makes constants and columns without repetition."""


@dataclass(frozen=True)
class FieldChoice:
    """The fields to compare, and what became of the other columns.

    Attributes
    ----------
    left_out : dict of str to str
        Column -> why it is not compared.
    """

    fields: tuple[Field, ...]
    left_out: dict[str, str]


def choose_fields(given: Sequence[Field], *, one_source: bool) -> FieldChoice:
    """Choose among the fields made of all columns.

    Parameters
    ----------
    one_source : bool
        Values that never repeat say nothing about duplicates within one source, unless they are
        texts of several words, or words and all there is.
    """
    left_out: dict[str, str] = {}
    kept: list[Field] = []
    for field in given:
        why = _useless(field, one_source)
        if why:
            left_out[field.name] = why
        else:
            kept.append(field)
    if not kept:
        kept = [field for field in given if left_out[field.name] == NO_REPEATS]
        left_out = {name: why for name, why in left_out.items() if why != NO_REPEATS}
    texts = sorted((one for one in kept if one.kind in TEXTS), key=lambda one: -_mean_words(one))
    for place, field in enumerate(texts):
        repeated = [other for other in texts[place + 1 :] if _repeats(field, other)]
        if not repeated:
            continue
        rest = without_words_of(field, repeated)
        at = kept.index(field)
        if rest is None:
            left_out[field.name] = f"repeats {' and '.join(other.name for other in repeated)}"
            del kept[at]
        else:
            kept[at] = rest
    if len(kept) == 1 and kept[0].kind in TEXTS:
        kept = [replace(kept[0], kind="text")]
    return FieldChoice(tuple(kept), left_out)


def told_by_a_title(choice: FieldChoice) -> FieldChoice | None:
    """Of two fields the text that says most compared as a text alone is: what chance makes of it
    may say what two fields do not. None where there are more fields, or no text of several words.
    """
    titles = [one for one in choice.fields if _is_a_title(one)]
    if len(choice.fields) != TWO or not titles:
        return None
    title = max(titles, key=_information)
    fields = (replace(one, kind="text") if one is title else one for one in choice.fields)
    return replace(choice, fields=tuple(fields))


def told_by_all_texts(choice: FieldChoice) -> FieldChoice | None:
    """Of a few fields all texts compared as one: a maker, or a model number, stands in a title as
    well as in a column of its own. None where there is one text, or none of many words.
    """
    texts = [one for one in choice.fields if one.kind in (*TEXTS, "code", "numbered code")]
    if len(choice.fields) > FEW_FIELDS or len(texts) < TWO:
        return None
    # Which of them other values stand for is not known of all together.
    if any(one.called for one in texts) or not any(one.of_many_words for one in texts):
        return None
    rest = (one for one in choice.fields if one not in texts)
    return replace(choice, fields=(joined_texts(texts), *rest))


def _is_a_title(field: Field) -> bool:
    """Whether a field is a text whose parts may come together by chance."""
    return field.kind in (*TEXTS, "numbered code") and _mean_words(field) >= A_FEW


def _information(field: Field) -> float:
    """How much the words of a record say on average."""
    says = np.log(field.filled / np.maximum(field.held, 1.0))
    each = np.repeat(field.counts, np.diff(field.words.starts))
    return float(says[field.words.ids] @ each) / max(field.filled, 1)


def _useless(field: Field, one_source: bool) -> str:
    if not field.filled:
        return "empty"
    if len(field.texts) == 1 and len(field.codes) > FEW:
        return f"every value is {field.texts[0]}"
    never_repeats = int(field.counts.max()) == 1 and field.filled > FEW
    if (
        one_source
        and never_repeats
        and (field.kind in ("number", "code") or _mean_words(field) < 1.05)
    ):
        if _mean_words(field) > 2:
            return (
                "no value repeats: dates and codes that are written in several ways are to be "
                "written in one"
            )
        numbers = field.kind in ("number", "code")
        return f"{NO_REPEATS}: a number of the row" if numbers else NO_REPEATS
    return ""


def _mean_words(field: Field) -> float:
    return float(np.mean([str(text).count(" ") + 1 for text in field.texts[:SAMPLE]]))


def _repeats(field: Field, other: Field) -> bool:
    """Whether most values of `field` hold all words of `other`'s."""
    both = np.flatnonzero((field.codes >= 0) & (other.codes >= 0))
    if len(both) < 0.3 * max(1, other.filled):
        return False
    rows = both[:: max(1, len(both) // SAMPLE)]
    said = [
        set(str(other.texts[other.codes[row]]).split())
        <= set(str(field.texts[field.codes[row]]).split())
        for row in rows
    ]
    return float(np.mean(said)) >= REPEATS
