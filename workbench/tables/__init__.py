"""Wide tables, as people have them: found, read, profiled, mapped to predicates, loaded.

The way of a table, each step a plain value made from the one before it:

    sources = find_sources(["people.csv", "shop.sqlite"])     # files and databases, taken apart
    with stage(sources) as staging:                           # text, in a DuckDB of their own
        mapping = propose(staging, predict="people.is_fraud") # what each column means
        text = format_mapping(mapping)                        # ... as `[[tables]]` of a TOML file
        typed = type_tables(staging, mapping)                 # numbers, dates and texts
        report = load_tables_as_mapped(database, staging, mapping, typed=typed)

What a learner on top of tables needs:

`mapped_predicates(mapping)`
    Every predicate with its argument types and the column it comes from.
`typed[table].relation`, `.columns`, `.subject`
    Relations in `staging.connection` with columns of DOUBLE, TIMESTAMP and VARCHAR, under the names
    in `.columns`; the keys and references of different tables compare as texts.
`target_of(mapping)`, `target_rows(staging, mapping, typed)`
    What is to be predicted; the things it is known of and those it is asked for, as arrays.
`target_faults(...)`, `leaks(...)`
    A target of one class, or given away by another column.

SQL of this room is about staged and typed tables only, in a database that is thrown away. Facts
reach the workspace through `workbench.database.insert_facts`.
"""

from workbench.tables.checked import type_tables
from workbench.tables.corrections import corrected, renamed
from workbench.tables.definitions import check_definitions
from workbench.tables.facts import (
    MappedPredicate,
    Target,
    mapped_predicates,
    rows_predicate,
    target_of,
)
from workbench.tables.frames import Tables, as_files
from workbench.tables.kinds import ColumnKind
from workbench.tables.load import TablesReport, load_tables_as_mapped
from workbench.tables.mapping import ColumnMapping, SqlDefinition, TableMapping, TablesMapping
from workbench.tables.mapping_file import read_mapping
from workbench.tables.mapping_text import format_mapping
from workbench.tables.more_rows import (
    as_given,
    load_more_rows,
    typed_among,
    with_columns,
    with_files_of,
    with_more_files,
)
from workbench.tables.parts import parts_of
from workbench.tables.propose import propose
from workbench.tables.readings import Reading
from workbench.tables.sources import (
    TableSource,
    files_of_tables,
    find_sources,
    form_of,
    is_table_file,
)
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.staging import stage
from workbench.tables.targets import (
    FEWEST_TO_PART,
    IMMENSE,
    ask_where_absent,
    gives_away_from,
    leaks,
    target_faults,
    target_rows,
)
from workbench.tables.typed import TypedTable, counted
