"""Why: a prediction as a sum of what its ground rules contribute, and what if facts differed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app import charts
from app.choices import choose_run
from app.figures import figure
from app.show import (
    draw,
    header,
    metrics,
    nothing_predicted,
    plain,
    short_labels,
    show_error,
    standing,
)
from app.state import facts_token, may_begin_jobs, run_token, workspace
from app.study_cases import ASKED, CASE, cases
from app.tabular import table
from app.watching import start, watch
from app.what_if import what_if
from app.work import Work
from workbench.errors import WorkbenchError

BARS = 12
ONWARD = 8
LISTED = 200
TOTALS = {"mln": "log-odds", "psl": "sum of pressures"}
COLUMNS = {
    "weight": "Of the ground rule; infinite for a hard one.",
    "distance": "How far the ground rule is from being satisfied; 1 is violated.",
    "predicted in it": "Atoms of the ground rule that are predicted too, and their values.",
    "other atoms": "Their values: predicted, and known.",
}


@st.cache_resource(max_entries=3, show_spinner="Grounding the run again ...")
def reopened(number: int, fold: int | None, run: str, facts: str) -> Any:
    """A recorded run's result, grounded again."""
    return workspace().reopen(number, fold=fold)


def choice() -> tuple[Any, int | None] | None:
    """A run, and a fold of it where it has several; what another page asked for comes first."""
    wanted = st.session_state.pop("why-wanted", None)
    if wanted is not None:
        number, fold, atom = wanted
        st.session_state.update({"why-run": number, "why-search": atom})
        st.session_state[CASE] = st.session_state[ASKED] = atom.partition("(")[2].removesuffix(")")
        if fold is not None:
            st.session_state[f"why-fold-{number}"] = fold
    left, right = st.columns(2)
    run = choose_run((("infer", "study"), ("crossval",)), "why-run", where=left)
    if run is None or run.kind == "study":
        return None if run is None else (run, None)
    names = workspace().runs.fold_names(run.id)
    if not names:
        return run, None
    key = f"why-fold-{run.id}"
    if st.session_state.get(key, 0) >= len(names):
        del st.session_state[key]
    return run, int(
        right.selectbox(
            "Fold",
            range(len(names)),
            format_func=lambda at: names[at],
            key=key,
            persist_state="session",
        )
    )


def prediction(run: Any, fold: int | None) -> tuple[str, str | None] | None:
    """The atom to explain, found in the database, and its world."""
    left, right = st.columns(2)
    search = left.text_input(
        "Find a prediction",
        key="why-search",
        placeholder="part of its text",
        persist_state="session",
    )
    found, total = workspace().runs.find_predictions(run.id, fold=fold, search=search, limit=LISTED)
    if found.empty:
        st.info(
            "No prediction contains this text." if search else "Nothing was predicted in this run."
        )
        return None
    worlds = found["world"].where(found["world"].notna(), None)
    values = dict(zip(zip(found["atom"], worlds), found["value"]))
    several = len(set(worlds)) > 1
    atoms = list(found["atom"])
    shown = dict(zip(atoms, workspace().data.shown(atoms)))
    return right.selectbox(
        f"Prediction, of {total:,}" + (f" the {LISTED} likeliest" if total > LISTED else ""),
        list(values),
        format_func=lambda one: (
            f"{figure(values[one])}  {shown[one[0]]}" + (f"  ({one[1]})" if several else "")
        ),
        key=f"why-which-{run.id}-{fold}",
        persist_state="session",
    )


def figures(found: Any) -> None:
    """The prediction in three figures."""
    up = sum(item.contribution for item in found.contributions if item.contribution > 0)
    down = -sum(item.contribution for item in found.contributions if item.contribution < 0)
    shown: tuple[tuple[str, str, str | None], ...]
    if found.number:
        sums = f"The sum of the contributions below is {found.summed}."
        shown = (("Predicted", figure(found.value), sums),)
    elif found.language == "psl":
        shown = (
            ("Truth value", f"{found.value:.3f}", None),
            ("Pressure up", f"{up:.3f}", "Weighted distances that a higher value would shorten."),
            (
                "Pressure down",
                f"{down:.3f}",
                "Weighted distances that a lower value would shorten.",
            ),
        )
    else:
        shown = (
            (
                "Predicted",
                f"{found.value:.3f}",
                "Its marginal probability, or its value in the most probable state.",
            ),
            (
                "Given all else",
                f"{found.probability:.3f}",
                "Its probability, every other atom at its likeliest value.",
            ),
            (
                "Log-odds given all else",
                f"{found.log_odds:+.3f}",
                "The sum of the contributions below.",
            ),
        )
    metrics(shown)


