"""Files as other systems write them: every door reads them alike, or names what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = "S(p)\n0.3 S(x)\n"
FACTS = "S(Anna)\n?S(Bo)\n"
DATASET = '[predicates]\nS = ["p"]\n[[facts]]\nfile = "s.csv"\npredicate = "S"\n'
MODEL = "MARKOV\n1\n2\n1\n1 0\n2\n 0.4 0.6\n"
PROBLEM = (
    ":- modeh(1, good(+t)).\n:- modeb(*, big(+t)).\nbig(a).\nbig(b).\n:- begin_in_pos.\ngood(a).\n"
    "good(b).\n:- end_in_pos.\n:- begin_in_neg.\ngood(c).\n:- end_in_neg.\n"
)
DOORS = {
    "rules.mln": (RULES, ["infer", "rules.mln", "--data", "facts.db"]),
    "facts.db": (FACTS, ["infer", "rules.mln", "--data", "facts.db"]),
    "asked.txt": (
        "// who\nS(Bo)\n",
        ["infer", "rules.mln", "--data", "facts.db", "-f", "asked.txt"],
    ),
    "dataset.toml": (DATASET, ["load", "new.duckdb", "dataset.toml"]),
    "model.uai": (MODEL, ["solve", "model.uai"]),
    "problem.pl": (PROBLEM, ["structure", "problem.pl"]),
}
WAYS = {
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
}


def asked(run: Run, name: str, data: bytes) -> tuple[int, str]:
    """What the command says of the files at hand, one of them of these bytes, without times."""
    for file, (text, _) in DOORS.items():
        Path(file).write_text(text)
    Path("s.csv").write_text("x\nAnna\n")
    Path("new.duckdb").unlink(missing_ok=True)
    Path(name).write_bytes(data)
    outcome = run(*DOORS[name][1])
    told = [line for line in outcome.out.splitlines() if " s" not in line]
    return outcome.code, "\n".join(told) + outcome.err


@pytest.mark.parametrize("name", DOORS)
def test_marks_and_line_ends_do_not_matter(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = DOORS[name][0]
    plain = asked(run, name, text.encode())
    assert plain[0] == 0
    for way, written in WAYS.items():
        assert asked(run, name, written(text)) == plain, way
    code, told = asked(run, name, text.encode("utf-16"))
    assert code == 1
    assert "UTF-16" in told
