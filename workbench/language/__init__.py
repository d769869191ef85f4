"""Text to program: Markov logic and probabilistic soft logic, parsed, checked, put in clausal form, printed."""

from workbench.language.checks import check
from workbench.language.clausal import clausal_form
from workbench.language.mln import parse_mln
from workbench.language.psl import parse_psl
from workbench.language.reading import read_program

__all__ = ["check", "clausal_form", "parse_mln", "parse_psl", "read_program"]
