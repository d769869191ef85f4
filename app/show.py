"""How pages show things: titles, tables, failures, runs in a list; users' text is never markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

import streamlit as st

from app.state import may_begin_jobs, workspace
from app.wording import in_page_words, meanings
from workbench.errors import WorkbenchError

ROOM = {"left": 0, "top": 0, "right": 12, "bottom": 20}
LETTERS_ON, EITHER = {"light": "#43454f", "dark": "#d6d6d2"}, "#767676"
"""Colours of letters by the ground, and where the ground is not known yet."""
LETTERS, LINES = 34, 4
"""Of a label beside a bar: letters of a line, so that half a phone is enough, and lines."""

DRAWN_AS_SIGNS = re.compile(r"(?<!\S)(?:<->|->|<-|--|>=|<=|~=)(?!\S)")
"""What Streamlit draws an arrow or another sign for, escaped or not."""
JOINER = "\u2060"
"""Nobody sees it; behind such marks it keeps them as they are written."""

WARNED = 6
"""Kinds of warnings that are told at once."""
KINDS = {
    "infer": "inference",
    "learn": "learning",
    "crossval": "cross-validation",
    "structure": "search for rules",
    "study": "study",
    "link": "linkage",
}


def header(title: str, about: str, *terms: str) -> None:
    """A page's title, in one line what it is for, and on hover what its terms mean."""
    st.title(title, anchor=False)
    st.caption(about, help=meanings(terms) if terms else None)


def show_error(error: WorkbenchError | str) -> None:
    """A failure as the workbench says it: plain text, with the line and the caret."""
    if isinstance(error, str):
        st.error("That did not work.", icon=":material/error:")
        st.code(in_page_words(error), language=None, wrap_lines=True)
        return
    first = error.diagnostics[0].message if error.diagnostics else "unknown fault"
    more = f" (and {len(error.diagnostics) - 1} more)" if len(error.diagnostics) > 1 else ""
    st.error(told(first) + more, icon=":material/error:")
    rendered = in_page_words(str(error))
    if "\n" in rendered:
        st.code(rendered, language=None, wrap_lines=True)


def warnings(messages: Iterable[str]) -> None:
    """Warnings of a load, a run or a look: each once with how often, in one short list."""
    times = Counter(messages)
    if not times:
        return
    lines = [
        told(message) + (f" ({count:,} times)" if count > 1 else "")
        for message, count in times.items()
    ]
    if len(lines) > WARNED:
        lines[WARNED:] = [f"and {len(lines) - WARNED:,} more kinds of notes"]
    mark = "- " if len(lines) > 1 else ""
    st.warning("\n".join(mark + line for line in lines), icon=":material/warning:")


def with_cure(message: str, cure: str | None) -> str:
    """What is doubtful, and what helps."""
    return f"{message}; {cure}" if cure else message


def plain(text: str) -> str:
    """Text that a user may have written, safe inside Markdown: every mark escaped."""
    kept = DRAWN_AS_SIGNS.sub(rf"\g<0>{JOINER}", text)
    return re.sub(r"([\\`*_{}\[\]()<>#+.!|~$:-])", r"\\\1", kept)


def told(message: str) -> str:
    """What the workbench says, in the page's words, safe inside Markdown."""
    return plain(in_page_words(message))


def short_labels(texts: Iterable[str]) -> list[str]:
    """Texts cut to fit beside bars, each different: those of one beginning are numbered."""
    found, times = [], Counter[str]()
    for text in texts:
        label = "\n".join(wrap(text, LETTERS, max_lines=LINES, placeholder=" ...")) or text
        times[label] += 1
        found.append(label if times[label] == 1 else f"{label} ({times[label]})")
    return found


def draw(chart: Any, where: Any = st) -> None:
    """A chart whose letters can be read on either ground: Streamlit's own are too pale; with room
    for the last number of an axis, of which the edge cut a part.
    """
    if not isinstance(chart.padding, dict):
        chart = chart.properties(padding=ROOM)
    letters = LETTERS_ON.get(st.context.theme.type or "", EITHER)
    where.altair_chart(
        chart.configure_axis(labelColor=letters, titleColor=letters)
        .configure_legend(labelColor=letters, titleColor=letters)
        .configure_text(color=letters)
    )


def lead_to(view: str, label: str, icon: str) -> None:
    """A link to a view where one goes on with the work, for those who may."""
    if may_begin_jobs():
        st.page_link(f"views/{view}.py", label=label, icon=icon)


def nothing_predicted(purpose: str) -> None:
    """That nothing was inferred yet, and who can mend that."""
    how = (
        "Infer on the page Learn and infer."
        if may_begin_jobs()
        else "Somebody whose token is of the role model or admin infers first."
    )
    st.info(f"There is no prediction to {purpose} yet. {how}")
    lead_to("learn", "Infer", ":material/play_circle:")


def metrics(figures: Sequence[tuple[str, str | int, str | None]]) -> None:
    """Figures in a row that wraps on a narrow window: label, value, and what it means."""
    with st.container(horizontal=True, gap="medium"):
        for label, value, about in figures:
            st.metric(
                label,
                f"{value:,}" if isinstance(value, int) else value,
                help=about,
                width="content",
            )


def run_label(run: Any) -> str:
    """A run in a list."""
    name = f" “{run.name}”" if run.name else ""
    method = f", {run.engine}" if run.engine else ""
    return f"{run.id}{name}: {KINDS.get(run.kind, run.kind)}{method}, {run.created:%Y-%m-%d %H:%M}"


def stands_on(*, held_out: bool) -> None:
    """Whether figures are of what was held out, in colour."""
    if held_out:
        st.badge("Held out", color="green", icon=":material/verified:")
    else:
        st.badge("In-sample", color="orange", icon=":material/warning:")


def standing(run: Any, *, scores: bool = True) -> None:
    """What a run's scores, or what else is shown of it, stand on; of scores in colour."""
    found = workspace().runs.standing(run.id)
    if scores and found.held_out is not None:
        stands_on(held_out=found.held_out)
    st.caption(plain(found.text))
