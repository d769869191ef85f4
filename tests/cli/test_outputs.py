"""Files that commands write: whole, or as they were."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from workbench.commands.console import (
    MOST_ALIKE,
    MOST_ROWS,
    check_table,
    print_error,
    print_table,
    print_warnings,
    replacing,
)
from workbench.errors import Diagnostic, InputError, Span, UsageError


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "rules.mln"
    path.write_text("1 P(x)\n")

    def fill() -> None:
        with replacing(path) as part:
            part.write_text("2 P")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError, match=r"E0802.*no space left"):
        fill()
    assert [file.name for file in tmp_path.iterdir()] == ["rules.mln"]
    assert path.read_text() == "1 P(x)\n"


def test_a_file_is_replaced_with_its_mode_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "p.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with replacing(link) as part:
        assert part.suffix == ".csv"
        part.write_text("new")
    assert (path.read_text(), path.stat().st_mode & 0o777, link.is_symlink()) == (
        "new",
        0o640,
        True,
    )


def test_a_device_is_written_as_it_is() -> None:
    with replacing(Path(os.devnull)) as part:
        assert part == Path(os.devnull)


def test_a_table_of_no_known_form_is_refused_before_any_work(tmp_path: Path) -> None:
    for name in ("clusters.foo", "clusters.db", "clusters.xlsx"):
        with pytest.raises(UsageError, match="E0248"):
            check_table(tmp_path / name)
    for name in ("clusters", "clusters.csv", "clusters.csv.gz", "clusters.tsv", "pairs.parquet"):
        check_table(tmp_path / name)


def test_a_table_that_is_to_be_had_elsewhere_ends_with_where(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [(f"rule {number}", number) for number in range(MOST_ROWS + 1_940)]
    print_table("Rules", ("rule", "groundings"), rows, rest="--json lists them all")
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "... 1,940 more; --json lists them all"
    assert sum(line.startswith("│ rule ") for line in lines) == MOST_ROWS
    print_table("Rules", ("rule", "groundings"), rows[:MOST_ROWS], rest="--json lists them all")
    assert "more" not in capsys.readouterr().out


def test_of_many_warnings_of_one_kind_the_first_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hidden = [Diagnostic("E0303", f"P{one} is hidden", severity="note") for one in range(2_000)]
    print_warnings([*hidden, Diagnostic("E0309", "Q is false", severity="warning")])
    lines = capsys.readouterr().err.splitlines()
    assert lines[MOST_ALIKE:] == [
        f"note[E0303]: and {2_000 - MOST_ALIKE:,} more of this kind",
        "warning[E0309]: Q is false",
    ]


def test_names_steer_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences and marks that turn the direction of writing are shown as escapes."""
    name = "x\x1b[31m\N{RIGHT-TO-LEFT OVERRIDE}"
    line = Diagnostic("E0104", f"no {name}", Span(name, 1, 4, 1, 5), f"as {name}", f"{name} R(x)\r")
    print_warnings([line])
    print_table("Found", ("a", "[b]c"), [(name, "left")])
    print_error(name)
    shown = capsys.readouterr()
    assert not {"\x1b", "\N{RIGHT-TO-LEFT OVERRIDE}", "\r"} & {*shown.out, *shown.err}
    assert r"no x\x1b[31m\u202e" in shown.err
    assert r"x\x1b[31m\u202e" in shown.out
    assert "[b]c" in shown.out