def explanation(result: Any, atom: str, world: str | None) -> None:
    """The waterfall by rule, the sentence, and the ground rules behind each bar."""
    found = result.explain(atom, world=world)
    figures(found)
    st.text(found.sentence())
    by_rule = found.by_rule()
    parts = [(rule, total) for rule, total, _ in by_rule if 1e-9 < abs(total) < float("inf")]
    if parts:
        words = found.words()
        labels = short_labels(words[rule] for rule, _ in parts[:BARS])
        shown = [(label, total) for label, (_, total) in zip(labels, parts)]
        if len(parts) > BARS:
            shown.append((f"{len(parts) - BARS} more", sum(total for _, total in parts[BARS:])))
        title = TOTALS[found.language]
        if found.number:
            title = found.summed if found.scale.is_logarithm else "predicted"
        draw(
            charts.waterfall(
                shown, total=title, description=f"What each rule contributes to {atom}"
            )
        )
    if by_rule:
        ground_rules(found, by_rule)


def predicted_in(item: Any, shown: Mapping[str, str]) -> str:
    """The other open atoms of a ground rule, with their values."""
    return ", ".join(
        f"{shown[name]} = {figure(value)}" for name, value in zip(item.others, item.values)
    )


def ground_rules(found: Any, by_rule: list[tuple[str, float, int]]) -> None:
    """The ground rules of one bar, and the open atoms in them, which can be asked about in turn."""
    words = found.words()
    labels = [f"{figure(total, sign=True)}  {words[rule]}" for rule, total, _ in by_rule]
    # A box keeps the text it shows as long as its key stays, so the key names what the text depends
    # on.
    label = st.selectbox(
        "Ground rules of",
        labels,
        key=f"why-rule-{found.atom}-{found.log_odds}-{found.value}",
        persist_state="session",
    )
    chosen = by_rule[labels.index(label)][0]
    if words[chosen] != chosen:
        st.code(chosen, language=None)
    rows = [item for item in found.contributions if item.rule == chosen]
    onward = list(dict.fromkeys(name for item in rows for name in item.others))
    shown = dict(zip(onward, workspace().data.shown(onward)))
    told = {
        "ground rule": [item.written for item in rows],
        "contribution": [item.contribution for item in rows],
        "weight": [item.written_weight for item in rows],
        "predicted in it": [predicted_in(item, shown) for item in rows],
    }
    table(pd.DataFrame(told), "ground-rules", help=COLUMNS)
    made = dict.fromkeys(line for item in rows[:LISTED] for line in item.definitions)
    if made:
        st.caption("What their atoms are made of")
        st.text("\n".join(made))
    with st.expander("Clausal form"):
        clauses = {
            "clause": [item.ground for item in rows],
            "weight": [item.weight for item in rows],
            "distance": [item.distance for item in rows],
            "other atoms": [item.other_atoms() for item in rows],
        }
        table(pd.DataFrame(clauses), "clauses", help=COLUMNS)
    if onward:
        st.caption("These atoms play a part in it. Why are they as they are?")
        with st.container(horizontal=True):
            few = onward[:ONWARD]
            for name, stated in zip(few, workspace().data.shown(few, as_statements=True)):
                search = {"why-search": name}
                st.button(
                    plain(stated),
                    key=f"onward-{name}",
                    on_click=st.session_state.update,
                    args=(search,),
                )
        if len(onward) > ONWARD:
            st.caption(f"and {len(onward) - ONWARD} more, to be found above")


def outdated(run: Any, error: WorkbenchError) -> None:
    """The facts have changed: what was predicted cannot be taken apart, what holds now can."""
    show_error(error)
    if may_begin_jobs() and st.button(
        "Infer again over the facts as they are", key="why-again", type="primary"
    ):
        start(Work("again", f"Infer again as run {run.id} did", {"run": run.id}, copied="all"))


header(
    "Why",
    "One prediction taken apart: which rules speak for it, which "
    "against, and what would change it.",
    "atom",
    "ground rule",
    "weight",
    "evidence",
)
try:
    if (job := watch(("again",))) is not None and job.about.outcome is not None:
        # Once: from then on the reader chooses the run.
        seen = f"why-again-{job.id}"
        if seen not in st.session_state:
            st.session_state.update({"why-run": job.about.outcome.run_id, seen: True})
    chosen = choice()
    if chosen is None:
        nothing_predicted("explain")
    else:
        run, fold = chosen
        standing(run, scores=run.kind != "study")
        wanted = None
        if run.kind == "study":
            cases(workspace().runs.study(run.id).record)
        else:
            wanted = prediction(run, fold)
        if wanted is not None:
            try:
                result = reopened(run.id, fold, run_token(run), facts_token())
            except WorkbenchError as error:
                if run.kind != "infer" or error.diagnostics[0].code != "E0816":
                    raise
                outdated(run, error)
            else:
                explanation(result, *wanted)
                what_if(result, *wanted)
except WorkbenchError as error:
    show_error(error)
