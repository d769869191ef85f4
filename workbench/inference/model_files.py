"""Integer programs written for other solvers, as LP or MPS."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.interchange import ClauseProgram


def write_integer_program(program: ClauseProgram, path: Path) -> None:
    """Write a program over 0/1 columns in the form of the path's ending, .lp or .mps.

    Raises OSError where the file cannot be written.
    """
    import highspy

    path.touch()
    n_rows, n_columns = program.A.shape
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(
        n_columns,
        n_rows,
        program.A.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        program.cost,
        np.zeros(n_columns),
        np.ones(n_columns),
        program.lower,
        np.full(n_rows, highspy.kHighsInf),
        program.A.indptr.astype(np.int32),
        program.A.indices.astype(np.int32),
        program.A.data,
        np.ones(n_columns, np.int32),
    )
    if solver.writeModel(str(path)) == highspy.HighsStatus.kError:
        raise OSError(f"{path} was not written")
