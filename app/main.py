"""The page's frame: navigation, the workspace's name, and the job that is running."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

import streamlit as st  # noqa: E402

from app.state import server  # noqa: E402

st.set_page_config(page_title="Relational workbench", page_icon=":material/hub:", layout="wide")

# The frame's own style: less empty space above the title, rules and SQL in even letters.
st.html(
    "<style>.stMainBlockContainer { padding-top: 3rem; padding-bottom: 3rem }"
    ".stTextArea textarea { font-family: ui-monospace, monospace; font-size: .9rem }</style>"
)

VIEWS = HERE / "views"
pages = {
    "Look": [
        st.Page(VIEWS / "data.py", title="Data", icon=":material/database:", default=True),
        st.Page(VIEWS / "explore.py", title="Explore", icon=":material/travel_explore:"),
    ],
    "Model": [
        st.Page(VIEWS / "rules.py", title="Rules", icon=":material/edit_note:"),
        st.Page(VIEWS / "learn.py", title="Learn and infer", icon=":material/play_circle:", url_path="learn"),
    ],
    "Understand": [
        st.Page(VIEWS / "weights.py", title="Weights", icon=":material/balance:"),
        st.Page(VIEWS / "evaluation.py", title="Evaluation", icon=":material/query_stats:"),
        st.Page(VIEWS / "why.py", title="Why", icon=":material/help_center:"),
        st.Page(VIEWS / "runs.py", title="Runs", icon=":material/history:"),
        st.Page(VIEWS / "experiments.py", title="Experiments", icon=":material/science:"),
    ],
}
chosen = st.navigation(pages)
with st.sidebar:
    state = server()
    st.caption("Workspace")
    st.text(Path(state.path).name if state.path else "in memory (not saved)")
    job = state.runner.latest()
    if job is not None:
        st.caption("Last job")
        st.text(f"{job.title}: {job.status}")
chosen.run()
