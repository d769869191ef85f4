"""DuckDB: schema, loaders, partitions, worlds, folds, runs, catalog and console."""

from workbench.database.alchemy import load_alchemy, load_alchemy_text, texts_of_alchemy
from workbench.database.arrow_columns import arrow_column
from workbench.database.attached import (
    copy_attached,
    database_tables,
    is_workspace,
    load_attached,
)
from workbench.database.catalog import (
    catalog,
    combinations,
    constants,
    degrees,
    distinct_values,
    facts_page,
    top_values,
    types_by_size,
)
from workbench.database.changes import add_facts, remove_facts
from workbench.database.console import QueryResult, query, query_parameters, relations_read
from workbench.database.copying import Salvage, salvage
from workbench.database.database import DEFAULT_WORLD, Database
from workbench.database.dataset import (
    DATASET_KEYS,
    DESCRIPTION,
    load_dataset,
    load_file,
    read_dataset,
)
from workbench.database.declared_keys import DeclaredKeys, ForeignKey, declared_keys
from workbench.database.encoded_facts import FactColumns, insert_facts
from workbench.database.fact_texts import (
    FactTexts,
    not_answered,
    standing_facts,
    texts_of_facts,
)
from workbench.database.facts import FactRows, StatedFacts, set_fact
from workbench.database.fingerprint import (
    FactSum,
    TablePrint,
    changed_print,
    data_hash,
    fact_print,
    fact_sums,
    hash_of,
    table_prints,
)
from workbench.database.folds import (
    KeptFold,
    held_out_keys,
    make_atom_folds,
    make_world_folds,
    read_folds,
)
from workbench.database.formats import (
    FORMATS,
    FileFacts,
    endings,
    format_of,
    load_facts,
    write_table,
)
from workbench.database.identifiers import quoted, text_literal, unused_name
from workbench.database.ingest import LoadReport, Partition, check_partition
from workbench.database.kept_arrays import forget_arrays, keep_arrays, keeps_rows, kept_arrays
from workbench.database.kept_linkage import KeptLinkage, keep_linkage, kept_linkage, take_linkage
from workbench.database.labelled import (
    BesideTruth,
    beside_truth,
    keep_truth,
    label_counts,
    label_keys,
)
from workbench.database.linkage_answers import (
    answered_pairs,
    clusters_of_two,
    doubtful_pairs,
    expected_from,
    put_answer,
)
from workbench.database.outside import first_line, memory_of_a_load, outside, parquet_bytes
from workbench.database.prediction_files import Predictions, load_predictions, read_predictions
from workbench.database.predictions import (
    RecordedAtoms,
    Unlisted,
    changed_rows,
    constant_ids,
    labelled_values,
    predictions_page,
    recorded_atoms,
    same_folds,
    scored_predictions,
    worst_predictions,
)
from workbench.database.psl import load_psl_data, load_psl_table
from workbench.database.reshape import (
    delete_predicate,
    merge_predicates,
    rename_predicate,
    require_predicate_name,
)
from workbench.database.reviews import (
    ReviewAnswer,
    forget_answer,
    keep_answer,
    known_of,
    read_answers,
)
from workbench.database.rows import handed_in
from workbench.database.run_transfer import take_run
from workbench.database.runs import (
    Run,
    RunRecord,
    delete_run,
    label_run,
    mean_metrics,
    read_run,
    read_runs,
    record_intervals,
    record_run,
    run_table,
    runs_begun,
)
from workbench.database.table_files import TablePreview, preview_table, read_fault
from workbench.database.tables import load_frame, load_tables, predicate_of_file
from workbench.database.text_files import (
    FactSource,
    cells_of_line,
    chunks_of_lines,
    display_name,
    line_reader,
    open_binary,
)
from workbench.database.things import (
    Neighbour,
    described_types,
    display_names,
    name_things,
    neighbours,
    rows_of_things,
)
from workbench.database.toml_reader import TomlReader, read_toml
