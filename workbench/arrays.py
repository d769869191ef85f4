"""Array types that signatures name, by the type of their elements. Docstrings give the shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Float = npt.NDArray[np.float64]
Float32 = npt.NDArray[np.float32]
Real = npt.NDArray[np.floating]
"""Of either precision."""
Int8 = npt.NDArray[np.int8]
UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Integer = npt.NDArray[np.integer]
"""Of any width."""
UInt64 = npt.NDArray[np.uint64]
Bool = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]
"""Of any numbers."""
