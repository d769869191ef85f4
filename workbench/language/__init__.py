"""Text to program: Markov logic and soft logic, parsed, checked, put in clausal form, printed."""

from workbench.language.checks import check
from workbench.language.clausal import clausal_form, clause_problems
from workbench.language.mln.parsing import parse_mln
from workbench.language.printing import format_program
from workbench.language.psl.parsing import parse_psl
from workbench.language.reading import (
    LANGUAGES,
    as_written,
    format_source,
    format_text,
    is_document,
    language_of,
    language_of_file,
    parse_program,
    read_program,
)
from workbench.language.user_functions import register_function
