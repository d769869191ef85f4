"""The page's frame: navigation, the workspace's name, and the job that is running."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if sys.path[0] != str(HERE.parent):
    sys.path.insert(0, str(HERE.parent))

import streamlit as st  # noqa: E402

from app.show import header, show_error  # noqa: E402
from app.state import Server, may_begin_jobs, server  # noqa: E402
from app.watching import await_nothing, queue  # noqa: E402
from app.wording import GLOSSARY, meanings  # noqa: E402
from workbench.errors import WorkbenchError  # noqa: E402

st.set_page_config(
    page_title="Relational workbench",
    page_icon=str(HERE / "icon.svg"),
    layout="wide",
    initial_sidebar_state=230,
)

st.html(HERE / "page.css")

# Streamlit puts boxes between the list of pages and its items, which screen readers then do not
# count as one list; messages that pass have no name; what scrolls (a box that opens, a long text)
# is scrolled by keys where it can have the focus alone; a box that opens stands at the end of the
# page, where Tab from its button does not lead, so that it takes the focus and gives it back; and
# what was chosen with the mouse keeps the focus, so that keys of buttons (y, n) are not heard until
# one clicks elsewhere.
FOR_READERS = """<script>
{
  const mend = () => {
    for (const list of document.querySelectorAll('[data-testid="stSidebarNavItems"]')) {
      list.setAttribute("role", "presentation");
      list.querySelectorAll("div:has(> li)").forEach((part) => part.setAttribute("role", "list"));
    }
    for (const text of document.querySelectorAll('[data-testid="stCode"] pre')) text.tabIndex = 0;
    const box = document.querySelector('[data-testid="stPopoverBody"]');
    if (box && !box.dataset.entered) {
      box.tabIndex = 0;
      box.dataset.entered = "yes";
      window.openedFrom = document.activeElement;
      box.focus({preventScroll: true});
    } else if (!box && window.openedFrom) {
      if (document.activeElement === document.body) window.openedFrom.focus();
      window.openedFrom = null;
    }
    const messages = document.querySelectorAll('[data-testid="stToast"]');
    for (const message of messages) message.setAttribute("aria-label", "Message");
  };
  const chosen = 'label:has(input[type=checkbox]), [role=option][data-selection-mode=single]';
  const release = ({ target }) => {
    if (target.closest(chosen)) setTimeout(() => document.activeElement.blur(), 200);
  };
  mend();
  if (!window.forReaders) document.addEventListener("pointerup", release, true);
  window.forReaders ??= new MutationObserver(mend);
  window.forReaders.observe(document.body, {childList: true, subtree: true});
}
</script>"""

VIEWS = HERE / "views"
pages = {
    "Begin": [
        st.Page(VIEWS / "start.py", title="Start", icon=":material/home:", default=True),
        st.Page(
            VIEWS / "tables.py",
            title="Bring your tables",
            icon=":material/table_view:",
            url_path="tables",
        ),
        st.Page(
            VIEWS / "linked.py", title="Link records", icon=":material/join:", url_path="linked"
        ),
    ],
    "Look": [
        st.Page(VIEWS / "data.py", title="Data", icon=":material/database:"),
        st.Page(VIEWS / "explore.py", title="Explore", icon=":material/travel_explore:"),
    ],
    "Model": [
        st.Page(VIEWS / "rules.py", title="Rules", icon=":material/edit_note:"),
        st.Page(
            VIEWS / "learn.py",
            title="Learn and infer",
            icon=":material/play_circle:",
            url_path="learn",
        ),
    ],
    "Understand": [
        st.Page(VIEWS / "weights.py", title="Weights", icon=":material/balance:"),
        st.Page(VIEWS / "evaluation.py", title="Evaluation", icon=":material/query_stats:"),
        st.Page(VIEWS / "why.py", title="Why", icon=":material/help_center:"),
        st.Page(VIEWS / "review.py", title="Review", icon=":material/rate_review:"),
        st.Page(VIEWS / "runs.py", title="Runs", icon=":material/history:"),
    ],
}
if (HERE.parent / "experiments").is_dir():
    pages["Understand"].append(
        st.Page(VIEWS / "experiments.py", title="Experiments", icon=":material/science:")
    )


def opened() -> Server:
    """The server's state; where its workspace cannot be opened, the page says why and ends."""
    try:
        return server()
    except WorkbenchError as error:
        header(
            "The workspace does not open", "It is given on the command line that started this page."
        )
        show_error(error)
        st.caption(
            "Where another process has the file, end that process first. A missing folder has to "
            "be made first."
        )
        st.button("Try again", type="primary")
        st.stop()


OF_LABELS = ("Review", "Link records", "Why", "Evaluation", "Explore")
"""What is for people who label at a server: to be asked, and to see why."""
state = opened()
if not may_begin_jobs():
    found = {page.title: page for of_group in pages.values() for page in of_group}
    asked = [found[title] for title in OF_LABELS]
    # Each keeps its own address: the one without a name leads to the first.
    unnamed = st.Page(
        lambda: st.switch_page(asked[0]), title="Label", default=True, visibility="hidden"
    )
    pages = {"Label": [unnamed, *asked]}
chosen = st.navigation(pages, expanded=True)
with st.sidebar:
    st.caption("Workspace")
with st.sidebar:
    st.text(Path(state.path).name if state.path else "in memory (not saved)")
    with st.popover("Words", icon=":material/dictionary:", type="tertiary"):
        st.markdown(meanings(GLOSSARY))
    jobs = st.container()
    st.html(FOR_READERS, unsafe_allow_javascript=True)
await_nothing()
try:
    chosen.run()
finally:
    # At the end: Streamlit forgets what a busy server has drawn and not yet sent, where the
    # browser's timer asks for a fragment just then; and a timer begins when its fragment is drawn.
    with jobs:
        st.fragment(queue, run_every=2.0 if state.jobs.unfinished() else None)(state.jobs)
