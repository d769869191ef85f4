"""Linked records on the page: clusters side by side, doubtful pairs one at a time, reasons."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import charts
from app.choices import ticked
from app.downloads import csv_text
from app.figures import most_telling, several
from app.pictures import linked
from app.show import draw, plain, show_error
from app.state import may_begin_jobs
from app.tabular import table, text_table
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    import pandas as pd

DRAWN = 25
"""Records of a picture, at most."""
LEAST_LIKELY = 0.01
"""Pairs below are neither drawn nor in the download."""
OF_CLUSTERS = {
    "cluster": "Called by its first record.",
    "disputed": "Pairs contradict one another: A is B, B is C, and A is hardly C.",
}


def clusters(linkage: Any) -> None:
    """Clusters in a list; one of them in full."""
    search = st.text_input(
        "Find records", placeholder="part of a value", key="linked-search", persist_state="session"
    ).strip()
    found = linkage.clusters(search)
    if found.empty:
        st.info("No record holds that." if search else "No two records are the same.")
        return
    found["disputed"] = ["yes" if one else "" for one in found["disputed"]]
    st.caption(
        ("All that hold it" if search else "Clusters of two records and more")
        + ", the largest first, with the values of their first record as they were compared. "
        "Tick one to see it."
    )
    names = [(linkage.run_id, name) for name in found["cluster"]]
    options = {"help": OF_CLUSTERS, "most": 330}
    rows = ticked(found, names, "linked-clusters", file="clusters-shown", **options)
    one_cluster(linkage, str(found["cluster"].iloc[rows[0] if rows else 0]))


def one_cluster(linkage: Any, name: str) -> None:
    """Its records side by side, its pairs, and what may be said of any two."""
    records, pairs = linkage.records(name), linkage.pairs(name)
    own = records["cluster"] == records["cluster"].iloc[0]
    beside = int(own.sum()) - 1
    st.subheader(f"{plain(name)} {f'and {beside} more' if beside else 'alone'}", anchor=False)
    if not own.all():
        st.caption("Below its own records those of other clusters that are like some of them.")
    table(records, "records", key=f"linked-records-{name}", most=330)
    left, right = st.columns([3, 2])
    with right:
        drawn = records.head(DRAWN)
        names = set(drawn["record"])
        some = pairs[
            pairs["left"].isin(names)
            & pairs["right"].isin(names)
            & ((pairs["probability"] >= LEAST_LIKELY) | pairs["answer"].notna())
        ]
        st.graphviz_chart(
            linked(
                list(zip(drawn["record"], drawn["cluster"])),
                list(zip(some["left"], some["right"], some["probability"], some["answer"])),
            )
        )
        st.caption(
            "Blue are the records of this cluster; a number is the probability that two are the "
            "same, where it is less than 1.00; same and not are what somebody said."
            + (f" The first {DRAWN} records are drawn." if len(records) > DRAWN else "")
        )
    with left:
        first = doubted(pairs, set(records["record"][own]))
        two_records(linkage, list(records["record"]), first, name)


def doubted(pairs: pd.DataFrame, own: set[str]) -> tuple[str, ...]:
    """Of a cluster's compared pairs the one that is most in doubt."""
    inside = pairs[pairs["left"].isin(own) & pairs["right"].isin(own) & pairs["answer"].isna()]
    return () if inside.empty else (inside["left"].iloc[-1], inside["right"].iloc[-1])


def two_records(linkage: Any, names: list[str], first: tuple[str, ...], key: str) -> None:
    """Why two records are, or are not, the same; and what a person says of it."""
    names = [*first, *(name for name in names if name not in first)]
    one, other = st.columns(2)
    left = one.selectbox("Record", names, key=f"linked-left-{key}", persist_state="session")
    right = other.selectbox(
        "and", [name for name in names if name != left], key=f"linked-right-{key}",
        accept_new_options=True, placeholder="the name of another record",
        help="Any record may be named, to merge what is apart.",
        persist_state="session",
    )  # fmt: skip
    if right is None:
        return
    reasons(linkage, left, right)
    if (same := said_of(linkage, left, right)) is not None:
        st.caption(f"Somebody said that they are {'the same' if same else 'not the same'}.")
    with st.container(horizontal=True):
        say(linkage, left, right, f"linked-{key}")


def reasons(linkage: Any, left: str, right: str) -> None:
    """What each column adds to the log odds, as a waterfall, the start first."""
    parts = linkage.why(left, right)
    total = sum(part for _, part in parts)
    telling = most_telling(parts[:-1], total)
    because = "nothing that is compared says enough"
    if telling is not None:
        because = f"above all because {plain(telling[0])} ({telling[1]:+.1f})"
    st.markdown(
        f"{plain(left)} and {plain(right)} are the same with probability "
        f"**{1 / (1 + exp(-total)):.3f}**, {because}."
    )
    draw(
        charts.waterfall(
            [parts[-1], *parts[:-1]],
            total="log odds",
            description=f"What each column adds to the log odds that {left} and {right} are one",
        )
    )


def say(linkage: Any, left: str, right: str, key: str, *, keys: bool = False) -> None:
    """The same, or not: an answer is kept, and clusters are made anew at once.

    It is of the pair that was seen: once somebody else has answered it, another stands in its place
    when the page is drawn anew.
    """
    for label, letter, same in (("The same", "y", True), ("Not the same", "n", False)):
        st.button(
            label,
            key=f"{key}-{letter}-{left}-{right}",
            type="primary",
            shortcut=letter if keys else None,
            on_click=keep,
            args=(linkage, left, right, same),
        )


