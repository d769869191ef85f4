"""`structure`: ILP files and programs, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

FAMILY = """:- modeh(*,elder(+person,+person)).
:- modeb(*,ancestor(+person,+person)).
:- determination(elder/2,ancestor/2).
:- set(caching,true).
ancestor(X,Y) :- parent(X,Y).
ancestor(X,Z) :- parent(X,Y), ancestor(Y,Z).
parent(a,b). parent(b,c). parent(c,d). parent(d,e).
"""


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """Elders are ancestors, which the background defines by recursion."""
    (tmp_path / "family.b").write_text(FAMILY)
    (tmp_path / "family.f").write_text(
        "elder(a,b). elder(a,c). elder(a,e). elder(b,d). elder(b,e).\n"
    )
    (tmp_path / "family.n").write_text(
        "elder(b,a). elder(c,a). elder(e,a). elder(d,b). elder(c,c).\n"
    )
    return tmp_path / "family.b"


def test_a_stem_a_file_and_its_directory_are_one_problem(run: Run, family: Path) -> None:
    for given in (family, family.with_suffix(""), family.parent):
        outcome = run("structure", given, "--json")
        assert outcome.code == 0, outcome.err
        assert [rule["rule"] for rule in outcome.json["rules"]] == ["ancestor(a, b) => elder(a, b)"]
        assert "caching" in outcome.json["warnings"][0]


@pytest.mark.parametrize("weights", ["l1", "l2", "elastic", "group"])
def test_weights_come_with_a_certificate_and_the_theory_is_written(
    run: Run, family: Path, weights: str
) -> None:
    out = family.with_suffix(".mln")
    outcome = run("structure", family, "--weights", weights, "--out", out, "--json")
    assert outcome.code == 0, outcome.err
    assert 0 <= outcome.json["gap"] <= 1e-5
    lines = [line for line in out.read_text().splitlines() if "//" in line]
    values = [float(line.split()[0]) for line in lines]
    assert values == sorted(values, reverse=True)
    assert all("covers" in line for line in lines)
    assert run("check", out).code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--set", "nois=3"], "E0610"),
        (["--set", "noise=abc"], "E0610"),
        (["--set", "search=ibs"], "E0610"),
        (["--set", "minpos=100"], "E0609"),
        (["--loop", "cover"], "E0611"),
        (["--weights", "l3"], "E0611"),
    ],
)
def test_wrong_settings_are_named(run: Run, family: Path, words: list[str], code: str) -> None:
    outcome = run("structure", family, *words)
    assert outcome.code == 2
    assert code in outcome.err


def test_what_cannot_be_read_or_searched_is_named(run: Run, family: Path) -> None:
    missing = run("structure", family.parent / "nothing.b")
    assert missing.code == 1
    assert "E0141" in missing.err
    (family.parent / "empty").mkdir()
    empty = run("structure", family.parent / "empty")
    assert empty.code == 1
    assert "E0141" in empty.err
    family.write_text(FAMILY.replace("modeb(*,ancestor", "modeb(*,ancestro"))
    unknown = run("structure", family)
    assert unknown.code == 1
    assert "E0605" in unknown.err
    assert "ancestor" in unknown.err
    family.write_text(
        "elder_than(a).\n"
        + FAMILY.replace("parent(a,b). parent(b,c). parent(c,d). parent(d,e).", "parent(x,y).")
    )
    apart = run("structure", family)
    assert apart.code == 1
    assert "E0608" in apart.err


def test_parameters_of_searches_without_modes_are_typed(run: Run) -> None:
    university = Path("data/university")
    words = [
        "structure",
        university / "advisors.mln",
        "--data",
        university / "dataset.toml",
        "--method",
        "paths",
    ]
    refused = run(*words, "--set", "recursive=banana", "--set", "max_clauses=many")
    assert refused.code == 2
    assert refused.err.count("E0610") == 2


def test_the_directory_at_hand_is_named_by_a_dot(
    run: Run, family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(family.parent)
    assert run("structure", ".", "--json").code == 0


def test_clauses_that_steer_alephs_search_are_told(run: Run, family: Path) -> None:
    family.write_text(FAMILY + "prune((H:-B)) :- long(B).\nfalse :- elder(X,X).\n")
    told = run("structure", family).err
    assert "prune/1 would steer the search" in told
    assert "false/0 would steer the search" in told
    family.write_text(
        FAMILY + ":- modeb(1,prune(+person)).\n:- determination(elder/2,prune/1).\nprune(a).\n"
        "prune(X) :- parent(X,b).\n"
    )
    assert "steer" not in run("structure", family).err


def test_a_number_that_is_none_is_refused_by_every_road(run: Run, family: Path) -> None:
    """No clause scores more than NaN, which was told as no clause being acceptable."""
    for given in (("--collect", "nan"), ("--set", "collect=nan")):
        refused = run("structure", family, *given)
        assert refused.code == 2
        assert "error[E0610]: the parameter collect of the search is a number" in refused.err


def test_rules_that_are_an_ilp_problem_are_sent_to_structure(run: Run, family: Path) -> None:
    refused = run("infer", family)
    assert refused.code == 2
    assert "workbench structure" in refused.err


def test_rules_are_found_over_what_a_workspace_holds(run: Run, tmp_path: Path) -> None:
    lines = ["person,town,loyal", *(f"P{n},T{n % 4},{'yes' if n % 4 else 'no'}" for n in range(80))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "empty.mln").write_text("// nothing\n")
    work = tmp_path / "work.duckdb"
    assert run("load", work, tmp_path / "people.csv", "--predict", "people.loyal").code == 0
    found = run("structure", "-w", work, "--target", "Loyal", "--method", "mine", "--json")
    assert found.code == 0, found.err
    assert "Town(a, T1) => Loyal(a)" in [rule["rule"] for rule in found.json["rules"]]
    nothing = run("structure")
    assert (nothing.code, "E0814" in nothing.err) == (2, True)
    empty = run("structure", tmp_path / "empty.mln", "--target", "Loyal")
    assert "no predicate is declared" in empty.err
    unused = run("structure", "-w", work, "--target", "Loyal", "--loop", "induce_max")
    assert (unused.code, "--loop" in unused.err) == (2, True)


@pytest.mark.parametrize(
    ("seconds", "said"), [("0", "before the time limit"), ("60", "no rule was found that tells")]
)
def test_where_no_rule_is_found_a_sentence_says_why(
    run: Run, tmp_path: Path, seconds: str, said: str
) -> None:
    (tmp_path / "ill.mln").write_text("Ill(person)\nDrinks(person, well)\n")
    (tmp_path / "ill.db").write_text("Ill(Ana)\nDrinks(Bo, North)\n")
    program = (tmp_path / "ill.mln", "--data", tmp_path / "ill.db", "--target", "Ill")
    outcome = run("structure", *program, "--method", "mine", "--time-limit", seconds)
    assert said in outcome.out.lower()
    assert "precision" not in outcome.out
