"""What to say beside a linkage: short time, candidates left out, unsure matches."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.arrays import Float
from workbench.errors import Cancelled, Diagnostic, ExitCode, WorkbenchError
from workbench.linkage.blocking import LARGEST_BLOCK
from workbench.linkage.candidates import Candidates
from workbench.linkage.link_model import LinkModel, Scoring
from workbench.linkage.mixture import sigmoid
from workbench.progress import Conduct

FEWEST_CLEAR = 5
NEARLY = 0.2
"""The probability of pairs that could well be the same, at least."""
SEVERAL = 20
"""Such pairs that are told of beside some that are taken, at least."""


def about_time(cut: Sequence[str], stopped: str) -> list[Diagnostic]:
    """What the time limit, or a cancel, cut short."""
    if not cut:
        return []
    who = "a cancel" if stopped == "cancelled" else "the time limit"
    return [
        Diagnostic.warning(
            "E0690",
            f"{who} cut linking short: {'; '.join(cut)}",
            help="a longer --time-limit finds and tells more" if stopped == "limit" else None,
        )
    ]


def about_candidates(candidates: Candidates) -> list[Diagnostic]:
    """Blocks that were left out, and no pair to compare at all."""
    found = []
    cut = [one for one in candidates.statements if one.cut]
    if cut:
        worst = max(cut, key=lambda one: one.cut[0])
        found.append(
            Diagnostic.warning(
                "E0670",
                f"{worst.cut[0]:,} records share one value of {worst.words.removeprefix('same ')}: "
                f"blocks of more than {LARGEST_BLOCK:,} are not compared by that statement "
                f"({sum(len(one.cut) for one in cut):,} blocks)",
                help="such a value may mean that nothing is known: blank it, or add a column that "
                "tells records apart",
            )
        )
    if not len(candidates.pairs):
        found.append(
            Diagnostic.warning(
                "E0661",
                "no two records agree in a way that chance does not explain: none are compared, "
                "each stays by itself",
                help="is a column missing that the same things share, at least in part?",
            )
        )
    return found


def about_surprises(surprises: int, clear: int) -> list[Diagnostic]:
    """That most labels of pairs that are clear without them say the contrary."""
    if clear < FEWEST_CLEAR or 2 * surprises <= clear:
        return []
    return [
        Diagnostic.warning(
            "E0699",
            f"{surprises:,} of {clear:,} labelled pairs that are clear without labels are labelled "
            "the other way",
            help="1 means the same and 0 different: are they exchanged, or are the columns left "
            "and right those of another file?",
        )
    ]


def about_matches(model: Scoring) -> list[Diagnostic]:
    """That no pair is the same, for the alike ones differ otherwise; or that these could be."""
    if not isinstance(model, LinkModel):
        return []
    if model.at_chance is not None:
        return [_about_none(model.at_chance)]
    found = [] if model.against is None else [_about_identifier(*model.against)]
    if [one.field.kind for one in model.comparisons] == ["text"]:
        found.append(_about_namesakes(model.comparisons[0].field.name))
    readings = [(model.apart, "different things", "one"), (model.joined, "one thing", "several")]
    return found + [_about_readings(*one) for one in readings if one[0]]


def about_unlikely(model: Scoring, scores: Float, cut_at: float) -> list[Diagnostic]:
    """That none is taken for the same, or fewer than are expected among those that nearly are,
    where nothing else says why.
    """
    if (isinstance(model, LinkModel) and model.at_chance is not None) or not len(scores):
        return []
    likely, taken = sigmoid(scores), scores > cut_at
    nearly = ~taken & (likely >= NEARLY)
    few = nearly.sum() < SEVERAL or likely[taken].sum() >= likely[nearly].sum()
    if taken.any() and few:
        return []
    found = "hardly any" if taken.any() else "no"
    return [
        Diagnostic.warning(
            "E0681",
            f"{found} duplicates were found: {_rest(likely[~taken], int(nearly.sum()))}",
            help="say of some of the likeliest, which --pairs lists, whether they match, with "
            "--labels; or take those from there on, with --threshold",
        )
    ]


def _rest(likely: Float, nearly: int) -> str:
    """What the pairs that are not taken are at most."""
    of = f"{nearly:,} pairs" if nearly else f"all {len(likely):,} pairs"
    return f"{of} are one thing with a probability of {likely.max(initial=0.0):.2g} at most"


def _about_none(at_chance: Sequence[str]) -> Diagnostic:
    differ = " and ".join(at_chance)
    why = (
        f"agree in {differ} no better than random ones do"
        if differ
        else "agree in little more than random ones do"
    )
    return Diagnostic.warning(
        "E0681",
        f"no duplicates were found: pairs that are alike {why}",
        help="leave columns out that belong to an occasion and not to the thing, or give "
        "labels of some pairs",
    )


def _about_identifier(field: str, precision: float) -> Diagnostic:
    return Diagnostic.warning(
        "E0692",
        f"of records that the other columns take for the same thing many differ in {field}: "
        f"{precision:.0%} at most are expected to be right",
        help="say of a few such pairs whether they match, with --labels; or add a column in which "
        "these things differ",
    )


def _about_namesakes(field: str) -> Diagnostic:
    return Diagnostic.warning(
        "E0692",
        f"nothing but {field} is compared, which does not tell namesakes apart: the precision that "
        "is said counts them as right",
        help="add a column in which things of one name differ, or say of some pairs whether they "
        "match, with --labels",
    )


def _about_readings(fields: Sequence[str], taken: str, other: str) -> Diagnostic:
    return Diagnostic.warning(
        "E0691",
        f"there are two readings: records that are alike but differ in {' and '.join(fields)} are "
        f"taken for {taken}; they could be {other}",
        help="say of a few such pairs whether they match, with --labels, and it is clear",
    )


def in_time(conduct: Conduct, doing: str) -> None:
    """Refuse to go on after a cancel, or the time limit, before any pair is compared: E0689."""
    if conduct.progress.cancelled:
        raise Cancelled(doing)
    if conduct.expired:
        said = Diagnostic(
            "E0689",
            f"the time limit passed while {doing}: nothing is linked",
            help="give a longer --time-limit, or leave out columns and records that cannot matter",
        )
        raise WorkbenchError((said,), ExitCode.LIMIT)