def said_of(linkage: Any, left: str, right: str) -> bool | None:
    """Whether somebody said that two records are the same; None where nobody said anything."""
    given = {frozenset(pair): same for *pair, same in linkage.answers().to_numpy().tolist()}
    return given.get(frozenset((left, right)))


def gone_through(linkage: Any) -> list[tuple[str, str, bool | None]]:
    """The pairs that this browser answered or skipped, and what was said of each before."""
    found: list[tuple[str, str, bool | None]] = st.session_state.setdefault(
        f"linked-gone-through-{linkage.run_id}", []
    )
    return found


def skipped(linkage: Any) -> set[tuple[str, str]]:
    """The pairs that are not asked about again at this browser."""
    found: set[tuple[str, str]] = st.session_state.setdefault(
        f"linked-skipped-{linkage.run_id}", set()
    )
    return found


def keep(linkage: Any, left: str, right: str, same: bool) -> None:
    """Keep an answer; tell what it moved, and whether somebody had said otherwise meanwhile."""
    try:
        before = said_of(linkage, left, right)
        done = linkage.answer(left, right, same)
    except WorkbenchError as error:
        show_error(error)
        return
    gone_through(linkage).append((left, right, before))
    told = f"Kept. {several(done.moved, 'record')} moved to another cluster."
    st.toast(told if done.moved else "Kept.")
    if before is not None and before != same:
        st.toast(f"Until now they were {'the same' if before else 'not the same'} to somebody.")


def skip(linkage: Any, left: str, right: str) -> None:
    """Ask about other pairs."""
    skipped(linkage).add((left, right))
    gone_through(linkage).append((left, right, None))


def going_back(linkage: Any) -> None:
    """Undo the last answer, or Skip, of this browser."""
    if st.button("Undo", key="linked-undo", shortcut="u"):
        if not (gone := gone_through(linkage)):
            st.toast("You have answered nothing yet.")
            return
        left, right, before = gone.pop()
        if (left, right) in skipped(linkage):
            skipped(linkage).discard((left, right))
        else:
            linkage.answer(left, right, before)
        st.toast(plain(f"Taken back: {left} and {right}"))
        st.rerun()


def doubts(linkage: Any) -> None:
    """The pair to ask about next, side by side, with keys; the others wait."""
    passed = skipped(linkage)
    waiting = [
        one for one in linkage.questions(100 + len(passed)) if (one.left, one.right) not in passed
    ]
    if waiting:
        doubt(linkage, waiting[0])
    else:
        st.success("No doubtful pair is left to ask about.", icon=":material/check:")
        going_back(linkage)
    answered(linkage)


def doubt(linkage: Any, one: Any) -> None:
    """Two records side by side, a key for each answer, and why they may be the same."""
    with st.container(border=True):
        st.subheader("Are these the same?", anchor=False)
        now = "together" if one.together else "apart"
        st.caption(f"Probability {one.probability:.3f}; they are {now} now.")
        cells = linkage.side_by_side(one.left, one.right).fillna("")
        text_table(("Column", plain(one.left), plain(one.right)), cells.to_numpy().tolist())
        with st.container(horizontal=True):
            say(linkage, one.left, one.right, "linked-asked", keys=True)
            st.button(
                "Skip",
                key=f"linked-skip-{one.left}-{one.right}",
                shortcut="s",
                on_click=skip,
                args=(linkage, one.left, one.right),
            )
            going_back(linkage)
    with st.expander("Why"):
        reasons(linkage, one.left, one.right)


def answered(linkage: Any) -> None:
    """What was said so far; any of it can be taken back."""
    given = linkage.answers()
    if given.empty:
        return
    with st.expander(several(len(given), "answer")):
        shown = given.assign(same=["the same" if one else "not the same" for one in given["same"]])
        latest = shown.rename(columns={"same": "answer"})[::-1]
        pairs = list(zip(latest["left"], latest["right"]))
        rows = ticked(latest, pairs, "linked-answers", file="answers-shown", most=260)
        if rows and st.button("Take this answer back", key="linked-back"):
            row = latest.iloc[rows[0]]
            linkage.answer(row["left"], row["right"], None)
            st.rerun()


def thresholds(linkage: Any) -> float | None:
    """What is expected from each threshold on; the one to link again from, once it is asked for."""
    curve = linkage.curve()
    if curve.empty:
        st.info("This linkage was kept by an earlier version: link the files again to see it.")
        return None
    tidy = curve.melt("threshold", ["precision", "recall"], "share", "value").dropna()
    draw(
        charts.over_thresholds(
            tidy,
            linkage.threshold,
            description="Expected precision and recall of pairs by the threshold",
        )
    )
    chosen = st.select_slider(
        "Together from this probability on",
        list(curve["threshold"]),
        value=min(curve["threshold"], key=lambda one: abs(one - linkage.threshold)),
        format_func=lambda one: f"{one:g}",
        key=f"linked-threshold-{linkage.threshold}",
        persist_state="session",
    )
    row = curve[curve["threshold"] == chosen].iloc[0]
    pairs = several(int(row["pairs"]), "pair has", "pairs have")
    st.caption(
        f"{pairs} {chosen:g} and more; by the model's own account "
        f"{row['precision']:.1%} of them are the same, and they are {row['recall']:.1%} of all "
        "that are. In use: "
        f"{linkage.threshold:g}. Clusters then decide pair by pair."
    )
    pressed = may_begin_jobs() and st.button(
        f"Link again from {chosen:g} on", key="linked-again-from"
    )
    return float(chosen) if pressed else None


def likely_pairs(linkage: Any) -> str:
    """Compared pairs as a file, the likeliest first."""
    pairs = linkage.pairs()
    return csv_text(pairs[pairs["probability"] >= LEAST_LIKELY])
