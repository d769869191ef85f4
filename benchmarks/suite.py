"""What `python -m benchmarks` runs: the commands, whole and quick, and what cost grows with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Benchmark:
    """One command of this folder that prints its records with `--json`.

    Attributes
    ----------
    command : str
        The module below `benchmarks`, and its arguments.
    quick : str
        The same on small problems: seconds, to see that everything still runs.
    growth : pair of str, optional
        The columns of size and cost; the report says by what power of the size the cost grows.
    rivals : tuple of str
        Options of the whole run that this command takes as well.
    """

    command: str
    quick: str
    growth: tuple[str, str] | None = None
    rivals: tuple[str, ...] = ()


SUITE = {
    "grounding": Benchmark(
        "grounding --sizes 1,3,10",
        "grounding --sizes 0.1 --cases transitivity",
        growth=("rows", "cpu_seconds"),
    ),
    "hlmrf_kernels": Benchmark("hlmrf_map kernels", "hlmrf_map kernels --rows 5000"),
    "hlmrf_social": Benchmark(
        "hlmrf_map social", "hlmrf_map social --persons 22050", growth=("rules", "cpu_seconds")
    ),
    "hlmrf_end_to_end": Benchmark(
        "hlmrf_map end-to-end --rules 250000 500000 1000000",
        "hlmrf_map end-to-end --rules 5000",
        growth=("rules", "cpu_seconds"),
        rivals=("psl-jar",),
    ),
    "mln_map": Benchmark(
        "mln_map", "mln_map --people 200 --skip random --skip relaxation --skip uw-cse --skip cora"
    ),
    "transitivity": Benchmark(
        "transitivity", "transitivity --things 100", growth=("things", "cpu_seconds")
    ),
    "maxwalksat": Benchmark("maxwalksat", "maxwalksat --people 200 --seconds 1"),
    "mcsat": Benchmark("mcsat", "mcsat"),
    "start": Benchmark("start", "start --engines exact mcsat"),
    "exact_likelihood": Benchmark("exact_likelihood", "exact_likelihood --clauses 500"),
    "structure": Benchmark("structure", "structure --sets memory", rivals=("aleph",)),
    "study": Benchmark(
        "study --sizes 10000 100000 1000000",
        "study --sizes 2000 --folds 2",
        growth=("rows", "cpu_seconds"),
    ),
    "relational_tables": Benchmark(
        "relational_tables", "relational_tables university --system rules"
    ),
    "linkage": Benchmark(
        "linkage --records 30000 100000 300000",
        "linkage --records 2000",
        growth=("records", "cpu_seconds"),
    ),
    "one_more_record": Benchmark(
        "one_more_record --records 300000", "one_more_record --records 2000 --more 1"
    ),
    "linkage_labels": Benchmark("linkage_labels", "linkage_labels --random 500 --most 50"),
    "updates": Benchmark(
        "updates --people 5000 20000 50000",
        "updates --people 1000",
        growth=("ground_rows", "update_cpu_seconds"),
    ),
    "uai": Benchmark("uai", "uai relational_1 --time-limit 5"),
    "first_page": Benchmark("first_page --repeats 1", "first_page --facts 20000 --repeats 1"),
    "page_views": Benchmark("page_views", "page_views --facts 20000"),
    "page_visitors": Benchmark("page_visitors", "page_visitors --browsers 3 --minutes 0.3"),
    "on_disk": Benchmark(
        "on_disk --rules 4000000 --memory 1GB", "on_disk --rules 400000 --memory 450MB --powers 2"
    ),
}
